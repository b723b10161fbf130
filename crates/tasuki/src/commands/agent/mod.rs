//! Commands for coding agents: the hooks of their hosts, and wrappers around them.

mod connect;
pub(crate) mod hook;
mod host;
mod run;
mod work_tree;

use crate::exit::{Exit, Failure};
use crate::output::printer::Printer;

/// The commands for coding agents.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum AgentCommand {
    Connect(connect::Arguments),
    Hook(hook::Arguments),
    Run(run::Arguments),
}

impl AgentCommand {
    /// Runs the command.
    pub(crate) fn run(self, printer: &Printer) -> Result<Exit, Failure> {
        match self {
            Self::Connect(arguments) => connect::run(&arguments, printer),
            Self::Hook(arguments) => hook::run(&arguments, printer),
            Self::Run(arguments) => run::run(&arguments, printer),
        }
    }
}
