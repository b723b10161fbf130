//! What makes two requests the same: one digest over everything that the caller said.
//!
//! An idempotency key stands for one request; used for another one it is refused. Packets count as
//! the bytes that were sent, because their canonical value would need them to be read first.

use serde_json::json;
use tasuki_packet::canonical;

use crate::command::Command;
use crate::steps::Step;

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
pub struct RequestDigest {
    of_request: Option<String>,
    of_command: String,
}

impl RequestDigest {
    /// Of a command, and of what was said to the door that made it.
    pub fn of(command: &Command, request: Option<String>) -> Self {
        Self { of_request: request, of_command: command.digest() }
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

/// Returns the digest of everything that the caller of a command stated.
pub fn digest<S: Step>(step: &S) -> String {
    let stated = serde_json::to_value(step).unwrap_or_default();
    canonical::digest(&json!({ "command": S::NAME, "request": stated }))
}

#[cfg(test)]
mod tests {
    use tasuki_packet::id::{HandoffId, TokenId};

    use super::*;
    use crate::rules::fencing::ClaimProof;
    use crate::steps::{
        Accept, AddParty, Claim, CreateToken, Discard, Halt, PassOn, Redrive, Reject, Release,
        RevokeToken, SeenVersion, Submit, Verify,
    };

    #[test]
    fn whatever_the_caller_says_is_part_of_the_request() {
        let handoff = HandoffId::new(1, [1; 10]);
        let claim = ClaimProof { handoff, fence: 1 };
        let text = || Some("because".to_owned());
        let from = vec!["10.0.0.0/8".parse().unwrap()];
        let seen = || SeenVersion { seconds: Some(3), ..SeenVersion::default() };
        let bare = Submit { source: b"{}".to_vec(), ..Default::default() };
        let commands = [
            Command::Submit(bare.clone()),
            Command::Submit(Submit { source: b"{ }".to_vec(), ..bare.clone() }),
            Command::Submit(Submit { hold: true, ..bare.clone() }),
            Command::Submit(Submit { to: text(), ..bare.clone() }),
            Command::PassOn(PassOn::new(claim, b"{}".to_vec())),
            Command::Submit(Submit { supersedes: Some(handoff), ..bare }),
            Command::Claim(Claim { handoff: Some(handoff), ..Default::default() }),
            Command::Claim(Claim { key: text(), ..Default::default() }),
            Command::Claim(Claim::default()),
            Command::Release(Release { claim, reason: None }),
            Command::Release(Release { claim, reason: text() }),
            Command::Release(Release { claim: ClaimProof { fence: 2, ..claim }, reason: None }),
            Command::Verify(Verify { handoff, is_good: true, reason: None }),
            Command::Verify(Verify { handoff, is_good: false, reason: None }),
            Command::Accept(Accept { handoff, seen: seen(), reason: None }),
            Command::Accept(Accept { handoff, seen: SeenVersion::default(), reason: None }),
            Command::Reject(Reject { handoff, seen: seen(), reason: None }),
            Command::Redrive(Redrive { handoff, reason: None }),
            Command::Discard(Discard { handoff, reason: None }),
            Command::Halt(Halt { is_lift: true, reason: None }),
            Command::Halt(Halt { is_lift: false, reason: None }),
            Command::AddParty(AddParty { name: "ana".to_owned(), ..Default::default() }),
            Command::AddParty(AddParty { name: "ben".to_owned(), ..Default::default() }),
            Command::CreateToken(CreateToken { party: "ana".to_owned(), ..Default::default() }),
            Command::CreateToken(CreateToken { name: text(), ..Default::default() }),
            Command::CreateToken(CreateToken { from, ..Default::default() }),
            Command::RevokeToken(RevokeToken { token: TokenId::new(1, [1; 10]) }),
        ];
        let mut digests: Vec<String> = commands.iter().map(Command::digest).collect();
        let again: Vec<String> = commands.iter().map(Command::digest).collect();
        assert_eq!(digests, again);
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), commands.len());
    }

    #[test]
    fn a_request_is_known_again_through_a_door_and_without_one() {
        let command = |task: &str| {
            let source = format!("task_id: {task}").into_bytes();
            Command::Submit(Submit { source, ..Default::default() })
        };
        let said = |text: &str| Some(canonical::digest_of_bytes(text.as_bytes()));
        let here = RequestDigest::of(&command("a"), None);
        let there = RequestDigest::of(&command("a"), said("POST a"));
        assert!(here.are_of(&there.to_keep()) && there.are_of(&here.to_keep()));
        // A door that looks something up may make another command of the same request.
        let later = RequestDigest::of(&command("b"), said("POST a"));
        assert!(later.are_of(&there.to_keep()));
        assert!(!later.are_of(&here.to_keep()));
        assert!(!RequestDigest::of(&command("b"), said("POST b")).are_of(&there.to_keep()));
    }

    #[test]
    fn a_digest_that_is_remembered_never_changes() {
        let command = Command::Submit(Submit {
            source: br#"{"goal":"Ship"}"#.to_vec(),
            to: Some("ben".to_owned()),
            ..Default::default()
        });
        insta::assert_snapshot!(command.digest(), @"sha256:0bb6f1bc7da901e92a8da28a5c64aaf1c45c6fe37592465d820852f69adc606f");
    }
}
