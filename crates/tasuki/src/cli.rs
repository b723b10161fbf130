//! The command line: its definition, the groups of its help, and the dispatch to the commands.

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::host::help::{self, Group};
use crate::commands::{admin, agent, decision, eval, handoff, host, packet, query};
use crate::exit::{Exit, Failure};
use crate::output::flags::OutputFlags;
use crate::output::printer::Printer;

/// Hand work from one agent or person to the next without losing anything.
#[derive(Debug, Parser)]
#[command(name = "tasuki", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) output: OutputFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Parses the arguments of the process.
    pub(crate) fn parse_arguments() -> Result<Self, clap::Error> {
        let matches = command().try_get_matches()?;
        Self::from_arg_matches(&matches)
    }
}

/// Returns the definition with the help that people see: an overview by group, and for each command its
/// own options only.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let overview = help::overview(&command, GROUPS);
    command
        .mut_args(|argument| argument.hide(true))
        .mut_subcommands(help::without_common_options)
        .override_help(overview)
}

/// The groups of the overview, in order. Every command is in exactly one of them.
const GROUPS: &[Group] = &[
    Group {
        title: "Hand over",
        commands: &[
            "begin",
            "submit",
            "claim",
            "resume",
            "checkpoint",
            "return",
            "verify",
            "pass-on",
            "release",
            "park",
            "renew",
            "ask",
            "answer",
            "decline",
            "revise",
            "cancel",
        ],
    },
    Group {
        title: "Approve",
        commands: &[
            "request-approval",
            "inbox",
            "show",
            "approve",
            "edit",
            "reject",
            "reroute",
            "intercept",
            "sign-off",
        ],
    },
    Group {
        title: "Watch",
        commands: &["status", "list", "wait", "watch", "events", "timeline", "search", "stats"],
    },
    Group { title: "Agents", commands: &["connect", "hook", "run"] },
    Group {
        title: "Packets",
        commands: &[
            "validate", "lint", "render", "convert", "patch", "diff", "drift", "draft", "tokens",
            "schema", "eval",
        ],
    },
    Group {
        title: "Operate",
        commands: &[
            "init",
            "serve",
            "mcp",
            "party",
            "token",
            "contract",
            "gate",
            "rules",
            "subscription",
            "dead",
            "log",
            "doctor",
            "backup",
            "restore",
            "export",
            "import",
            "project",
            "halt",
            "decisions",
            "config",
            "trust",
            "demo",
            "completions",
            "man",
            "help",
        ],
    },
];

/// One command, one file under `commands/`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Validate(packet::validate::Arguments),
    Lint(packet::lint::Arguments),
    Render(packet::render::Arguments),
    Convert(packet::convert::Arguments),
    Patch(packet::patch::Arguments),
    Diff(packet::diff::Arguments),
    Drift(packet::drift::Arguments),
    Draft(packet::draft::Arguments),
    Tokens(packet::count_tokens::Arguments),
    Eval(eval::Arguments),
    Contract(admin::contract::Arguments),
    Schema(packet::schema::Arguments),
    Init(host::init::Arguments),
    Party(admin::party::Arguments),
    Token(admin::token::Arguments),
    Subscription(admin::subscription::Arguments),
    Serve(host::serve::Arguments),
    Demo(host::demo::Arguments),
    Submit(handoff::submit::Arguments),
    Inbox(query::inbox::Arguments),
    Show(query::show::Arguments),
    Claim(handoff::claim::Arguments),
    Checkpoint(handoff::checkpoint::Arguments),
    Renew(handoff::renew::Arguments),
    Return(handoff::return_packet::Arguments),
    Verify(handoff::verify::Arguments),
    Begin(handoff::begin::Arguments),
    Resume(handoff::resume::Arguments),
    /// Takes a snapshot in a process of its own.
    #[command(hide = true)]
    Snapshot(handoff::code::snapshot::Arguments),
    Ask(handoff::ask::Arguments),
    Answer(handoff::answer::Arguments),
    Decline(handoff::decline::Arguments),
    PassOn(handoff::pass_on::Arguments),
    RequestApproval(handoff::request_approval::Arguments),
    Park(handoff::park::Arguments),
    Release(handoff::release::Arguments),
    Revise(handoff::revise::Arguments),
    #[command(visible_alias = "accept")]
    Approve(decision::approve::Arguments),
    Edit(decision::edit::Arguments),
    Reject(decision::reject::Arguments),
    Reroute(decision::reroute::Arguments),
    Intercept(decision::intercept::Arguments),
    SignOff(decision::sign_off::Arguments),
    Cancel(handoff::cancel::Arguments),
    Status(query::status::Arguments),
    #[command(visible_alias = "ls")]
    List(query::list::Arguments),
    Wait(query::wait::Arguments),
    Watch(Box<query::watch::Arguments>),
    Events(query::events::Arguments),
    Timeline(query::timeline::Arguments),
    Log(query::log::Arguments),
    Gate(admin::gate::Arguments),
    Rules(admin::rules::Arguments),
    Project(admin::project::Arguments),
    Dead(admin::dead::Arguments),
    Halt(admin::halt::Arguments),
    Search(query::search::Arguments),
    Doctor(host::doctor::Arguments),
    Backup(host::backup::Arguments),
    Restore(host::restore::Arguments),
    Export(host::transfer::export::Arguments),
    Import(host::transfer::import::Arguments),
    Stats(query::stats::Arguments),
    Decisions(decision::decisions::Arguments),
    Config(host::config::Arguments),
    Trust(host::trust::Arguments),
    #[command(flatten)]
    Agent(agent::AgentCommand),
    Completions(host::completions::Arguments),
    Man(host::man::Arguments),
    Help(host::help::Arguments),
}

impl Command {
    /// Runs the command.
    #[expect(clippy::too_many_lines, reason = "a dispatch has one line for each command")]
    pub(crate) fn run(self, printer: &Printer) -> Result<Exit, Failure> {
        match self {
            Self::Validate(arguments) => packet::validate::run(&arguments, printer),
            Self::Lint(arguments) => packet::lint::run(&arguments, printer),
            Self::Render(arguments) => packet::render::run(&arguments, printer),
            Self::Draft(arguments) => packet::draft::run(&arguments, printer),
            Self::Eval(arguments) => eval::run(&arguments, printer),
            Self::Tokens(arguments) => packet::count_tokens::run(&arguments, printer),
            Self::Contract(arguments) => admin::contract::run(&arguments, printer),
            Self::Convert(arguments) => packet::convert::run(&arguments, printer),
            Self::Patch(arguments) => packet::patch::run(&arguments, printer),
            Self::Diff(arguments) => packet::diff::run(&arguments, printer),
            Self::Drift(arguments) => packet::drift::run(&arguments, printer),
            Self::Init(arguments) => host::init::run(&arguments, printer),
            Self::Party(arguments) => admin::party::run(&arguments, printer),
            Self::Token(arguments) => admin::token::run(&arguments, printer),
            Self::Subscription(arguments) => admin::subscription::run(&arguments, printer),
            Self::Demo(arguments) => host::demo::run(&arguments, printer),
            Self::Serve(arguments) => host::serve::run(&arguments, printer),
            Self::Submit(arguments) => handoff::submit::run(&arguments, printer),
            Self::Inbox(arguments) => query::inbox::run(&arguments, printer),
            Self::Show(arguments) => query::show::run(&arguments, printer),
            Self::Claim(arguments) => handoff::claim::run(&arguments, printer),
            Self::Checkpoint(arguments) => handoff::checkpoint::run(&arguments, printer),
            Self::Renew(arguments) => handoff::renew::run(&arguments, printer),
            Self::Return(arguments) => handoff::return_packet::run(&arguments, printer),
            Self::Verify(arguments) => handoff::verify::run(&arguments, printer),
            Self::Begin(arguments) => handoff::begin::run(&arguments, printer),
            Self::Resume(arguments) => handoff::resume::run(&arguments, printer),
            Self::Snapshot(arguments) => handoff::code::snapshot::run(&arguments, printer),
            Self::Ask(arguments) => handoff::ask::run(&arguments, printer),
            Self::Answer(arguments) => handoff::answer::run(&arguments, printer),
            Self::Decline(arguments) => handoff::decline::run(&arguments, printer),
            Self::PassOn(arguments) => handoff::pass_on::run(&arguments, printer),
            Self::RequestApproval(arguments) => handoff::request_approval::run(&arguments, printer),
            Self::Park(arguments) => handoff::park::run(&arguments, printer),
            Self::Release(arguments) => handoff::release::run(&arguments, printer),
            Self::Revise(arguments) => handoff::revise::run(&arguments, printer),
            Self::Approve(arguments) => decision::approve::run(&arguments, printer),
            Self::Edit(arguments) => decision::edit::run(&arguments, printer),
            Self::Reject(arguments) => decision::reject::run(&arguments, printer),
            Self::Reroute(arguments) => decision::reroute::run(&arguments, printer),
            Self::Intercept(arguments) => decision::intercept::run(&arguments, printer),
            Self::SignOff(arguments) => decision::sign_off::run(&arguments, printer),
            Self::Cancel(arguments) => handoff::cancel::run(&arguments, printer),
            Self::Status(arguments) => query::status::run(&arguments, printer),
            Self::List(arguments) => query::list::run(&arguments, printer),
            Self::Wait(arguments) => query::wait::run(&arguments, printer),
            Self::Watch(arguments) => query::watch::run(&arguments, printer),
            Self::Events(arguments) => query::events::run(&arguments, printer),
            Self::Timeline(arguments) => query::timeline::run(&arguments, printer),
            Self::Log(arguments) => query::log::run(&arguments, printer),
            Self::Gate(arguments) => admin::gate::run(&arguments, printer),
            Self::Rules(arguments) => admin::rules::run(&arguments, printer),
            Self::Project(arguments) => admin::project::run(&arguments, printer),
            Self::Dead(arguments) => admin::dead::run(&arguments, printer),
            Self::Halt(arguments) => admin::halt::run(&arguments, printer),
            Self::Search(arguments) => query::search::run(&arguments, printer),
            Self::Doctor(arguments) => host::doctor::run(&arguments, printer),
            Self::Backup(arguments) => host::backup::run(&arguments, printer),
            Self::Restore(arguments) => host::restore::run(&arguments, printer),
            Self::Export(arguments) => host::transfer::export::run(&arguments, printer),
            Self::Import(arguments) => host::transfer::import::run(&arguments, printer),
            Self::Stats(arguments) => query::stats::run(&arguments, printer),
            Self::Decisions(arguments) => decision::decisions::run(&arguments, printer),
            Self::Config(arguments) => host::config::run(&arguments, printer),
            Self::Trust(arguments) => host::trust::run(&arguments, printer),
            Self::Agent(command) => command.run(printer),
            Self::Schema(arguments) => packet::schema::run(&arguments, printer),
            Self::Completions(arguments) => {
                Ok(host::completions::run(&arguments, Cli::command(), printer))
            }
            Self::Man(arguments) => host::man::run(&arguments, Cli::command(), printer),
            Self::Help(arguments) => help::run(&arguments, &command(), GROUPS, printer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        grouped.sort_unstable();
        let command = Cli::command();
        let mut defined: Vec<&str> = command
            .get_subcommands()
            .filter(|one| !one.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        defined.sort_unstable();
        assert_eq!(grouped, defined);
    }
}
