//! What must hold after every step, whatever has happened.
//!
//! The log was followed by `history`; here the store is compared with it, handoff by handoff and
//! as a whole. The answers of callers are compared in `ledger`.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::audit::log_check;
use tasuki_engine::model::document::hash_of_digest;
use tasuki_engine::model::{
    Directory, GateSignature, Handoff, Head, Hold, Party, PartyKind, Pauses, State, StateWord,
};
use tasuki_engine::ports::{LeafRow, Order, Query, Store};
use tasuki_engine::rules::deadlines;
use tasuki_packet::leaf::{ActorKind, EventType, Leaf, check_chain};
use tasuki_packet::policy::gate::Gate;

use super::approvals::{Accepted, Signature, is_offer};
use super::history::{Checked, History, LoggedHandoff, Violation, must};
use crate::sim::engines::Engines;

/// The store as it is now.
pub(crate) struct StoreSnapshot {
    pub head: Head,
    pub directory: Arc<Directory>,
    /// Oldest first.
    pub handoffs: Vec<Handoff>,
}

impl StoreSnapshot {
    /// Looks at the store.
    pub(crate) async fn new(engines: &Engines<'_>) -> Result<Self, Violation> {
        let project = engines.project;
        let head = engines.observer.head(project).await.map_err(unreadable)?;
        let head = head.ok_or_else(|| Violation {
            rule: "the store can be read",
            found: "the project is gone".to_owned(),
        })?;
        let directory = engines.directory(head.directory_version).await.map_err(unreadable)?;
        let query = Query { order: Order::Oldest, limit: u32::MAX, ..Query::default() };
        let handoffs = engines.observer.handoffs(project, query).await.map_err(unreadable)?;
        Ok(Self { head, directory, handoffs })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "handed to `map_err`")]
fn unreadable(fault: tasuki_engine::error::Fault) -> Violation {
    Violation { rule: "the store can be read", found: fault.to_string() }
}

/// Checks that the log is a chain, with the code that everybody checks logs with.
pub(crate) fn chain(history: &History) -> Checked {
    let chain = check_chain(history.leaves.iter().map(|row| row.leaf.as_bytes()));
    must(chain.is_ok(), "the log is a chain", || format!("{chain:?}"))
}

/// Checks that log and store fit, with the code that everybody checks them with.
pub(crate) async fn log_check(engines: &Engines<'_>, history: &History) -> Checked {
    let leaves = history.leaves.len() as u64;
    for from in [0, leaves / 2] {
        let checked = log_check::check(
            &engines.observer,
            engines.project,
            from,
            &log_check::Trail::default(),
            &mut |_, _| (),
        )
        .await;
        let problem = checked.map_err(unreadable)?.problem;
        must(problem.is_none(), "the log check finds nothing", || {
            format!("from {from}: {problem:?}")
        })?;
    }
    Ok(())
}

/// Checks that the whole log is still what it was when it was followed.
pub(crate) async fn whole_log(engines: &Engines<'_>, history: &History) -> Checked {
    let leaves = engines.observer.leaves(engines.project, 0, u32::MAX).await.map_err(unreadable)?;
    let rule = "what was acknowledged is there after a crash";
    let is_same = leaves == history.leaves;
    must(is_same, rule, || format!("{} leaves, {} known", leaves.len(), history.leaves.len()))?;
    for (id, logged) in &history.handoffs {
        let own = engines.observer.leaves_of(engines.project, *id).await.map_err(unreadable)?;
        let is_same = own.iter().map(|row| row.n).eq(logged.numbers.iter().copied());
        must(is_same, "the back-links are the handoff's history", || id.to_string())?;
    }
    Ok(())
}

/// Checks what new leaves say against the documents they commit to.
pub(crate) async fn documents(engines: &Engines<'_>, leaf: &Leaf) -> Checked {
    const RULE: &str = "every leaf commits to what is stored";
    let Some(subject) = leaf.subject else { return Ok(()) };
    let stored = engines.observer.documents(engines.project, subject.handoff, None).await;
    let stored = stored.map_err(unreadable)?;
    let says = |what: &str| format!("leaf {}, {}: {what}", leaf.number, leaf.event.name());
    let has = |commitment| stored.iter().any(|one| one.document.sealed.commitment == commitment);
    must(has(subject.packet), RULE, || says("its packet is not there"))?;
    must(leaf.document.is_none_or(has), RULE, || says("its document is not there"))
}

/// Checks the store as a whole.
pub(crate) async fn store(
    engines: &Engines<'_>,
    found: &StoreSnapshot,
    history: &History,
) -> Checked {
    conservation(found, history)?;
    counters(engines, found).await?;
    one_claim_per_task(found)?;
    due_times(engines, found).await?;
    halts(found, history)?;
    for handoff in &found.handoffs {
        let logged = history.handoff(handoff.id).ok_or_else(|| Violation {
            rule: "nothing is stored that the log does not know",
            found: handoff.id.to_string(),
        })?;
        matches_log(handoff, logged)?;
        signatures(handoff, logged)?;
        approvals(found, handoff, logged)?;
        of_this_epoch(found, handoff)?;
        can_progress(found, handoff)?;
    }
    Ok(())
}

/// Begun and submitted are as many as have ended in any way or are open.
fn conservation(found: &StoreSnapshot, history: &History) -> Checked {
    const RULE: &str = "conservation";
    let (handoffs, rows) = (history.handoffs.len(), found.handoffs.len());
    must(handoffs == rows, RULE, || format!("{handoffs} in the log, {rows} in the store"))?;
    for word in StateWord::ALL.into_iter().filter(|word| !word.is_open()) {
        let stored = |one: &&Handoff| one.progress.state.word() == word;
        let rows = found.handoffs.iter().filter(stored).count();
        let ended = history.count(Some(word));
        must(rows == ended, RULE, || format!("{ended} {word:?} by the log, {rows} stored"))?;
    }
    let open = found.handoffs.iter().filter(|one| one.is_open()).count();
    must(open == history.count(None), RULE, || format!("{open} open"))
}

async fn counters(engines: &Engines<'_>, found: &StoreSnapshot) -> Checked {
    let counts = engines.observer.counts(engines.project).await.map_err(unreadable)?;
    let begun = found.handoffs.iter().filter(|one| one.facts.is_begun).count() as u64;
    let submitted = found.handoffs.len() as u64 - begun;
    let is_recounted = counts.states.iter().all(|(word, count)| {
        let rows = found.handoffs.iter().filter(|one| one.progress.state.word() == *word);
        rows.count() as u64 == *count
    });
    let sum: u64 = counts.states.iter().map(|(_, count)| count).sum();
    let is_so = is_recounted
        && (counts.begun, counts.submitted) == (begun, submitted)
        && sum == begun + submitted;
    must(is_so, "the tally is a recount", || format!("{counts:?}"))
}

/// One live handoff per task; a parent that waits for its child is one with it.
fn one_claim_per_task(found: &StoreSnapshot) -> Checked {
    let mut live: BTreeMap<&str, Vec<&Handoff>> = BTreeMap::new();
    for handoff in found.handoffs.iter().filter(|one| one.is_open()) {
        match handoff.progress.child {
            None => live.entry(&handoff.facts.task).or_default().push(handoff),
            Some(child) => {
                let is_waiting_for = |one: &&Handoff| {
                    one.id == child && one.is_open() && one.facts.parent == Some(handoff.id)
                };
                let has_child = found.handoffs.iter().any(|one| is_waiting_for(&one));
                must(has_child, "a parent waits for an open child", || handoff.id.to_string())?;
            }
        }
    }
    for (task, handoffs) in live {
        let ids: Vec<_> = handoffs.iter().map(|one| one.id.to_string()).collect();
        must(ids.len() == 1, "one live handoff per task", || format!("{task}: {ids:?}"))?;
    }
    Ok(())
}

/// What is stored as due is what is computed, or earlier by halts that were lifted since.
async fn due_times(engines: &Engines<'_>, found: &StoreSnapshot) -> Checked {
    const RULE: &str = "the stored due time is the computed one";
    // A directory takes long to copy, and mostly there were no halts.
    let running = LazyCell::new(|| {
        let mut running = Directory::clone(&found.directory);
        running.pauses = Pauses::default();
        running
    });
    for (id, stored) in engines.due_times() {
        let handoff = found.handoffs.iter().find(|one| one.id == id);
        let due_at = |directory| handoff.and_then(|one| deadlines::due_at(directory, one));
        let computed = due_at(&found.directory);
        let is_so = stored == computed || (due_at(&running)..=computed).contains(&stored);
        must(is_so, RULE, || format!("{id}: {stored:?} and not {computed:?}"))?;
    }
    let first = |directory: &Directory| {
        found.handoffs.iter().filter_map(|one| deadlines::due_at(directory, one)).min()
    };
    let next = engines.observer.next_due(engines.project).await.map_err(unreadable)?;
    let computed = first(&found.directory);
    let is_so = next == computed || (first(&running)..=computed).contains(&next);
    must(is_so, RULE, || format!("{next:?} is next and not {computed:?}"))
}

/// Checks that the clock has done all that it had to do by now. While the project is halted it rests.
pub(crate) async fn nothing_is_due(engines: &Engines<'_>) -> Checked {
    let found = StoreSnapshot::new(engines).await?;
    let now = engines.now(found.head.last_at);
    let next = engines.observer.next_due(engines.project).await.map_err(unreadable)?;
    let is_left = !found.head.is_halted && next.is_some_and(|next| next <= now);
    must(!is_left, "nothing due is left", || format!("{next:?} at {now}"))
}

/// The time that does not count is that of the halts in the log.
fn halts(found: &StoreSnapshot, history: &History) -> Checked {
    let kept = found.directory.pauses.halts();
    must(kept == history.halts, "the halts are those of the log", || format!("{kept:?}"))
}

/// What is stored of a handoff is what its leaves tell.
fn matches_log(handoff: &Handoff, logged: &LoggedHandoff) -> Checked {
    let progress = &handoff.progress;
    let state = progress.state.word();
    let says = |what: &str| format!("{}, {}: {what}", handoff.id, state.as_str());
    let end = (!handoff.is_open()).then_some(state);
    must(end == logged.end, "log order is event order", || says(&format!("{:?}", logged.end)))?;
    let live = handoff.claim().map(|claim| claim.fence);
    must(live == logged.live, "at most one live claim", || {
        says(&format!("stored {live:?}, by the log {:?}", logged.live))
    })?;
    must(progress.fence == logged.fence, "fences only grow", || says("another fence"))?;
    let is_asking = matches!(&progress.state, State::Held(Hold { approval_request: Some(_), .. }));
    must(is_asking == logged.awaits_approval, "log order is event order", || says("asks leave"))?;
    let last = logged.numbers.last().copied().unwrap_or_default();
    let is_same = progress.last_n == last
        && u64::from(handoff.facts.revision) == logged.revision
        && handoff.facts.is_begun == logged.is_begun;
    must(is_same, "log order is event order", || says("another last leaf or revision"))
}

/// A halt ends every claim, and lifting it offers again what was claimed.
fn of_this_epoch(found: &StoreSnapshot, handoff: &Handoff) -> Checked {
    let is_waiting = handoff.progress.child.is_some() || found.head.is_halted;
    let epoch = handoff.claim().filter(|_| !is_waiting).map(|claim| claim.epoch);
    let is_new = epoch.is_none_or(|epoch| epoch == found.head.claim_epoch);
    must(is_new, "no claim outlives a halt", || format!("{}: {epoch:?}", handoff.id))
}

/// Every approval was given for the revision and the receiver it names; none is younger than its
/// revision.
fn signatures(handoff: &Handoff, logged: &LoggedHandoff) -> Checked {
    for approval in handoff.progress.signatures.iter().filter(|one| !one.is_denial) {
        let signature = Signature {
            gate: hash_of_digest(&approval.gate),
            person: Some(approval.person),
            revision: u64::from(approval.revision),
            receiver: Some(approval.receiver),
        };
        let is_signed = logged.approvals.signatures.contains(&signature);
        must(is_signed, "approvals never outlive a revision", || {
            format!("{}: nobody signed revision {}", handoff.id, approval.revision)
        })?;
    }
    Ok(())
}

/// Nothing is offered without the approvals it needs now, and nothing is held without a reason.
fn approvals(found: &StoreSnapshot, handoff: &Handoff, logged: &LoggedHandoff) -> Checked {
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    let says = |what: &str| format!("{}: {what}, {:?}", handoff.id, logged.approvals);
    must(
        logged.approvals.receiver == Some(facts.receiver),
        "the log tells whom it is for",
        || says(&facts.receiver.to_string()),
    )?;
    let accepted = progress.accepted.as_ref().map(|accepted| Accepted {
        revision: u64::from(accepted.revision),
        receiver: Some(accepted.receiver),
    });
    match &progress.state {
        State::Offered(_) => {
            let is_given = logged.approvals.is_granted(&found.directory, u64::from(facts.revision));
            must(is_given, "approvals never outlive a revision", || says("offered"))?;
        }
        State::Held(Hold { approval_request: None, .. }) => {
            let is_open = |digest: &String| {
                let gate = found.directory.gate(digest);
                !gate.is_some_and(|gate| is_signed(handoff, digest, gate, found.head.last_at))
            };
            let is_needed = logged.approvals.is_required() || facts.terms.gates.iter().any(is_open);
            must(is_needed, "nothing is held for nothing", || says("held"))?;
        }
        _ => {}
    }
    must(accepted == logged.approvals.accepted, "an accept is kept as it was given", || {
        says(&format!("{accepted:?} is stored"))
    })
}

/// Checks a claim that a new leaf speaks of: every gate is signed for exactly what was claimed. What
/// was given back or taken away right after, as `later` says, has other gates and signatures by now.
pub(crate) fn signed(found: &StoreSnapshot, leaf: &Leaf, later: &[LeafRow]) -> Checked {
    const RULE: &str = "approvals never outlive a revision";
    let is_claim = matches!(leaf.event, EventType::Claimed | EventType::Intercepted);
    let Some(subject) = leaf.subject.filter(|_| is_claim) else { return Ok(()) };
    let is_own = |row: &&LeafRow| row.handoff == Some(subject.handoff);
    if later.iter().filter(is_own).any(|row| is_offer(row.kind, false)) {
        return Ok(());
    }
    let Some(handoff) = found.handoffs.iter().find(|one| one.id == subject.handoff) else {
        return Ok(());
    };
    for digest in &handoff.facts.terms.gates {
        let says = || format!("{}: gate {digest} is not signed", handoff.id);
        let gate = found.directory.gate(digest);
        let gate = gate.ok_or_else(|| Violation { rule: RULE, found: says() })?;
        must(is_signed(handoff, digest, gate, leaf.time), RULE, says)?;
    }
    Ok(())
}

/// Checks a decision that a new leaf speaks of: by a person, and never about their own.
pub(crate) fn decided(found: &StoreSnapshot, leaf: &Leaf) -> Checked {
    let is_own_too = match leaf.event {
        EventType::Accepted if leaf.actor.kind == ActorKind::System => return Ok(()),
        EventType::Accepted | EventType::Rejected | EventType::SignedOff => false,
        EventType::Denied | EventType::Edited | EventType::Intercepted => true,
        _ => return Ok(()),
    };
    let sender = found.handoffs.iter().find(|one| Some(one.id) == leaf.subject.map(|s| s.handoff));
    let is_own = sender.is_some_and(|one| Some(one.facts.sender) == leaf.actor.party);
    let is_right = leaf.actor.kind == ActorKind::Human && (is_own_too || !is_own);
    must(is_right, "a person decides, and never about their own", || {
        format!("leaf {}, {} by {:?}", leaf.number, leaf.event.name(), leaf.actor)
    })
}

/// Counted anew: so many different people per factor, none of whom wrote what they signed.
fn is_signed(handoff: &Handoff, digest: &str, gate: &Gate, now: Timestamp) -> bool {
    let facts = &handoff.facts;
    let counts = |approval: &&GateSignature| {
        let age = now.duration_since(approval.at).as_millis();
        !approval.is_denial
            && approval.gate == digest
            && approval.revision == facts.revision
            && approval.digest == facts.summary.digest
            && approval.receiver == facts.receiver
            && !facts.contributors.contains(&approval.person)
            && gate.ttl.is_none_or(|ttl| age < i128::from(ttl.milliseconds()))
    };
    let valid: Vec<&GateSignature> = handoff.progress.signatures.iter().filter(counts).collect();
    let mut people: Vec<_> = valid.iter().map(|approval| approval.person).collect();
    people.sort_unstable();
    let signatures = people.len();
    people.dedup();
    let is_distinct = !gate.distinct.across_factors || people.len() == signatures;
    is_distinct
        && gate.factors.iter().all(|factor| {
            let of_factor = valid.iter().filter(|approval| approval.factor == factor.name).count();
            of_factor as u64 >= u64::from(factor.approvals)
        })
}

/// Nothing vanishes: an open handoff waits for somebody who is there, or for the clock.
fn can_progress(found: &StoreSnapshot, handoff: &Handoff) -> Checked {
    let directory = &found.directory;
    let is_due = deadlines::due_at(directory, handoff).is_some();
    let progress = &handoff.progress;
    let is_somebodys_turn = match &progress.state {
        State::Held(_) | State::Returned(_) => {
            directory.parties().iter().any(|party| directory.is_people(party.id))
        }
        State::Offered(_) => {
            let may_take = |party: &&Party| {
                party.kind != PartyKind::Role
                    && directory.is_or_is_in(party.id, handoff.facts.receiver)
                    && !progress.declined_by.contains(&party.id)
            };
            directory.parties().iter().any(may_take)
        }
        // Its lease runs, or its child goes on, or an operator lifts the halt.
        State::Claimed(_) => progress.child.is_some() || is_due,
        _ => true,
    };
    must(is_somebodys_turn || is_due, "nothing vanishes", || {
        format!("{} is {} for nobody", handoff.id, progress.state.word().as_str())
    })
}
