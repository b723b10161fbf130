//! A session ends or its turn fails: leaves a crash record.
//!
//! The record is in the spool before anything is sent, because hosts kill these hooks after a second
//! or do not wait for them. If a quota ended the turn, the work is parked until the quota resets.

use jiff::{Timestamp, Zoned};

use super::checkpoint::has_changed;
use super::quota;
use super::session::HookSession;
use crate::backend::crash_record::{CrashRecord, Ending, RecordedClaim, quoted};
use crate::backend::spool::{Spool, deliver_file};
use crate::backend::state_folder;
use crate::data_dir::current_work_tree;
use crate::data_dir::sessions::Sessions;
use crate::exit::{Exit, Failure};

/// LIMIT: characters of a host's error in a record.
const REASON_CHARACTERS_MAX: usize = 300;

/// Leaves the records of a session.
pub(super) fn run(session: &HookSession, is_failure: bool) -> Result<(), Failure> {
    let state = state_folder(&session.flags)?;
    let sessions = Sessions::in_folder(state.join("sessions"));
    let stored = sessions.read(&session.name)?;
    let (reason, ending) = if is_failure { failed(session) } else { ended(session) };
    let tree = &session.tree;
    let has_task = !stored.claims.is_empty();
    if has_task || stored.hook.as_ref().is_some_and(|notes| has_changed(notes, tree)) {
        let record = CrashRecord {
            party: session.flags.party.clone().filter(|_| !session.is_remote),
            session: session.name.as_str().to_owned(),
            claim: None,
            begin: (!has_task).then(|| session.new_task()),
            at: Timestamp::now(),
            directory: current_work_tree(),
            reason,
            ending: ending.clone(),
            context: session.context(),
            work_tree: tree.work_tree.clone(),
        };
        let claims = stored.claims.iter().map(|claim| {
            let handoff = claim.handoff.to_string();
            let claimed = Some(RecordedClaim { handoff, fence: claim.fence });
            CrashRecord { claim: claimed, ..record.clone() }
        });
        let records: Vec<CrashRecord> =
            if has_task { claims.collect() } else { vec![record.clone()] };
        leave(session, &Spool::in_folder(&state), &records)?;
    }
    if is_failure {
        return Ok(());
    }
    sessions.update(&session.name, |stored| stored.hook = None)
}

/// Writes the records, then sends them. An exchange that is away gets them later.
fn leave(session: &HookSession, spool: &Spool, records: &[CrashRecord]) -> Result<(), Failure> {
    let files = records.iter().map(|record| spool.write(record));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    for file in files {
        match deliver_file(&file, &session.flags) {
            Err(failure) if failure.exit == Exit::Unavailable => return Ok(()),
            delivered => delivered?,
        }
    }
    Ok(())
}

fn ended(session: &HookSession) -> (String, Ending) {
    let why = session.input.reason.as_deref().unwrap_or("other");
    let why = quoted(why, REASON_CHARACTERS_MAX);
    (format!("the session of {} ended ({why})", session.host.name()), Ending::Release)
}

fn failed(session: &HookSession) -> (String, Ending) {
    let error = session.input.error_text();
    let host = session.host.name();
    let reason = format!("an error ended the turn of {host}: {error}");
    let reason = quoted(&reason, REASON_CHARACTERS_MAX);
    let said = session.input.last_assistant_message.as_deref().unwrap_or_default();
    if !quota::is_quota(&format!("{error} {said}")) {
        return (reason, Ending::Keep);
    }
    let now = Zoned::now();
    let reset = quota::reset_at(&error, &now).or_else(|| quota::reset_at(said, &now));
    (reason, reset.map_or(Ending::Release, Ending::Park))
}
