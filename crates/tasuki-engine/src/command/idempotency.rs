//! What makes two requests the same: one digest over everything that the caller said.
//!
//! An idempotency key stands for one request; used for another one it is refused. Packets count as
//! the bytes that were sent, because their canonical value would need them to be read first. What
//! a request does not say is left out, so that a field that is added later changes no digest that
//! is already remembered.

use serde_json::{Value, json};
use tasuki_packet::canonical;

use crate::command::Command;
use crate::rules::authorization::Shown;
use crate::rules::fallback::{Dead, Decline};
use crate::steps::admin::{
    AddParty, AddSubscription, CreateToken, DisableSubscription, EnableSubscription, NewChannel,
    RemoveSubscription, RevokeToken, RotateSecret,
};
use crate::steps::cancel::{Cancel, HaltRequest};
use crate::steps::claim::Renew;
use crate::steps::decision::{Accept, Intercept, Looked, Reject, Reroute, SignOff};
use crate::steps::release::{Park, Release};
use crate::steps::revise::{Edit, Revise};
use crate::steps::system::mark_delivered;
use crate::steps::system::undeliverable;
use crate::steps::{
    ask, begin, checkpoint, claim, request_approval, return_packet, submit, verify,
};

/// The key that a caller gave to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// The key.
    pub key: String,
    /// The digest of what was said to a door, where the door makes the command of more than that: what
    /// it looks up may be another thing the next time. Else that of the command.
    pub request: Option<String>,
}

impl From<String> for RequestKey {
    fn from(key: String) -> Self {
        Self { key, request: None }
    }
}

/// The digests that a request is known by: the same may come through a door that gives one of its own,
/// and on the store itself, where only its command is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digests {
    of_request: Option<String>,
    of_command: String,
}

impl Digests {
    /// Of a command, and of what was said to the door that made it.
    pub fn of(command: &Command, request: Option<String>) -> Self {
        Self { of_request: request, of_command: digest(command) }
    }

    /// What is kept with the answer.
    pub fn to_keep(&self) -> String {
        match &self.of_request {
            Some(of_request) => format!("{of_request} {}", self.of_command),
            None => self.of_command.clone(),
        }
    }

    /// Whether this is the request that this was kept of.
    pub fn are_of(&self, kept: &str) -> bool {
        is_among(kept, &self.of_command)
            || self.of_request.as_ref().is_some_and(|digest| is_among(kept, digest))
    }
}

/// Whether a request was kept by this digest, among others.
pub fn is_among(kept: &str, digest: &str) -> bool {
    kept.split(' ').any(|one| one == digest)
}

/// The digest of a request.
pub fn digest(command: &Command) -> String {
    let mut said = json!({ "command": command.word() });
    let members =
        [of_sender(command), of_holder(command), of_person(command), of_operator(command)];
    for (name, value) in members.into_iter().flatten().filter_map(as_members).flatten() {
        if !is_unsaid(&value) {
            said[name] = value;
        }
    }
    canonical::digest(&said)
}

fn as_members(value: Value) -> Option<serde_json::Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

fn is_unsaid(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(list) => list.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::String(_) | Value::Object(_) => false,
    }
}

fn bytes(source: &[u8]) -> String {
    canonical::digest_of_bytes(source)
}

fn shown(claim: Shown) -> Value {
    let Shown { handoff, token } = claim;
    json!({ "handoff": handoff, "token": token })
}

fn looked(looked: &Looked) -> Value {
    let Looked { revision, digest, receiver, seconds, opened } = looked;
    json!({
        "revision": revision, "digest": digest, "receiver": receiver, "seconds": seconds,
        "opened": opened,
    })
}

/// What a party says that hands over or is asked.
fn of_sender(command: &Command) -> Option<Value> {
    Some(match command {
        Command::Begin(begin::Request { source, lease, is_renewed, key }) => {
            json!({ "source": bytes(source), "lease": lease, "renewed": is_renewed, "key": key })
        }
        Command::Submit(submit::Request { source, to, hold, supersedes, parent }) => json!({
            "source": bytes(source), "to": to, "hold": hold, "supersedes": supersedes,
            "parent": parent.map(shown),
        }),
        Command::Revise(Revise { handoff, source, looked: seen }) => {
            json!({ "handoff": handoff, "source": bytes(source), "looked": looked(seen) })
        }
        Command::Answer(ask::Answer { handoff, question, text, source, looked: seen }) => json!({
            "handoff": handoff, "question": question, "text": text,
            "source": source.as_deref().map(bytes), "looked": looked(seen),
        }),
        Command::Verify(verify::Request { handoff, is_good, reason }) => {
            json!({ "handoff": handoff, "good": is_good, "reason": reason })
        }
        _ => return None,
    })
}

/// What a receiver says.
fn of_holder(command: &Command) -> Option<Value> {
    Some(match command {
        Command::Ask(ask::Ask { handoff, field, text, is_blocking }) => {
            json!({ "handoff": handoff, "field": field, "text": text, "blocking": is_blocking })
        }
        Command::Decline(Decline { handoff, reason }) => {
            json!({ "handoff": handoff, "reason": reason })
        }
        Command::Claim(claim::Request {
            handoff,
            lease,
            is_renewed,
            key,
            reads,
            read_back,
            drift,
        }) => json!({
            "handoff": handoff, "lease": lease, "renewed": is_renewed, "key": key, "reads": reads,
            "read_back": read_back, "drift": drift,
        }),
        Command::Renew(Renew { shown: claim, lease }) => {
            json!({ "claim": shown(*claim), "lease": lease })
        }
        Command::Checkpoint(checkpoint::Request { shown: claim, source })
        | Command::Return(return_packet::Request { shown: claim, source }) => {
            json!({ "claim": shown(*claim), "source": bytes(source) })
        }
        Command::Hold(request_approval::Request { shown: claim, action }) => {
            json!({ "claim": shown(*claim), "action": action })
        }
        Command::Park(Park { shown: claim, not_before, reason }) => json!({
            "claim": shown(*claim), "not_before": not_before.as_microsecond(), "reason": reason,
        }),
        Command::Release(Release { shown: claim, reason }) => {
            json!({ "claim": shown(*claim), "reason": reason })
        }
        Command::Deliver(mark_delivered::Request { handoff, is_delivery }) => {
            json!({ "handoff": handoff, "delivery": is_delivery })
        }
        _ => return None,
    })
}

/// What a person says who decides.
fn of_person(command: &Command) -> Option<Value> {
    Some(match command {
        Command::Accept(Accept { handoff, looked: seen, reason })
        | Command::Reject(Reject { handoff, looked: seen, reason })
        | Command::Intercept(Intercept { handoff, looked: seen, reason }) => {
            json!({ "handoff": handoff, "looked": looked(seen), "reason": reason })
        }
        Command::SignOff(SignOff { handoff, gate, meaning, is_denial, looked: seen, reason }) => {
            json!({
                "handoff": handoff, "gate": gate, "meaning": meaning, "denial": is_denial,
                "looked": looked(seen), "reason": reason,
            })
        }
        Command::Edit(Edit { handoff, source, looked: seen, reason }) => json!({
            "handoff": handoff, "source": bytes(source), "looked": looked(seen), "reason": reason,
        }),
        Command::Reroute(Reroute { handoff, to, looked: seen, reason }) => {
            json!({ "handoff": handoff, "to": to, "looked": looked(seen), "reason": reason })
        }
        Command::Cancel(Cancel { handoff, looked: seen, reason }) => {
            json!({ "handoff": handoff, "looked": looked(seen), "reason": reason })
        }
        _ => return None,
    })
}

/// What an operator says.
fn of_operator(command: &Command) -> Option<Value> {
    Some(match command {
        Command::Redrive(Dead { handoff, reason }) | Command::Discard(Dead { handoff, reason }) => {
            json!({ "handoff": handoff, "reason": reason })
        }
        Command::Halt(HaltRequest { is_lift, reason }) => {
            json!({ "lift": is_lift, "reason": reason })
        }
        Command::AddParty(AddParty {
            name,
            kind,
            aliases,
            members,
            without_members,
            skills,
            reads,
            authority,
            sends_for,
            email,
        }) => json!({
            "name": name, "kind": kind, "aliases": aliases, "members": members,
            "without_members": without_members, "skills": skills, "reads": reads,
            "authority": authority, "sends_for": sends_for, "email": email,
        }),
        Command::CreateToken(CreateToken { party, scopes, expires_in, from, name }) => {
            let mut said = json!({
                "party": party, "scopes": scopes, "expires_in": expires_in, "name": name,
            });
            if !from.is_empty() {
                said["from"] = json!(from);
            }
            said
        }
        Command::RevokeToken(RevokeToken { token }) => json!({ "token": token }),
        Command::AddSubscription(AddSubscription { party, channel, filter }) => {
            let (url, signing, address) = match channel {
                NewChannel::Webhook { url, signing } => (Some(url), Some(signing), None),
                NewChannel::Email { address } => (None, None, Some(address)),
            };
            json!({
                "party": party, "url": url, "signing": signing, "address": address,
                "filter": filter.members(),
            })
        }
        Command::DisableSubscription(DisableSubscription { subscription, because }) => {
            json!({ "subscription": subscription, "because": because })
        }
        Command::EnableSubscription(EnableSubscription { subscription })
        | Command::RemoveSubscription(RemoveSubscription { subscription })
        | Command::RotateSecret(RotateSecret { subscription }) => {
            json!({ "subscription": subscription })
        }
        Command::PublishContract(record) => json!({ "record": record }),
        Command::PublishGate(record) => json!({ "record": record }),
        Command::SetRules(record) => json!({ "record": record }),
        Command::SetSettings(changes) => json!({ "settings": changes }),
        Command::NoteUntold(undeliverable::Request { wait, because, by_mail }) => {
            json!({ "handoff": wait.handoff, "event": wait.n, "because": because, "mail": by_mail })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use tasuki_packet::id::{HandoffId, TokenId};

    use super::*;

    #[test]
    fn whatever_the_caller_says_is_part_of_the_request() {
        let handoff = HandoffId::new(1, [1; 10]);
        let claim = Shown { handoff, token: 1 };
        let text = || Some("because".to_owned());
        let from = vec!["10.0.0.0/8".parse().unwrap()];
        let seen = || Looked { seconds: Some(3), ..Looked::default() };
        let bare = submit::Request { source: b"{}".to_vec(), ..Default::default() };
        let commands = [
            Command::Submit(bare.clone()),
            Command::Submit(submit::Request { source: b"{ }".to_vec(), ..bare.clone() }),
            Command::Submit(submit::Request { hold: true, ..bare.clone() }),
            Command::Submit(submit::Request { to: text(), ..bare.clone() }),
            Command::Submit(submit::Request { parent: Some(claim), ..bare.clone() }),
            Command::Submit(submit::Request { supersedes: Some(handoff), ..bare }),
            Command::Claim(claim::Request { handoff: Some(handoff), ..Default::default() }),
            Command::Claim(claim::Request { key: text(), ..Default::default() }),
            Command::Claim(claim::Request::default()),
            Command::Release(Release { shown: claim, reason: None }),
            Command::Release(Release { shown: claim, reason: text() }),
            Command::Release(Release { shown: Shown { token: 2, ..claim }, reason: None }),
            Command::Verify(verify::Request { handoff, is_good: true, reason: None }),
            Command::Verify(verify::Request { handoff, is_good: false, reason: None }),
            Command::Accept(Accept { handoff, looked: seen(), reason: None }),
            Command::Accept(Accept { handoff, looked: Looked::default(), reason: None }),
            Command::Reject(Reject { handoff, looked: seen(), reason: None }),
            Command::Redrive(Dead { handoff, reason: None }),
            Command::Discard(Dead { handoff, reason: None }),
            Command::Halt(HaltRequest { is_lift: true, reason: None }),
            Command::Halt(HaltRequest { is_lift: false, reason: None }),
            Command::AddParty(AddParty { name: "ana".to_owned(), ..Default::default() }),
            Command::AddParty(AddParty { name: "ben".to_owned(), ..Default::default() }),
            Command::CreateToken(CreateToken { party: "ana".to_owned(), ..Default::default() }),
            Command::CreateToken(CreateToken { name: text(), ..Default::default() }),
            Command::CreateToken(CreateToken { from, ..Default::default() }),
            Command::RevokeToken(RevokeToken { token: TokenId::new(1, [1; 10]) }),
        ];
        let mut digests: Vec<String> = commands.iter().map(digest).collect();
        let again: Vec<String> = commands.iter().map(digest).collect();
        assert_eq!(digests, again);
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), commands.len());
    }

    #[test]
    fn a_request_is_known_again_through_a_door_and_without_one() {
        let command = |task: &str| {
            let source = format!("task_id: {task}").into_bytes();
            Command::Submit(submit::Request { source, ..Default::default() })
        };
        let said = |text: &str| Some(canonical::digest_of_bytes(text.as_bytes()));
        let here = Digests::of(&command("a"), None);
        let there = Digests::of(&command("a"), said("POST a"));
        assert!(here.are_of(&there.to_keep()) && there.are_of(&here.to_keep()));
        // A door that looks something up may make another command of the same request.
        let later = Digests::of(&command("b"), said("POST a"));
        assert!(later.are_of(&there.to_keep()));
        assert!(!later.are_of(&here.to_keep()));
        assert!(!Digests::of(&command("b"), said("POST b")).are_of(&there.to_keep()));
    }

    #[test]
    fn a_digest_that_is_remembered_never_changes() {
        let command = Command::Submit(submit::Request {
            source: br#"{"goal":"Ship"}"#.to_vec(),
            to: Some("ben".to_owned()),
            ..Default::default()
        });
        insta::assert_snapshot!(digest(&command), @"sha256:b8b999a959dcc0336a57c0e5e9fa9f9f0b68611832d72c5d08d838ef77bb115b");
    }
}
