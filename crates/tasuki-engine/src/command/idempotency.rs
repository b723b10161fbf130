//! Decides whether two requests are the same, by one digest over everything that the caller stated.
//!
//! An idempotency key belongs to one request; using it for another is refused. Packets are compared
//! by the bytes as sent, because their canonical form would require parsing them first.

use serde_json::json;
use tasuki_packet::canonical;

use crate::command::Command;
use crate::steps::Step;

/// The idempotency key of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// The key.
    pub key: String,
    /// The digest of the original request, if the front end builds the command from more than the
    /// request: a lookup may give another result the next time. Otherwise the digest of the command
    /// is used.
    pub request: Option<String>,
}

impl From<String> for RequestKey {
    fn from(key: String) -> Self {
        Self { key, request: None }
    }
}

/// The digests that identify a request. The same request may arrive through a front end that has
/// its own digest, or directly on the store, where only the command is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestDigest {
    of_request: Option<String>,
    of_command: String,
}

impl RequestDigest {
    /// Computes the digests of a command and its original request.
    pub fn of(command: &Command, request: Option<String>) -> Self {
        Self { of_request: request, of_command: command.digest() }
    }

    /// Returns the digests as they are stored with the response.
    pub fn to_stored(&self) -> String {
        match &self.of_request {
            Some(of_request) => format!("{of_request} {}", self.of_command),
            None => self.of_command.clone(),
        }
    }

    /// Returns `true` if the stored digests belong to this request.
    pub fn matches(&self, stored: &str) -> bool {
        contains_digest(stored, &self.of_command)
            || self.of_request.as_ref().is_some_and(|digest| contains_digest(stored, digest))
    }
}

/// Returns `true` if the stored digests contain this one.
pub fn contains_digest(stored: &str, digest: &str) -> bool {
    stored.split(' ').any(|one| one == digest)
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
    fn everything_the_caller_states_is_part_of_the_digest() {
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
    fn a_request_is_recognized_with_and_without_the_digest_of_its_front_end() {
        let command = |task: &str| {
            let source = format!("task_id: {task}").into_bytes();
            Command::Submit(Submit { source, ..Default::default() })
        };
        let request = |text: &str| Some(canonical::digest_of_bytes(text.as_bytes()));
        let here = RequestDigest::of(&command("a"), None);
        let there = RequestDigest::of(&command("a"), request("POST a"));
        assert!(here.matches(&there.to_stored()) && there.matches(&here.to_stored()));
        // A front end that looks something up may build another command from the same request.
        let later = RequestDigest::of(&command("b"), request("POST a"));
        assert!(later.matches(&there.to_stored()));
        assert!(!later.matches(&here.to_stored()));
        assert!(!RequestDigest::of(&command("b"), request("POST b")).matches(&there.to_stored()));
    }

    #[test]
    fn a_stored_digest_never_changes() {
        let command = Command::Submit(Submit {
            source: br#"{"goal":"Ship"}"#.to_vec(),
            to: Some("ben".to_owned()),
            ..Default::default()
        });
        insta::assert_snapshot!(command.digest(), @"sha256:0bb6f1bc7da901e92a8da28a5c64aaf1c45c6fe37592465d820852f69adc606f");
    }
}
