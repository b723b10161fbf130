//! Leaves the crash records of sessions that were killed before their host could run a hook.
//!
//! Only sessions of hooks and of `tasuki run` are looked at: their process is the agent itself. An
//! agent without hooks may start a session for every command, and goes on when one ends.

use std::path::Path;

use serde_json::Value;

use super::Backend;
use super::crash_record::{CrashRecord, Ending, RecordedClaim};
use super::spool::{Spool, deliver_file};
use crate::config::{Flags, SessionName, SessionProcess, SessionStatus};
use crate::data_dir::sessions::{Session, StoredClaim};
use crate::exit::Failure;
use crate::git;

/// The reason in the record of a killed session.
pub(crate) const KILLED: &str = "the session ended without a word";

impl dyn Backend + '_ {
    /// Leaves a crash record for every claim of a session that was killed.
    pub(crate) fn record_killed_sessions(&self, flags: &Flags) -> Result<(), Failure> {
        let (sessions, own) = (self.sessions()?, self.own_name()?);
        // A server lets a token end the claims of its own party only.
        let is_ours = |session: &Session| {
            self.settings().url.is_none() || session.claims_of(&own).count() == session.claims.len()
        };
        for name in sessions.names()? {
            let Ok(session) = sessions.read(&name) else { continue };
            if !is_killed(&session) || !is_ours(&session) {
                continue;
            }
            for claim in session.claims.iter().filter(|claim| self.is_claim_live(claim)) {
                self.record(flags, &name, claim)?;
            }
            sessions.update(&name, |session| {
                session.hook = None;
                session.claims.clear();
            })?;
        }
        Ok(())
    }

    fn record(
        &self,
        flags: &Flags,
        session: &SessionName,
        claim: &StoredClaim,
    ) -> Result<(), Failure> {
        let record = CrashRecord {
            // A server knows the party from the token.
            party: self.settings().url.is_none().then(|| claim.party.clone()).flatten(),
            session: session.as_str().to_owned(),
            claim: Some(RecordedClaim { handoff: claim.handoff.to_string(), fence: claim.fence }),
            begin: None,
            at: self.now(),
            directory: claim.directory.clone(),
            reason: KILLED.to_owned(),
            ending: Ending::Release,
            context: Value::Null,
            work_tree: claim.directory.as_deref().and_then(|path| git::facts(Path::new(path))),
        };
        deliver_file(&Spool::in_folder(&self.drafts_dir()?).write(&record)?, flags)
    }
}

fn is_killed(session: &Session) -> bool {
    let status = session.process.as_ref().map(SessionProcess::status);
    session.hook.is_some() && status == Some(SessionStatus::Ended)
}
