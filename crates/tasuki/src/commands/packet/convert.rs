//! `tasuki convert`: converts a packet to another form or dialect.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;
use tasuki_packet::dialect::{self, Dialect, Export};
use tasuki_packet::read::Form;
use tasuki_packet::schema::model_form;
use tasuki_packet::write::convert;
use tasuki_packet::{Members, Packet, render};

use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, Secrets};
use crate::output::escape::escape;
use crate::output::file;
use crate::output::printer::Printer;

/// Convert a packet to another format.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki convert handoff.yaml --to json\n  tasuki convert issue.md --to yaml --out handoff.yaml\n\nThe JSON value and the order of its members stay the same."
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
    /// The dialect of another system: handoff-protocol, works-with-agents, ahp, incident, fastio or
    /// card.
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    #[command(flatten)]
    secrets: Secrets,
    /// Write to this new file instead of stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

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
    let mut read = packet_file::load(&arguments.file, &arguments.secrets)?;
    if arguments.from == Some(Origin::Model) {
        let members = model_form::read(read.opened.packet.to_value());
        read.opened.packet =
            Packet::new(members.map_err(|violation| packet_file::violation_failure(&violation))?);
    }
    let packet = &read.opened.packet;
    let notes = read.conversion_losses();
    let Export { document, lost } = match &arguments.dialect {
        Some(name) => exported(packet.members(), name)?,
        None => Export { document: packet.members().clone(), lost: Vec::new() },
    };
    let form = arguments.to.form();
    let brief = if form == Form::Markdown { render::human_brief(packet) } else { String::new() };
    let text = convert::to_form(&document, form, &brief)
        .map_err(|violation| packet_file::violation_failure(&violation))?;
    if let Some(path) = &arguments.out {
        file::create(path, &text)?;
    }
    if printer.is_json() {
        let text = arguments.out.is_none().then_some(&text);
        printer.json(&json!({ "form": form.name(), "text": text, "notes": notes, "lost": lost }));
        return Ok(Exit::Success);
    }
    for note in &notes {
        printer.remark(&format!("note: {}", escape(note)));
    }
    for lost in &lost {
        printer.remark(&format!("lost: {}: {}", escape(&lost.pointer), escape(&lost.reason)));
    }
    match &arguments.out {
        Some(path) => printer.remark(&format!("Wrote {}", path.display())),
        None => printer.data(&text),
    }
    Ok(Exit::Success)
}

/// Exports a packet to a dialect, with a list of what the dialect cannot express.
fn exported(packet: &Members, name: &str) -> Result<Export, Failure> {
    let dialect = Dialect::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        Failure::usage(format!("unknown dialect `{name}`"))
            .hint(format!("use one of {}", names.join(", ")))
    })?;
    dialect::export(dialect, packet).map_err(|violation| packet_file::violation_failure(&violation))
}
