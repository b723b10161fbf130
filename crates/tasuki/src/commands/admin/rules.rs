//! `tasuki rules`: sets and shows the rules that apply to every packet of a project.

use std::path::PathBuf;

use clap::Subcommand;
use tasuki_api::PolicyDetails;
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::RulesRecord;
use tasuki_engine::steps::SetRules;
use tasuki_packet::policy::rules::Rules;

use super::documents;
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::Printer;

/// Set or show the project rules.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Replace the rules.
    #[command(after_help = "Example:\n  tasuki rules set rules/default.yaml")]
    Set {
        /// The rules document.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        flags: Flags,
    },
    /// Show the rules.
    #[command(after_help = "Example:\n  tasuki rules show > rules.yaml")]
    Show {
        #[command(flatten)]
        flags: Flags,
    },
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Set { file, flags } => {
            let judge = |document: &_| Rules::read(document)?.compile();
            let (document, _) = documents::read_document(file, "rules document", judge)?;
            let exchange = backend::open_as_operator(flags, printer)?;
            let command = EngineCommand::SetRules(SetRules(RulesRecord { document }));
            documents::print_published("rules", &exchange.run(command, None)?, printer);
        }
        Command::Show { flags } => {
            let Some(rules) = backend::open_anonymous(flags)?.rules()? else {
                if printer.is_json() {
                    printer.json(&PolicyDetails::default());
                }
                printer.remark("No rules yet. Next: tasuki rules set FILE");
                return Ok(Exit::Success);
            };
            if printer.is_json() {
                printer.json(&rules);
            } else {
                printer.data(&documents::to_yaml(&rules.document.unwrap_or_default()));
            }
        }
    }
    Ok(Exit::Success)
}
