//! From the parsed command line to the command.

use super::{
    accept, answer, ask, begin, cancel, checkpoint, claim, completions, config, contract, convert,
    decline, diff, drift, edit, help, hold, inbox, init, intercept, lint, man, park, party,
    pass_on, patch, reject, release, render, renew, reroute, resume, return_packet, revise, schema,
    show, sign_off, submit, tokens, validate, verify,
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
        Command::Begin(arguments) => begin::run(&arguments, printer),
        Command::Resume(arguments) => resume::run(&arguments, printer),
        Command::Ask(arguments) => ask::run(&arguments, printer),
        Command::Answer(arguments) => answer::run(&arguments, printer),
        Command::Decline(arguments) => decline::run(&arguments, printer),
        Command::PassOn(arguments) => pass_on::run(&arguments, printer),
        Command::Hold(arguments) => hold::run(&arguments, printer),
        Command::Park(arguments) => park::run(&arguments, printer),
        Command::Release(arguments) => release::run(&arguments, printer),
        Command::Revise(arguments) => revise::run(&arguments, printer),
        Command::Accept(arguments) => accept::run(&arguments, printer),
        Command::Edit(arguments) => edit::run(&arguments, printer),
        Command::Reject(arguments) => reject::run(&arguments, printer),
        Command::Reroute(arguments) => reroute::run(&arguments, printer),
        Command::Intercept(arguments) => intercept::run(&arguments, printer),
        Command::SignOff(arguments) => sign_off::run(&arguments, printer),
        Command::Cancel(arguments) => cancel::run(&arguments, printer),
        Command::Config(arguments) => config::run(&arguments, printer),
        Command::Schema(arguments) => schema::run(&arguments, printer),
        Command::Completions(arguments) => Ok(completions::run(&arguments, printer)),
        Command::Man(arguments) => man::run(&arguments, printer),
        Command::Help(arguments) => help::run(&arguments, printer),
    }
}
