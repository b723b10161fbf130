//! The claims of this session, kept in `.tasuki/sessions/`, so that people need not type tokens.

use tasuki_engine::authority::Shown;
use tasuki_engine::store::Store as _;
use tasuki_packet::api;
use tasuki_packet::id::HandoffId;

use super::exchange::Exchange;
use crate::exit::{Exit, Failure};
use crate::sessions::{Claim, SessionName, Sessions};

impl Exchange {
    /// The name of this session: what `TASUKI_SESSION` says, else the terminal's.
    pub(crate) fn session(&self) -> Result<SessionName, Failure> {
        match &self.settings.session {
            Some(session) => Ok(session.value.clone()),
            None => SessionName::of_terminal(),
        }
    }

    /// Remembers a claim in this session.
    pub(crate) fn keep_claim(&self, claim: &api::Claim, task: &str) -> Result<(), Failure> {
        let kept = Claim::new(claim, task).map_err(|_| Failure::usage("the answer has no ids"))?;
        Sessions::of(&self.place).change(&self.session()?, |session| {
            session.party.get_or_insert_with(|| claim.holder.clone());
            session.claims.retain(|known| known.handoff != kept.handoff);
            session.claims.push(kept);
        })
    }

    /// Forgets a claim that is over.
    pub(crate) fn drop_claim(&self, handoff: HandoffId) -> Result<(), Failure> {
        Sessions::of(&self.place).change(&self.session()?, |session| {
            session.claims.retain(|known| known.handoff != handoff);
        })
    }

    /// The claim that this session shows: on the named handoff, or its only one.
    pub(crate) fn shown(&self, named: Option<&str>, token: Option<u64>) -> Result<Shown, Failure> {
        let named = named.map(|written| self.find(written)).transpose()?;
        if let (Some(handoff), Some(token)) = (&named, token) {
            return Ok(Shown { handoff: handoff.id, token });
        }
        let session = Sessions::of(&self.place).read(&self.session()?)?;
        let own = self.own_name()?;
        let is_meant = |claim: &&Claim| named.as_ref().is_none_or(|one| one.id == claim.handoff);
        let mut claims: Vec<&Claim> = session.claims_of(&own).filter(is_meant).collect();
        if claims.len() > 1 {
            // A claim that ended elsewhere is still in the file and stands in nobody's way.
            claims.retain(|claim| self.is_live(claim));
        }
        match claims.as_slice() {
            [one] => Ok(Shown { handoff: one.handoff, token: token.unwrap_or(one.token) }),
            [] => Err(none(named.map(|one| one.id))),
            several => {
                let tasks: Vec<&str> = several.iter().map(|claim| claim.task.as_str()).collect();
                let message = format!("this session holds several: {}", tasks.join(", "));
                Err(Failure::usage(message).hint("say which"))
            }
        }
    }

    fn is_live(&self, claim: &Claim) -> bool {
        let found = self.read(self.store.handoff(self.project, claim.handoff)).ok().flatten();
        found.is_some_and(|handoff| {
            handoff.progress.child.is_none()
                && handoff.claim().is_some_and(|live| live.token == claim.token)
        })
    }
}

fn none(handoff: Option<HandoffId>) -> Failure {
    let message = match handoff {
        Some(id) => format!("this session holds no claim on {id}"),
        None => "this session holds no claim".to_owned(),
    };
    Failure { exit: Exit::Conflict, ..Failure::usage(message) }
        .hint("claim it here, or show the token of another session with `--token`")
}
