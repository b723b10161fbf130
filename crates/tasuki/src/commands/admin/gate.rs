//! `tasuki gate`: publishes and shows gates, which require signatures.

use std::path::PathBuf;

use clap::Subcommand;
use tasuki_api::{GateSummary, PolicyDetails};
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::GateRecord;
use tasuki_engine::steps::PublishGate;
use tasuki_packet::Violation;
use tasuki_packet::policy::gate::{Factor, Gate};

use super::documents;
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::Printer;
use crate::output::table::columns;

/// Publish, list and show gates.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Publish gates.
    #[command(
        after_help = "Example:\n  tasuki gate publish gates/clinical-release.yaml\n\nA published gate applies to new handoffs. Open handoffs keep the gates that they were submitted under."
    )]
    Publish {
        /// Gate documents.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        flags: Flags,
    },
    /// List the gates of the project.
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        flags: Flags,
    },
    /// Show the newest version of a gate.
    #[command(after_help = "Example:\n  tasuki gate show clinical-release")]
    Show {
        /// The name of the gate.
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Publish { files, flags } => publish(files, flags, printer),
        Command::List { flags } => list(flags, printer),
        Command::Show { name, flags } => show(name, flags, printer),
    }
}

fn publish(files: &[PathBuf], flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let read = |file: &PathBuf| documents::read_document(file, "gate", Gate::read);
    // All documents are valid, or none is published.
    let gates = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let exchange = backend::open_as_operator(flags, printer)?;
    for (document, _) in gates {
        let command = EngineCommand::PublishGate(PublishGate(GateRecord { document }));
        documents::print_published("gate", &exchange.run(command, None)?, printer);
    }
    Ok(Exit::Success)
}

fn list(flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let mut rows = vec![["GATE", "FACTORS", "DIGEST"].map(str::to_owned)];
    for PolicyDetails { document, digest } in exchange.gates()? {
        let (document, digest) = (document.unwrap_or_default(), digest.unwrap_or_default());
        let gate = Gate::read(&document).map_err(|found| unreadable(&found))?;
        if printer.is_json() {
            printer.json(&GateSummary {
                gate: gate.name.clone(),
                version: gate.version.to_string(),
                digest: digest.clone(),
            });
        }
        let factor = |factor: &Factor| format!("{} × {}", factor.approvals, factor.name);
        let factors: Vec<String> = gate.factors.iter().map(factor).collect();
        let digest = documents::short_digest(&digest);
        rows.push([gate.identity().to_string(), factors.join(", "), digest]);
    }
    if !printer.is_json() && rows.len() == 1 {
        printer.remark("No gates yet. Next: tasuki gate publish FILE");
    } else if !printer.is_json() {
        printer.data(&columns(&rows));
    }
    Ok(Exit::Success)
}

fn show(name: &str, flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let shown = exchange.gate(name)?;
    if printer.is_json() {
        printer.json(&shown);
    } else {
        printer.data(&documents::to_yaml(&shown.document.unwrap_or_default()));
    }
    Ok(Exit::Success)
}

fn unreadable(found: &[Violation]) -> Failure {
    let why = found.first().map(|one| one.message.as_str()).unwrap_or_default();
    Failure::refused(format!("a gate of the exchange cannot be read here: {why}"))
        .hint("a newer version may have written it")
}
