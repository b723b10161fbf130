//! `tasuki convert`: the same packet in another form or dialect.

use std::path::PathBuf;

use clap::ValueEnum;
use tasuki_packet::convert;
use tasuki_packet::read::Form;

use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::{output, packet_file};

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
    let read = packet_file::readable(&arguments.file)?;
    let members = read.opened.packet.members();
    let text = convert::to_form(members, arguments.to.form(), "")
        .map_err(|violation| packet_file::failure(&violation))?;
    for remark in read.left_behind() {
        printer.remark(&remark);
    }
    match &arguments.out {
        Some(path) => output::create(path, &text)?,
        None => printer.data(&text),
    }
    Ok(Exit::Success)
}
