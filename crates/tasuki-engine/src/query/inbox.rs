//! The inbox of a party.
//!
//! An empty inbox states the event and time as of which it was read. An inbox that could not be
//! read is an error. The two can therefore not be confused.

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_packet::id::PartyId;

use crate::error::Error;
use crate::limits::PAGE_MAX;
use crate::model::{Directory, Handoff, Head, HoldReason, Principal, State, StateWord, Urgency};
use crate::ports::{Order, Query};
use crate::query::continuation::Reader;
use crate::rules::gate::AtGate;
use crate::rules::{deadlines, deciders, deputies, verifier};
use crate::view::Viewer;

/// LIMIT: reads for one page if nothing found so far waits for this caller.
const SCANS_MAX: usize = 8;

/// The order of an inbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InboxOrder {
    /// High risk first, then the longest wait.
    #[default]
    Urgent,
    /// The next deadline first; handoffs without one come last.
    Deadline,
}

impl InboxOrder {
    const fn of_lists(self) -> Order {
        match self {
            Self::Urgent => Order::Urgent,
            Self::Deadline => Order::Deadline,
        }
    }
}

/// A page of an inbox: at most `limit` handoffs behind a position of an order.
#[derive(Debug, Clone, Copy)]
pub struct InboxPage {
    /// The order.
    pub order: InboxOrder,
    /// The position to continue after.
    pub behind: Option<Urgency>,
    /// The maximum number of handoffs.
    pub limit: u32,
}

impl InboxPage {
    /// Returns the first page in the usual order.
    pub const fn first(limit: u32) -> Self {
        Self { order: InboxOrder::Urgent, behind: None, limit }
    }
}

/// Returns a page of the caller's inbox:
///
/// - offers to it and its roles
/// - handoffs it holds
/// - returns it judges and questions it must answer
/// - for a person, every hold, and what waits for a person they stand in for
/// - for people and reviewers, returns that their senders may not judge
/// - on the first page, failures that it has not acknowledged (see `failures`)
pub(crate) async fn inbox(
    reader: &Reader<'_>,
    head: &Head,
    page: InboxPage,
) -> Result<api::Inbox, Error> {
    let InboxPage { order, behind, limit } = page;
    let (directory, principal, now) = (&*reader.directory, reader.principal, reader.now);
    let limit = limit.clamp(1, PAGE_MAX);
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut found, mut scanned_until): (Vec<Handoff>, _) = (Vec::new(), behind);
    for _ in 0..SCANS_MAX {
        let next = InboxPage { behind: scanned_until, limit, order };
        let scan = reader.scan(next).await?;
        for handoff in scan.found {
            if !found.iter().any(|known| known.id == handoff.id) {
                found.push(handoff);
            }
        }
        scanned_until = scan.until;
        if scanned_until.is_none() || found.len() > page {
            break;
        }
    }
    let next = match found.get(..page) {
        Some([.., last]) if found.len() > page => Some(reader.position(order, last)),
        _ => scanned_until,
    };
    found.truncate(page);
    let is_first = behind.is_none();
    let (failures, more_failures) =
        if is_first { reader.failures(limit).await? } else { (Vec::new(), false) };
    let viewer = Viewer { directory, principal, now };
    let mut handoffs = Vec::with_capacity(found.len());
    for one in &found {
        let question = reader.asked(one).await?;
        handoffs.push(api::Handoff { question, ..viewer.handoff(one) });
    }
    Ok(api::Inbox {
        party: directory.name(principal.party),
        handoffs,
        failures,
        more_failures,
        as_of_n: head.leaves.saturating_sub(1),
        as_of: now,
        more: next.is_some(),
        next: next.map(|urgency| urgency.to_string()),
    })
}

/// The result of one scan, most urgent first. If `until` is set, it is complete up to there.
struct Scan {
    found: Vec<Handoff>,
    until: Option<Urgency>,
}

impl Reader<'_> {
    /// Returns the position of a handoff in an order of the inbox.
    fn position(&self, order: InboxOrder, handoff: &Handoff) -> Urgency {
        match order {
            InboxOrder::Urgent => Urgency::of(handoff),
            InboxOrder::Deadline => {
                Urgency::by_deadline(handoff.id, deadlines::due_at(&self.directory, handoff))
            }
        }
    }

    /// Returns the first question that the caller must answer, if it may read it.
    async fn asked(&self, handoff: &Handoff) -> Result<Option<String>, Error> {
        if !is_asked(handoff, self.principal.party) {
            return Ok(None);
        }
        match self.open_questions(handoff).await {
            Err(Error::Refused(_)) => Ok(None),
            questions => Ok(questions?.into_iter().next().map(|one| one.question)),
        }
    }

    async fn scan(&self, page: InboxPage) -> Result<Scan, Error> {
        let position = |one: &Handoff| self.position(page.order, one);
        let (mut found, mut until): (Vec<Handoff>, Option<Urgency>) = (Vec::new(), None);
        for query in self.queries(page) {
            let listed = self.store.handoffs(self.project, query).await?;
            // A full list is only complete up to its last entry.
            if listed.len() > usize::try_from(page.limit).unwrap_or(usize::MAX) {
                let last = listed.last().map(position);
                until = until.into_iter().chain(last).min();
            }
            found.extend(listed);
        }
        found.retain(|one| {
            let is_seen = until.is_none_or(|until| position(one) <= until);
            is_seen && waits_for(&self.directory, one, self.principal, self.now)
        });
        found.sort_by_cached_key(position);
        found.dedup_by_key(|one| one.id);
        Ok(Scan { found, until })
    }

    /// Returns the queries of a page, each for one more than its limit.
    fn queries(&self, page: InboxPage) -> Vec<Query> {
        let own = self.principal.party;
        let own_and_roles = self.directory.claims_for(own);
        let represented = if self.principal.is_human() {
            deputies::represented(&self.directory, own, self.now)
        } else {
            Vec::new()
        };
        let with = |own: Vec<PartyId>| [own, represented.clone()].concat();
        let query = |states: &[StateWord]| Query {
            states: states.to_vec(),
            order: page.order.of_lists(),
            behind: page.behind,
            limit: page.limit + 1,
            ..Query::default()
        };
        let mut queries = vec![
            Query { receivers: with(own_and_roles.clone()), ..query(&[StateWord::Offered]) },
            Query { holder: Some(own), ..query(&[StateWord::Claimed, StateWord::Held]) },
            Query { senders: with(vec![own]), awaits_sender: true, ..query(&[]) },
            Query { judges: with(own_and_roles), ..query(&[]) },
        ];
        if self.principal.is_human() {
            queries.push(query(&[StateWord::Held]));
        }
        if verifier::judges_any(&self.directory, self.principal) {
            queries.push(Query { left_to_others: true, ..query(&[]) });
        }
        queries
    }
}

/// Returns `true` if a person can add nothing to a hold: they requested the approval themselves, it
/// is left to others, or they have signed or denied at every remaining gate.
fn has_decided(directory: &Directory, handoff: &Handoff, own: PartyId, now: Timestamp) -> bool {
    let State::Held(hold) = &handoff.progress.state else { return false };
    let is_asking = hold.approval_request.as_ref().is_some_and(|asked| asked.claim.holder == own);
    let has_signed = |reason: &HoldReason| {
        let HoldReason::Gate(digest) = reason else { return false };
        AtGate::new(directory, handoff, digest, now)
            .is_some_and(|at| at.word_of(own).is_some() && at.factors_for(own).is_empty())
    };
    let is_gate = |reason: &HoldReason| matches!(reason, HoldReason::Gate(_));
    let is_for_others =
        !hold.reasons.iter().any(is_gate) && !deciders::admit(directory, hold, own, now);
    is_asking || is_for_others || hold.reasons.iter().all(has_signed)
}

/// Returns `true` if a party must answer a question: the holder of a held claim, otherwise the sender.
fn is_asked(handoff: &Handoff, own: PartyId) -> bool {
    let has_questions = !handoff.progress.questions.is_empty();
    let answerer = || handoff.claim().map_or(handoff.facts.sender, |claim| claim.holder);
    let may_ask = matches!(handoff.progress.state, State::Held(_) | State::Offered(_));
    may_ask && has_questions && answerer() == own
}

/// Returns `true` if the handoff waits for this caller. A task that a program began by itself waits
/// for no one, unless its holder requests an approval.
fn waits_for(
    directory: &Directory,
    handoff: &Handoff,
    principal: &Principal,
    now: Timestamp,
) -> bool {
    let own = principal.party;
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    if progress.ends_at.is_some() && !matches!(progress.state, State::Held(_)) {
        return false;
    }
    let is_deputy = || deputies::in_place_of(directory, own, handoff, now).is_some();
    if principal.is_human() && is_deputy() {
        return true;
    }
    match progress.state.word() {
        StateWord::Offered => {
            let is_receiver =
                directory.is_or_is_in(own, facts.receiver) && !progress.declined_by.contains(&own);
            is_receiver || is_asked(handoff, own)
        }
        StateWord::Claimed => handoff.claim().is_some_and(|claim| claim.holder == own),
        StateWord::Held => {
            let decides = principal.is_human()
                && facts.sender != own
                && !has_decided(directory, handoff, own, now);
            is_asked(handoff, own) || decides
        }
        StateWord::Returned => {
            facts.sender == own && !handoff.is_left_to_others()
                || verifier::judges_in_place(directory, principal, handoff)
        }
        StateWord::Done
        | StateWord::PassedOn
        | StateWord::Rejected
        | StateWord::Cancelled
        | StateWord::Discarded
        | StateWord::Dead => false,
    }
}
