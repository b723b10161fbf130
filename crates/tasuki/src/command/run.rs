//! From the parsed command line to the command.

use super::{
    backup, checkpoint, claim, completions, config, contract, convert, dead, decisions, diff,
    doctor, drift, events, gate, halt, help, inbox, init, lint, log, ls, man, party, patch,
    project, render, renew, restore, return_packet, rules, schema, search, show, stats, submit,
    timeline, tokens, validate, verify, wait,
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
        Command::Ls(arguments) => ls::run(&arguments, printer),
        Command::Wait(arguments) => wait::run(&arguments, printer),
        Command::Events(arguments) => events::run(&arguments, printer),
        Command::Timeline(arguments) => timeline::run(&arguments, printer),
        Command::Log(arguments) => log::run(&arguments, printer),
        Command::Gate(arguments) => gate::run(&arguments, printer),
        Command::Rules(arguments) => rules::run(&arguments, printer),
        Command::Project(arguments) => project::run(&arguments, printer),
        Command::Dead(arguments) => dead::run(&arguments, printer),
        Command::Halt(arguments) => halt::run(&arguments, printer),
        Command::Search(arguments) => search::run(&arguments, printer),
        Command::Doctor(arguments) => doctor::run(&arguments, printer),
        Command::Backup(arguments) => backup::run(&arguments, printer),
        Command::Restore(arguments) => restore::run(&arguments, printer),
        Command::Stats(arguments) => stats::run(&arguments, printer),
        Command::Decisions(arguments) => decisions::run(&arguments, printer),
        Command::Config(arguments) => config::run(&arguments, printer),
        Command::Schema(arguments) => schema::run(&arguments, printer),
        Command::Completions(arguments) => Ok(completions::run(&arguments, printer)),
        Command::Man(arguments) => man::run(&arguments, printer),
        Command::Help(arguments) => help::run(&arguments, printer),
    }
}
