//! From the parsed command line to the command.

use super::{
    checkpoint, claim, completions, config, contract, convert, diff, drift, help, inbox, init,
    lint, man, party, patch, render, renew, return_packet, schema, show, submit, tokens, validate,
    verify,
};
use crate::cli::Command;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Runs one command.
pub(crate) fn run(command: Command, printer: &Printer) -> Result<Exit, Failure> {
    match command {
        Command::Validate(arguments) => validate::run(&arguments, printer),
        Command::Lint(arguments) => lint::run(&arguments, printer),
        Command::Render(arguments) => render::run(&arguments, printer),
        Command::Tokens(arguments) => tokens::run(&arguments, printer),
        Command::Contract(arguments) => contract::run(&arguments, printer),
        Command::Convert(arguments) => convert::run(&arguments, printer),
        Command::Patch(arguments) => patch::run(&arguments, printer),
        Command::Diff(arguments) => diff::run(&arguments, printer),
        Command::Drift(arguments) => drift::run(&arguments, printer),
        Command::Init(arguments) => init::run(&arguments, printer),
        Command::Party(arguments) => party::run(&arguments, printer),
        Command::Submit(arguments) => submit::run(&arguments, printer),
        Command::Inbox(arguments) => inbox::run(&arguments, printer),
        Command::Show(arguments) => show::run(&arguments, printer),
        Command::Claim(arguments) => claim::run(&arguments, printer),
        Command::Checkpoint(arguments) => checkpoint::run(&arguments, printer),
        Command::Renew(arguments) => renew::run(&arguments, printer),
        Command::Return(arguments) => return_packet::run(&arguments, printer),
        Command::Verify(arguments) => verify::run(&arguments, printer),
        Command::Config(arguments) => config::run(&arguments, printer),
        Command::Schema(arguments) => schema::run(&arguments, printer),
        Command::Completions(arguments) => Ok(completions::run(&arguments, printer)),
        Command::Man(arguments) => man::run(&arguments, printer),
        Command::Help(arguments) => help::run(&arguments, printer),
    }
}
