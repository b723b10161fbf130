//! Snapshots of the work tree: the process that takes one, and the commands that start it.
//!
//! The record of a command comes first. The snapshot is added by a hidden command in a process of its own,
//! so that no command and no agent waits for it. A failure is kept in the repository for `tasuki doctor`.

use std::path::Path;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_api::snapshot::BUNDLE_BYTES_MAX;

use crate::backend::{self, Backend};
use crate::config::{Environment, Flags, Settings};
use crate::exit::{Exit, Failure};
use crate::git::bundle;
use crate::git::command::Git;
use crate::git::head::Repository;
use crate::git::snapshot::{
    Cause, Kept, Outcome, Request, TIMEOUT, newest, record_outcome, remove, take,
};
use crate::output::printer::Printer;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The task.
    #[arg(long, value_name = "TASK")]
    task: String,
    /// The party whose work tree it is.
    #[arg(long, value_name = "PARTY")]
    owner: String,
    /// The occasion.
    #[arg(long, value_name = "CAUSE")]
    cause: Cause,
    #[command(flatten)]
    flags: Flags,
}

/// Starts a process that takes a snapshot for the task of a response.
pub(in crate::commands::handoff) fn start(
    exchange: &dyn Backend,
    answer: &api::CommandResponse,
    cause: Cause,
) {
    let (Some(handoff), Ok(party)) = (&answer.handoff, exchange.own_name()) else { return };
    exchange.start_snapshot(Path::new("."), &handoff.task, &party, cause);
}

fn repository_here() -> Option<Repository> {
    Repository::around(&Path::new(".").canonicalize().ok()?)
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let Some(repository) = repository_here() else { return Ok(Exit::Success) };
    let now = Timestamp::now();
    let done = take_and_clean_up(&repository, arguments, now, printer);
    let failure = done.as_ref().err().map(|failure| failure.message.as_str());
    record_outcome(&repository, &arguments.task, now, failure);
    done.map(|()| Exit::Success)
}

fn take_and_clean_up(
    repository: &Repository,
    arguments: &Arguments,
    now: Timestamp,
    printer: &Printer,
) -> Result<(), Failure> {
    let folder = std::env::current_dir().map_err(|error| Failure::usage(error.to_string()))?;
    let settings = Settings::resolve(&arguments.flags, &Environment::of_process(), &folder)?;
    let limits = settings.snapshots()?.limits;
    let git = Git::open(repository, TIMEOUT).map_err(Failure::usage)?;
    let (task, party) = (arguments.task.clone(), arguments.owner.clone());
    let request = Request { task, party, cause: arguments.cause, now };
    match take(repository, &git, &request, limits).map_err(Failure::usage)? {
        Outcome::Skipped(reason) => return Err(Failure::usage(reason)),
        Outcome::Taken | Outcome::Unchanged => {}
    }
    let exchange = backend::open_to_read(&arguments.flags, printer);
    let kept = |task: &str| exchange.as_deref().map_or(Kept::Open, |exchange| kept(exchange, task));
    remove(&git, &arguments.task, limits.keep, now, kept).map_err(Failure::usage)?;
    match exchange {
        Ok(exchange) => send(&git, &*exchange, &arguments.task),
        // On this machine, the repository has the snapshot.
        Err(_) if settings.url.is_none() => Ok(()),
        Err(failure) => Err(failure),
    }
}

/// Sends the newest snapshot to a server, unless it has it already.
fn send(git: &Git, exchange: &dyn Backend, task: &str) -> Result<(), Failure> {
    if !exchange.carries_snapshots() {
        return Ok(());
    }
    let Some(newest) = newest(git, task).map_err(Failure::usage)? else { return Ok(()) };
    if exchange.newest_snapshot(task)?.is_some_and(|there| there.commit == newest.commit) {
        return Ok(());
    }
    let bundle = bundle::create(git, &newest).map_err(Failure::usage)?;
    if bundle.len() > BUNDLE_BYTES_MAX {
        let size = bundle.len();
        return Err(Failure::usage(format!(
            "the snapshot has {size} bytes as a bundle, the server takes {BUNDLE_BYTES_MAX}"
        )));
    }
    exchange.send_snapshot(task, bundle)
}

/// Returns whether a task has ended, and when.
fn kept(exchange: &dyn Backend, task: &str) -> Kept {
    let Ok((handoffs, events)) = exchange.timeline(task) else { return Kept::Open };
    let is_open = |one: &api::Handoff| {
        api::StateWord::named(&one.state)
            .is_none_or(|state| state.is_open() || state == api::StateWord::Dead)
    };
    match events.last() {
        Some(last) if !handoffs.iter().any(is_open) => Kept::Ended(last.at),
        _ => Kept::Open,
    }
}
