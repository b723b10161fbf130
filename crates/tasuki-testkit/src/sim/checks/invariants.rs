//! Invariants that must hold after every step.
//!
//! `history` derives the expected state from the log; this module compares the store with it, per
//! handoff and as a whole. `ledger` compares the responses of callers.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::audit::log_check;
use tasuki_engine::model::document::hash_of_digest;
use tasuki_engine::model::{
    Directory, DocumentKind, GateSignature, Handoff, Head, Hold, Party, PartyKind, Pauses, State,
    StateWord,
};
use tasuki_engine::ports::{LeafRow, Order, Query, Store, Stored};
use tasuki_engine::rules::deadlines;
use tasuki_packet::leaf::{ActorKind, EventType, Leaf, Subject, check_chain};
use tasuki_packet::policy::gate::Gate;

use super::approvals::{Accepted, Signature, is_offer};
use super::history::{Checked, History, LoggedHandoff, Violation, must};
use crate::sim::engines::Engines;

pub(crate) struct StoreSnapshot {
    pub head: Head,
    pub directory: Arc<Directory>,
    /// The handoffs, oldest first.
    pub handoffs: Vec<Handoff>,
}

impl StoreSnapshot {
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

#[expect(clippy::needless_pass_by_value, reason = "passed to `map_err`")]
fn unreadable(fault: tasuki_engine::error::Fault) -> Violation {
    Violation { rule: "the store can be read", found: fault.to_string() }
}

/// Checks that the log is a chain, with the public check.
pub(crate) fn chain(history: &History) -> Checked {
    let chain = check_chain(history.leaves.iter().map(|row| row.leaf.as_bytes()));
    must(chain.is_ok(), "the log is a chain", || format!("{chain:?}"))
}

/// Checks that log and store match, with the public check.
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
        must(problem.is_none(), "the log check has no findings", || {
            format!("from {from}: {problem:?}")
        })?;
    }
    Ok(())
}

/// Checks that the whole log is unchanged since it was followed.
pub(crate) async fn whole_log(engines: &Engines<'_>, history: &History) -> Checked {
    let leaves = engines.observer.leaves(engines.project, 0, u32::MAX).await.map_err(unreadable)?;
    let rule = "acknowledged leaves survive a crash";
    let is_same = leaves == history.leaves;
    must(is_same, rule, || format!("{} leaves, expected {}", leaves.len(), history.leaves.len()))?;
    for (id, logged) in &history.handoffs {
        let own = engines.observer.leaves_of(engines.project, *id).await.map_err(unreadable)?;
        let is_same = own.iter().map(|row| row.n).eq(logged.numbers.iter().copied());
        must(is_same, "the back-links are the handoff's history", || id.to_string())?;
    }
    Ok(())
}

/// Checks new leaves against the documents they commit to.
pub(crate) async fn documents(engines: &Engines<'_>, leaf: &Leaf) -> Checked {
    const RULE: &str = "every leaf commits to stored documents";
    let Some(subject) = leaf.subject else { return Ok(()) };
    let stored = engines.observer.documents(engines.project, subject.handoff, None).await;
    let stored = stored.map_err(unreadable)?;
    let describe = |what: &str| format!("leaf {}, {}: {what}", leaf.number, leaf.event.name());
    let has = |commitment| stored.iter().any(|one| one.document.sealed.commitment == commitment);
    must(has(subject.packet), RULE, || describe("its packet is missing"))?;
    must(leaf.document.is_none_or(has), RULE, || describe("its document is missing"))
}

/// Returns the digest of the packet that a leaf commits to.
pub(crate) async fn packet_digest(
    engines: &Engines<'_>,
    subject: Subject,
) -> Result<Option<String>, Violation> {
    let kind = Some(DocumentKind::Packet);
    let stored = engines.observer.documents(engines.project, subject.handoff, kind).await;
    let stored = stored.map_err(unreadable)?;
    let is_meant = |one: &&Stored| one.document.sealed.commitment == subject.packet;
    Ok(stored.iter().find(is_meant).map(|one| one.document.sealed.digest.clone()))
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
            rule: "every stored handoff is in the log",
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

/// Checks that begun plus submitted handoffs equal those that have ended plus those that are open.
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
    let is_correct = is_recounted
        && (counts.begun, counts.submitted) == (begun, submitted)
        && sum == begun + submitted;
    must(is_correct, "the counters equal a recount", || format!("{counts:?}"))
}

/// Checks that a task has one live handoff. A parent that waits for its child counts as one with
/// it.
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

/// Checks that stored due times are the computed ones, or earlier by halts that were lifted since.
async fn due_times(engines: &Engines<'_>, found: &StoreSnapshot) -> Checked {
    const RULE: &str = "the stored due time is the computed one";
    // Copying a directory is slow, and most runs have no halts.
    let running = LazyCell::new(|| {
        let mut running = Directory::clone(&found.directory);
        running.pauses = Pauses::default();
        running
    });
    for (id, stored) in engines.due_times() {
        let handoff = found.handoffs.iter().find(|one| one.id == id);
        let due_at = |directory| handoff.and_then(|one| deadlines::due_at(directory, one));
        let computed = due_at(&found.directory);
        let is_correct = stored == computed || (due_at(&running)..=computed).contains(&stored);
        must(is_correct, RULE, || format!("{id}: {stored:?}, expected {computed:?}"))?;
    }
    let first = |directory: &Directory| {
        found.handoffs.iter().filter_map(|one| deadlines::due_at(directory, one)).min()
    };
    let next = engines.observer.next_due(engines.project).await.map_err(unreadable)?;
    let computed = first(&found.directory);
    let is_correct = next == computed || (first(&running)..=computed).contains(&next);
    must(is_correct, RULE, || format!("next is {next:?}, expected {computed:?}"))
}

/// Checks that no deadline is left to apply. While the project is halted none are applied.
pub(crate) async fn nothing_is_due(engines: &Engines<'_>) -> Checked {
    let found = StoreSnapshot::new(engines).await?;
    let now = engines.now(found.head.last_at);
    let next = engines.observer.next_due(engines.project).await.map_err(unreadable)?;
    let is_left = !found.head.is_halted && next.is_some_and(|next| next <= now);
    must(!is_left, "no due deadline is left", || format!("{next:?} at {now}"))
}

/// Checks that the stored halts are those of the log.
fn halts(found: &StoreSnapshot, history: &History) -> Checked {
    let kept = found.directory.pauses.halts();
    must(kept == history.halts, "the halts are those of the log", || format!("{kept:?}"))
}

/// Checks that a stored handoff matches its leaves.
fn matches_log(handoff: &Handoff, logged: &LoggedHandoff) -> Checked {
    let progress = &handoff.progress;
    let state = progress.state.word();
    let describe = |what: &str| format!("{}, {}: {what}", handoff.id, state.as_str());
    let end = (!handoff.is_open()).then_some(state);
    must(end == logged.end, "log order is event order", || describe(&format!("{:?}", logged.end)))?;
    let live = handoff.claim().map(|claim| claim.fence);
    must(live == logged.live, "at most one live claim", || {
        describe(&format!("stored {live:?}, by the log {:?}", logged.live))
    })?;
    must(progress.fence == logged.fence, "fences only grow", || describe("wrong fence"))?;
    let is_asking = matches!(&progress.state, State::Held(Hold { approval_request: Some(_), .. }));
    must(is_asking == logged.awaits_approval, "log order is event order", || {
        describe("awaits approval")
    })?;
    let last = logged.numbers.last().copied().unwrap_or_default();
    let is_same = progress.last_n == last
        && u64::from(handoff.facts.revision) == logged.revision
        && handoff.facts.is_begun == logged.is_begun;
    must(is_same, "log order is event order", || describe("wrong last leaf or revision"))
}

/// Checks that no claim is older than a halt, which ends all claims. Lifting it offers them again.
fn of_this_epoch(found: &StoreSnapshot, handoff: &Handoff) -> Checked {
    let is_waiting = handoff.progress.child.is_some() || found.head.is_halted;
    let epoch = handoff.claim().filter(|_| !is_waiting).map(|claim| claim.epoch);
    let is_new = epoch.is_none_or(|epoch| epoch == found.head.claim_epoch);
    must(is_new, "no claim outlives a halt", || format!("{}: {epoch:?}", handoff.id))
}

/// Checks that the log has every stored signature, for the revision and receiver it names.
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
            format!("{}: no signature for revision {}", handoff.id, approval.revision)
        })?;
    }
    Ok(())
}

/// Checks that an offer has all required approvals, and that a hold has a reason.
fn approvals(found: &StoreSnapshot, handoff: &Handoff, logged: &LoggedHandoff) -> Checked {
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    let describe = |what: &str| format!("{}: {what}, {:?}", handoff.id, logged.approvals);
    must(
        logged.approvals.receiver == Some(facts.receiver),
        "the receiver is that of the log",
        || describe(&facts.receiver.to_string()),
    )?;
    let accepted = progress.accepted.as_ref().map(|accepted| Accepted {
        revision: u64::from(accepted.revision),
        receiver: Some(accepted.receiver),
    });
    match &progress.state {
        State::Offered(_) => {
            let is_given = logged.approvals.is_granted(&found.directory, u64::from(facts.revision));
            must(is_given, "approvals never outlive a revision", || describe("offered"))?;
        }
        // A hold that began before the clock was set back keeps its time. Signatures that had
        // expired then may be valid again.
        State::Held(Hold { approval_request: None, since, .. }) if *since <= found.head.last_at => {
            let is_open = |digest: &String| {
                let gate = found.directory.gate(digest);
                !gate.is_some_and(|gate| is_signed(handoff, digest, gate, found.head.last_at))
            };
            let is_needed = logged.approvals.is_required() || facts.terms.gates.iter().any(is_open);
            must(is_needed, "every hold has a reason", || describe("held"))?;
        }
        _ => {}
    }
    must(accepted == logged.approvals.accepted, "a stored accept is that of the log", || {
        describe(&format!("{accepted:?} is stored"))
    })
}

/// Checks the claim of a new leaf: every gate is signed for exactly the claimed revision. A claim
/// that ends in `later` is skipped, because its gates and signatures may have changed.
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
        let describe = || format!("{}: gate {digest} is not signed", handoff.id);
        let gate = found.directory.gate(digest);
        let gate = gate.ok_or_else(|| Violation { rule: RULE, found: describe() })?;
        must(is_signed(handoff, digest, gate, leaf.time), RULE, describe)?;
    }
    Ok(())
}

/// Checks the decision of a new leaf: made by a person, and not about their own work.
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
    must(is_right, "a person decides, and never about their own work", || {
        format!("leaf {}, {} by {:?}", leaf.number, leaf.event.name(), leaf.actor)
    })
}

/// Recounts the signatures: enough different people per factor, none of whom contributed to the
/// packet.
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

/// Checks that an open handoff can progress: an existing party can act, or a deadline is pending.
fn can_progress(found: &StoreSnapshot, handoff: &Handoff) -> Checked {
    let directory = &found.directory;
    let is_due = deadlines::due_at(directory, handoff).is_some();
    let progress = &handoff.progress;
    let can_be_acted_on = match &progress.state {
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
        // Its lease is running, its child is open, or an operator lifts the halt.
        State::Claimed(_) => progress.child.is_some() || is_due,
        _ => true,
    };
    must(can_be_acted_on || is_due, "every open handoff can progress", || {
        format!("{} is {} and no one can act", handoff.id, progress.state.word().as_str())
    })
}
