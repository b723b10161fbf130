//! A caller of the tools: its exchange, and the claims that this process renews.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tasuki_api::{Claim, CommandResponse, Event, Handoff, HandoffDetails, Page, Whoami};
use tasuki_packet::duration::Duration as Lease;

use crate::exchange::{ApiRequest, Exchange, Refusal, Saved};

/// The fraction of a lease after which it is renewed. Two renewals may fail before it expires.
const RENEWALS_PER_LEASE: u32 = 3;

/// LIMIT: the shortest time between two renewals of one lease.
const RENEWAL_MIN: Duration = Duration::from_millis(500);

/// A caller of the tools.
#[derive(Clone)]
pub(crate) struct Session {
    exchange: Arc<dyn Exchange>,
    /// The claims that this process renews; `None` if it may end before its caller does.
    held: Option<Arc<Mutex<BTreeMap<String, HeldClaim>>>>,
}

/// A claim that was made through this process.
#[derive(Debug, Clone)]
struct HeldClaim {
    id: String,
    task: String,
    fence: u64,
    lease: Duration,
    renew_at: Instant,
}

impl Session {
    /// Creates a session of one request, which renews nothing.
    pub(crate) fn of_request(exchange: Arc<dyn Exchange>) -> Self {
        Self { exchange, held: None }
    }

    /// Creates a session that lives as long as its caller, and renews its claims.
    pub(crate) fn of_process(exchange: Arc<dyn Exchange>) -> Self {
        Self { exchange, held: Some(Arc::default()) }
    }

    /// Returns `true` if this process renews the claims that are made through it.
    pub(crate) fn renews(&self) -> bool {
        self.held.is_some()
    }

    /// Sends a request and deserializes the response.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        request: ApiRequest,
    ) -> Result<T, Refusal> {
        let body = self.exchange.send(request).await?;
        serde_json::from_value(body).map_err(|error| {
            let message = format!("unexpected response of the exchange: {error}");
            Refusal::new(message, "the server may be of another version")
        })
    }

    /// Returns the address at which people reach the server, if it is known.
    pub(crate) fn public_url(&self) -> Option<String> {
        self.exchange.public_url()
    }

    /// Completes when the exchange stops.
    pub(crate) async fn stopped(&self) {
        self.exchange.stopped().await;
    }

    /// Sends a command.
    pub(crate) async fn command(&self, request: ApiRequest) -> Result<CommandResponse, Refusal> {
        self.send(request).await
    }

    /// Sends a command with a packet, and with the state of the caller's directory.
    pub(crate) async fn send_packet(
        &self,
        request: ApiRequest,
        packet: &Value,
    ) -> Result<CommandResponse, Refusal> {
        let work_tree = self.exchange.work_tree().await;
        self.command(request.packet(packet, work_tree)).await
    }

    /// Returns a note on uncommitted files of the sender that the caller's directory does not have. A
    /// process that ends with the request has no such directory.
    pub(crate) async fn not_here(&self, handoff: &str) -> Option<String> {
        if !self.renews() {
            return None;
        }
        let request = ApiRequest::get("/v1/handoffs/{}", &[handoff]);
        let recorded = self.send::<HandoffDetails>(request).await.ok()?.work_tree?;
        self.exchange.not_here(recorded).await
    }

    /// Returns a handoff without its packet.
    pub(crate) async fn card(&self, handoff: &str) -> Result<Handoff, Refusal> {
        let request = ApiRequest::get("/v1/handoffs/{}", &[handoff]).with("packet", Some(false));
        Ok(self.send::<HandoffDetails>(request).await?.handoff)
    }

    /// Returns the caller.
    pub(crate) async fn whoami(&self) -> Result<Whoami, Refusal> {
        self.send(ApiRequest::get("/v1/whoami", &[])).await
    }

    /// Returns the id of a claim: of one made through this process, else from the timeline.
    pub(crate) async fn claim_id(&self, handoff: &str, fence: u64) -> Result<String, Refusal> {
        if let Some(id) = self.held_id(handoff, fence) {
            return Ok(id);
        }
        let handoff = self.card(handoff).await?.id;
        let request = ApiRequest::get("/v1/tasks/{}/timeline", &[&handoff]);
        let events = self.send::<Page<Event>>(request).await?.items;
        let is_it = |event: &&Event| {
            event.handoff.as_ref() == Some(&handoff)
                && event.attributes.get("fence") == Some(&fence.into())
        };
        let claim = events.iter().rev().filter(is_it).find_map(|event| {
            event.attributes.get("claim").and_then(|claim| Some(claim.as_str()?.to_owned()))
        });
        claim.ok_or_else(|| {
            let message = format!("no claim on {handoff} has fence {fence}");
            Refusal::new(message, "the result of handoff_claim has the fence").with_status(409)
        })
    }

    fn held_id(&self, handoff: &str, fence: u64) -> Option<String> {
        let held = self.claims()?;
        let is_it = |(id, claim): &(&String, &HeldClaim)| {
            claim.fence == fence && (*id == handoff || claim.task == handoff)
        };
        held.iter().find(is_it).map(|(_, claim)| claim.id.clone())
    }

    /// Renews the claim of a response from now on, if this process renews claims.
    pub(crate) fn hold(&self, response: &CommandResponse) {
        let (Some(claim), Some(handoff)) = (&response.claim, &response.handoff) else { return };
        if let (Some(mut held), Some(kept)) = (self.claims(), HeldClaim::new(claim, &handoff.task))
        {
            held.insert(claim.handoff.clone(), kept);
            self.exchange.claimed(claim, &handoff.task);
        }
    }

    /// Notes that the progress of a task was saved.
    pub(crate) fn saved(&self, by: Saved, handoff: Option<&Handoff>, party: &str) {
        if let Some(handoff) = handoff.filter(|_| self.renews()) {
            self.exchange.saved(by, &handoff.task, party);
        }
    }

    /// Stops renewing the claim on the handoff of a response.
    pub(crate) fn let_go(&self, handoff: Option<&Handoff>) {
        if let (Some(mut held), Some(handoff)) = (self.claims(), handoff) {
            held.remove(&handoff.id);
        }
    }

    fn claims(&self) -> Option<MutexGuard<'_, BTreeMap<String, HeldClaim>>> {
        Some(self.held.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Session {
    /// Renews the claims made through this process, for as long as the future is polled and its host
    /// lives. A host that was killed may leave stdin open in another process.
    pub(crate) async fn renew_claims(&self) {
        let host = parent_id();
        loop {
            let has_host = parent_id() == host;
            let due = if has_host { self.due(Instant::now()) } else { Vec::new() };
            for (handoff, claim) in due {
                self.renew(&handoff, &claim).await;
            }
            tokio::time::sleep(RENEWAL_MIN).await;
        }
    }

    fn due(&self, now: Instant) -> Vec<(String, String)> {
        let Some(mut held) = self.claims() else { return Vec::new() };
        let due = held.iter_mut().filter(|(_, claim)| claim.renew_at <= now);
        due.map(|(handoff, claim)| {
            claim.renew_at = now + claim.interval();
            (handoff.clone(), claim.id.clone())
        })
        .collect()
    }

    /// Renews one claim, and forgets it if it has ended. A claim whose handoff waits for an approval
    /// is kept, although its lease is paused; so is one whose exchange does not answer.
    async fn renew(&self, handoff: &str, claim: &str) {
        let request =
            ApiRequest::post("/v1/claims/{}/renew", &[claim]).json(&serde_json::json!({}));
        let Err(refusal) = self.command(request).await else { return };
        let is_answer = refusal.status.is_some_and(|status| (400..500).contains(&status));
        if is_answer && !self.is_held_open(handoff).await {
            self.claims().iter_mut().for_each(|held| {
                held.remove(handoff);
            });
        }
    }

    async fn is_held_open(&self, handoff: &str) -> bool {
        match self.card(handoff).await {
            Ok(card) => card.state == "held" && card.child.is_none(),
            Err(refusal) => refusal.status.is_none(),
        }
    }
}

/// Returns the process that started this one, which changes when that one ends.
#[cfg(unix)]
fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

/// Elsewhere, the end of a host is seen by the end of stdin only.
#[cfg(not(unix))]
fn parent_id() -> u32 {
    0
}

impl HeldClaim {
    fn new(claim: &Claim, task: &str) -> Option<Self> {
        let lease: Lease = claim.lease.parse().ok()?;
        let lease = Duration::from_millis(lease.milliseconds());
        let held = Self {
            id: claim.id.clone(),
            task: task.to_owned(),
            fence: claim.fence,
            lease,
            renew_at: Instant::now(),
        };
        Some(Self { renew_at: Instant::now() + held.interval(), ..held })
    }

    fn interval(&self) -> Duration {
        (self.lease / RENEWALS_PER_LEASE).max(RENEWAL_MIN)
    }
}
