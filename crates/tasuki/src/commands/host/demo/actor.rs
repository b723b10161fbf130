//! A scripted agent: one party with its own token.

use std::time::Duration;

use serde_json::{Value, json};
use tasuki_client::api::{Claim, ClaimRequest, Handoff, VerdictRequest, VerdictResult};
use tasuki_client::{ClaimProof, Client, Error, Submit};

use super::pause::{DemoEnded, Pause};

/// The interval at which an agent looks at a handoff that it waits for.
const POLL: Duration = Duration::from_millis(500);

/// The reason why a scene ended early.
#[derive(Debug)]
pub(super) enum Interruption {
    /// The demo ends.
    DemoEnded,
    /// The exchange refused a step, for example because the user has taken the work over.
    Refused(Error),
}

impl From<DemoEnded> for Interruption {
    fn from(_: DemoEnded) -> Self {
        Self::DemoEnded
    }
}

impl From<Error> for Interruption {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

pub(super) type Scene<T = ()> = Result<T, Interruption>;

/// A scripted agent.
pub(super) struct Actor {
    pub(super) client: Client,
    pub(super) pause: Pause,
}

impl Actor {
    /// Works for some seconds.
    pub(super) fn work(&self, seconds: u64) -> Scene {
        Ok(self.pause.wait(Duration::from_secs(seconds))?)
    }

    /// Submits a packet, and returns the id of its handoff.
    pub(super) fn submit(&self, to: &str, packet: &Value) -> Scene<String> {
        let request =
            Submit { to: Some(to.to_owned()), ..Submit::new(packet.to_string().as_bytes()) };
        let handoff = self.client.submit(&request)?.handoff;
        handoff.map(|handoff| handoff.id).ok_or_else(|| malformed("a submission has a handoff"))
    }

    /// Claims a handoff.
    pub(super) fn claim(&self, handoff: &str, lease_seconds: u64) -> Scene<Claim> {
        let lease = format!("{lease_seconds}s").parse().ok();
        let request = ClaimRequest { lease, ..ClaimRequest::default() };
        let claim = self.client.claim(handoff, &request)?.claim;
        claim.ok_or_else(|| malformed("a claim has a fence"))
    }

    /// Records a checkpoint.
    pub(super) fn checkpoint(&self, claim: &Claim, completed: &str, remaining: &[&str]) -> Scene {
        let packet = json!({
            "handoff_version": "1.0",
            "packet_type": "checkpoint",
            "completed": [completed],
            "remaining": remaining,
        });
        self.client.checkpoint(&proof(claim), packet.to_string().as_bytes())?;
        Ok(())
    }

    /// Returns the work with a summary and a result for each criterion.
    pub(super) fn hand_back(
        &self,
        claim: &Claim,
        summary: &str,
        results: &[(&str, &str, &str)],
    ) -> Scene {
        let verification = results.iter().map(|(criterion, result, evidence)| {
            json!({ "criterion": criterion, "result": result, "evidence": evidence })
        });
        let packet = json!({
            "handoff_version": "1.0",
            "packet_type": "return",
            "status": "completed",
            "summary": summary,
            "verification": verification.collect::<Vec<_>>(),
        });
        self.client.return_packet(&proof(claim), packet.to_string().as_bytes())?;
        Ok(())
    }

    /// Records a passing verdict on the return.
    pub(super) fn verify(&self, handoff: &str) -> Scene {
        let newest = self.client.returns(handoff, Some(1), None)?.items.into_iter().next();
        let return_packet = newest.map(|one| one.id);
        let request = VerdictRequest::new(VerdictResult::Pass, return_packet);
        self.client.verify(handoff, &request)?;
        Ok(())
    }

    /// Waits until a handoff is in one of these states, and returns it. Also returns a handoff that
    /// has ended, because it changes no more.
    pub(super) fn wait_for(&self, handoff: &str, states: &[&str]) -> Scene<Handoff> {
        loop {
            let current = self.client.card(handoff)?;
            if states.contains(&current.state.as_str()) || has_ended(&current) {
                return Ok(current);
            }
            self.pause.wait(POLL)?;
        }
    }

    /// Waits until a handoff has ended.
    pub(super) fn wait_for_end(&self, handoff: &str) -> Scene<Handoff> {
        self.wait_for(handoff, &[])
    }
}

fn has_ended(handoff: &Handoff) -> bool {
    ["done", "passed_on", "rejected", "cancelled", "discarded"].contains(&handoff.state.as_str())
}

fn proof(claim: &Claim) -> ClaimProof {
    ClaimProof { handoff: claim.handoff.clone(), fence: claim.fence }
}

fn malformed(expected: &str) -> Interruption {
    Interruption::Refused(Error::UnexpectedResponse {
        address: "the demo".to_owned(),
        reason: expected.to_owned(),
    })
}
