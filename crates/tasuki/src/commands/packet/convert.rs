//! `tasuki convert`: converts a packet to another form or dialect.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;
use tasuki_packet::check::secrets::Allow;
use tasuki_packet::dialect::Dialect;
use tasuki_packet::open::OpenOptions;
use tasuki_packet::read::Form;
use tasuki_packet::save::{self, Format};
use tasuki_packet::schema::model_form;
use tasuki_packet::{Packet, render};

use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, LoadedPacket, Secrets, VariantFlag};
use crate::output::escape::escape;
use crate::output::file;
use crate::output::printer::Printer;

/// Convert a packet to another format.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki convert handoff.yaml --to json\n  tasuki convert issue.md --to yaml --out handoff.yaml\n  tasuki convert card.json --to yaml --dialect packet\n\nThe JSON value and the order of its members stay the same. A document of another system stays one, unless `--dialect` names another. What is written is read again first; a result that is not valid is refused."
)]
pub(crate) struct Arguments {
    /// The packet, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The form to write.
    #[arg(long, value_enum, value_name = "FORM")]
    to: Target,
    /// Read the answer of a model to the schema of `tasuki schema --for model`.
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<Origin>,
    /// Another dialect: packet for this format, or handoff-protocol, works-with-agents, ahp, incident,
    /// fastio or card.
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    #[command(flatten)]
    variant: VariantFlag,
    #[command(flatten)]
    secrets: Secrets,
    /// Write to this new file instead of stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the result even if it is invalid.
    #[arg(long)]
    force: bool,
}

/// The name of this format for `--dialect`.
const THIS_FORMAT: &str = "packet";

/// A form that is not detected from the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Origin {
    Model,
}

/// A form to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    Yaml,
    Json,
    Markdown,
    Wire,
}

impl Target {
    pub(crate) fn form(self) -> Form {
        match self {
            Self::Yaml => Form::Yaml,
            Self::Json => Form::Json,
            Self::Markdown => Form::Markdown,
            Self::Wire => Form::Wire,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let variant = arguments.variant.read()?;
    let format = format(arguments.dialect.as_deref())?;
    let mut read = packet_file::load_as(&arguments.file, &arguments.secrets, variant.as_ref())?;
    if arguments.from == Some(Origin::Model) {
        let members = model_form::read(read.opened.packet.to_value());
        read.opened.packet =
            Packet::new(members.map_err(|violation| packet_file::violation_failure(&violation))?);
    }
    let packet = &read.opened.packet;
    let losses = read.rewrite_losses();
    let imported = if format == Format::Same { Vec::new() } else { read.import_notes() };
    let form = arguments.to.form();
    let brief = if form == Form::Markdown { render::human_brief(packet) } else { String::new() };
    let allow = Allow::new(&arguments.secrets.allow);
    let options =
        OpenOptions { variant: variant.as_ref(), allow: Some(&allow), ..OpenOptions::default() };
    let saved = save::save(&read.opened, format, form, &brief, options)
        .map_err(|violation| packet_file::violation_failure(&violation))?;
    if !saved.violations.is_empty() && !arguments.force {
        return Err(unreadable(arguments, &read, &saved));
    }
    let (text, lost) = (saved.text, saved.lost);
    if let Some(path) = &arguments.out {
        file::create(path, &text)?;
    }
    if printer.is_json() {
        let text = arguments.out.is_none().then_some(&text);
        let notes = [losses, imported].concat();
        printer.json(&json!({ "form": form.name(), "text": text, "notes": notes, "lost": lost }));
        return Ok(Exit::Success);
    }
    for note in &losses {
        printer.loss(&format!("note: {}", escape(note)));
    }
    for note in &imported {
        printer.remark(&format!("note: {}", escape(note)));
    }
    for lost in &lost {
        printer.loss(&format!("lost: {}: {}", escape(&lost.pointer), escape(&lost.reason)));
    }
    match &arguments.out {
        Some(path) => printer.remark(&format!("Wrote {}", path.display())),
        None => printer.data(&text),
    }
    Ok(Exit::Success)
}

/// Returns the format that `--dialect` names.
fn format(name: Option<&str>) -> Result<Format, Failure> {
    let Some(name) = name else { return Ok(Format::Same) };
    if name == THIS_FORMAT {
        return Ok(Format::Packet);
    }
    Dialect::from_name(name).map(Format::Dialect).ok_or_else(|| {
        let names = Dialect::ALL.iter().map(|dialect| dialect.name());
        let names: Vec<_> = [THIS_FORMAT].into_iter().chain(names).collect();
        Failure::usage(format!("unknown dialect `{name}`"))
            .hint(format!("use one of {}", names.join(", ")))
    })
}

/// Returns the failure for a result that no reader would accept.
fn unreadable(arguments: &Arguments, read: &LoadedPacket, saved: &save::Saved) -> Failure {
    let name = &read.input.name;
    let headline = match arguments.dialect.as_deref() {
        Some(THIS_FORMAT) => format!("{name} would not be a valid packet; nothing was written"),
        Some(dialect) => {
            format!("{name} would not be a valid document of `{dialect}`; nothing was written")
        }
        None => format!("{name} is not a valid packet; nothing was written"),
    };
    let failure = packet_file::refused_with(headline, "<result>", &saved.text, &saved.violations);
    failure.hint("use `--force` to write it anyway")
}
