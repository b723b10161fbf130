//! Suggests the next commands for a handoff, depending on the reader.

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_engine::model::{Scope, Scopes};
use tasuki_engine::query::reference::decision;

use super::escape::argument;
use super::handoff::reference;

/// The role whose members may verify any return.
const REVIEWERS: &str = "role:reviewer";

/// The reader of a handoff, as far as it is known, and the time.
#[derive(Debug, Clone)]
pub(crate) struct NextStepsContext {
    /// Its names and those of its roles.
    names: Vec<String>,
    is_person: bool,
    /// The scopes of its credential.
    scopes: Scopes,
    now: Timestamp,
}

impl NextStepsContext {
    /// Returns a context for an unknown reader.
    pub(crate) fn anonymous(now: Timestamp) -> Self {
        Self { names: Vec::new(), is_person: false, scopes: Scopes::all(), now }
    }

    /// Returns the context of a party of the project, with its roles.
    pub(crate) fn for_party(
        own: &str,
        parties: &[api::Party],
        (scopes, now): (Scopes, Timestamp),
    ) -> Self {
        let is_own = |party: &&api::Party| {
            party.name == own || party.aliases.iter().any(|alias| alias == own)
        };
        let Some(party) = parties.iter().find(is_own) else { return Self::anonymous(now) };
        let roles = parties.iter().filter(|role| role.members.contains(&party.name));
        let names = std::iter::once(party).chain(roles).map(|one| one.name.clone()).collect();
        Self { names, is_person: party.kind == "human", scopes, now }
    }

    fn is(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// Returns whether the party itself is among these names, not only one of its roles.
    fn is_among<'n>(&self, mut names: impl Iterator<Item = &'n String>) -> bool {
        names.any(|name| self.names.first() == Some(name))
    }

    /// Returns whether a question waits for this party.
    fn must_answer(&self, handoff: &api::Handoff) -> bool {
        handoff.state == "offered"
            && !handoff.questions.is_empty()
            && self.is(&handoff.from)
            && self.is_allowed("answer")
    }

    /// Returns the steps that this party may take. For an unknown reader, those of the party whose turn it is.
    fn steps(&self, handoff: &api::Handoff) -> Vec<&'static str> {
        let mut steps = if self.names.is_empty() {
            self.default_steps(handoff)
        } else {
            self.party_steps(handoff)
        };
        steps.retain(|step| self.is_allowed(step));
        steps
    }

    /// Returns whether this party can claim the handoff now.
    pub(crate) fn can_claim(&self, handoff: &api::Handoff) -> bool {
        self.steps(handoff).contains(&"claim")
    }

    /// Returns whether the credential allows a step.
    fn is_allowed(&self, step: &str) -> bool {
        let has = |scope| self.scopes.has(scope);
        match step {
            "revise" | "answer" => has(Scope::Submit),
            "reroute" | "cancel" => has(Scope::Submit) || has(Scope::Decide),
            "sign-off" | "approve" | "edit" | "reject" | "intercept" => has(Scope::Decide),
            "claim" | "ask" | "decline" | "checkpoint" | "return" => has(Scope::Receive),
            "pass-on" => has(Scope::Receive) && has(Scope::Submit),
            "verify" => has(Scope::Verify),
            "dead redrive" | "dead discard" => has(Scope::Admin),
            _ => true,
        }
    }

    fn party_steps(&self, handoff: &api::Handoff) -> Vec<&'static str> {
        let is_holder = handoff.holder.as_ref().is_some_and(|holder| self.is(holder));
        let is_begun = handoff.from == handoff.to;
        let is_sender = self.is(&handoff.from) && !is_begun;
        let has_declined = self.is_among(handoff.declined_by.iter());
        let is_receiver = self.is(&handoff.to) && !is_sender && !has_declined;
        match handoff.state.as_str() {
            "held" if is_holder => vec!["wait"],
            "held" if is_sender => vec!["revise", "reroute", "cancel"],
            "held" if self.is_person => self.hold_steps(handoff),
            "offered" if self.must_answer(handoff) => vec!["answer", "reroute", "cancel"],
            "offered" if is_sender => vec!["revise", "reroute", "cancel"],
            "offered" if is_receiver => self.offer_steps(handoff),
            "claimed" if handoff.child.is_some() => Vec::new(),
            "claimed" if is_holder => self.default_steps(handoff),
            "offered" | "claimed" if self.is_person => vec!["intercept", "reroute", "cancel"],
            "claimed" if is_sender => vec!["reroute", "cancel"],
            "returned" if self.can_verify(handoff) => vec!["verify"],
            "dead" => self.default_steps(handoff),
            _ => Vec::new(),
        }
    }

    /// Returns the steps of the party whose turn it is.
    fn default_steps(&self, handoff: &api::Handoff) -> Vec<&'static str> {
        match handoff.state.as_str() {
            "held" => self.hold_steps(handoff),
            "offered" if handoff.blocked => vec!["answer"],
            "offered" => self.offer_steps(handoff),
            "claimed" => vec!["checkpoint", "return", "pass-on"],
            "returned" => vec!["verify"],
            "dead" => vec!["dead redrive", "dead discard"],
            _ => Vec::new(),
        }
    }

    /// Returns the steps of a receiver. Parked and blocked work cannot be claimed yet.
    fn offer_steps(&self, handoff: &api::Handoff) -> Vec<&'static str> {
        let is_parked = handoff.not_before.is_some_and(|not_before| self.now < not_before);
        if is_parked || handoff.blocked {
            return vec!["ask", "decline"];
        }
        vec!["claim", "ask", "decline"]
    }

    /// Returns the steps of a person for a hold. One approval clears everything but the gates.
    fn hold_steps(&self, handoff: &api::Handoff) -> Vec<&'static str> {
        let is_gate = |reason: &String| reason.starts_with("gate:");
        if !handoff.held_for.iter().any(is_gate) {
            return vec!["approve", "edit", "reject", "reroute", "intercept"];
        }
        let approve = (!handoff.held_for.iter().all(is_gate)).then_some("approve");
        let sign_off = handoff.gates.iter().any(|gate| self.can_sign(gate)).then_some("sign-off");
        approve.into_iter().chain(sign_off).chain(["edit", "reject"]).collect()
    }

    /// Returns whether a gate lacks a signature of this party. A refusal to sign counts as one.
    fn can_sign(&self, gate: &api::Gate) -> bool {
        let is_fresh = |until: Option<Timestamp>| until.is_none_or(|until| self.now < until);
        let count = |factor: &api::Factor| {
            let signed = factor.signed.iter().filter(|one| is_fresh(one.until));
            u32::try_from(signed.count()).unwrap_or(u32::MAX)
        };
        let signed = gate.factors.iter().flat_map(|factor| &factor.signed);
        let signers = signed.filter(|one| is_fresh(one.until)).map(|one| &one.by);
        let refusers = gate.denied.iter().filter(|one| is_fresh(one.until)).map(|one| &one.by);
        let is_admitted = |factor: &api::Factor| {
            self.names.is_empty() || factor.roles.iter().any(|role| self.is(role))
        };
        !self.is_among(signers.chain(refusers))
            && gate
                .factors
                .iter()
                .any(|factor| is_admitted(factor) && count(factor) < factor.needed)
    }

    /// Returns whether this party may verify the return. No party verifies its own.
    fn can_verify(&self, handoff: &api::Handoff) -> bool {
        if self.is_among(handoff.returned_by.iter()) || handoff.person_judges && !self.is_person {
            return false;
        }
        let is_judge = handoff.judge.as_ref().is_some_and(|judge| self.is(judge));
        self.is(&handoff.from) || self.is(REVIEWERS) || is_judge || self.is_person
    }
}

/// LIMIT: commands that are suggested at once; `tasuki help` lists all.
const COMMANDS_MAX: usize = 3;

/// Returns the next commands for a handoff, as they can be typed.
pub(crate) fn commands_for(handoff: &api::Handoff, context: &NextStepsContext) -> Vec<String> {
    let id = match handoff.state.as_str() {
        // A decision or verdict is bound to the version that was just seen.
        "held" | "returned" => decision(handoff),
        _ => reference(handoff),
    };
    let command = |step: &&str| match *step {
        // A wait is about the handoff, not about one revision.
        "wait" => format!("tasuki wait {}", reference(handoff)),
        step => format!("tasuki {step} {}{}", argument(&id), required_arguments(step)),
    };
    context.steps(handoff).iter().take(COMMANDS_MAX).map(command).collect()
}

/// Returns the arguments that a step needs besides the handoff.
fn required_arguments(step: &str) -> &'static str {
    match step {
        "reject" | "decline" | "dead discard" => " -m \"why\"",
        "ask" | "answer" => " -m \"…\"",
        "reroute" => " --to PARTY",
        "revise" => " FILE",
        "verify" => " --pass",
        "checkpoint" => " --completed \"…\"",
        "return" => " --summary \"…\"",
        "pass-on" => " --to PARTY",
        _ => "",
    }
}

/// Returns the next commands for an inbox: show the first handoff and the first return, answer the first
/// question. A decision follows `show`, which prints the reference that it needs.
pub(crate) fn inbox_steps(waiting: &[api::Handoff], context: &NextStepsContext) -> String {
    let first = waiting.first().map(|one| format!("tasuki show {}", reference(one)));
    let returned = waiting.iter().find(|one| context.steps(one).contains(&"verify"));
    let returned = returned.map(|one| format!("tasuki show {}", reference(one)));
    let returned = returned.filter(|show| first.as_ref() != Some(show));
    let asked = waiting.iter().find(|one| context.must_answer(one));
    let answer = asked.map(|one| format!("tasuki answer {} -m \"…\"", reference(one)));
    first.into_iter().chain(returned).chain(answer).collect::<Vec<_>>().join(" · ")
}

/// Returns the next commands for failures: redrive the first dead letter, acknowledge the first.
pub(crate) fn failure_steps(failed: &[api::InboxFailure], context: &NextStepsContext) -> String {
    let dead = failed.iter().find(|one| context.steps(&one.handoff).contains(&"dead redrive"));
    let redrive = dead.map(|one| format!("tasuki dead redrive {}", reference(&one.handoff)));
    let first = failed.first().map(|one| format!("tasuki inbox ack {}", reference(&one.handoff)));
    redrive.into_iter().chain(first).collect::<Vec<_>>().join(" · ")
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
            party("quin", "human", &[]),
            party("role:team", "role", &["ben", "quin"]),
            party("role:safety", "role", &["quin"]),
        ]
    }

    fn now() -> Timestamp {
        "2026-11-15T12:00:00Z".parse().unwrap()
    }

    fn context(name: &str) -> NextStepsContext {
        NextStepsContext::for_party(name, &parties(), (Scopes::all(), now()))
    }

    fn handoff(more: &serde_json::Value) -> api::Handoff {
        let mut handoff = json!({
            "id": "hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b", "task": "t", "state": "offered",
            "from": "ana", "to": "role:team", "revision": 1, "digest": "sha256:00", "risk": "low",
            "attempt": 1, "submitted_at": "2026-11-15T10:00:00Z",
        });
        for (name, value) in more.as_object().unwrap() {
            handoff[name] = value.clone();
        }
        serde_json::from_value(handoff).unwrap()
    }

    #[track_caller]
    fn check<const N: usize>(more: &serde_json::Value, expected: [(&str, &str); N]) {
        for (name, steps) in expected {
            assert_eq!(context(name).steps(&handoff(more)).join(" "), steps, "{name}: {more}");
        }
    }

    #[test]
    fn each_party_gets_its_own_steps() {
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
                ("ben", "checkpoint return pass-on"),
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
                ("pia", "checkpoint return pass-on"),
            ],
        );
        check(
            &json!({ "state": "returned", "returned_by": "ben" }),
            [("ana", "verify"), ("ben", ""), ("cem", ""), ("pia", "verify")],
        );
        check(
            &json!({ "state": "returned", "to": "ana", "returned_by": "ana" }),
            [("ana", ""), ("ben", ""), ("cem", ""), ("pia", "verify")],
        );
        check(
            &json!({ "state": "held", "held_for": ["action"], "holder": "ben" }),
            [
                ("ana", "revise reroute cancel"),
                ("ben", "wait"),
                ("cem", ""),
                ("pia", "approve edit reject reroute intercept"),
            ],
        );
    }
    #[test]
    fn a_claim_is_not_suggested_before_it_is_possible() {
        let parked = json!({ "not_before": "2026-11-15T12:00:01Z" });
        check(&parked, [("ben", "ask decline"), ("", "ask decline")]);
        check(&json!({ "not_before": now() }), [("ben", "claim ask decline")]);
        let blocked = json!({ "questions": ["qst_1"], "blocked": true });
        check(&blocked, [("ben", "ask decline"), ("", "answer")]);
    }

    #[test]
    fn a_member_that_declined_gets_no_steps() {
        let declined = json!({ "declined_by": ["ben", "quin"] });
        check(&declined, [("ben", ""), ("quin", "intercept reroute cancel")]);
    }

    #[test]
    fn no_party_verifies_its_own_return_and_some_need_a_person() {
        check(
            &json!({ "state": "returned", "returned_by": "pia" }),
            [("pia", ""), ("quin", "verify")],
        );
        let judged = json!({ "state": "returned", "returned_by": "ben", "judge": "cem" });
        check(&judged, [("cem", "verify")]);
        let of_person = json!({ "state": "returned", "returned_by": "ben", "person_judges": true });
        check(&of_person, [("ana", ""), ("pia", "verify")]);
    }

    #[test]
    fn a_person_gets_the_steps_for_their_part_of_a_hold() {
        let held = |reasons: &[&str], more: &serde_json::Value| {
            let factor = json!({ "name": "safety", "roles": ["role:safety"], "needed": 2 });
            let mut gate = json!({ "name": "release@1.0", "factors": [factor] });
            if let Some(by) = more.get("signed") {
                gate["factors"][0]["signed"] = json!([{ "by": by, "at": now() }]);
            }
            if let Some(by) = more.get("denied") {
                gate["denied"] = json!([{ "by": by, "at": now() }]);
            }
            json!({ "state": "held", "held_for": reasons, "gates": [gate] })
        };
        let all = held(&["asked", "label", "gate:release"], &json!({}));
        check(&all, [("pia", "approve edit reject"), ("quin", "approve sign-off edit reject")]);
        let gate = held(&["gate:release"], &json!({}));
        check(&gate, [("pia", "edit reject"), ("quin", "sign-off edit reject")]);
        check(&gate, [("", "sign-off edit reject")]);
        for word in ["signed", "denied"] {
            let spoken = held(&["gate:release"], &json!({ word: "quin" }));
            check(&spoken, [("quin", "edit reject")]);
        }
    }

    #[test]
    fn a_credential_limits_the_suggested_steps() {
        let dead = handoff(&json!({ "state": "dead" }));
        assert_eq!(context("ana").steps(&dead), ["dead redrive", "dead discard"]);
        let scopes = Scopes::none().with(Scope::Read).with(Scope::Submit);
        let limited = NextStepsContext::for_party("ana", &parties(), (scopes, now()));
        assert!(limited.steps(&dead).is_empty());
        let returned = handoff(&json!({ "state": "returned", "returned_by": "ben" }));
        assert!(limited.steps(&returned).is_empty());
        assert_eq!(inbox_steps(&[returned], &limited).matches("tasuki").count(), 1);
    }
}
