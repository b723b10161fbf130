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
use crate::directory::Directory;
use crate::document::DocumentKind;
use crate::enrol;
use crate::fallback::{has_taker, is_past};
use crate::gate;
use crate::handoff::{Facts, Handoff, Offer, Progress, State};
use crate::offer::{offer, unseen};
use crate::prepare::{Paper, Receiver, restate};
use crate::principal::Scope;
use crate::refusal::{Refusal, RefusalCode};

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
    if let Some(first) = same(context, request, paper) {
        means_the_same(context, request, paper, first)?;
        return Ok(repeated(context, first));
    }
    let mut change = Change::default();
    let parent = match request.parent {
        Some(shown) => Some(authority::holder(context, shown)?.0),
        None => None,
    };
    // What is passed on and what takes the place of another is work that was let in already.
    if parent.is_none() && paper.supersedes.is_none() {
        within_quota(context)?;
    }
    // What is passed on may be late already: it was dealt with when it was missed.
    if parent.is_none() {
        not_expired(context, paper)?;
    }
    let task = task(context, paper, parent)?;
    replace_live(context, paper, &task, parent, &mut change)?;
    let receiver = receiver(context, paper, &mut change)?;
    let superseded = paper.supersedes.and_then(|id| context.state.known(id));
    if let Some(superseded) = superseded {
        authority::may_reach(context, superseded, receiver)?;
    }
    let id: HandoffId = context.draw.id("handoff", context.now);
    let mut facts = facts(context, paper, task, receiver, parent);
    if let Some(superseded) = superseded {
        keep_held(context, superseded, &mut facts);
    }
    chain::check(context, &facts, &paper.sheet)?;

    let event = change.happened(EventType::Submitted, id, context.actor());
    event.with("receiver", receiver).with("hops", hops(&facts));
    if let Some(parent) = parent {
        event.with("parent", parent.id);
    }
    if let Some(superseded) = paper.supersedes {
        event.with("supersedes", superseded);
    }
    let mut handoff = new_handoff(id, facts, context);
    if !context.principal.is_human() {
        handoff.progress.taken_over_by = superseded.and_then(Handoff::taken_over_by);
    }
    change.keep(id, DocumentKind::Packet, "1", Arc::clone(&paper.sealed));
    let directory = enrol::directory_after(context, &change);
    must_have_taker(&directory, &handoff)?;
    handoff.progress.has_expired = is_past(handoff.facts.sheet.expires_at, context.now);
    offer(&directory, &mut handoff, None, context.now, context.actor(), &mut change);
    if let Some(parent) = parent {
        let mut waiting = parent.clone();
        waiting.progress.child = Some(id);
        change.put(waiting);
    }
    change.show(handoff.id);
    change.answer.published.clone_from(&handoff.facts.terms.contract);
    change.answer.notes.clone_from(&paper.notes);
    change.put(handoff);
    Ok(change)
}

/// A project has so many open handoffs and no more: whoever hands over faster than others can take it
/// hears of it before everybody does.
pub fn within_quota(context: &Context<'_>) -> Result<(), Refusal> {
    let limit = context.state.directory.settings.open_handoffs;
    let Some((limit, open)) = limit.zip(context.state.open).filter(|(limit, open)| open >= limit)
    else {
        return Ok(());
    };
    let message = format!("the project has {open} open handoffs, and may have {limit}");
    Err(Refusal::new(RefusalCode::QuotaReached, message)
        .hint("wait until some are done, or cancel what nobody needs"))
}

/// The open handoff that this very packet has made: as it was sent first, or as it was revised.
fn same<'a>(context: &'a Context<'_>, request: &Request, paper: &Paper) -> Option<&'a Handoff> {
    let parent = request.parent.map(|shown| shown.handoff);
    // Whoever replaces the first does not mean the first, even with the same words.
    let is_same_step = |first: &&Handoff| {
        first.facts.parent == parent && !first.facts.is_begun && paper.supersedes != Some(first.id)
    };
    let is_same_packet = |live: &&Handoff| {
        live.facts.sender == paper.sender && live.facts.sheet.digest == paper.sheet.digest
    };
    let sent_first = context.state.with_fingerprint(&paper.fingerprint).filter(is_same_step);
    sent_first.or_else(|| {
        let live = context.state.live(paper.task.as_deref()?);
        live.filter(is_same_packet).filter(is_same_step)
    })
}

/// What the command says besides must be true of the first too: nothing that is asked is ignored.
fn means_the_same(
    context: &Context<'_>,
    request: &Request,
    paper: &Paper,
    first: &Handoff,
) -> Result<(), Refusal> {
    let is_held = matches!(first.progress.state, State::Held(_));
    let asks_more = request.hold && !first.facts.terms.is_hold_asked && !is_held;
    let is_elsewhere =
        request.to.is_some() && paper.receiver != Receiver::Known(first.facts.first_receiver);
    if !asks_more && !is_elsewhere {
        return Ok(());
    }
    let to = context.state.directory.name(first.facts.receiver);
    let what = if is_elsewhere {
        "not to the receiver that you name"
    } else {
        "and nobody was to look first"
    };
    let message = format!("this packet was handed over as {} to `{to}`, {what}", first.id);
    Err(Refusal::new(RefusalCode::TaskLive, message)
        .hint(format!("`tasuki submit --supersedes {}` replaces it", first.id))
        .naming(first.id))
}

/// The same packet from the same sender while the first is open is the first.
fn repeated(context: &Context<'_>, first: &Handoff) -> Change {
    let directory = &context.state.directory;
    let mut change = Change::default();
    let to = directory.name(first.facts.receiver);
    let note = format!("this packet was handed over before, as {} to `{to}`", first.id);
    change.answer.notes.push(note);
    change.show(first.id);
    change.answer.repeated = true;
    change
}

/// The packet's task, else that of the work it goes on with, else one without a name.
fn task(context: &Context<'_>, paper: &Paper, parent: Option<&Handoff>) -> Result<String, Refusal> {
    let superseded = paper.supersedes.and_then(|id| context.state.known(id));
    let superseded = superseded.filter(|one| authority::is_known(context, one));
    match (&paper.task, parent.or(superseded)) {
        (Some(task), _) if parent.is_some_and(|parent| *task != parent.facts.task) => {
            let work = parent.map_or_else(String::new, |parent| parent.facts.task.clone());
            let message =
                format!("the packet is of task `{task}`, the work that is passed on of `{work}`");
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint("leave `task_id` out, or name the task of the work"))
        }
        (Some(task), _) => Ok(task.clone()),
        (None, Some(before)) => Ok(before.facts.task.clone()),
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
        (Some(live), None) => Err(in_the_way(context, task, live)),
        (Some(live), Some(superseded))
            if live.id == superseded && parent.is_none() && authority::is_known(context, live) =>
        {
            may_supersede(context, live)?;
            supersede(context, live, change);
            Ok(())
        }
        (_, Some(superseded)) if parent.is_some() => {
            let message = format!("the packet passes work on, and supersedes {superseded} as well");
            Err(Refusal::new(RefusalCode::SupersedesWrong, message)
                .hint("leave `supersedes` out: the work that is passed on ends by itself"))
        }
        (_, Some(superseded)) => {
            let message = format!("handoff {superseded} is not the live handoff of task `{task}`");
            let refusal = Refusal::new(RefusalCode::SupersedesWrong, message);
            Err(match live.filter(|live| authority::is_known(context, live)) {
                Some(live) => refusal.hint(format!("the live one is {}", live.id)).naming(live.id),
                None => refusal.hint("there is nothing to supersede: leave `supersedes` out"),
            })
        }
    }
}

fn in_the_way(context: &Context<'_>, task: &str, live: &Handoff) -> Refusal {
    if !authority::is_known(context, live) {
        return taken(task);
    }
    let state = live.progress.state.word().as_str();
    let to = context.state.directory.name(live.facts.receiver);
    let message = format!("task `{task}` has a live handoff {} to `{to}`, {state}", live.id);
    let is_held_by_caller =
        live.claim().is_some_and(|claim| claim.holder == context.principal.party);
    let hint = if is_held_by_caller {
        format!("you hold it: `tasuki pass-on {}` hands it on", live.id)
    } else if may_supersede(context, live).is_ok() {
        format!("`tasuki submit --supersedes {}` replaces it", live.id)
    } else {
        format!("`tasuki show {}` says whose turn it is; or name another task", live.id)
    };
    Refusal::new(RefusalCode::TaskLive, message).hint(hint).naming(live.id)
}

/// The same for whoever may not know who has the task, or which handoff it is.
pub fn taken(task: &str) -> Refusal {
    Refusal::new(RefusalCode::TaskLive, format!("there is a task `{task}` already"))
        .hint("name another task")
}

/// Its sender or a person replaces a handoff, and only one that goes on with nobody's work.
fn may_supersede(context: &Context<'_>, live: &Handoff) -> Result<(), Refusal> {
    let is_person = context.principal.is_human() && context.principal.scopes.has(Scope::Decide);
    if !authority::is_sender(context, live) && !is_person {
        let sender = context.state.directory.name(live.facts.sender);
        let message = format!("handoff {} is from `{sender}`", live.id);
        return Err(Refusal::new(RefusalCode::NotAllowed, message)
            .hint("only its sender or a person supersedes it"));
    }
    if let Some(parent) = live.facts.parent {
        let message = format!("handoff {} passes on the work of {parent}", live.id);
        return Err(Refusal::new(RefusalCode::SupersedesWrong, message)
            .hint("revise it while nobody has claimed it, or cancel it first"));
    }
    Ok(())
}

fn supersede(context: &Context<'_>, live: &Handoff, change: &mut Change) {
    let by: HandoffId = context.draw.id("handoff", context.now);
    change.happened(EventType::Superseded, live.id, context.actor()).with("by", by);
    let reason = format!("superseded by {by}");
    change.happened(EventType::Cancelled, live.id, context.actor()).because(Some(&reason));
    let mut old = live.clone();
    old.progress.state = State::Cancelled;
    change.put(old);
}

/// What takes the place of work that waits for a person waits for one too, at the same gates: whoever is
/// held could free the work by sending another packet. A person who replaces it has looked.
fn keep_held(context: &Context<'_>, superseded: &Handoff, facts: &mut Facts) {
    if context.principal.is_human() {
        return;
    }
    let directory = &context.state.directory;
    facts.terms.is_hold_asked |= !unseen(directory, superseded, facts.receiver).is_empty();
    let mut gates = superseded.facts.terms.gates.clone();
    gates.retain(|digest| !gate::is_bound(directory, facts, digest));
    if !gates.is_empty() {
        facts.terms.gates.extend(gates);
        restate(directory, facts, &[]);
    }
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

/// A packet that is too late when it comes would be dead at the next look.
pub fn not_expired(context: &Context<'_>, paper: &Paper) -> Result<(), Refusal> {
    let Some(expires_at) = paper.sheet.expires_at.filter(|at| *at <= context.now) else {
        return Ok(());
    };
    let message = format!("`expires_at` is {expires_at}, which has passed");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("name an instant that is still to come, or leave it out"))
}

/// A role of whose members none may claim it has nobody to take it.
fn must_have_taker(directory: &Directory, handoff: &Handoff) -> Result<(), Refusal> {
    if has_taker(directory, handoff) {
        return Ok(());
    }
    let name = directory.name(handoff.facts.receiver);
    let why = "they had the work before, or do not read its contract";
    let message = format!("nobody in `{name}` may take this: {why}");
    Err(Refusal::new(RefusalCode::ChainLoop, message)
        .hint(format!("name another receiver, or `tasuki party add {name} --member NAME`")))
}

fn facts(
    context: &Context<'_>,
    paper: &Paper,
    task: String,
    receiver: PartyId,
    parent: Option<&Handoff>,
) -> Facts {
    // Who passes work on had it, in whoever's name it is sent.
    let giving = parent.map_or(paper.sender, |_| context.principal.party);
    let mut lineage = parent.map_or_else(Vec::new, |parent| had_before(parent, giving));
    lineage.push(giving);
    let mut contributors = vec![paper.sender, context.principal.party];
    contributors.extend(context.principal.on_behalf_of);
    contributors.sort();
    contributors.dedup();
    let mut facts = Facts {
        task,
        sender: paper.sender,
        receiver,
        first_receiver: receiver,
        routed_in: 0,
        is_begun: false,
        revision: 1,
        sheet: paper.sheet.clone(),
        terms: paper.terms.clone(),
        parent: parent.map(|parent| parent.id),
        lineage,
        sent_by: parent.map_or_else(|| in_another_name(context, paper), |one| one.facts.sent_by),
        spent: chain::spent(parent, &paper.sheet),
        budget: chain::budget(parent, &paper.sheet),
        chain_began_at: parent.map_or(context.now, |parent| parent.facts.chain_began_at),
        contributors,
        submitted_at: context.now,
        fingerprint: paper.fingerprint.clone(),
    };
    facts.sheet.authority = chain::authority(&context.state.directory, parent, &facts);
    facts.terms.hops = chain::hops_of_chain(parent, &facts);
    facts
}

/// An agent that sends for another does not get the work itself; a person has looked at it anyway.
fn in_another_name(context: &Context<'_>, paper: &Paper) -> Option<PartyId> {
    let caller = context.principal.party;
    Some(caller).filter(|caller| *caller != paper.sender && !context.principal.is_human())
}

/// Who had the work before its holder. Nobody handed over what was begun, but whoever began it had it.
fn had_before(parent: &Handoff, holder: PartyId) -> Vec<PartyId> {
    let facts = &parent.facts;
    let begun_by = Some(facts.sender).filter(|by| facts.is_begun && *by != holder);
    facts.lineage.iter().copied().chain(begun_by).collect()
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
            judging_rung: 0,
            taken_over_by: None,
            delivered_at: None,
            untold: None,
            started_at: None,
            progress_at: context.now,
            given_back: None,
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tasuki_packet::id::HandoffId;

    use super::*;
    use crate::command::Command;
    use crate::directory::Settings;
    use crate::testing::{World, claim, packet, pass_on_with, submit};

    fn superseding(live: HandoffId, more: &serde_json::Value) -> Command {
        let source = packet(more);
        Command::Submit(Request { source, supersedes: Some(live), ..Request::default() })
    }

    #[test]
    fn a_submit_needs_its_scope() {
        let mut world = World::new();
        let mut principal = world.principal("ana");
        principal.scopes = crate::principal::Scopes::none().with(Scope::Receive);
        insta::assert_snapshot!(world.refusal_as(&principal, submit(&json!({}))), @"
        TK-SCOPE-MISSING: this credential lacks the scope `submit`
        hint: ask an operator for a token with it
        ");
    }

    #[test]
    fn a_role_in_which_nobody_may_take_it_is_refused() {
        let mut world = World::new();
        world.change("role:team", |role, id| role.members = vec![id("ben")]);
        let mut packet = json!({ "to_agent": "role:team" });
        world.check("ana", submit(&packet), "offered to role:team");
        packet["task_id"] = json!("task-2");
        packet["from_agent"] = json!("ben");
        world.advance(1);
        insta::assert_snapshot!(world.refusal("ben", submit(&packet)), @"
        TK-CHAIN-LOOP: nobody in `role:team` may take this: they had the work before, or do not read its contract
        hint: name another receiver, or `tasuki party add role:team --member NAME`
        ");
    }

    #[test]
    fn a_packet_that_is_too_late_is_refused() {
        let mut world = World::new();
        let late = json!({ "expires_at": "2026-11-15T10:00:00Z" });
        insta::assert_snapshot!(world.refusal("ana", submit(&late)), @"
        TK-ARGUMENT-INVALID: `expires_at` is 2026-11-15T10:00:00Z, which has passed
        hint: name an instant that is still to come, or leave it out
        ");
        let source = packet(&json!({ "expires_at": "2026-11-15T09:00:00Z" }));
        let begin = crate::begin::Request { source, ..crate::begin::Request::default() };
        world.check("ana", Command::Begin(begin), "refused TK-ARGUMENT-INVALID");
        world.check(
            "ana",
            submit(&json!({ "expires_at": "2026-11-15T10:00:01Z" })),
            "offered to ben",
        );
    }

    #[test]
    fn what_is_passed_on_late_is_not_late_once_more() {
        let mut world = World::new();
        let ladder = json!([{ "to": "cem" }]);
        let more = json!({ "expires_at": "2026-11-15T10:00:01Z", "fallback": ladder });
        world.done("ana", submit(&more));
        world.advance(1);
        world.settle();
        assert_eq!(world.standing(), "offered to cem");
        world.done("cem", claim(world.newest()));
        world.advance(1);
        let mut more = more;
        more["to_agent"] = json!("ben");
        more["from_agent"] = json!("cem");
        world.done("cem", pass_on_with(&world, &more));
        world.settle();
        assert_eq!(world.standing_of(world.newest()), "offered to ben");
    }

    #[test]
    fn the_same_packet_with_more_asked_is_not_the_same() {
        let again = |hold: bool, to: Option<&str>| {
            let source = packet(&json!({}));
            let to = to.map(str::to_owned);
            Command::Submit(Request { source, to, hold, ..Request::default() })
        };
        let mut world = World::new();
        world.check("ana", again(false, None), "offered to ben");
        world.check("ana", again(false, Some("ben")), "offered to ben");
        world.check("ana", again(true, None), "refused TK-TASK-LIVE");
        insta::assert_snapshot!(world.refusal("ana", again(false, Some("cem"))), @"
        TK-TASK-LIVE: this packet was handed over as hof_1 to `ben`, not to the receiver that you name
        hint: `tasuki submit --supersedes hof_1` replaces it
        ");
        let mut world = World::new();
        world.check("ana", again(true, None), "held for asked");
        world.check("ana", again(true, None), "held for asked");
        world.check("ana", again(false, None), "held for asked");
    }

    #[test]
    fn a_task_has_one_live_handoff() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        let second = submit(&json!({"goal": "another"}));
        insta::assert_snapshot!(world.refusal("ana", second.clone()), @"
        TK-TASK-LIVE: task `task-1` has a live handoff hof_1 to `ben`, offered
        hint: `tasuki submit --supersedes hof_1` replaces it
        ");
        assert_eq!(world.run("ana", second.clone()).unwrap_err().handoff, Some(first));
        world.run("ben", claim(first)).unwrap();
        insta::assert_snapshot!(world.refusal("ben", second.clone()), @"
        TK-TASK-LIVE: task `task-1` has a live handoff hof_1 to `ben`, claimed
        hint: you hold it: `tasuki pass-on hof_1` hands it on
        ");
        world.advance(1);
        world.check("ana", submit(&json!({"task_id": "task-2"})), "offered to ben");
    }

    #[test]
    fn a_packet_supersedes_the_live_handoff_that_it_names() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        let leaves = world.leaves.len();
        world.advance(1);
        world.check("ana", submit(&json!({"goal": "new", "supersedes": first})), "offered to ben");
        assert_eq!(world.state.handoff(first).unwrap().progress.state, State::Cancelled);
        insta::assert_snapshot!(world.story(leaves), @"
        handoff.superseded by ana
        handoff.cancelled by ana
        handoff.submitted by ana
        ");
        let detail: serde_json::Value =
            serde_json::from_str(&world.leaves[leaves + 1].detail).unwrap();
        assert_eq!(detail["reason"], format!("superseded by {}", world.newest()));

        let second = world.newest();
        world.advance(1);
        world.run("ben", claim(second)).unwrap();
        world.check("ana", superseding(second, &json!({"goal": "newer"})), "offered to ben");
        let open = world.state.handoffs().filter(|handoff| handoff.is_open()).count();
        assert_eq!(open, 1);
    }

    #[test]
    fn a_packet_without_a_task_has_the_task_of_what_it_supersedes() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        world.advance(1);
        let source = json!({"handoff_version": "1.0", "to_agent": "ben", "status": "in_progress",
            "goal": "g", "completed": [], "remaining": [], "supersedes": first});
        let source = source.to_string().into_bytes();
        world.check(
            "ana",
            Command::Submit(Request { source, ..Request::default() }),
            "offered to ben",
        );
        assert_eq!(world.handoff().facts.task, "task-1");
    }

    #[test]
    fn what_a_packet_supersedes_must_be_the_live_handoff_of_its_task_and_the_senders() {
        let mut world = World::new();
        let nobody = HandoffId::new(7, [7; 10]);
        insta::assert_snapshot!(
            world.refusal("ana", superseding(nobody, &json!({}))).replace(&nobody.to_string(), "hof_0"),
            @"
        TK-SUPERSEDES-WRONG: handoff hof_0 is not the live handoff of task `task-1`
        hint: there is nothing to supersede: leave `supersedes` out
        "
        );
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        insta::assert_snapshot!(
            world.refusal("ana", superseding(nobody, &json!({"goal": "x"}))).replace(&nobody.to_string(), "hof_0"),
            @"
        TK-SUPERSEDES-WRONG: handoff hof_0 is not the live handoff of task `task-1`
        hint: the live one is hof_1
        "
        );
        insta::assert_snapshot!(world.refusal("ana", superseding(first, &json!({"task_id": "task-2"}))), @"
        TK-SUPERSEDES-WRONG: handoff hof_1 is not the live handoff of task `task-2`
        hint: there is nothing to supersede: leave `supersedes` out
        ");
        let by_ben = superseding(first, &json!({"goal": "x", "to_agent": "cem"}));
        insta::assert_snapshot!(world.refusal("ben", by_ben.clone()), @"
        TK-NOT-ALLOWED: handoff hof_1 is from `ana`
        hint: only its sender or a person supersedes it
        ");
        let by_pia = superseding(first, &json!({"goal": "x", "to_agent": "cem"}));
        world.advance(1);
        world.check("pia", by_pia, "offered to cem");
    }

    #[test]
    fn what_was_passed_on_is_revised_or_cancelled_but_not_superseded() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let first = world.newest();
        world.run("ben", claim(first)).unwrap();
        let both = Command::Submit(Request {
            source: packet(&json!({"to_agent": "cem", "supersedes": first})),
            parent: Some(world.shown()),
            ..Request::default()
        });
        insta::assert_snapshot!(world.refusal("ben", both), @"
        TK-SUPERSEDES-WRONG: the packet passes work on, and supersedes hof_1 as well
        hint: leave `supersedes` out: the work that is passed on ends by itself
        ");
        world.advance(1);
        world.run("ben", pass_on_with(&world, &json!({"to_agent": "cem"}))).unwrap();
        let child = world.newest();
        insta::assert_snapshot!(world.refusal("ben", superseding(child, &json!({"goal": "x"}))), @"
        TK-SUPERSEDES-WRONG: handoff hof_2 passes on the work of hof_1
        hint: revise it while nobody has claimed it, or cancel it first
        ");
    }

    #[test]
    fn the_same_packet_from_the_same_sender_is_the_first_while_that_is_open() {
        let mut world = World::new();
        let first = world.run("ana", submit(&json!({}))).unwrap();
        let leaves = world.leaves.len();
        let again = world.run("ana", submit(&json!({}))).unwrap();
        assert!(again.repeated && !first.repeated);
        assert_eq!(again.handoff, first.handoff);
        assert_eq!(world.leaves.len(), leaves);
        insta::assert_snapshot!(world.without_ids(again.notes.join("\n")), @"this packet was handed over before, as hof_1 to `ben`");
        insta::assert_snapshot!(world.refusal("cem", submit(&json!({}))), @"
        TK-TASK-LIVE: task `task-1` has a live handoff hof_1 to `ben`, offered
        hint: `tasuki show hof_1` says whose turn it is; or name another task
        ");

        let id = world.newest();
        world.run("ben", claim(id)).unwrap();
        assert!(world.run("ana", submit(&json!({}))).unwrap().repeated);
        world.run("ana", cancel(id)).unwrap();
        world.advance(1);
        assert!(!world.run("ana", submit(&json!({}))).unwrap().repeated);
    }

    fn cancel(handoff: HandoffId) -> Command {
        Command::Cancel(crate::cancel::Cancel {
            handoff,
            looked: crate::decision::Looked::default(),
            reason: Some("enough".to_owned()),
        })
    }

    #[test]
    fn the_same_packet_is_told_after_a_revision_in_either_form() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let revise = crate::revise::Revise {
            handoff: world.newest(),
            source: packet(&json!({"goal": "revised"})),
            looked: crate::decision::Looked::default(),
        };
        world.run("ana", Command::Revise(revise)).unwrap();
        for goal in ["Ship the part", "revised"] {
            let again = world.run("ana", submit(&json!({"goal": goal}))).unwrap();
            assert!(again.repeated, "{goal}");
            assert_eq!(again.handoff.unwrap().revision, 2);
        }
        world.check("ana", submit(&json!({"goal": "third"})), "refused TK-TASK-LIVE");
    }

    #[test]
    fn a_packet_without_a_task_is_told_by_its_bytes_alone() {
        let mut world = World::new();
        let untitled = |goal: &str| {
            let source = json!({"handoff_version": "1.0", "to_agent": "ben", "goal": goal,
                "status": "in_progress", "completed": [], "remaining": []});
            let source = source.to_string().into_bytes();
            Command::Submit(Request { source, ..Request::default() })
        };
        let first = world.run("ana", untitled("one")).unwrap().handoff.unwrap();
        assert!(first.task.starts_with("tsk_"), "{}", first.task);
        assert_eq!(first.from, "ana");
        assert!(world.run("ana", untitled("one")).unwrap().repeated);
        world.advance(1);
        let second = world.run("ana", untitled("two")).unwrap().handoff.unwrap();
        assert_ne!(second.task, first.task);
        assert!(!world.documents[0].sealed.body.contains("from_agent"));
    }

    #[test]
    fn a_begun_task_is_no_handoff_that_its_packet_has_made() {
        let mut world = World::new();
        let begin = crate::begin::Request { source: packet(&json!({})), ..Default::default() };
        world.run("ana", Command::Begin(begin)).unwrap();
        world.check("ana", submit(&json!({})), "refused TK-TASK-LIVE");
        world.advance(1);
        world.check("ana", pass_on_with(&world, &json!({})), "offered to ben");
        let again = pass_on_with(&world, &json!({}));
        let Command::Submit(mut request) = again else { unreachable!() };
        request.parent = world.handoff().facts.parent.map(|handoff| Shown { handoff, token: 1 });
        assert!(world.run("ana", Command::Submit(request)).unwrap().repeated);
    }

    #[test]
    fn a_role_without_members_cannot_be_sent_to() {
        let mut world = World::new();
        let to_nobody = submit(&json!({"to_agent": "role:nobody"}));
        insta::assert_snapshot!(world.refusal("ana", to_nobody), @"
        TK-ROLE-EMPTY: `role:nobody` has no members
        hint: add one: `tasuki party add role:nobody --member NAME`
        ");
        world.check("ana", submit(&json!({"to_agent": "role:team"})), "offered to role:team");
    }

    #[test]
    fn a_party_that_nobody_added_is_added_on_first_use_where_the_project_wants_it() {
        let unknown = submit(&json!({"to_agent": "Web Scraper"}));
        insta::assert_snapshot!(World::new().refusal("ana", unknown.clone()), @r#"
        TK-PARTY-UNKNOWN: no party is called `Web Scraper`
        hint: add it with `tasuki party add web-scraper --alias "Web Scraper"`
        "#);

        let settings = Settings { registers_on_first_use: true, ..Settings::default() };
        let mut world = World::with(settings);
        let answer = world.run("ana", unknown).unwrap();
        assert_eq!(answer.registered, ["web-scraper"]);
        assert_eq!(answer.handoff.unwrap().to, "web-scraper");
        assert_eq!(world.standing(), "offered to web-scraper");
        assert_eq!(world.story(0), "party.added by ana\nhandoff.submitted by ana");
        let again = world.run("ana", submit(&json!({"to_agent": "Web Scraper", "task_id": "b"})));
        assert_eq!(again.unwrap().registered, [""; 0]);
        world.check(
            "ana",
            submit(&json!({"to_agent": "WEB scraper", "task_id": "c"})),
            "offered to web-scraper",
        );
        for (name, code) in [
            ("role:unheard", "TK-PARTY-UNKNOWN"),
            ("Role: Unheard", "TK-PARTY-UNKNOWN"),
            ("skill:unheard", "TK-PARTY-UNKNOWN"),
            ("System", "TK-PARTY-UNKNOWN"),
            ("Ben!", "TK-PARTY-UNKNOWN"),
            ("***", "TK-PARTY-UNKNOWN"),
        ] {
            world.check(
                "ana",
                submit(&json!({"to_agent": name, "task_id": "d"})),
                &format!("refused {code}"),
            );
        }
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({"to_agent": "Ben!", "task_id": "d"}))), @"
        TK-PARTY-UNKNOWN: no party is called `Ben!`
        hint: did you mean `ben`? `tasuki party ls` lists all
        ");
    }

    #[test]
    fn a_halt_takes_submits_but_nothing_that_is_passed_on() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        let pass = pass_on_with(&world, &json!({"to_agent": "cem"}));
        let halt = crate::cancel::HaltRequest { is_lift: false, reason: None };
        world.run("pia", Command::Halt(halt)).unwrap();
        insta::assert_snapshot!(world.refusal("ben", pass), @"
        TK-PROJECT-HALTED: the project is halted: nobody claims, renews, returns or passes on
        hint: leave a last checkpoint; an operator lifts the halt with `tasuki halt --lift`
        ");
        world.advance(1);
        world.check("ana", submit(&json!({"task_id": "b"})), "offered to ben");
    }

    #[test]
    fn the_command_names_another_receiver_than_the_packet() {
        let mut world = World::new();
        let command = Command::Submit(Request {
            source: packet(&json!({})),
            to: Some("cem".to_owned()),
            ..Request::default()
        });
        world.check("ana", command, "offered to cem");
        assert!(world.documents[0].sealed.body.contains(r#""to_agent":"ben""#));
    }

    #[test]
    fn the_same_words_supersede_too_and_are_said_once() {
        let mut world = World::new();
        world.check("ana", submit(&json!({})), "offered to ben");
        let first = world.newest();
        world.advance(1);
        let again = || {
            let to = Some("cem".to_owned());
            let source = packet(&json!({}));
            Command::Submit(Request { source, to, supersedes: Some(first), ..Request::default() })
        };
        world.check("ana", again(), "offered to cem");
        assert_eq!(world.state.handoff(first).unwrap().progress.state, State::Cancelled);
        let second = world.newest();
        assert!(world.done("ana", again()).repeated);
        assert_eq!(world.newest(), second);
    }

    #[test]
    fn whoever_may_only_submit_learns_nothing_of_the_work_of_others() {
        let mut world = World::new();
        world.check("ana", submit(&json!({})), "offered to ben");
        let live = world.newest();
        let scopes = crate::principal::Scopes::none().with(Scope::Submit);
        let writer = crate::principal::Principal { scopes, ..world.principal("cem") };
        let mut told = |source: serde_json::Value| {
            let command = submit(&source);
            let refusal = world.run_as(&writer, command).unwrap_err();
            assert_eq!(refusal.handoff, None);
            format!("{}: {} {}", refusal.code.as_str(), refusal.message, refusal.hint.unwrap())
        };
        let plain = json!({"from_agent": "cem"});
        let other = HandoffId::new(9, [9; 10]);
        let guessed = json!({"from_agent": "cem", "supersedes": live});
        let missed = json!({"from_agent": "cem", "supersedes": other});
        assert_eq!(told(plain), "TK-TASK-LIVE: there is a task `task-1` already name another task");
        let as_if_unknown = |id: HandoffId| {
            format!(
                "TK-SUPERSEDES-WRONG: handoff {id} is not the live handoff of task `task-1` \
                 there is nothing to supersede: leave `supersedes` out"
            )
        };
        assert_eq!(told(guessed), as_if_unknown(live));
        assert_eq!(told(missed), as_if_unknown(other));
    }

    #[test]
    fn a_project_has_as_many_open_handoffs_as_it_may() {
        let mut world = World::new();
        let limit = json!({ "open_handoffs": 2 }).as_object().unwrap().clone();
        world.done("pia", Command::SetSettings(limit));
        world.state.open = Some(0);
        let task = |name: &str| submit(&json!({ "task_id": name, "goal": name }));
        world.check("ana", task("a"), "offered to ben");
        let first = world.newest();
        world.advance(1);
        world.check("ana", task("b"), "offered to ben");
        world.advance(1);
        insta::assert_snapshot!(world.refused("ana", task("c")), @"
        TK-QUOTA-REACHED: the project has 2 open handoffs, and may have 2
          wait until some are done, or cancel what nobody needs
        ");
        let begun = crate::begin::Request {
            source: packet(&json!({ "task_id": "d", "to_agent": "ana" })),
            ..Default::default()
        };
        world.check("ana", Command::Begin(begun), "refused TK-QUOTA-REACHED");
        // What was handed over before, what replaces it and what goes on with it are no more than before.
        assert!(world.done("ana", task("b")).repeated);
        let second = world.newest();
        let replacing = json!({ "task_id": "b", "goal": "better", "supersedes": second });
        world.check("ana", submit(&replacing), "offered to ben");
        world.check("ben", crate::testing::claim(world.newest()), "claimed by ben, token 1");
        world.advance(1);
        let shown = world.shown();
        let further = Command::Submit(Request {
            source: packet(&json!({ "task_id": "b", "to_agent": "cem" })),
            parent: Some(shown),
            ..Request::default()
        });
        world.check("ben", further, "offered to cem");
        world.done("ana", cancel(first));
        world.advance(1);
        world.check("cem", crate::testing::claim(world.newest()), "claimed by cem, token 1");
        world.check("ana", task("c"), "offered to ben");
    }

    #[test]
    fn what_takes_the_place_of_held_work_is_held_unless_a_person_sends_it() {
        let unsure = json!({"confidence": 0.1, "trigger": {"kind": "critical_action"}});
        let held = || {
            let mut world = World::new();
            world.gate(json!({
                "gate": "release", "version": "1.0", "applies": [{"trigger": ["critical_action"]}],
                "factors": [{"name": "safety", "roles": ["role:people"]}],
            }));
            world.contract(&json!({"confidence": {"hold_below": 0.7}, "from": ["ana", "pia"]}));
            world.check("ana", submit(&unsure), "held for confidence, trigger, gate:release");
            world.advance(1);
            world
        };
        let replaced = |world: &World, to: &str, goal: &str| {
            let sure = json!({"to_agent": to, "goal": goal, "confidence": 0.9});
            superseding(world.newest(), &sure)
        };
        let mut world = held();
        world.check("ana", replaced(&world, "ben", "a"), "held for asked, gate:release");
        assert!(world.handoff().facts.terms.policy.is_some());
        world.advance(1);
        world.check("ana", replaced(&world, "ben", "b"), "held for asked, gate:release");
        let mut world = held();
        world.check("pia", replaced(&world, "ben", "a"), "offered to ben");
        // On the way to a person nobody else looks first, but a gate is a gate.
        let mut world = held();
        world.check("ana", replaced(&world, "quin", "a"), "held for gate:release");
    }
}
