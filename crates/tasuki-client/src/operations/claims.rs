//! Claims: take work, leave progress behind, return it, give it back.

use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_packet::duration::Duration;

use super::Reason;
use crate::address::path;
use crate::ask::{Claiming, Holder, Park};
use crate::client::Client;
use crate::error::Error;

impl Client {
    /// Takes this work under a lease.
    pub fn claim(&self, handoff: &str, asked: &Claiming) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/claims", handoff)).json(asked).document()
    }

    /// Takes the most urgent work that is offered to the caller.
    pub fn claim_next(&self, asked: &Claiming) -> Result<api::Answer, Error> {
        self.post("/v1/claims").json(asked).document()
    }

    /// Leaves progress behind; the packet is a checkpoint.
    pub fn checkpoint(&self, holder: &Holder, packet: &[u8]) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/checkpoints", &holder.handoff))
            .with("fence", Some(holder.fence))
            .packet(packet)
            .document()
    }

    /// Returns what was asked for; the packet is a return.
    pub fn return_packet(&self, holder: &Holder, packet: &[u8]) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/returns", &holder.handoff))
            .with("fence", Some(holder.fence))
            .packet(packet)
            .document()
    }

    /// Makes the lease of a claim longer.
    pub fn renew(&self, claim: &str, lease: Option<Duration>) -> Result<api::Answer, Error> {
        let body = lease.map_or_else(|| json!({}), |lease| json!({ "lease": lease }));
        self.post(path("/v1/claims/{}/renew", claim)).json(&body).document()
    }

    /// Gives the work back.
    pub fn release(&self, claim: &str, reason: Option<&str>) -> Result<api::Answer, Error> {
        self.post(path("/v1/claims/{}/release", claim)).json(&Reason { reason }).document()
    }

    /// Gives the work back until an instant.
    pub fn park(
        &self,
        claim: &str,
        until: Park,
        reason: Option<&str>,
    ) -> Result<api::Answer, Error> {
        let body = match until {
            Park::Until(instant) => json!({ "not_before": instant, "reason": reason }),
            Park::For(length) => json!({ "for": length, "reason": reason }),
        };
        self.post(path("/v1/claims/{}/park", claim)).json(&body).document()
    }

    /// Asks a person's leave for an exact action.
    pub fn request_approval(&self, claim: &str, action: &Value) -> Result<api::Answer, Error> {
        self.post(path("/v1/claims/{}/request-approval", claim))
            .json(&json!({ "action": action }))
            .document()
    }
}
