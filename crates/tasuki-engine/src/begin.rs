//! A party that nobody handed work to opens a task for itself.
//!
//! It is a handoff from and to itself, claimed at once. Its checkpoints count, and when its lease
//! lapses the continuation is offered to whom its last checkpoint names, else to its own next
//! session, then along the ladder.

use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId, TaskId};
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::change::Change;
use crate::claim;
use crate::context::{Context, later};
use crate::document::DocumentKind;
use crate::handoff::{Claim, Facts, State};
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
        return Err(Refusal::new(RefusalCode::SenderMismatch, message));
    }
    let named = paper.task.clone();
    let task = named.unwrap_or_else(|| context.draw.id::<TaskId>("task", context.now).to_string());
    if let Some(live) = context.state.live(&task) {
        return Err(in_the_way(context, &task, live));
    }
    let id: HandoffId = context.draw.id("handoff", context.now);
    let facts = facts(context, paper, task);
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
    change.put(handoff);
    Ok(change)
}

fn in_the_way(context: &Context<'_>, task: &str, live: &crate::handoff::Handoff) -> Refusal {
    let state = live.progress.state.word().as_str();
    let to = context.state.directory.name(live.facts.receiver);
    let message =
        format!("task `{task}` has a live handoff {} to `{to}`, which is {state}", live.id);
    Refusal::new(RefusalCode::TaskLive, message)
        .hint(format!("claim it: `tasuki claim {}`", live.id))
        .naming(live.id)
}

fn facts(context: &Context<'_>, paper: &Paper, task: String) -> Facts {
    let own = context.principal.party;
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
        contributors: vec![own],
        submitted_at: context.now,
        fingerprint: paper.fingerprint.clone(),
    }
}
