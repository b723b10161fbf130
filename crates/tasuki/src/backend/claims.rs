//! The claims of this session, stored in a file, so that callers need not pass fences.
//!
//! Claims of other sessions of the party are in `adoption`.

use tasuki_api as api;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_packet::id::HandoffId;

use super::Backend;
use crate::config::CurrentSession;
use crate::data_dir::sessions::{HookNotes, Sessions, StoredClaim};
use crate::exit::Failure;
use crate::output::escape::escape;

/// Stores a claim in a session.
pub(crate) fn store_claim(
    sessions: &Sessions,
    current: CurrentSession,
    claim: &api::Claim,
    task: &str,
) -> Result<(), Failure> {
    let kept = StoredClaim::new(claim, task)
        .map_err(|error| Failure::usage(format!("malformed response: {error}")))?;
    let CurrentSession { name, process } = current;
    sessions.update(&name, |session| {
        session.party.get_or_insert_with(|| claim.holder.clone());
        // A session that was only named does not know its process.
        session.process = process.or(session.process.take());
        session.claims.retain(|known| known.handoff != kept.handoff);
        session.claims.push(kept);
    })
}

impl dyn Backend + '_ {
    /// Returns the session of this process.
    pub(crate) fn session(&self) -> Result<CurrentSession, Failure> {
        CurrentSession::of(self.settings().session.as_ref())
    }

    /// Stores a claim in this session.
    pub(crate) fn store_claim(&self, claim: &api::Claim, task: &str) -> Result<(), Failure> {
        store_claim(&self.sessions()?, self.session()?, claim, task)
    }

    /// Returns the live claim of the caller in this session, if there is exactly one.
    pub(crate) fn own_live_claim(&self) -> Result<Option<StoredClaim>, Failure> {
        let session = self.sessions()?.read(&self.session()?.name)?;
        let own = self.own_name()?;
        let mut live = session.claims_of(&own).filter(|claim| self.is_claim_live(claim));
        Ok(live.next().cloned().filter(|_| live.next().is_none()))
    }

    /// Returns the notes of the hooks of this session.
    pub(crate) fn hook_notes(&self) -> Result<HookNotes, Failure> {
        Ok(self.sessions()?.read(&self.session()?.name)?.hook.unwrap_or_default())
    }

    /// Changes the notes of the hooks of this session, and records the process that it lasts as long
    /// as.
    pub(crate) fn update_hook_notes(
        &self,
        change: impl FnOnce(&mut HookNotes),
    ) -> Result<(), Failure> {
        let CurrentSession { name, process } = self.session()?;
        self.sessions()?.update(&name, |session| {
            // A session that was only named does not know its process.
            session.process = process.or(session.process.take());
            change(session.hook.get_or_insert_default());
        })
    }

    /// Removes a claim that has ended.
    pub(crate) fn remove_claim(&self, handoff: HandoffId) -> Result<(), Failure> {
        self.sessions()?.update(&self.session()?.name, |session| {
            session.claims.retain(|known| known.handoff != handoff);
        })
    }

    /// Returns the claim to act with: on the named handoff, or the only one of this session, or the
    /// one of a session that has ended.
    pub(crate) fn current_claim(
        &self,
        named: Option<&str>,
        fence: Option<u64>,
    ) -> Result<ClaimProof, Failure> {
        let named = named.map(|written| self.resolve_id(written)).transpose()?;
        match (named, fence) {
            (Some(handoff), Some(fence)) => return Ok(ClaimProof { handoff, fence }),
            (None, Some(fence)) => return self.claim_with_fence(fence),
            (_, None) => {}
        }
        let session = self.sessions()?.read(&self.session()?.name)?;
        let own = self.own_name()?;
        let is_meant = |claim: &&StoredClaim| named.is_none_or(|one| one == claim.handoff);
        let mut claims: Vec<&StoredClaim> = session.claims_of(&own).filter(is_meant).collect();
        if claims.len() > 1 {
            // A claim that ended elsewhere is still in the file and must not make this ambiguous.
            claims.retain(|claim| self.is_claim_live(claim));
        }
        match claims.as_slice() {
            [one] => Ok(one.proof()),
            [] => self.adopt_claim(&own, named),
            several => Err(several_tasks("this session holds", several.iter().copied())),
        }
    }

    /// Returns the stored claim of any session with this fence.
    pub(crate) fn stored_claim(&self, shown: ClaimProof) -> Option<StoredClaim> {
        let sessions = self.sessions().ok()?;
        let names = sessions.names().ok()?;
        let stored = names.iter().filter_map(|name| sessions.read(name).ok());
        stored.flat_map(|session| session.claims).find(|claim| claim.proof() == shown)
    }
}

/// Returns the failure of a command that could mean several claims.
pub(super) fn several_tasks<'a>(
    holds: &str,
    claims: impl Iterator<Item = &'a StoredClaim>,
) -> Failure {
    let tasks: Vec<String> = claims.map(|claim| escape(&claim.task)).collect();
    Failure::usage(format!("{holds} several tasks: {}", tasks.join(", "))).hint("name one of them")
}
