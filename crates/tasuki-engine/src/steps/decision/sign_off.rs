//! A person signs at a gate, or refuses to.
//!
//! An author of the revision, or a person on whose behalf it was written, cannot sign. One person
//! counts once. A signature needs the person's password.

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::{Authentication, EventType, Hash};
use tasuki_packet::policy::gate::Gate;

use super::signer::{denying, has_opened, may_sign, signing};
use crate::model::document::hash_of_digest;
use crate::model::{
    Change, Context, DocumentKind, GateSignature, Handoff, Hold, Offer, Reason, Scope, State,
};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::gate::AtGate;
use crate::rules::offer::{reasons, still_held};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, chain, deciders, review};
use crate::steps::decision::seen_version::{document, require_with_receiver};
use crate::steps::{ReasonedStep, SeenVersion};

/// Signs at a gate, or refuses to.
#[derive(Debug, Clone, Serialize)]
pub struct SignOff {
    /// The handoff.
    pub handoff: HandoffId,
    /// The gate by name, or by name and version; optional if only one is open.
    pub gate: Option<String>,
    /// The meaning of the signature, one of those that the gate's factor allows.
    pub meaning: Option<String>,
    /// `true` if the person refuses to sign, which can close the gate.
    pub is_denial: bool,
    /// The version that the person saw; revision and digest are required.
    pub seen: SeenVersion,
    /// The reason; required for a denial.
    pub reason: Option<String>,
}

impl ReasonedStep for SignOff {
    const NAME: &'static str = "sign_off";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Decide]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        sign_off(context, self, reason)
    }
}

fn sign_off(context: &Context<'_>, request: &SignOff, reason: &Reason) -> Result<Change, Refusal> {
    authorization::person(context)?;
    with_password(context)?;
    let handoff = context.state.handoff(request.handoff)?;
    let State::Held(hold) = &handoff.progress.state else {
        return Err(authorization::wrong_state(handoff, "sign off", "held"));
    };
    let at = open_gate(context, handoff, hold, request.gate.as_deref())?;
    require_with_receiver(context, handoff, &request.seen)?;
    may_sign(context, handoff, at.gate)?;
    let person = context.principal.party;
    let factor = if request.is_denial {
        reason.required("refuse a signature")?;
        denying(&at, person)?
    } else {
        has_opened(at.gate, &request.seen)?;
        signing(&at, person, request.meaning.as_deref())?
    };
    let approval = GateSignature {
        gate: at.digest.to_owned(),
        factor: factor.name.clone(),
        person,
        revision: handoff.facts.revision,
        digest: handoff.facts.summary.digest.clone(),
        receiver: handoff.facts.receiver,
        at: context.now,
        joined_after_submit: at.joined_after_submit(factor, person),
        is_denial: request.is_denial,
        reason: reason.text.clone().filter(|_| request.is_denial),
    };
    let mut change = Change::default();
    let mut after = handoff.clone();
    let role = at.role_of(factor, person).map_or(Hash::ZERO, |role| role.digest());
    let signed = Signed { approval: &approval, role };
    let id = record(context, (request, reason), (handoff, at.gate), signed, &mut change);
    if request.is_denial {
        review::refuse(&mut after, context.now);
    } else if deciders::require_in_person(context, handoff, hold).is_ok() {
        review::approve(&mut after, context.now);
    } else {
        review::record(&mut after, context.now);
    }
    after.progress.signatures.push(approval);
    after.progress.state = next_state(context, &after, hold, at.digest);
    if after.progress.state == State::Rejected {
        // The gate is closed: the event carries the reason, and a parent gets its work back.
        change
            .record_event(EventType::Rejected, handoff.id, context.actor())
            .with("decision", id)
            .because(reason.text.as_deref());
        chain::child_ended(context, &after, &mut change);
    }
    change.show(after.id);
    change.put(after);
    Ok(change)
}

fn with_password(context: &Context<'_>) -> Result<(), Refusal> {
    if context.principal.authentication == Authentication::Password {
        return Ok(());
    }
    let message = "a signature needs the person's password";
    Err(Refusal::new(RefusalCode::GatePassword, message)
        .hint("sign with `tasuki sign-off` in a terminal, or in the console"))
}

/// Returns the gate to sign: the named one, or the only open one.
fn open_gate<'a>(
    context: &'a Context<'_>,
    handoff: &'a Handoff,
    hold: &Hold,
    name: Option<&str>,
) -> Result<AtGate<'a>, Refusal> {
    // While an action waits for approval, the gates before it are passed.
    let bound = handoff.facts.terms.gates.iter().filter(|_| hold.approval_request.is_none());
    let directory = &context.state.directory;
    let meant: Vec<AtGate<'_>> = bound
        .filter_map(|digest| AtGate::new(directory, handoff, digest, context.now))
        .filter(|at| !at.is_signed())
        .filter(|at| name.is_none_or(|name| is_called(at.gate, name)))
        .collect();
    match (meant.as_slice(), name) {
        ([at], _) => Ok(*at),
        ([], Some(name)) => {
            let message = format!("handoff {} is not waiting at gate `{name}`", handoff.id);
            Err(Refusal::new(RefusalCode::GateUnknown, message)
                .hint("`tasuki show` lists its open gates"))
        }
        ([], None) => {
            let message = format!("handoff {} is not waiting at a gate", handoff.id);
            Err(Refusal::new(RefusalCode::GateUnknown, message)
                .hint("accept it with `tasuki approve`"))
        }
        (several, _) => {
            let names: Vec<String> =
                several.iter().map(|at| format!("`{}`", at.gate.identity())).collect();
            let message = format!("handoff {} waits at several gates", handoff.id);
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint(format!("choose one with `--gate`: {}", names.join(", "))))
        }
    }
}

/// Matches a gate by name, or by name and version, since a handoff may wait at two versions.
fn is_called(gate: &Gate, name: &str) -> bool {
    gate.name == name || gate.identity().to_string() == name
}

/// A signature, and the digest of the role by which its signer may sign.
struct Signed<'a> {
    approval: &'a GateSignature,
    role: Hash,
}

/// Records the event and the document of a signature, or of a refusal to sign.
fn record(
    context: &Context<'_>,
    (request, reason): (&SignOff, &Reason),
    (handoff, gate): (&Handoff, &Gate),
    Signed { approval, role }: Signed<'_>,
    change: &mut Change,
) -> DecisionId {
    let mut more = vec![
        ("to", json!(context.state.directory.name(approval.receiver))),
        ("gate", json!(gate.identity().to_string())),
        ("gate_digest", json!(approval.gate)),
        ("factor", json!(approval.factor)),
    ];
    if approval.joined_after_submit {
        more.push(("joined_after_submit", json!(true)));
    }
    // The meaning of a signature was validated, that of a denial was not.
    if let Some(meaning) = request.meaning.as_ref().filter(|_| !request.is_denial) {
        more.push(("meaning", json!(meaning)));
    }
    let (word, kind) = if request.is_denial {
        ("reject", EventType::Denied)
    } else {
        ("sign_off", EventType::SignedOff)
    };
    let (id, sealed) = document(context, handoff, word, &request.seen, reason, &more);
    change
        .record_event(kind, handoff.id, context.actor())
        .with("decision", id)
        .with("gate", hash_of_digest(&approval.gate))
        .with("role", role)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    change.answer.document = Some(id.to_string());
    id
}

fn next_state(context: &Context<'_>, handoff: &Handoff, hold: &Hold, digest: &str) -> State {
    let directory = &context.state.directory;
    let at = AtGate::new(directory, handoff, digest, context.now);
    if at.is_some_and(|at| at.is_closed()) {
        return State::Rejected;
    }
    let left = reasons(directory, handoff, context.now);
    if left.is_empty() {
        return State::Offered(Offer { since: context.now, not_before: hold.not_before });
    }
    still_held(hold, left, context.now)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::{
        accept, all_sign, check_as, check_signed, denial, gated, hold, people, refusal_text,
        release_gate, reroute, revise, signature,
    };
    use super::*;
    use crate::command::Command;
    use crate::model::{Document, Principal};
    use crate::steps::PassOn;
    use crate::testing::{World, claim, packet, submit};

    #[track_caller]
    fn check(world: &mut World, name: &str, expected: &str) {
        let signature = signature(world);
        check_signed(world, name, signature, expected);
    }

    fn refused_signature(world: &mut World, name: &str, signature: SignOff) -> String {
        let principal = world.signed_in(name);
        refusal_text(world, &principal, Command::SignOff(signature))
    }

    #[test]
    fn a_gate_opens_with_the_last_signature() {
        let mut world = gated(&json!({}));
        let from = world.leaves.len();
        check(&mut world, "pia", "held for gate:release");
        check(&mut world, "quin", "held for gate:release");
        check(&mut world, "sam", "offered to ben");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        insta::assert_snapshot!(world.story(from), @"
        handoff.signed_off by pia
        handoff.signed_off by quin
        handoff.signed_off by sam
        handoff.delivered by ben
        handoff.claimed by ben
        ");
        insta::assert_snapshot!(decision(&world), @r#"
        {
          "packet_type": "decision",
          "decision": "sign_off",
          "revision": 1,
          "digest": "sha256:…",
          "seconds": 41,
          "opened": [
            "packet",
            "evidence"
          ],
          "to": "ben",
          "gate": "release@1.0",
          "gate_digest": "sha256:…",
          "factor": "eyes"
        }
        "#);
    }

    #[test]
    fn a_signature_is_for_the_shown_receiver() {
        let mut world = gated(&json!({}));
        let seen = signature(&world);
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "held for gate:release");
        let only_revision =
            SignOff { seen: SeenVersion { receiver: None, ..seen.seen.clone() }, ..seen.clone() };
        for signature in [seen, only_revision] {
            check_signed(&mut world, "pia", signature, "refused TK-REVISION-CHANGED");
        }
        check(&mut world, "pia", "held for gate:release");
    }

    /// Returns the document of the latest decision, with shortened digests.
    fn decision(world: &World) -> String {
        let is_decision = |document: &&Document| document.kind == DocumentKind::Decision;
        let newest = world.documents.iter().rfind(is_decision).unwrap();
        let mut value: Value = serde_json::from_str(&newest.sealed.body).unwrap();
        for name in ["digest", "gate_digest"] {
            if value.get(name).is_some() {
                value[name] = json!("sha256:…");
            }
        }
        serde_json::to_string_pretty(&value).unwrap()
    }

    #[test]
    fn agents_cannot_sign() {
        let mut world = gated(&json!({}));
        for agent in ["ana", "ben", "cem"] {
            check(&mut world, agent, "refused TK-PERSON-NEEDED");
        }
    }

    #[test]
    fn a_signature_needs_the_password() {
        let mut world = gated(&json!({}));
        let command = Command::SignOff(signature(&world));
        world.check("pia", command.clone(), "refused TK-GATE-PASSWORD");
        let by_token =
            Principal { authentication: Authentication::Token, ..world.principal("pia") };
        check_as(&mut world, &by_token, command.clone(), "refused TK-GATE-PASSWORD");
        insta::assert_snapshot!(refusal_text(&mut world, &by_token, command), @"
        TK-GATE-PASSWORD: a signature needs the person's password
        hint: sign with `tasuki sign-off` in a terminal, or in the console
        ");
    }

    #[test]
    fn a_signature_needs_revision_and_digest() {
        let mut world = gated(&json!({}));
        for field in ["revision", "digest"] {
            let mut unbound = signature(&world);
            match field {
                "revision" => unbound.seen.revision = None,
                _ => unbound.seen.digest = None,
            }
            check_signed(&mut world, "pia", unbound, "refused TK-REVISION-MISSING");
        }
        let old = signature(&world);
        let command = revise(&world, &json!({ "goal": "Another" }));
        world.check("ana", command, "held for changed, gate:release");
        check_signed(&mut world, "pia", old.clone(), "refused TK-REVISION-CHANGED");
        insta::assert_snapshot!(refused_signature(&mut world, "pia", old), @"
        TK-REVISION-CHANGED: handoff hof_… changed: it is at revision 2, you saw revision 1
        hint: run `tasuki show` again, then decide
        ");
    }

    #[test]
    fn one_denial_closes_the_gate_with_the_reason_in_its_event() {
        let mut world = gated(&json!({}));
        let from = world.leaves.len();
        let silent = SignOff { reason: None, ..denial(&world) };
        check_signed(&mut world, "quin", silent, "refused TK-REASON-MISSING");
        let stranger = denial(&world);
        check_signed(&mut world, "tia", stranger, "refused TK-GATE-FORBIDDEN");
        let meant = SignOff { meaning: Some("AKIA-what".to_owned()), ..denial(&world) };
        check_signed(&mut world, "quin", meant, "rejected");
        insta::assert_snapshot!(world.story(from), @"
        handoff.denied by quin
        handoff.rejected by quin
        ");
        for leaf in &world.leaves[from..] {
            assert!(leaf.detail.contains("the evidence is old"), "{}", leaf.detail);
        }
        insta::assert_snapshot!(decision(&world), @r#"
        {
          "packet_type": "decision",
          "decision": "reject",
          "revision": 1,
          "digest": "sha256:…",
          "seconds": 41,
          "opened": [
            "packet",
            "evidence"
          ],
          "to": "ben",
          "gate": "release@1.0",
          "gate_digest": "sha256:…",
          "factor": "eyes",
          "reason": "the evidence is old"
        }
        "#);
        check(&mut world, "pia", "refused TK-STATE-CONFLICT");
    }

    #[test]
    fn two_denials_must_be_of_two_people() {
        let mut world = gated(&json!({ "deny": 2 }));
        let command = denial(&world);
        check_signed(&mut world, "quin", command, "held for gate:release");
        let command = denial(&world);
        check_signed(&mut world, "quin", command, "refused TK-GATE-SIGNED");
        check(&mut world, "quin", "refused TK-GATE-SIGNED");
        let signature = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "quin", signature), @"
        TK-GATE-SIGNED: you already refused to sign at gate `release`; one person counts once
        hint: missing signatures: 1 of `role:safety`; 2 of `role:reviewer`
        ");
        let command = denial(&world);
        check_signed(&mut world, "pia", command, "rejected");
    }

    #[test]
    fn a_denial_counts_for_one_revision() {
        let mut world = gated(&json!({ "deny": 2 }));
        let command = denial(&world);
        check_signed(&mut world, "quin", command, "held for gate:release");
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "held for gate:release");
        let command = denial(&world);
        check_signed(&mut world, "pia", command, "held for gate:release");
        check(&mut world, "quin", "held for gate:release");
    }

    #[test]
    fn a_denied_child_returns_the_work_to_its_parent() {
        let mut world = people();
        world.check("cem", submit(&json!({ "to_agent": "ana" })), "offered to ana");
        let parent = world.newest();
        world.check("ana", claim(parent), "claimed by ana, fence 1");
        world.gate(release_gate(&json!({})));
        world.contract(&json!({ "gates": ["release"] }));
        world.advance(1);
        let passed_on = Command::PassOn(PassOn::new(
            crate::rules::fencing::ClaimProof { handoff: parent, fence: 1 },
            packet(&json!({})),
        ));
        world.check("ana", passed_on, "held for gate:release");
        let denial = denial(&world);
        check_signed(&mut world, "pia", denial, "rejected");
        world.check("ana", claim(parent), "rejected");
        assert_eq!(world.state.handoff(parent).unwrap().progress.fence, 2);
    }

    #[test]
    fn only_a_handoff_that_waits_at_a_gate_can_be_signed() {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        let signature = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "pia", signature.clone()), @"
        TK-GATE-UNKNOWN: handoff hof_… is not waiting at a gate
        hint: accept it with `tasuki approve`
        ");
        let named = SignOff { gate: Some("launch".to_owned()), ..signature };
        insta::assert_snapshot!(refused_signature(&mut world, "pia", named), @"
        TK-GATE-UNKNOWN: handoff hof_… is not waiting at gate `launch`
        hint: `tasuki show` lists its open gates
        ");
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        check(&mut world, "pia", "refused TK-STATE-CONFLICT");
    }

    #[test]
    fn a_handoff_that_waits_for_approval_waits_at_no_gate() {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let command = hold(&world, json!("publish"));
        world.check("ben", command, "held for action, by ben");
        world.advance(4 * 24 * 3600);
        check(&mut world, "pia", "refused TK-GATE-UNKNOWN");
    }

    #[test]
    fn several_gates_are_signed_one_by_one() {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        let launch = json!([{ "name": "any", "roles": ["people"] }]);
        world.gate(release_gate(&json!({ "gate": "launch", "factors": launch })));
        world.contract(&json!({ "gates": ["release", "launch"] }));
        world.check("ana", submit(&json!({})), "held for gate:release, gate:launch");
        let unnamed = signature(&world);
        insta::assert_snapshot!(refused_signature(&mut world, "pia", unnamed), @"
        TK-ARGUMENT-INVALID: handoff hof_… waits at several gates
        hint: choose one with `--gate`: `release@1.0`, `launch@1.0`
        ");
        let at =
            |world: &World, gate: &str| SignOff { gate: Some(gate.to_owned()), ..signature(world) };
        let launch = at(&world, "launch");
        check_signed(&mut world, "pia", launch, "held for gate:release");
        let launch = at(&world, "launch");
        check_signed(&mut world, "quin", launch, "refused TK-GATE-UNKNOWN");
        let release = at(&world, "release@1.0");
        check_signed(&mut world, "pia", release, "held for gate:release");
        all_sign(&mut world, &["quin", "sam"]);
        assert_eq!(world.standing(), "offered to ben");
    }
}
