//! Maps commands of the engine to requests of the client.

use serde_json::{Map, Value};
use tasuki_api as api;
use tasuki_api::{
    AbsenceRequest, AnswerRequest, ApprovalRequest, ClaimRequest, ContractRequest,
    DeadLetterRequest, DecisionKind, DecisionRequest, ParkRequest, PartyRequest, PolicyRequest,
    ProjectSettings, QuestionRequest, RenewRequest, Secret, TokenRequest, VerdictRequest,
    VerdictResult,
};
use tasuki_client::{Begin, Error, Revision, Submit};
use tasuki_engine::command::Command;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::question::ask;
use tasuki_engine::steps::{
    Answer, Attention, PassOn, RequestApproval, SeenVersion, admin, begin, claim, decision, submit,
    verify,
};
use tasuki_packet::id::HandoffId;
use tasuki_packet::read::Source;

use super::server::RemoteBackend;
use crate::backend::Backend;
use crate::backend::problem::client_failure;
use crate::exit::Failure;
use crate::input::packet_file;

impl RemoteBackend {
    /// Sends a command to the server.
    pub(super) fn send(
        &self,
        command: Command,
        key: Option<String>,
    ) -> Result<api::CommandResponse, Failure> {
        let client = &self.client;
        let answer = match command {
            Command::Submit(request) => client.submit(&self.submit_request(request, None, key)),
            Command::PassOn(passed) => {
                let PassOn { parent, source, to, hold, supersedes, variant, work_tree } = passed;
                let request = submit::Submit { source, to, hold, supersedes, variant, work_tree };
                client.submit(&self.submit_request(request, Some(parent), key))
            }
            Command::Begin(request) => client.begin(&begin_request(request, key)),
            Command::Revise(request) => {
                let if_match = self.if_match_tag(request.handoff, &request.seen)?;
                let revision = Revision { source: request.source, if_match, ..Revision::default() };
                client.revise(&self.reference_for(request.handoff), &revision)
            }
            Command::Edit(request) => {
                let if_match = self.if_match_tag(request.handoff, &request.seen)?;
                let (source, reason) = (request.source, request.reason);
                let revision = Revision { source, edit: true, reason, if_match };
                client.revise(&self.reference_for(request.handoff), &revision)
            }
            Command::Ask(request) => {
                client.ask(&request.handoff.to_string(), &ask_request(&request))
            }
            Command::Answer(request) => {
                let if_match = match request.seen.revision {
                    Some(_) => self.if_match_tag(request.handoff, &request.seen)?,
                    None => None,
                };
                let handoff = self.reference_for(request.handoff);
                client.answer(&handoff, &answer_request(&request)?, if_match.as_deref())
            }
            Command::Decline(one) => {
                client.decline(&one.handoff.to_string(), one.reason.as_deref())
            }
            Command::Claim(request) => self.send_claim(request),
            Command::Checkpoint(one) => {
                client.checkpoint_from(&holder(one.claim), &one.source, one.work_tree.as_ref())
            }
            Command::Return(one) => {
                client.return_packet_from(&holder(one.claim), &one.source, one.work_tree.as_ref())
            }
            Command::Renew(one) => {
                client.renew(&self.claim_of(one.claim)?, &RenewRequest { lease: one.lease })
            }
            Command::Adopt(one) => client.adopt(&self.claim_of(one.claim)?),
            Command::Release(one) => {
                client.release(&self.claim_of(one.claim)?, one.reason.as_deref())
            }
            Command::Park(one) => {
                let not_before = Some(one.not_before);
                let request = ParkRequest { not_before, length: None, reason: one.reason };
                client.park(&self.claim_of(one.claim)?, &request)
            }
            Command::RequestApproval(one) => {
                let RequestApproval { claim, action, to, ends_task } = one;
                let request = ApprovalRequest { action, to, ends_task };
                client.request_approval(&self.claim_of(claim)?, &request)
            }
            Command::Withdraw(one) => {
                client.withdraw(&self.claim_of(one.claim)?, one.reason.as_deref())
            }
            Command::Verify(one) => client.verify(&one.handoff.to_string(), &verdict_request(one)),
            other => return self.send_decision_or_admin(other),
        };
        answer.map_err(client_failure)
    }

    /// Sends a decision or a command of an operator.
    fn send_decision_or_admin(&self, command: Command) -> Result<api::CommandResponse, Failure> {
        let client = &self.client;
        let answer = match command {
            Command::Accept(one) => {
                self.decide(DecisionKind::Accept, one.handoff, one.seen, one.reason)
            }
            Command::Reject(one) => {
                self.decide(DecisionKind::Reject, one.handoff, one.seen, one.reason)
            }
            Command::Intercept(one) => {
                self.decide(DecisionKind::Intercept, one.handoff, one.seen, one.reason)
            }
            Command::Cancel(one) => {
                self.decide(DecisionKind::Cancel, one.handoff, one.seen, one.reason)
            }
            Command::Reroute(one) => {
                let decision = decision_request(DecisionKind::Reroute, one.seen, one.reason);
                let decision = DecisionRequest { to: Some(one.to), ..decision };
                client.decide(&self.reference_for(one.handoff), &decision)
            }
            Command::Redrive(one) => {
                let request = dead_letter_request(one.reason, one.attention);
                client.redrive(&one.handoff.to_string(), &request)
            }
            Command::Discard(one) => {
                let request = dead_letter_request(one.reason, one.attention);
                client.discard(&one.handoff.to_string(), &request)
            }
            Command::Halt(one) if one.is_lift => client.lift(one.reason.as_deref()),
            Command::Halt(one) => client.halt(one.reason.as_deref()),
            Command::AddParty(request) => client.add_party(&add_party_request(request)),
            Command::BeginAbsence(one) => {
                let admin::BeginAbsence { person, deputy, from, until } = one;
                client.begin_absence(&person, &AbsenceRequest { deputy, from, until })
            }
            Command::EndAbsence(one) => client.end_absence(&one.person),
            Command::CreateToken(request) => client.create_token(&create_token_request(request)),
            Command::RevokeToken(one) => client.revoke_token(&one.token.to_string()),
            Command::PublishContract(admin::PublishContract(record)) => {
                client.publish_contract(&ContractRequest {
                    document: record.document,
                    schemas: record.schemas,
                })
            }
            Command::PublishGate(admin::PublishGate(record)) => {
                client.publish_gate(&PolicyRequest { document: record.document })
            }
            Command::SetRules(admin::SetRules(record)) => {
                client.set_rules(&PolicyRequest { document: record.document })
            }
            Command::SetSettings(admin::SetSettings(changes)) => {
                client.set_project(&ProjectSettings(changes))
            }
            _ => return Err(unsupported()),
        };
        answer.map_err(client_failure)
    }

    fn decide(
        &self,
        kind: DecisionKind,
        handoff: HandoffId,
        seen: SeenVersion,
        reason: Option<String>,
    ) -> Result<api::CommandResponse, Error> {
        self.client.decide(&self.reference_for(handoff), &decision_request(kind, seen, reason))
    }

    fn submit_request(
        &self,
        request: submit::Submit,
        parent: Option<ClaimProof>,
        key: Option<String>,
    ) -> Submit {
        Submit {
            packet: request.source,
            to: request.to,
            hold: request.hold,
            supersedes: request.supersedes.map(|id| self.reference_for(id)),
            parent: parent.map(holder),
            key,
            work_tree: request.work_tree,
            variant: request.variant.and_then(object),
        }
    }

    fn send_claim(&self, request: claim::Claim) -> Result<api::CommandResponse, Error> {
        let claiming = ClaimRequest {
            lease: request.lease,
            renewed: request.is_renewed,
            key: request.key,
            reads: request.reads,
            read_back: request.read_back.and_then(object),
            drift: request.drift.and_then(object),
        };
        match request.handoff {
            Some(handoff) => self.client.claim(&handoff.to_string(), &claiming),
            None => self.client.claim_next(&claiming),
        }
    }

    /// Returns the id of a claim: from a session of this machine, else from the history of the handoff.
    fn claim_of(&self, shown: ClaimProof) -> Result<String, Failure> {
        let backend: &dyn Backend = self;
        if let Some(claim) = backend.stored_claim(shown) {
            return Ok(claim.id.to_string());
        }
        let events = self.history(shown.handoff)?;
        let is_it =
            |event: &&api::Event| event.attributes.get("fence") == Some(&shown.fence.into());
        let claim = events.iter().rev().filter(is_it).find_map(|event| {
            event.attributes.get("claim").and_then(|claim| Some(claim.as_str()?.to_owned()))
        });
        claim.ok_or_else(|| {
            let message = format!("no claim on {} has fence {}", shown.handoff, shown.fence);
            Failure { exit: crate::exit::Exit::Conflict, ..Failure::usage(message) }
                .hint("the response to your claim has the fence")
        })
    }
}

fn begin_request(request: begin::Begin, key: Option<String>) -> Begin {
    let (automatic, work_tree) = (request.is_automatic, request.work_tree);
    Begin { packet: request.source, lease: request.lease, key, automatic, work_tree }
}

fn holder(shown: ClaimProof) -> tasuki_client::ClaimProof {
    tasuki_client::ClaimProof { handoff: shown.handoff.to_string(), fence: shown.fence }
}

/// Returns the body of a verdict.
fn verdict_request(one: verify::Verify) -> VerdictRequest {
    let result = if one.is_good { VerdictResult::Pass } else { VerdictResult::Fail };
    let return_packet = one.return_packet.map(|id| id.to_string());
    let Attention { seconds, opened } = one.attention;
    VerdictRequest { result, return_packet, reason: one.reason, seconds, opened }
}

fn ask_request(request: &ask::Ask) -> QuestionRequest {
    QuestionRequest {
        question: request.text.clone(),
        field: request.field.clone(),
        blocking: request.is_blocking,
    }
}

fn answer_request(request: &Answer) -> Result<AnswerRequest, Failure> {
    let packet = request.source.as_deref().map(packet_value).transpose()?;
    Ok(AnswerRequest { question: request.question, answer: request.text.clone(), packet })
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Parses a packet in any form.
fn packet_value(bytes: &[u8]) -> Result<Value, Failure> {
    let source = Source::packet(bytes).map_err(|found| packet_file::violation_failure(&found))?;
    let document = source.read_packet().map_err(|found| packet_file::violation_failure(&found))?;
    Ok(document.to_value())
}

fn decision_request(
    kind: DecisionKind,
    seen: SeenVersion,
    reason: Option<String>,
) -> DecisionRequest {
    let SeenVersion { revision, digest, receiver, attention } = seen;
    let Attention { seconds, opened } = attention;
    let new = DecisionRequest::new(kind);
    DecisionRequest { reason, revision, digest, receiver, seconds, opened, ..new }
}

fn dead_letter_request(reason: Option<String>, attention: Attention) -> DeadLetterRequest {
    DeadLetterRequest { reason, seconds: attention.seconds, opened: attention.opened }
}

fn add_party_request(request: admin::AddParty) -> PartyRequest {
    PartyRequest {
        name: request.name,
        kind: request.kind,
        aliases: request.aliases,
        members: request.members,
        without_members: request.without_members,
        skills: request.skills,
        reads: request.reads,
        authority: request.authority,
        sends_for: request.sends_for,
        email: request.email,
    }
}

pub(super) fn create_token_request(request: admin::CreateToken) -> TokenRequest {
    TokenRequest {
        party: request.party,
        scopes: request.scopes,
        life: request.expires_in,
        to: request.to,
        from: request.from,
        name: request.name,
    }
}

/// Returns the request for a signature with the password that was typed for it.
pub(super) fn sign_off_request(request: decision::SignOff, password: String) -> DecisionRequest {
    DecisionRequest {
        gate: request.gate,
        meaning: request.meaning,
        deny: request.is_denial,
        reason: request.reason,
        revision: request.seen.revision,
        digest: request.seen.digest,
        receiver: request.seen.receiver,
        seconds: request.seen.attention.seconds,
        opened: request.seen.attention.opened,
        password: Some(Secret(password)),
        ..DecisionRequest::new(DecisionKind::SignOff)
    }
}

fn unsupported() -> Failure {
    Failure::usage("this command does not work against a server")
        .hint("run it on the server, in the directory of its `.tasuki/`")
}
