//! A receiver takes the work under a lease.
//!
//! A claim is exclusive until its lease lapses. Each carries a fencing token that grows by one; a
//! write that shows an older token is refused, so a receiver that woke up late can never overwrite
//! the one that replaced it.
//!
//! Not here: lapsing (`lapse`), and telling receivers that work exists (a cursor over the log).

use serde_json::{Value, json};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::authority::{self, Shown};
use crate::chain;
use crate::change::Change;
use crate::context::{Context, later};
use crate::document::{DocumentKind, Sealed};
use crate::gate;
use crate::handoff::{Claim, Handoff, State};
use crate::limits::{LEASE_DEFAULT, LEASE_MAX, LEASE_PERSON, LEASE_RENEWED};
use crate::principal::Scope;
use crate::refusal::{Refusal, RefusalCode};
use crate::terms::Terms;
use crate::view;

/// Work to be taken.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Which handoff; without one the next for the caller.
    pub handoff: Option<HandoffId>,
    /// How long the lease shall be.
    pub lease: Option<Duration>,
    /// Whether a process renews the lease.
    pub is_renewed: bool,
    /// The caller's own key: claiming again with it gives the same claim.
    pub key: Option<String>,
    /// Contract versions that the caller reads, as `name@version`; none means what is registered.
    pub reads: Vec<String>,
    /// The goal and the first step in the receiver's own words.
    pub read_back: Option<Value>,
    /// What the receiver found changed since the packet was written: its word, not a fact.
    pub drift: Option<Value>,
}

/// A lease to be made longer.
#[derive(Debug, Clone, Copy)]
pub struct Renew {
    /// The claim.
    pub shown: Shown,
    /// Another length from now on.
    pub lease: Option<Duration>,
}

/// Decides a claim.
pub fn decide(context: &Context<'_>, request: &Request) -> Result<Change, Refusal> {
    authority::scope(context, Scope::Receive)?;
    if let Some(change) = same_claim(context, request) {
        return Ok(change);
    }
    if context.state.head.is_halted {
        return Err(authority::halted(context));
    }
    let handoff = match request.handoff {
        Some(id) => {
            let handoff = context.state.handoff(id)?;
            may_claim(context, request, handoff)?;
            handoff
        }
        None => next(context, request)?,
    };
    Ok(claimed(context, request, handoff.clone()))
}

/// Claiming twice with the same key is claiming once.
fn same_claim(context: &Context<'_>, request: &Request) -> Option<Change> {
    let handoff = context.state.handoff(request.handoff?).ok()?;
    let State::Claimed(claim) = &handoff.progress.state else { return None };
    let is_same = claim.key.is_some()
        && claim.key == request.key
        && claim.holder == context.principal.party
        && claim.epoch == context.state.head.claim_epoch;
    is_same.then(|| {
        let mut change = Change::default();
        let directory = &context.state.directory;
        change.answer.handoff = Some(view::handoff(directory, handoff));
        change.answer.claim = Some(view::claim(directory, handoff, claim));
        change.answer.repeated = true;
        change
    })
}

/// The most urgent offer that the caller may claim.
fn next<'a>(context: &'a Context<'_>, request: &Request) -> Result<&'a Handoff, Refusal> {
    let parties = context.state.directory.claims_for(context.principal.party);
    let offers = context.state.offers_to(&parties);
    let first = offers.into_iter().find(|offer| may_claim(context, request, offer).is_ok());
    first.ok_or_else(|| {
        let name = context.state.directory.name(context.principal.party);
        Refusal::new(RefusalCode::NothingOffered, format!("nothing is offered to `{name}`"))
            .hint("`tasuki wait` blocks until something is")
    })
}

/// Whether the caller may claim this handoff now.
fn may_claim(context: &Context<'_>, request: &Request, handoff: &Handoff) -> Result<(), Refusal> {
    let directory = &context.state.directory;
    let offer = match &handoff.progress.state {
        State::Offered(offer) => offer,
        State::Claimed(claim) => {
            authority::receiver(context, handoff)?;
            let holder = directory.name(claim.holder);
            let message =
                format!("handoff {} is claimed by `{holder}` until {:.0}", handoff.id, claim.until);
            return Err(Refusal::new(RefusalCode::ClaimAlready, message)
                .hint(format!("claim again after {:.0}", claim.until)));
        }
        _ => return Err(authority::wrong_state(handoff, "claim", "offered")),
    };
    authority::receiver(context, handoff)?;
    let own = context.principal.party;
    if let Some(not_before) = offer.not_before.filter(|not_before| context.now < *not_before) {
        let message = format!("handoff {} is parked until {not_before:.0}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimEarly, message).hint("claim it then"));
    }
    if handoff.progress.declined_by.contains(&own) {
        let message = format!("you declined handoff {}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimDeclined, message)
            .hint("another member of the role takes it, or the next rung does"));
    }
    if let Some(question) = handoff.progress.questions.iter().find(|question| question.is_blocking)
    {
        let message =
            format!("question {} on handoff {} waits for an answer", question.id, handoff.id);
        return Err(Refusal::new(RefusalCode::QuestionOpen, message)
            .hint("the sender answers with `tasuki answer`"));
    }
    gate::all_signed(directory, handoff, context.now)?;
    chain::one_way(context, &handoff.facts, own)?;
    reads(context, request, handoff)
}

/// The receiver reads the contract's version: what it says now, or what it is registered with.
fn reads(context: &Context<'_>, request: &Request, handoff: &Handoff) -> Result<(), Refusal> {
    let Some(contract) = &handoff.facts.terms.contract else { return Ok(()) };
    let registered = context.state.directory.party(context.principal.party);
    let registered = registered.map_or(&[][..], |party| party.reads.as_slice());
    let reads = if request.reads.is_empty() { registered } else { request.reads.as_slice() };
    if reads.is_empty() || reads.iter().any(|read| is_of_same_major(read, contract)) {
        return Ok(());
    }
    let message =
        format!("handoff {} is under `{contract}`, you read {}", handoff.id, reads.join(", "));
    Err(Refusal::new(RefusalCode::VersionUnread, message)
        .hint("read that version, or decline the handoff so that it goes on"))
}

/// Minor versions only add, so any of the same major is read.
pub fn is_of_same_major(read: &str, contract: &str) -> bool {
    fn major(identity: &str) -> Option<(&str, &str)> {
        let (name, version) = identity.split_once('@')?;
        Some((name, version.split('.').next()?))
    }
    read == contract || major(read).is_some() && major(read) == major(contract)
}

/// How long the lease is: a person's own, else what is asked within the contract's, else a default.
pub fn lease(
    context: &Context<'_>,
    terms: &Terms,
    asked: Option<Duration>,
    is_renewed: bool,
) -> Duration {
    if context.principal.is_human() {
        return LEASE_PERSON;
    }
    let usual = if is_renewed { LEASE_RENEWED } else { LEASE_DEFAULT };
    match (asked, terms.lease) {
        (Some(asked), Some(limit)) => asked.min(limit),
        (Some(asked), None) => asked.min(LEASE_MAX),
        (None, Some(limit)) => limit,
        (None, None) => usual,
    }
}

fn claimed(context: &Context<'_>, request: &Request, mut handoff: Handoff) -> Change {
    let mut change = Change::default();
    let lease = lease(context, &handoff.facts.terms, request.lease, request.is_renewed);
    let claim = take(context, &mut handoff, lease, request.key.clone(), false);
    let said = said(request, &handoff);
    let event = change.happened(EventType::Claimed, handoff.id, context.actor());
    event
        .with("claim", claim.id)
        .with("token", claim.token)
        .with("attempt", handoff.progress.lapses + 1)
        .with("until", claim.until);
    if let Some(said) = said {
        let sealed = Sealed::document(&said, context.draw.salt("claim"));
        event.bringing(sealed.commitment);
        change.keep(handoff.id, DocumentKind::Claim, claim.id.to_string(), sealed);
    }
    chain::child_claimed(context, &handoff, &mut change);
    let directory = &context.state.directory;
    change.answer.handoff = Some(view::handoff(directory, &handoff));
    change.answer.claim = Some(view::claim(directory, &handoff, &claim));
    change.put(handoff);
    change
}

/// Gives the handoff to the caller under the next token.
pub fn take(
    context: &Context<'_>,
    handoff: &mut Handoff,
    lease: Duration,
    key: Option<String>,
    is_intercept: bool,
) -> Claim {
    handoff.progress.token += 1;
    let claim = Claim {
        id: context.draw.id::<ClaimId>("claim", context.now),
        holder: context.principal.party,
        token: handoff.progress.token,
        epoch: context.state.head.claim_epoch,
        since: context.now,
        until: later(context.now, lease),
        lease,
        is_intercept,
        key,
    };
    handoff.progress.progress_at = context.now;
    handoff.progress.delivered_at.get_or_insert(context.now);
    handoff.progress.state = State::Claimed(claim.clone());
    claim
}

/// What the claim's leaf commits to besides the packet: what the claimer was given and said.
///
/// A claimer of the first attempt was given the packet, which the leaf's subject names already.
fn said(request: &Request, handoff: &Handoff) -> Option<Value> {
    let mark = handoff.progress.checkpoint.as_ref();
    if mark.is_none() && request.read_back.is_none() && request.drift.is_none() {
        return None;
    }
    let mut said = json!({
        "given": { "revision": handoff.facts.revision, "digest": handoff.facts.sheet.digest },
    });
    if let Some(mark) = mark {
        said["given"]["checkpoints"] = json!(mark.count);
        said["given"]["last_checkpoint"] = json!(mark.id);
    }
    for (name, value) in [("read_back", &request.read_back), ("drift", &request.drift)] {
        if let Some(value) = value {
            said[name] = value.clone();
        }
    }
    Some(said)
}

/// Decides a renewal: the lease starts again. It is no progress and makes no leaf.
pub fn renew(context: &Context<'_>, request: &Renew) -> Result<Change, Refusal> {
    let (handoff, claim) = authority::holder(context, request.shown)?;
    let terms = &handoff.facts.terms;
    let lease = match request.lease {
        Some(asked) => lease(context, terms, Some(asked), false),
        None => claim.lease,
    };
    let mut handoff = handoff.clone();
    let renewed = renewed(context, claim, lease);
    handoff.progress.state = State::Claimed(renewed.clone());
    let mut change = Change::default();
    let directory = &context.state.directory;
    change.answer.claim = Some(view::claim(directory, &handoff, &renewed));
    change.put(handoff);
    Ok(change)
}

/// Every call that shows the token renews the lease.
pub fn renewed(context: &Context<'_>, claim: &Claim, lease: Duration) -> Claim {
    let until = later(context.now, lease).max(claim.until);
    Claim { until, lease, ..claim.clone() }
}
