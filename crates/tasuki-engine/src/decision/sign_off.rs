//! A person signs at a gate, or refuses to.
//!
//! Who wrote a revision, or on whose behalf it was written, does not sign; one person counts once;
//! nobody signs without having proved themselves with their password.

use serde_json::json;
use tasuki_packet::gate::Gate;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::{Authentication, EventType, Hash};

use super::shown::{Looked, check, document};
use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::document::DocumentKind;
use crate::gate;
use crate::handoff::{Approval, Handoff, Hold, HoldReason, Offer, State};
use crate::offer::reasons;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// A signature.
#[derive(Debug, Clone)]
pub struct SignOff {
    /// The handoff.
    pub handoff: HandoffId,
    /// The gate; not needed where only one is open.
    pub gate: Option<String>,
    /// What the signature means, in a word that the gate's factor allows.
    pub meaning: Option<String>,
    /// Whether the person refuses to sign, which closes the gate.
    pub is_denial: bool,
    /// What the person saw; revision and digest are required.
    pub looked: Looked,
    /// Why; required for a denial.
    pub reason: Option<String>,
}

/// Decides a sign-off.
pub fn sign_off(
    context: &Context<'_>,
    request: &SignOff,
    reason: &Reason,
) -> Result<Change, Refusal> {
    authority::person(context)?;
    if context.principal.authentication != Authentication::Password {
        let message = "a signature needs the person's password";
        return Err(Refusal::new(RefusalCode::GatePassword, message)
            .hint("sign at the terminal with `tasuki sign-off`, or in the console"));
    }
    let handoff = context.state.handoff(request.handoff)?;
    let State::Held(hold) = &handoff.progress.state else {
        return Err(authority::wrong_state(handoff, "sign off", "held"));
    };
    let (digest, gate) = open_gate(context, handoff, hold, request)?;
    bound(handoff, gate, &request.looked)?;
    may_sign(context, handoff, gate)?;
    let factor = gate::factor_for(
        &context.state.directory,
        handoff,
        &digest,
        gate,
        context.principal.party,
        context.now,
    );
    let factor = factor.ok_or_else(|| no_factor(context, handoff, &digest, gate))?;
    if !request.is_denial && !factor.allows_meaning(request.meaning.as_deref()) {
        let message =
            format!("factor `{}` asks for one of: {}", factor.name, factor.meaning.join(", "));
        return Err(
            Refusal::new(RefusalCode::ArgumentInvalid, message).hint("say it with `--meaning`")
        );
    }
    if request.is_denial {
        reason.required("refuse a signature")?;
    }
    let approval = Approval {
        gate: digest.clone(),
        factor: factor.name.clone(),
        person: context.principal.party,
        revision: handoff.facts.revision,
        digest: handoff.facts.sheet.digest.clone(),
        receiver: handoff.facts.receiver,
        at: context.now,
        is_denial: request.is_denial,
    };
    Ok(signed(context, request, reason, handoff, hold, gate, approval))
}

/// The gate that is meant: the named one, or the only one that is open.
fn open_gate<'a>(
    context: &'a Context<'_>,
    handoff: &Handoff,
    hold: &Hold,
    request: &SignOff,
) -> Result<(String, &'a Gate), Refusal> {
    let directory = &context.state.directory;
    let open: Vec<(&String, &Gate)> = hold
        .reasons
        .iter()
        .filter_map(|reason| match reason {
            HoldReason::Gate(digest) => Some((digest, directory.gate(digest)?.as_ref())),
            _ => None,
        })
        .collect();
    let named =
        |(_, gate): &&(&String, &Gate)| request.gate.as_ref().is_none_or(|name| *name == gate.name);
    let meant: Vec<_> = open.iter().filter(named).collect();
    match meant.as_slice() {
        [(digest, gate)] => Ok(((*digest).clone(), gate)),
        [] => {
            let message = match &request.gate {
                Some(name) => format!("handoff {} does not wait at gate `{name}`", handoff.id),
                None => format!("handoff {} does not wait at a gate", handoff.id),
            };
            Err(Refusal::new(RefusalCode::GateUnknown, message)
                .hint("`tasuki show` lists what it waits for"))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|(_, gate)| gate.name.as_str()).collect();
            let message = format!("handoff {} waits at several gates", handoff.id);
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint(format!("say which with `--gate`: {}", names.join(", "))))
        }
    }
}

/// A signature names what was read, and the person must have opened what the gate asks for.
fn bound(handoff: &Handoff, gate: &Gate, looked: &Looked) -> Result<(), Refusal> {
    if looked.revision.is_none() || looked.digest.is_none() {
        let message = "a signature names the revision and the digest that were read";
        return Err(
            Refusal::new(RefusalCode::ArgumentInvalid, message).hint("`tasuki show` prints both")
        );
    }
    check(handoff, looked)?;
    let missing = gate.requires_opened.iter().map(|opened| opened.as_str());
    let missing: Vec<&str> =
        missing.filter(|part| !looked.opened.iter().any(|opened| opened == part)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message =
        format!("gate `{}` asks that these were opened: {}", gate.name, missing.join(", "));
    Err(Refusal::new(RefusalCode::GateForbidden, message).hint("open them, then sign"))
}

fn may_sign(context: &Context<'_>, handoff: &Handoff, gate: &Gate) -> Result<(), Refusal> {
    let own = context.principal.party;
    let contributors = &handoff.facts.contributors;
    let acts_for = context.principal.on_behalf_of;
    if !contributors.contains(&own) && !acts_for.is_some_and(|party| contributors.contains(&party))
    {
        return Ok(());
    }
    let message = format!(
        "at gate `{}` nobody signs what they wrote or what was written for them",
        gate.name
    );
    Err(Refusal::new(RefusalCode::GateForbidden, message).hint("somebody else signs"))
}

fn no_factor(context: &Context<'_>, handoff: &Handoff, digest: &str, gate: &Gate) -> Refusal {
    let own = context.principal.party;
    let valid = gate::valid(handoff, digest, gate, context.now);
    if valid.iter().any(|approval| approval.person == own) {
        let message = format!("you have signed at gate `{}`: one person counts once", gate.name);
        return Refusal::new(RefusalCode::GateSigned, message).hint("somebody else signs next");
    }
    let roles: Vec<&str> = gate
        .factors
        .iter()
        .flat_map(|factor| factor.roles.iter().map(tasuki_packet::contract::PartyName::as_str))
        .collect();
    let message = format!("gate `{}` is signed by {}", gate.name, roles.join(", "));
    Refusal::new(RefusalCode::GateForbidden, message).hint("you are in none of these roles")
}

#[expect(clippy::too_many_arguments, reason = "one signature and everything it is bound to")]
fn signed(
    context: &Context<'_>,
    request: &SignOff,
    reason: &Reason,
    handoff: &Handoff,
    hold: &Hold,
    gate: &Gate,
    approval: Approval,
) -> Change {
    let mut change = Change::default();
    let word = if request.is_denial { "deny" } else { "sign_off" };
    let mut more = vec![
        ("gate", json!(gate.identity().to_string())),
        ("gate_digest", json!(approval.gate)),
        ("factor", json!(approval.factor)),
    ];
    if let Some(meaning) = &request.meaning {
        more.push(("meaning", json!(meaning)));
    }
    let (id, sealed) = document(context, handoff, word, &request.looked, reason, &more);
    let gate_hash = hash_of_digest(&approval.gate);
    let kind = if request.is_denial { EventType::Denied } else { EventType::SignedOff };
    change
        .happened(kind, handoff.id, context.actor())
        .with("decision", id)
        .with("gate", gate_hash)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    let digest = approval.gate.clone();
    after.progress.approvals.push(approval);
    after.progress.state = next_state(context, &after, hold, gate, &digest);
    if after.progress.state == State::Rejected {
        change.happened(EventType::Rejected, handoff.id, context.actor()).with("decision", id);
        crate::chain::child_ended(context, &after, &mut change);
    }
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    change.put(after);
    change
}

fn next_state(
    context: &Context<'_>,
    handoff: &Handoff,
    hold: &Hold,
    gate: &Gate,
    digest: &str,
) -> State {
    if gate::is_closed(handoff, digest, gate) {
        return State::Rejected;
    }
    let left = reasons(&context.state.directory, handoff, context.now);
    if left.is_empty() {
        return State::Offered(Offer { since: context.now, not_before: None });
    }
    State::Held(Hold { reasons: left, ..hold.clone() })
}

/// The bytes that `sha256:` and 64 hex digits spell.
pub fn hash_of_digest(digest: &str) -> Hash {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let pair = digits.get(at * 2..at * 2 + 2).unwrap_or("00");
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    Hash::from_bytes(bytes)
}
