//! The claims of this session, stored in a file, so that callers need not pass fences.

use tasuki_api as api;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_packet::id::HandoffId;

use super::Backend;
use crate::config::SessionName;
use crate::data_dir::sessions::StoredClaim;
use crate::exit::{Exit, Failure};
use crate::output::handoff::name;

impl dyn Backend + '_ {
    /// Returns the name of this session: `TASUKI_SESSION`, else that of the terminal.
    fn session(&self) -> Result<SessionName, Failure> {
        match &self.settings().session {
            Some(session) => Ok(session.value.clone()),
            None => SessionName::of_terminal(),
        }
    }

    /// Stores a claim in this session.
    pub(crate) fn store_claim(&self, claim: &api::Claim, task: &str) -> Result<(), Failure> {
        let kept = StoredClaim::new(claim, task)
            .map_err(|error| Failure::usage(format!("malformed response: {error}")))?;
        self.sessions()?.update(&self.session()?, |session| {
            session.party.get_or_insert_with(|| claim.holder.clone());
            session.claims.retain(|known| known.handoff != kept.handoff);
            session.claims.push(kept);
        })
    }

    /// Removes a claim that has ended.
    pub(crate) fn remove_claim(&self, handoff: HandoffId) -> Result<(), Failure> {
        self.sessions()?.update(&self.session()?, |session| {
            session.claims.retain(|known| known.handoff != handoff);
        })
    }

    /// Returns the claim to act with: on the named handoff, or the only one of this session.
    pub(crate) fn current_claim(
        &self,
        named: Option<&str>,
        fence: Option<u64>,
    ) -> Result<ClaimProof, Failure> {
        let named = named.map(|written| self.resolve_id(written)).transpose()?;
        if let (Some(handoff), Some(fence)) = (named, fence) {
            return Ok(ClaimProof { handoff, fence });
        }
        let session = self.sessions()?.read(&self.session()?)?;
        let own = self.own_name()?;
        let is_meant = |claim: &&StoredClaim| named.is_none_or(|one| one == claim.handoff);
        let mut claims: Vec<&StoredClaim> = session.claims_of(&own).filter(is_meant).collect();
        if claims.len() > 1 {
            // A claim that ended elsewhere is still in the file and must not make this ambiguous.
            claims.retain(|claim| self.is_claim_live(claim));
        }
        match claims.as_slice() {
            [one] => Ok(ClaimProof { handoff: one.handoff, fence: fence.unwrap_or(one.fence) }),
            [] => Err(self.no_claim(&own, named)),
            several => {
                let tasks: Vec<&str> = several.iter().map(|claim| claim.task.as_str()).collect();
                let message = format!("this session holds several tasks: {}", tasks.join(", "));
                Err(Failure::usage(message).hint("name one of them"))
            }
        }
    }

    fn no_claim(&self, own: &str, handoff: Option<HandoffId>) -> Failure {
        let task = handoff.and_then(|id| Some(name(&self.resolve(&id.to_string()).ok()?)));
        let message = match task {
            Some(task) => format!("{own} holds no claim on {task} in this session"),
            None => format!("{own} holds no task in this session"),
        };
        Failure { exit: Exit::Conflict, ..Failure::usage(message) }
            .hint("claim it here, or pass the `--fence` of another session")
    }

    /// Returns the stored claim of this session with this fence.
    pub(crate) fn stored_claim(&self, shown: ClaimProof) -> Option<StoredClaim> {
        let session = self.sessions().ok()?.read(&self.session().ok()?).ok()?;
        let is_it =
            |claim: &StoredClaim| claim.handoff == shown.handoff && claim.fence == shown.fence;
        session.claims.into_iter().find(is_it)
    }
}
