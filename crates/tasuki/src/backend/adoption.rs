//! Claims of other sessions of the party on this machine.
//!
//! An agent may start a new session for every command. So a claim that was made in this work tree by
//! a session that has ended is adopted: the exchange makes a new claim of it, and whatever is left
//! of the former session can write nothing more. A session that still runs keeps its claim, and the
//! caller is told how to use it.

use tasuki_engine::command::Command;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::Adopt;
use tasuki_packet::id::HandoffId;

use super::Backend;
use super::claims::several_tasks;
use super::refusal::refusal_failure;
use crate::config::{SessionName, SessionProcess, SessionStatus};
use crate::data_dir::current_work_tree;
use crate::data_dir::sessions::StoredClaim;
use crate::exit::Failure;
use crate::output::escape::{argument, escape};
use crate::output::handoff::name;

/// LIMIT: the claims of other sessions that an error lists.
const LISTED_MAX: usize = 3;

/// A live claim of the party in the file of a session.
struct OtherClaim {
    claim: StoredClaim,
    session: SessionName,
    status: SessionStatus,
    /// `true` if it was made in this work tree or directory.
    is_here: bool,
}

impl OtherClaim {
    fn is_same(&self, other: &Self) -> bool {
        self.claim.proof() == other.claim.proof()
    }
}

impl dyn Backend + '_ {
    /// Returns the only claim of the party with this fence, of any session.
    pub(super) fn claim_with_fence(&self, fence: u64) -> Result<ClaimProof, Failure> {
        let own = self.own_name()?;
        let known = self.claims_of_party(&own, |claim| claim.fence == fence)?;
        match distinct(&known).as_slice() {
            [one] => Ok(one.claim.proof()),
            [] => {
                let message = format!("{own} holds no task with fence {fence} on this machine");
                Err(refusal_failure(
                    &Refusal::new(RefusalCode::ClaimNone, message)
                        .hint("name the handoff as well: its id or its task"),
                ))
            }
            several => {
                let holds = format!("fence {fence} is that of");
                Err(several_tasks(&holds, several.iter().map(|one| &one.claim)))
            }
        }
    }

    /// Adopts the only claim that a session which has ended made in this work tree.
    pub(super) fn adopt_claim(
        &self,
        own: &str,
        named: Option<HandoffId>,
    ) -> Result<ClaimProof, Failure> {
        let is_meant = |claim: &StoredClaim| named.is_none_or(|one| one == claim.handoff);
        let known = self.claims_of_party(own, is_meant)?;
        let is_left = |one: &&OtherClaim| {
            let holders = known.iter().filter(|other| other.is_same(one));
            one.is_here && holders.into_iter().all(|one| one.status == SessionStatus::Ended)
        };
        let mut left = distinct(&known);
        left.retain(is_left);
        match left.as_slice() {
            [one] => self.adopt(&one.claim),
            [] => Err(self.no_claim(own, named, &distinct(&known))),
            several => {
                let holds = format!("sessions of {own} that have ended hold");
                Err(several_tasks(&holds, several.iter().map(|one| &one.claim)))
            }
        }
    }

    /// Makes the claim one of this session.
    fn adopt(&self, former: &StoredClaim) -> Result<ClaimProof, Failure> {
        let proof = former.proof();
        let answer = match self.run(Command::Adopt(Adopt { claim: proof }), None) {
            // A halt ends every claim, and takes a last checkpoint with the fence as it was.
            Err(_) if self.project().is_ok_and(|project| project.halted) => return Ok(proof),
            answer => answer?,
        };
        let Some(claim) = answer.claim else { return Ok(proof) };
        self.store_claim(&claim, &former.task)?;
        let (sessions, current) = (self.sessions()?, self.session()?.name);
        for session in sessions.names()?.into_iter().filter(|name| *name != current) {
            if sessions.read(&session)?.claims.iter().any(|known| known.proof() == proof) {
                let is_other = |known: &StoredClaim| known.proof() != proof;
                sessions.update(&session, |session| session.claims.retain(is_other))?;
            }
        }
        Ok(ClaimProof { fence: claim.fence, ..proof })
    }

    /// Returns the live claims of a party in all sessions of this machine.
    fn claims_of_party(
        &self,
        own: &str,
        is_meant: impl Fn(&StoredClaim) -> bool,
    ) -> Result<Vec<OtherClaim>, Failure> {
        let (sessions, here) = (self.sessions()?, current_work_tree());
        let mut known = Vec::new();
        for name in sessions.names()? {
            // A file that cannot be read is none of this session's, and `doctor` reports it.
            let Ok(session) = sessions.read(&name) else { continue };
            let claims = session.claims_of(own).filter(|claim| is_meant(claim));
            for claim in claims.filter(|claim| self.is_claim_live(claim)) {
                known.push(OtherClaim {
                    claim: claim.clone(),
                    session: name.clone(),
                    status: session
                        .process
                        .as_ref()
                        .map_or(SessionStatus::Unknown, SessionProcess::status),
                    is_here: here.is_some() && claim.directory == here,
                });
            }
        }
        Ok(known)
    }

    fn no_claim(&self, own: &str, handoff: Option<HandoffId>, known: &[&OtherClaim]) -> Failure {
        let task = handoff.and_then(|id| Some(name(&self.resolve(&id.to_string()).ok()?)));
        let message = match task {
            Some(task) => format!("{own} holds no claim on {task} in this session"),
            None => format!("{own} holds no task in this session"),
        };
        let refusal = Refusal::new(RefusalCode::ClaimNone, message).hint(hint(known));
        let mut failure = refusal_failure(&refusal);
        for one in known.iter().take(LISTED_MAX) {
            failure.message.push_str(&format!("\n  {}", place(own, one)));
        }
        failure
    }
}

/// Returns the claims without those that a second session holds as well.
fn distinct(known: &[OtherClaim]) -> Vec<&OtherClaim> {
    let mut claims: Vec<&OtherClaim> = Vec::new();
    for one in known {
        if !claims.iter().any(|other| other.is_same(one)) {
            claims.push(one);
        }
    }
    claims
}

/// Says where a claim of the party is held.
fn place(own: &str, one: &OtherClaim) -> String {
    let (task, fence) = (escape(&one.claim.task), one.claim.fence);
    let directory = one.claim.directory.as_deref().map_or_else(String::new, escape);
    match one.status {
        SessionStatus::Running => format!(
            "{task} is held by {own} in another session that is still running (fence {fence})."
        ),
        SessionStatus::Unknown => {
            format!(
                "{task} is held by {own} in session `{}` (fence {fence}).",
                one.session.as_str()
            )
        }
        SessionStatus::Ended => {
            format!(
                "{task} was claimed in {directory} by a session that has ended (fence {fence})."
            )
        }
    }
}

fn hint(known: &[&OtherClaim]) -> String {
    match known {
        [] => "claim it here, or pass the `--fence` of another session".to_owned(),
        [one] if one.status == SessionStatus::Ended => {
            format!("run it in that directory, or pass `--fence {}`", one.claim.fence)
        }
        [one] => {
            let variable = match one.status {
                SessionStatus::Unknown => format!("={}", argument(one.session.as_str())),
                SessionStatus::Running | SessionStatus::Ended => String::new(),
            };
            let fence = one.claim.fence;
            format!(
                "run it there, or pass `--fence {fence}`; headless agents set TASUKI_SESSION{variable}"
            )
        }
        _ => "run it there, or pass the `--fence` of the claim; headless agents set TASUKI_SESSION"
            .to_owned(),
    }
}
