//! The command line: definitions only.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::command;

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
