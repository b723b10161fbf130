//! The version of a handoff, as references for the command line name it.
//!
//! A decision is bound to what a person saw. A reference such as `export-7@1:82a7b20f5d3c1e0a` names
//! it in one word that can be copied: the revision, then digits of a digest over everything that a
//! decision covers. The digest includes ids that the exchange chooses at random, so that no sender or
//! holder can prepare a second packet or action with the same digits.

use serde_json::json;
use tasuki_packet::canonical;

use super::Handoff;

/// The number of digits in a version tag.
const DIGITS: usize = 16;

impl Handoff {
    /// Returns the reference to this version of the handoff: `hof_…@1:82a7b20f5d3c1e0a`.
    pub fn reference(&self) -> String {
        format!("{}@{}", self.id, self.version())
    }

    /// Returns the version after the `@` of a reference: `1:82a7b20f5d3c1e0a`, or the id of the return
    /// packet that waits for a verdict.
    pub fn version(&self) -> String {
        match &self.return_id {
            Some(return_id) => return_id.clone(),
            None => format!("{}:{}", self.revision, self.version_tag()),
        }
    }

    /// Returns the digits that name the packet, the receiver and the waiting action.
    pub fn version_tag(&self) -> String {
        let action = self.action.as_ref().map(|action| (&action.id, &action.digest));
        let seen = json!([self.id, self.revision, self.digest, self.to, action]);
        let digest = canonical::digest(&seen);
        digest.trim_start_matches("sha256:").chars().take(DIGITS).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handoff(more: &serde_json::Value) -> Handoff {
        let mut handoff = json!({
            "id": "hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b", "task": "t", "state": "held",
            "from": "ana", "to": "ben", "revision": 1, "digest": "sha256:00", "risk": "low",
            "attempt": 1, "submitted_at": "2026-11-15T10:00:00Z",
        });
        for (name, value) in more.as_object().unwrap() {
            handoff[name] = value.clone();
        }
        serde_json::from_value(handoff).unwrap()
    }

    #[test]
    fn a_version_names_everything_that_a_decision_covers() {
        let action = |id: &str, digest: &str| json!({ "action": { "id": id, "digest": digest } });
        let mut versions = vec![handoff(&json!({})).version()];
        for more in [
            json!({ "id": "hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6c" }),
            json!({ "revision": 2 }),
            json!({ "digest": "sha256:01" }),
            json!({ "to": "cem" }),
            action("dec_1", "sha256:02"),
            action("dec_1", "sha256:03"),
            action("dec_2", "sha256:03"),
            json!({ "state": "returned", "return_id": "ret_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b" }),
        ] {
            let version = handoff(&more).version();
            assert!(!versions.contains(&version), "{more}");
            versions.push(version);
        }
        assert!(versions[0].starts_with("1:") && versions[0].len() == 2 + DIGITS, "{versions:?}");
        assert_eq!(versions[8], "ret_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b");
    }
}
