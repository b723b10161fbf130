//! What can be done next with a handoff, by whoever has just looked at it.

use tasuki_packet::api;

use super::line::typed;

/// Who looks, as far as that is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Looker {
    /// Its names and those of its roles.
    names: Vec<String>,
    is_person: bool,
}

impl Looker {
    /// The party of this name among those of the project, with the roles that it is in.
    pub(crate) fn named(own: &str, parties: &[api::Party]) -> Self {
        let is_own = |party: &&api::Party| {
            party.name == own || party.aliases.iter().any(|alias| alias == own)
        };
        let Some(party) = parties.iter().find(is_own) else { return Self::default() };
        let roles = parties.iter().filter(|role| role.members.contains(&party.name));
        let names = std::iter::once(party).chain(roles).map(|one| one.name.clone()).collect();
        Self { names, is_person: party.kind == "human" }
    }

    fn is(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// Whether an answer of this party is waited for.
    fn must_answer(&self, handoff: &api::Handoff) -> bool {
        handoff.state == "offered" && !handoff.questions.is_empty() && self.is(&handoff.from)
    }

    /// The steps that this party may take. Where nobody said who looks, those of whose turn it is.
    fn steps(&self, handoff: &api::Handoff) -> Vec<&'static str> {
        if self.names.is_empty() {
            return turn(handoff).to_vec();
        }
        let is_holder = handoff.holder.as_ref().is_some_and(|holder| self.is(holder));
        let is_begun = handoff.from == handoff.to;
        let is_sender = self.is(&handoff.from) && !is_begun;
        let is_receiver = self.is(&handoff.to) && !is_sender;
        match handoff.state.as_str() {
            "held" if is_holder => vec!["wait"],
            "held" if is_sender => vec!["revise", "reroute", "cancel"],
            "held" if self.is_person => turn(handoff).to_vec(),
            "offered" if self.must_answer(handoff) => vec!["answer", "reroute", "cancel"],
            "offered" if is_sender => vec!["revise", "reroute", "cancel"],
            "offered" if is_receiver => turn(handoff).to_vec(),
            "claimed" if handoff.child.is_some() => Vec::new(),
            "claimed" if is_holder => turn(handoff).to_vec(),
            "offered" | "claimed" if self.is_person => vec!["intercept", "reroute", "cancel"],
            "claimed" if is_sender => vec!["reroute", "cancel"],
            // Nobody judges their own return.
            "returned" if is_begun && self.is(&handoff.from) => Vec::new(),
            "returned" if !is_receiver || self.is_person => turn(handoff).to_vec(),
            "dead" => turn(handoff).to_vec(),
            _ => Vec::new(),
        }
    }
}

/// The steps of whoever has to do something.
fn turn(handoff: &api::Handoff) -> &'static [&'static str] {
    let waits_at_gate = handoff.held_for.iter().any(|reason| reason.starts_with("gate:"));
    match handoff.state.as_str() {
        "held" if waits_at_gate => &["sign-off", "reject", "edit"],
        "held" => &["accept", "edit", "reject", "reroute", "intercept"],
        "offered" => &["claim", "ask", "decline"],
        "claimed" => &["checkpoint", "return", "release"],
        "returned" => &["verify"],
        "dead" => &["dead redrive", "dead discard"],
        _ => &[],
    }
}

/// What whoever looks can do next with a handoff, as commands to type.
pub(crate) fn actions(handoff: &api::Handoff, looker: &Looker) -> Vec<String> {
    let id = match handoff.state.as_str() {
        // So that a decision is about what was just seen.
        "held" => {
            let action = handoff.action.as_ref().map(|action| first_digits(&action.digest));
            let action = action.map(|digits| format!(":{digits}")).unwrap_or_default();
            format!("{}@{}:{}{action}", typed(&handoff.id), handoff.revision, handoff.to)
        }
        _ => typed(&handoff.id),
    };
    let command = |step: &&str| match *step {
        // It waits for a handoff, whatever becomes of the revision.
        "wait" => format!("tasuki wait {}", typed(&handoff.id)),
        step => format!("tasuki {step} {id}"),
    };
    looker.steps(handoff).iter().map(command).collect()
}

/// As much of the digest of an action as nobody finds a second action for by trying.
fn first_digits(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.get(..16).unwrap_or(hex)
}

/// What to do next with what waits: look at the first, judge the first that came back, and answer the
/// first that was asked.
pub(crate) fn next_of(waiting: &[api::Handoff], looker: &Looker) -> String {
    let first = waiting.first().map(|one| format!("tasuki show {}", typed(&one.id)));
    let returned = waiting.iter().find(|one| one.state == "returned");
    let verify = returned.map(|one| format!("tasuki verify {}", typed(&one.id)));
    let asked = waiting.iter().find(|one| looker.must_answer(one));
    let answer = asked.map(|one| format!("tasuki answer {}", typed(&one.id)));
    first.into_iter().chain(verify).chain(answer).collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parties() -> Vec<api::Party> {
        let party = |name: &str, kind: &str, members: &[&str]| {
            let id = format!("pty_{name}");
            serde_json::from_value(
                json!({ "id": id, "name": name, "kind": kind, "members": members }),
            )
            .unwrap()
        };
        vec![
            party("ana", "agent", &[]),
            party("ben", "agent", &[]),
            party("cem", "agent", &[]),
            party("pia", "human", &[]),
            party("role:team", "role", &["ben"]),
        ]
    }

    #[track_caller]
    fn check(more: &serde_json::Value, expected: [(&str, &str); 4]) {
        let mut handoff = json!({
            "id": "hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b", "task": "t", "state": "offered",
            "from": "ana", "to": "role:team", "revision": 1, "digest": "sha256:00", "risk": "low",
            "attempt": 1, "submitted_at": "2026-11-15T10:00:00Z",
        });
        for (name, value) in more.as_object().unwrap() {
            handoff[name] = value.clone();
        }
        let handoff: api::Handoff = serde_json::from_value(handoff).unwrap();
        for (name, steps) in expected {
            let looker = Looker::named(name, &parties());
            assert_eq!(looker.steps(&handoff).join(" "), steps, "{name}: {more}");
        }
    }

    #[test]
    fn everybody_is_told_their_own_steps() {
        let taking_away = "intercept reroute cancel";
        check(
            &json!({}),
            [
                ("ana", "revise reroute cancel"),
                ("ben", "claim ask decline"),
                ("cem", ""),
                ("pia", taking_away),
            ],
        );
        check(
            &json!({ "questions": ["qst_1"] }),
            [
                ("ana", "answer reroute cancel"),
                ("ben", "claim ask decline"),
                ("cem", ""),
                ("pia", taking_away),
            ],
        );
        check(
            &json!({ "state": "claimed", "holder": "ben" }),
            [
                ("ana", "reroute cancel"),
                ("ben", "checkpoint return release"),
                ("cem", ""),
                ("pia", taking_away),
            ],
        );
        // After an intercept the former holder has nothing to write.
        check(
            &json!({ "state": "claimed", "holder": "pia" }),
            [
                ("ana", "reroute cancel"),
                ("ben", ""),
                ("cem", ""),
                ("pia", "checkpoint return release"),
            ],
        );
        check(
            &json!({ "state": "returned" }),
            [("ana", "verify"), ("ben", ""), ("cem", "verify"), ("pia", "verify")],
        );
        check(
            &json!({ "state": "returned", "to": "ana" }),
            [("ana", ""), ("ben", "verify"), ("cem", "verify"), ("pia", "verify")],
        );
        check(
            &json!({ "state": "held", "held_for": ["action"], "holder": "ben" }),
            [
                ("ana", "revise reroute cancel"),
                ("ben", "wait"),
                ("cem", ""),
                ("pia", "accept edit reject reroute intercept"),
            ],
        );
    }
}
