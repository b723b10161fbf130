//! A turn ends or the context is compacted: saves a checkpoint if the work tree has changed.
//!
//! The checkpoint has facts only: branch, commit, changed files, the last words of the agent. What
//! is done and what is left only the agent knows, so it is asked once for each task. A session
//! without a task begins one as soon as it has changed the work tree.

use std::path::Path;

use tasuki_engine::command::Command;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{Checkpoint, Renew};

use super::session::HookSession;
use crate::backend::Backend;
use crate::backend::crash_record::checkpoint_packet;
use crate::commands::agent::work_tree::Tree;
use crate::data_dir::sessions::HookNotes;
use crate::exit::{Exit, Failure};
use crate::git::snapshot::Cause;
use crate::output::escape::argument;

/// Saves a checkpoint, and returns a request to the agent if it has not recorded its progress.
pub(super) fn run(session: &HookSession) -> Result<Option<String>, Failure> {
    let exchange = session.exchange()?;
    let exchange = &*exchange;
    let (tree, notes) = (&session.tree, exchange.hook_notes()?);
    let claim = match exchange.own_live_claim()? {
        Some(claim) => claim.proof(),
        None if has_changed(&notes, tree) => {
            session.new_task().begin(exchange, tree.work_tree.clone())?
        }
        None => {
            return exchange
                .update_hook_notes(|notes| {
                    notes.started_with = notes.started_with.take().or(tree.fingerprint.clone());
                })
                .map(|()| None);
        }
    };
    if tree.fingerprint.is_some() && tree.fingerprint == notes.saved {
        renew(exchange, claim)?;
        return Ok(None);
    }
    save(session, exchange, claim, tree, &notes)
}

/// Returns `true` if the work tree is another one than at the start of the session.
pub(super) fn has_changed(notes: &HookNotes, tree: &Tree) -> bool {
    match (&notes.started_with, &tree.fingerprint) {
        (Some(then), Some(now)) => then != now,
        _ => false,
    }
}

fn renew(exchange: &dyn Backend, claim: ClaimProof) -> Result<(), Failure> {
    match exchange.run(Command::Renew(Renew { claim, lease: None }), None) {
        // A person decides meanwhile, or has taken the work.
        Err(failure) if failure.exit == Exit::Conflict => Ok(()),
        answer => answer.map(drop),
    }
}

fn save(
    session: &HookSession,
    exchange: &dyn Backend,
    claim: ClaimProof,
    tree: &Tree,
    notes: &HookNotes,
) -> Result<Option<String>, Failure> {
    let source = checkpoint_packet(&session.context(), None);
    let work_tree = tree.work_tree.clone();
    let answer =
        exchange.run(Command::Checkpoint(Checkpoint { claim, source, work_tree }), None)?;
    let malformed = || Failure::usage("malformed response: no handoff");
    let handoff = answer.handoff.as_ref().ok_or_else(malformed)?;
    if let Some(claim) = &answer.claim {
        exchange.store_claim(claim, &handoff.task)?;
    }
    let party = exchange.own_name()?;
    exchange.start_snapshot(Path::new("."), &handoff.task, &party, Cause::Checkpoint);
    let is_silent = handoff.checkpoints == notes.checkpoints + 1;
    let was_asked = notes.asked_for.as_ref() == Some(&handoff.task);
    let asks = is_silent && !was_asked && session.may_ask;
    exchange.update_hook_notes(|notes| {
        notes.saved.clone_from(&tree.fingerprint);
        notes.checkpoints = handoff.checkpoints;
        if asks {
            notes.asked_for = Some(handoff.task.clone());
        }
    })?;
    Ok(asks.then(|| request(session, &handoff.task)))
}

/// Asks the agent for its progress.
fn request(session: &HookSession, task: &str) -> String {
    let (task, flag) = (argument(task), session.as_flag());
    format!(
        "Before you stop, record what is done and what is left of the Tasuki task {task}, so that \
         another session can continue: `tasuki checkpoint {task}{flag} --completed \"…\" --remaining \
         \"…\"` (tool `handoff_checkpoint`). If it is finished: `tasuki return {task}{flag} --summary \
         \"…\"`. You are asked only once."
    )
}
