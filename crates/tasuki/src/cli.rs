//! The command line: its definition, and the way from a parsed command to its module.

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::command;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Hand work over between agents and people, and lose nothing on the way.
#[derive(Debug, Parser)]
#[command(
    name = "tasuki",
    version,
    disable_help_subcommand = true,
    after_help = "Start with:\n  tasuki init --packet > handoff.yaml\n  tasuki validate handoff.yaml\n  tasuki render handoff.yaml --as brief\n\n`tasuki help formats`, `tasuki help exit-codes` and `tasuki help environment` say more."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Print JSON on stdout, one object per line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print JSON with only these fields, separated by commas.
    #[arg(long, global = true, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// When to colour the output.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Colour,
    /// Print results only, no remarks.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Also into a pipe or a file.
    Always,
    /// Not at all.
    Never,
}

/// One command, one file under `command/`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Validate(command::validate::Arguments),
    Lint(command::lint::Arguments),
    Render(command::render::Arguments),
    Convert(command::convert::Arguments),
    Patch(command::patch::Arguments),
    Diff(command::diff::Arguments),
    Drift(command::drift::Arguments),
    Tokens(command::tokens::Arguments),
    Contract(command::contract::Arguments),
    Schema(command::schema::Arguments),
    Init(command::init::Arguments),
    Party(command::party::Arguments),
    Token(command::token::Arguments),
    Subscription(command::subscription::Arguments),
    Serve(command::serve::Arguments),
    Submit(command::submit::Arguments),
    Inbox(command::inbox::Arguments),
    Show(command::show::Arguments),
    Claim(command::claim::Arguments),
    Checkpoint(command::checkpoint::Arguments),
    Renew(command::renew::Arguments),
    Return(command::return_packet::Arguments),
    Verify(command::verify::Arguments),
    Begin(command::begin::Arguments),
    Resume(command::resume::Arguments),
    Ask(command::ask::Arguments),
    Answer(command::answer::Arguments),
    Decline(command::decline::Arguments),
    PassOn(command::pass_on::Arguments),
    Hold(command::hold::Arguments),
    Park(command::park::Arguments),
    Release(command::release::Arguments),
    Revise(command::revise::Arguments),
    Accept(command::accept::Arguments),
    Edit(command::edit::Arguments),
    Reject(command::reject::Arguments),
    Reroute(command::reroute::Arguments),
    Intercept(command::intercept::Arguments),
    SignOff(command::sign_off::Arguments),
    Cancel(command::cancel::Arguments),
    Ls(command::ls::Arguments),
    Wait(command::wait::Arguments),
    Events(command::events::Arguments),
    Timeline(command::timeline::Arguments),
    Log(command::log::Arguments),
    Gate(command::gate::Arguments),
    Rules(command::rules::Arguments),
    Project(command::project::Arguments),
    Dead(command::dead::Arguments),
    Halt(command::halt::Arguments),
    Search(command::search::Arguments),
    Doctor(command::doctor::Arguments),
    Backup(command::backup::Arguments),
    Restore(command::restore::Arguments),
    Stats(command::stats::Arguments),
    Decisions(command::decisions::Arguments),
    Config(command::config::Arguments),
    Completions(command::completions::Arguments),
    Man(command::man::Arguments),
    Help(command::help::Arguments),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self, printer: &Printer) -> Result<Exit, Failure> {
        match self {
            Self::Validate(arguments) => command::validate::run(&arguments, printer),
            Self::Lint(arguments) => command::lint::run(&arguments, printer),
            Self::Render(arguments) => command::render::run(&arguments, printer),
            Self::Tokens(arguments) => command::tokens::run(&arguments, printer),
            Self::Contract(arguments) => command::contract::run(&arguments, printer),
            Self::Convert(arguments) => command::convert::run(&arguments, printer),
            Self::Patch(arguments) => command::patch::run(&arguments, printer),
            Self::Diff(arguments) => command::diff::run(&arguments, printer),
            Self::Drift(arguments) => command::drift::run(&arguments, printer),
            Self::Init(arguments) => command::init::run(&arguments, printer),
            Self::Party(arguments) => command::party::run(&arguments, printer),
            Self::Token(arguments) => command::token::run(&arguments, printer),
            Self::Subscription(arguments) => command::subscription::run(&arguments, printer),
            Self::Serve(arguments) => command::serve::run(&arguments, printer),
            Self::Submit(arguments) => command::submit::run(&arguments, printer),
            Self::Inbox(arguments) => command::inbox::run(&arguments, printer),
            Self::Show(arguments) => command::show::run(&arguments, printer),
            Self::Claim(arguments) => command::claim::run(&arguments, printer),
            Self::Checkpoint(arguments) => command::checkpoint::run(&arguments, printer),
            Self::Renew(arguments) => command::renew::run(&arguments, printer),
            Self::Return(arguments) => command::return_packet::run(&arguments, printer),
            Self::Verify(arguments) => command::verify::run(&arguments, printer),
            Self::Begin(arguments) => command::begin::run(&arguments, printer),
            Self::Resume(arguments) => command::resume::run(&arguments, printer),
            Self::Ask(arguments) => command::ask::run(&arguments, printer),
            Self::Answer(arguments) => command::answer::run(&arguments, printer),
            Self::Decline(arguments) => command::decline::run(&arguments, printer),
            Self::PassOn(arguments) => command::pass_on::run(&arguments, printer),
            Self::Hold(arguments) => command::hold::run(&arguments, printer),
            Self::Park(arguments) => command::park::run(&arguments, printer),
            Self::Release(arguments) => command::release::run(&arguments, printer),
            Self::Revise(arguments) => command::revise::run(&arguments, printer),
            Self::Accept(arguments) => command::accept::run(&arguments, printer),
            Self::Edit(arguments) => command::edit::run(&arguments, printer),
            Self::Reject(arguments) => command::reject::run(&arguments, printer),
            Self::Reroute(arguments) => command::reroute::run(&arguments, printer),
            Self::Intercept(arguments) => command::intercept::run(&arguments, printer),
            Self::SignOff(arguments) => command::sign_off::run(&arguments, printer),
            Self::Cancel(arguments) => command::cancel::run(&arguments, printer),
            Self::Ls(arguments) => command::ls::run(&arguments, printer),
            Self::Wait(arguments) => command::wait::run(&arguments, printer),
            Self::Events(arguments) => command::events::run(&arguments, printer),
            Self::Timeline(arguments) => command::timeline::run(&arguments, printer),
            Self::Log(arguments) => command::log::run(&arguments, printer),
            Self::Gate(arguments) => command::gate::run(&arguments, printer),
            Self::Rules(arguments) => command::rules::run(&arguments, printer),
            Self::Project(arguments) => command::project::run(&arguments, printer),
            Self::Dead(arguments) => command::dead::run(&arguments, printer),
            Self::Halt(arguments) => command::halt::run(&arguments, printer),
            Self::Search(arguments) => command::search::run(&arguments, printer),
            Self::Doctor(arguments) => command::doctor::run(&arguments, printer),
            Self::Backup(arguments) => command::backup::run(&arguments, printer),
            Self::Restore(arguments) => command::restore::run(&arguments, printer),
            Self::Stats(arguments) => command::stats::run(&arguments, printer),
            Self::Decisions(arguments) => command::decisions::run(&arguments, printer),
            Self::Config(arguments) => command::config::run(&arguments, printer),
            Self::Schema(arguments) => command::schema::run(&arguments, printer),
            Self::Completions(arguments) => {
                Ok(command::completions::run(&arguments, Cli::command(), printer))
            }
            Self::Man(arguments) => command::man::run(&arguments, Cli::command(), printer),
            Self::Help(arguments) => command::help::run(&arguments, Cli::command(), printer),
        }
    }
}
