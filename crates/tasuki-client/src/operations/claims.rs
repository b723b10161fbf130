//! Claims: claim work, record progress, return it, give it back.

use tasuki_api::{
    ApprovalRequest, ClaimRequest, CommandResponse, ParkRequest, ReasonRequest, RenewRequest,
    WorkTree,
};

use crate::address::path;
use crate::client::Client;
use crate::error::Error;

/// The handoff and fence of a claim, which the holder states with every write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimProof {
    /// The handoff, by id, ending or task.
    pub handoff: String,
    /// The fence of the claim.
    pub fence: u64,
}

impl Client {
    /// Claims a handoff under a lease.
    ///
    /// ```no_run
    /// use tasuki_client::api::{ClaimRequest, RenewRequest};
    /// use tasuki_client::{ClaimProof, Client};
    ///
    /// # fn main() -> Result<(), tasuki_client::Error> {
    /// let client = Client::new("http://127.0.0.1:7420", "tasuki_agent_…")?;
    /// let request = ClaimRequest { lease: "30m".parse().ok(), ..ClaimRequest::default() };
    /// let Some(claim) = client.claim("build-42", &request)?.claim else { return Ok(()) };
    /// let proof = ClaimProof { handoff: claim.handoff, fence: claim.fence };
    /// client.checkpoint(&proof, b"completed: [Found the failing test]\n")?;
    /// client.renew(&claim.id, &RenewRequest::default())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn claim(&self, handoff: &str, request: &ClaimRequest) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/claims", handoff)).json(request).document()
    }

    /// Claims the most urgent handoff that is offered to the caller.
    pub fn claim_next(&self, request: &ClaimRequest) -> Result<CommandResponse, Error> {
        self.post("/v1/claims").json(request).document()
    }

    /// Records progress with a checkpoint packet.
    pub fn checkpoint(&self, claim: &ClaimProof, packet: &[u8]) -> Result<CommandResponse, Error> {
        self.checkpoint_from(claim, packet, None)
    }

    /// Records progress with a checkpoint packet and the work tree that it was made in.
    pub fn checkpoint_from(
        &self,
        claim: &ClaimProof,
        packet: &[u8],
        work_tree: Option<&WorkTree>,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/checkpoints", &claim.handoff))
            .with("fence", Some(claim.fence))
            .packet_from(packet, work_tree)
            .document()
    }

    /// Returns the work with a return packet.
    pub fn return_packet(
        &self,
        claim: &ClaimProof,
        packet: &[u8],
    ) -> Result<CommandResponse, Error> {
        self.return_packet_from(claim, packet, None)
    }

    /// Returns the work with a return packet and the work tree that has the result.
    pub fn return_packet_from(
        &self,
        claim: &ClaimProof,
        packet: &[u8],
        work_tree: Option<&WorkTree>,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/returns", &claim.handoff))
            .with("fence", Some(claim.fence))
            .packet_from(packet, work_tree)
            .document()
    }

    /// Renews the lease of a claim.
    pub fn renew(&self, claim: &str, request: &RenewRequest) -> Result<CommandResponse, Error> {
        self.post(path("/v1/claims/{}/renew", claim)).json(request).document()
    }

    /// Continues a claim whose process has ended. The new claim has the next fence, and the former
    /// one can write nothing more.
    pub fn adopt(&self, claim: &str) -> Result<CommandResponse, Error> {
        self.post(path("/v1/claims/{}/adopt", claim)).document()
    }

    /// Releases a claim, so that the work can be claimed again.
    pub fn release(&self, claim: &str, reason: Option<&str>) -> Result<CommandResponse, Error> {
        let request = self.post(path("/v1/claims/{}/release", claim));
        request.json(&ReasonRequest::from(reason)).document()
    }

    /// Releases a claim, so that the work can be claimed again from an instant on.
    pub fn park(&self, claim: &str, request: &ParkRequest) -> Result<CommandResponse, Error> {
        self.post(path("/v1/claims/{}/park", claim)).json(request).document()
    }

    /// Asks a person to approve an action.
    pub fn request_approval(
        &self,
        claim: &str,
        request: &ApprovalRequest,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/claims/{}/request-approval", claim)).json(request).document()
    }

    /// Withdraws a request for approval.
    pub fn withdraw(&self, claim: &str, reason: Option<&str>) -> Result<CommandResponse, Error> {
        let request = self.post(path("/v1/claims/{}/withdraw", claim));
        request.json(&ReasonRequest::from(reason)).document()
    }
}
