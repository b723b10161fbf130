//! `tasuki convert`: the same packet in another form or dialect.

use std::path::PathBuf;

use clap::ValueEnum;
use tasuki_packet::dialect::{self, Dialect};
use tasuki_packet::read::Form;
use tasuki_packet::{Members, convert, render};

use crate::exit::{Exit, Failure};
use crate::output;
use crate::packet_file::{self, Secrets};
use crate::printer::Printer;

/// Write a packet in another form; the JSON value and the order of its members stay the same.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki convert handoff.yaml --to json\n  tasuki convert issue.md --to yaml --out handoff.yaml"
)]
pub(crate) struct Arguments {
    /// The packet: a file, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The form to write.
    #[arg(long, value_enum)]
    to: Target,
    /// Write the document of another system: handoff-protocol, works-with-agents, ahp, incident,
    /// fastio or card.
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    #[command(flatten)]
    secrets: Secrets,
    /// Write to this file, which must not exist yet; without it, to stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    let read = packet_file::readable(&arguments.file, &arguments.secrets)?;
    let packet = &read.opened.packet;
    for remark in read.left_behind() {
        printer.remark(&remark);
    }
    let document = match &arguments.dialect {
        Some(name) => exported(packet.members(), name, printer)?,
        None => packet.members().clone(),
    };
    let form = arguments.to.form();
    let brief = if form == Form::Markdown { render::human_brief(packet) } else { String::new() };
    let text = convert::to_form(&document, form, &brief)
        .map_err(|violation| packet_file::failure(&violation))?;
    match &arguments.out {
        Some(path) => output::create(path, &text)?,
        None => printer.data(&text),
    }
    Ok(Exit::Success)
}

/// The packet as a document of another system; what that cannot carry is named.
fn exported(packet: &Members, name: &str, printer: &Printer) -> Result<Members, Failure> {
    let dialect = Dialect::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        Failure::usage(format!("there is no dialect `{name}`"))
            .hint(format!("dialects are {}", names.join(", ")))
    })?;
    let export =
        dialect::export(dialect, packet).map_err(|violation| packet_file::failure(&violation))?;
    for lost in &export.lost {
        printer.remark(&format!("lost: {} {}", lost.pointer, lost.reason));
    }
    Ok(export.document)
}
