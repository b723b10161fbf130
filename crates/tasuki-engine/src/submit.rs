//! A packet arrives: its contract is fixed, the chain it continues is checked, it is offered or held.
//!
//! Passing work on is a submit by the holder with its own handoff as parent: from then on the
//! parent takes no write of the holder and cannot lapse, until the child is claimed or ends.
//!
//! Not here: reading and validating the packet (`prepare`), and what holds it (`offer`).

use std::sync::Arc;

use tasuki_packet::id::{HandoffId, PartyId, TaskId};
use tasuki_packet::leaf::EventType;

use crate::authority::{self, Shown};
use crate::chain;
use crate::change::Change;
use crate::context::Context;
use crate::document::DocumentKind;
use crate::enrol;
use crate::handoff::{Facts, Handoff, Offer, Progress, State};
use crate::offer::offer;
use crate::prepare::{Paper, Receiver};
use crate::principal::Scope;
use crate::refusal::{Refusal, RefusalCode};
use crate::view;

/// A packet to be handed over.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The packet in any form.
    pub source: Vec<u8>,
    /// The receiver, if it is another one than the packet names.
    pub to: Option<String>,
    /// Whether a person shall look at it first, whatever the contract says.
    pub hold: bool,
    /// The live handoff of the task that it replaces, if the packet does not say so.
    pub supersedes: Option<HandoffId>,
    /// The claim whose work it passes on.
    pub parent: Option<Shown>,
}

/// Decides a submit.
pub fn decide(context: &Context<'_>, request: &Request, paper: &Paper) -> Result<Change, Refusal> {
    authority::scope(context, Scope::Submit)?;
    if let Some(first) = context.state.with_fingerprint(&paper.fingerprint) {
        return Ok(repeated(context, first));
    }
    let mut change = Change::default();
    let parent = match request.parent {
        Some(shown) => Some(authority::holder(context, shown)?.0),
        None => None,
    };
    let task = task(context, paper, parent)?;
    replace_live(context, paper, &task, parent, &mut change)?;
    let receiver = receiver(context, paper, &mut change)?;
    let id: HandoffId = context.draw.id("handoff", context.now);
    let facts = facts(context, paper, task, receiver, parent);
    chain::check(context, &facts, parent)?;

    let event = change.happened(EventType::Submitted, id, context.actor());
    event.with("receiver", receiver).with("hops", hops(&facts));
    if let Some(parent) = parent {
        event.with("parent", parent.id);
    }
    if let Some(superseded) = paper.supersedes {
        event.with("supersedes", superseded);
    }
    let mut handoff = new_handoff(id, facts, context);
    change.keep(id, DocumentKind::Packet, "1", paper.sealed.clone());
    let directory = &context.state.directory;
    offer(directory, &mut handoff, None, context.now, context.actor(), &mut change);
    if let Some(parent) = parent {
        let mut waiting = parent.clone();
        waiting.progress.child = Some(id);
        change.put(waiting);
    }
    change.answer.handoff = Some(view::handoff(directory, &handoff));
    change.answer.published.clone_from(&handoff.facts.terms.contract);
    change.answer.notes.clone_from(&paper.notes);
    change.put(handoff);
    Ok(change)
}

/// The same packet from the same sender while the first is open is the first.
fn repeated(context: &Context<'_>, first: &Handoff) -> Change {
    let mut change = Change::default();
    change.answer.handoff = Some(view::handoff(&context.state.directory, first));
    change.answer.repeated = true;
    change
}

/// The packet's task, else the parent's, else one without a name.
fn task(context: &Context<'_>, paper: &Paper, parent: Option<&Handoff>) -> Result<String, Refusal> {
    match (&paper.task, parent) {
        (Some(task), Some(parent)) if *task != parent.facts.task => {
            let message = format!(
                "the packet is of task `{task}`, the work that is passed on of `{}`",
                parent.facts.task
            );
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("leave `task_id` out, or name the task of the work"))
        }
        (Some(task), _) => Ok(task.clone()),
        (None, Some(parent)) => Ok(parent.facts.task.clone()),
        (None, None) => Ok(context.draw.id::<TaskId>("task", context.now).to_string()),
    }
}

/// A task has one live handoff: another one is superseded, passed on, or in the way.
fn replace_live(
    context: &Context<'_>,
    paper: &Paper,
    task: &str,
    parent: Option<&Handoff>,
    change: &mut Change,
) -> Result<(), Refusal> {
    let live = context.state.live(task);
    match (live, paper.supersedes) {
        (None, None) => Ok(()),
        (Some(live), None) if parent.is_some_and(|parent| parent.id == live.id) => Ok(()),
        (Some(live), Some(superseded)) if live.id == superseded => {
            if parent.is_none()
                && !authority::is_sender(context, live)
                && !context.principal.is_human()
            {
                let message = format!("handoff {} is another sender's", live.id);
                return Err(Refusal::new(RefusalCode::NotAllowed, message)
                    .hint("only its sender or a person supersedes it"));
            }
            supersede(context, live, change);
            Ok(())
        }
        (Some(live), None) => {
            let state = live.progress.state.word().as_str();
            let message = format!("task `{task}` has a live handoff {}, which is {state}", live.id);
            Err(Refusal::new(RefusalCode::TaskLive, message)
                .hint(format!("`tasuki submit --supersedes {}` replaces it", live.id))
                .naming(live.id))
        }
        (_, Some(superseded)) => {
            let message = format!("handoff {superseded} is not the live handoff of task `{task}`");
            let refusal = Refusal::new(RefusalCode::SupersedesWrong, message);
            Err(match live {
                Some(live) => refusal.hint(format!("the live one is {}", live.id)).naming(live.id),
                None => refusal.hint("the task has no live handoff: leave `supersedes` out"),
            })
        }
    }
}

fn supersede(context: &Context<'_>, live: &Handoff, change: &mut Change) {
    let by: HandoffId = context.draw.id("handoff", context.now);
    change.happened(EventType::Superseded, live.id, context.actor()).with("by", by);
    change.happened(EventType::Cancelled, live.id, context.actor()).because(Some("superseded"));
    let mut old = live.clone();
    old.progress.state = State::Cancelled;
    chain::child_ended(context, &old, change);
    change.put(old);
}

/// The receiver, added to the directory if the project adds parties on first use.
fn receiver(context: &Context<'_>, paper: &Paper, change: &mut Change) -> Result<PartyId, Refusal> {
    let receiver = match &paper.receiver {
        Receiver::Known(id) => *id,
        Receiver::New(name) => return Ok(enrol::on_first_use(context, name, change)),
    };
    if context.state.directory.leads_to_somebody(receiver) {
        return Ok(receiver);
    }
    let name = context.state.directory.name(receiver);
    Err(Refusal::new(RefusalCode::RoleEmpty, format!("`{name}` has no members"))
        .hint(format!("add one: `tasuki party add {name} --member NAME`")))
}

fn facts(
    context: &Context<'_>,
    paper: &Paper,
    task: String,
    receiver: PartyId,
    parent: Option<&Handoff>,
) -> Facts {
    let mut lineage = parent.map_or_else(Vec::new, |parent| parent.facts.lineage.clone());
    lineage.push(paper.sender);
    let mut contributors = vec![paper.sender, context.principal.party];
    contributors.extend(context.principal.on_behalf_of);
    contributors.sort();
    contributors.dedup();
    Facts {
        task,
        sender: paper.sender,
        receiver,
        first_receiver: receiver,
        is_begun: false,
        revision: 1,
        sheet: paper.sheet.clone(),
        terms: paper.terms.clone(),
        parent: parent.map(|parent| parent.id),
        lineage,
        spent: chain::spent(parent, &paper.sheet),
        budget: chain::budget(parent, &paper.sheet),
        chain_began_at: parent.map_or(context.now, |parent| parent.facts.chain_began_at),
        contributors,
        submitted_at: context.now,
        fingerprint: paper.fingerprint.clone(),
    }
}

fn hops(facts: &Facts) -> u64 {
    u64::try_from(facts.lineage.len()).unwrap_or(u64::MAX)
}

/// A handoff that nothing has happened to.
pub fn new_handoff(id: HandoffId, facts: Facts, context: &Context<'_>) -> Handoff {
    Handoff {
        id,
        facts: Arc::new(facts),
        progress: Progress {
            state: State::Offered(Offer { since: context.now, not_before: None }),
            token: 0,
            lapses: 0,
            reworks: 0,
            rung: 0,
            delivered_at: None,
            started_at: None,
            progress_at: context.now,
            checkpoint: None,
            accepted: None,
            approvals: Vec::new(),
            questions: Vec::new(),
            declined_by: Vec::new(),
            child: None,
            judge: None,
            has_expired: false,
            last_n: 0,
        },
    }
}
