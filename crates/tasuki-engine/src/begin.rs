//! A party that nobody handed work to opens a task for itself.
//!
//! It is a handoff from and to itself, claimed at once. Its checkpoints count, and when its lease
//! lapses the continuation is offered to whom its last checkpoint names, else to its own next
//! session, then along the ladder.

use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId, TaskId};
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::chain;
use crate::change::Change;
use crate::claim;
use crate::context::{Context, later};
use crate::document::DocumentKind;
use crate::handoff::{Claim, Facts, Handoff, State};
use crate::prepare::Paper;
use crate::principal::Scope;
use crate::refusal::{Refusal, RefusalCode};
use crate::submit::new_handoff;
use crate::view;

/// A task to be opened.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The packet that says what the task is, in any form.
    pub source: Vec<u8>,
    /// How long the lease shall be.
    pub lease: Option<Duration>,
    /// Whether a process renews the lease.
    pub is_renewed: bool,
    /// The caller's own key for the claim.
    pub key: Option<String>,
}

/// Decides a begin.
pub fn decide(context: &Context<'_>, request: &Request, paper: &Paper) -> Result<Change, Refusal> {
    authority::scope(context, Scope::Submit)?;
    authority::scope(context, Scope::Receive)?;
    if context.state.head.is_halted {
        return Err(authority::halted(context));
    }
    let own = context.principal.party;
    if paper.sender != own {
        let name = context.state.directory.name(paper.sender);
        let message =
            format!("a task is begun by whoever works on it, and the packet is from `{name}`");
        return Err(Refusal::new(RefusalCode::SenderMismatch, message)
            .hint("leave `from_agent` out, or name yourself"));
    }
    let named = paper.task.clone();
    let task = named.unwrap_or_else(|| context.draw.id::<TaskId>("task", context.now).to_string());
    if let Some(live) = context.state.live(&task) {
        return same_begin(context, request, live).ok_or_else(|| in_the_way(context, &task, live));
    }
    let id: HandoffId = context.draw.id("handoff", context.now);
    let facts = facts(context, paper, task);
    chain::check(context, &facts)?;
    ungated(context, &facts)?;
    let lease = claim::lease(context, &facts.terms, request.lease, request.is_renewed);
    let mut handoff = new_handoff(id, facts, context);
    let claim = Claim {
        id: context.draw.id::<ClaimId>("claim", context.now),
        holder: own,
        token: 1,
        epoch: context.state.head.claim_epoch,
        since: context.now,
        until: later(context.now, lease),
        lease,
        is_intercept: false,
        key: request.key.clone(),
    };
    handoff.progress.token = 1;
    let mut change = Change::default();
    change
        .happened(EventType::Begun, id, context.actor())
        .with("claim", claim.id)
        .with("token", claim.token)
        .with("until", claim.until);
    change.keep(id, DocumentKind::Packet, "1", paper.sealed.clone());
    handoff.progress.state = State::Claimed(claim.clone());
    let directory = &context.state.directory;
    change.answer.handoff = Some(view::handoff(directory, &handoff));
    change.answer.claim = Some(view::claim(directory, &handoff, &claim));
    change.answer.published.clone_from(&handoff.facts.terms.contract);
    change.answer.notes.clone_from(&paper.notes);
    change.put(handoff);
    Ok(change)
}

/// INVARIANT: whatever the way to a claim, nobody has signed yet, so a gate refuses it.
fn ungated(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    let Some(digest) = facts.terms.gates.first() else { return Ok(()) };
    let name = context.state.directory.gate(digest).map_or(digest, |gate| &gate.name);
    let message = format!("gate `{name}` applies to this packet, and nobody has signed");
    Err(Refusal::new(RefusalCode::GateUnsigned, message)
        .hint("hand it over with `tasuki submit`: the gate holds it until it is signed"))
}

/// Beginning twice with the same key is beginning once.
fn same_begin(context: &Context<'_>, request: &Request, live: &Handoff) -> Option<Change> {
    let State::Claimed(claim) = &live.progress.state else { return None };
    let is_same = live.facts.is_begun
        && claim.key.is_some()
        && claim.key == request.key
        && claim.holder == context.principal.party
        && claim.epoch == context.state.head.claim_epoch;
    is_same.then(|| {
        let mut change = Change::default();
        let directory = &context.state.directory;
        change.answer.handoff = Some(view::handoff(directory, live));
        change.answer.claim = Some(view::claim(directory, live, claim));
        change.answer.repeated = true;
        change
    })
}

fn in_the_way(context: &Context<'_>, task: &str, live: &Handoff) -> Refusal {
    let directory = &context.state.directory;
    let state = live.progress.state.word().as_str();
    let to = directory.name(live.facts.receiver);
    let message = format!("task `{task}` has a live handoff {} to `{to}`, {state}", live.id);
    let is_offered = matches!(live.progress.state, State::Offered(_))
        && directory.is_or_is_in(context.principal.party, live.facts.receiver);
    let hint = match is_offered {
        true => format!("claim it: `tasuki claim {}`", live.id),
        false => format!("`tasuki show {}` says who has it; or name another task", live.id),
    };
    Refusal::new(RefusalCode::TaskLive, message).hint(hint).naming(live.id)
}

fn facts(context: &Context<'_>, paper: &Paper, task: String) -> Facts {
    let own = context.principal.party;
    let contributors = std::iter::once(own).chain(context.principal.on_behalf_of).collect();
    Facts {
        task,
        sender: own,
        receiver: own,
        first_receiver: own,
        is_begun: true,
        revision: 1,
        sheet: paper.sheet.clone(),
        terms: paper.terms.clone(),
        parent: None,
        lineage: Vec::new(),
        spent: paper.sheet.cost.clone(),
        budget: paper.sheet.budget.clone(),
        chain_began_at: context.now,
        contributors,
        submitted_at: context.now,
        fingerprint: paper.fingerprint.clone(),
    }
}
