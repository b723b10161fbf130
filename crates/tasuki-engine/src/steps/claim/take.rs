//! A receiver claims work under a lease.
//!
//! A claim is exclusive until its lease expires. Its fence is greater than that of every earlier
//! claim, and a write with an older fence is refused. So a receiver that wakes up late can never
//! overwrite its successor.
//!
//! The length of a lease is in `lease`, its expiry in `deadlines`.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId, PartyId};
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::rules::RuleMatch;

use super::lease::lease;
use crate::hmac::key_hash;
use crate::model::context::later;
use crate::model::idempotency;
use crate::model::{
    Change, Context, Directory, DocumentKind, Handoff, IdempotencyKey, LoadSet, ReleasedClaim,
    Scope, Sealed, State, handoff,
};
use crate::ports::Loaded;
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::asked_for_member;
use crate::rules::offer::{reasons_for_agents, words};
use crate::rules::route::is_of_same_major;
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, chain, fencing, gate};
use crate::steps::Step;
use crate::steps::step::PreparedStep;
use crate::steps::system::mark_delivered;

/// Claims work.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Claim {
    /// The handoff; without one, the next offer to the caller.
    pub handoff: Option<HandoffId>,
    /// The requested lease.
    pub lease: Option<Duration>,
    /// `true` if a process renews the lease.
    pub is_renewed: bool,
    /// The caller's idempotency key. A second claim with it returns the first.
    pub key: Option<String>,
    /// The contract versions that the caller supports, as `name@version`; defaults to the
    /// registered.
    pub reads: Vec<String>,
    /// The receiver's restatement of the goal and the first step.
    pub read_back: Option<Value>,
    /// The drift that the receiver reports. It is a claim of the receiver, not a verified fact.
    pub drift: Option<Value>,
}

/// A claim with its texts scanned for secrets.
#[derive(Debug)]
pub struct PreparedClaim {
    request: Claim,
    redacted: usize,
}

impl Step for Claim {
    const NAME: &'static str = "claim";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);
    type Prepared = PreparedClaim;

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedClaim, Refusal> {
        let mut request = self.clone();
        request.key.as_deref().map_or(Ok(()), idempotency::check_key)?;
        let texts = [("read-back", &mut request.read_back), ("drift report", &mut request.drift)];
        let mut redacted = 0;
        for (what, text) in texts {
            if let Some(text) = text {
                text::within_limits(what, text)?;
                redacted += text::without_secrets(text, &input.directory.settings)?;
            }
        }
        Ok(PreparedClaim { request, redacted })
    }
}

impl PreparedStep for PreparedClaim {
    fn handoff(&self) -> Option<HandoffId> {
        self.request.handoff
    }

    fn load(&self, directory: &Directory, caller: PartyId, set: &mut LoadSet) {
        if self.request.handoff.is_none() {
            set.one_more_offer(directory.claims_for(caller));
        }
    }

    fn load_further(&self, caller: PartyId, loaded: &Loaded, set: &mut LoadSet) {
        // A repeated key must return the same claim, even when asking for the next offer.
        let Some(key) = self.claim_key(caller) else { return };
        let known = loaded.remembered.iter().filter(|(known, _)| *known == key);
        let claims = known.filter_map(|(_, remembered)| remembered.answer.claim.as_ref());
        set.handoffs.extend(claims.filter_map(|claim| claim.handoff.parse::<HandoffId>().ok()));
    }

    fn claim_key(&self, caller: PartyId) -> Option<IdempotencyKey> {
        let key = self.request.key.clone().filter(|_| self.request.handoff.is_none())?;
        Some(IdempotencyKey { party: caller, command: "claim_next", key })
    }

    fn redacted_count(&self) -> usize {
        self.redacted
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, &self.request)
    }
}

fn decide(context: &Context<'_>, request: &Claim) -> Result<Change, Refusal> {
    authorization::scope(context, Scope::Receive)?;
    if let Some(change) = same_claim(context, request)? {
        return Ok(change);
    }
    if context.state.head.is_halted {
        return Err(fencing::halted(context));
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

/// Returns a caller's key as a claim stores it.
pub(crate) fn stored_key(context: &Context<'_>, key: Option<&str>) -> Option<String> {
    key.map(|key| key_hash(&context.state.head.fingerprint_key, key))
}

/// Replays a claim with the same key while that claim is live, also while it waits for an approval.
/// A claim on work that was passed on is refused, and no other work is claimed for the key.
fn same_claim(context: &Context<'_>, request: &Claim) -> Result<Option<Change>, Refusal> {
    let Some(key) = stored_key(context, request.key.as_deref()) else { return Ok(None) };
    let is_same = |claim: &handoff::Claim| {
        claim.key.as_ref() == Some(&key)
            && claim.holder == context.principal.party
            && claim.epoch == context.state.head.claim_epoch
    };
    let is_asked = |handoff: &Handoff| request.handoff.is_none_or(|id| id == handoff.id);
    let same = context
        .state
        .handoffs()
        .filter(|handoff| is_asked(handoff) && handoff.claim().is_some_and(is_same));
    let Some(handoff) = same.min_by_key(|handoff| handoff.id) else { return Ok(None) };
    if let Some(claim) = handoff.claim().filter(|_| handoff.progress.child.is_some()) {
        return Err(taken(context, handoff, claim));
    }
    let mut change = Change::default();
    change.show_with_claim(handoff.id);
    change.answer.repeated = true;
    Ok(Some(change))
}

/// Returns the most urgent offer that the caller may claim.
fn next<'a>(context: &'a Context<'_>, request: &Claim) -> Result<&'a Handoff, Refusal> {
    let parties = context.state.directory.claims_for(context.principal.party);
    let offers = context.state.offers_to(&parties);
    let first = offers.into_iter().find(|offer| may_claim(context, request, offer).is_ok());
    first.ok_or_else(|| {
        let name = context.state.directory.name(context.principal.party);
        Refusal::new(RefusalCode::NothingOffered, format!("nothing is offered to `{name}`"))
            .hint("`tasuki wait` blocks until something is offered")
    })
}

/// Checks that the caller may claim this handoff now.
fn may_claim(context: &Context<'_>, request: &Claim, handoff: &Handoff) -> Result<(), Refusal> {
    authorization::receiver(context, handoff)?;
    let directory = &context.state.directory;
    let offer = match &handoff.progress.state {
        State::Offered(offer) => offer,
        State::Claimed(claim) => return Err(taken(context, handoff, claim)),
        State::Held(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => return Err(authorization::wrong_state(handoff, "claim", "offered")),
    };
    let own = context.principal.party;
    if let Some(not_before) = offer.not_before.filter(|not_before| context.now < *not_before) {
        let message = format!("handoff {} is parked until {not_before:.0}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimEarly, message).hint("claim it after that"));
    }
    if handoff.progress.declined_by.contains(&own) {
        let message = format!("you declined handoff {}", handoff.id);
        return Err(Refusal::new(RefusalCode::ClaimDeclined, message)
            .hint("another member of the role or the next rung takes it"));
    }
    if let Some(question) = handoff.progress.questions.iter().find(|question| question.is_blocking)
    {
        let message =
            format!("question {} on handoff {} waits for an answer", question.id, handoff.id);
        return Err(Refusal::new(RefusalCode::QuestionOpen, message)
            .hint("the sender must answer it with `tasuki answer`"));
    }
    gate::all_signed(directory, handoff, context.now)?;
    authorization::may_reach(context, handoff, own)?;
    looked_at(context, handoff)?;
    // The receiver was checked when the work was routed to it. The members of a role were not.
    if handoff.facts.receiver != own {
        chain::refuse_loop(context, &handoff.facts, own)?;
        asked_for_claimer(context, handoff)?;
    }
    reads(context, request, handoff)
}

/// Evaluates edge gates and rules for a member that joined the role after the offer.
fn asked_for_claimer(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let (directory, own) = (&context.state.directory, context.principal.party);
    let (gates, demands) = asked_for_member(directory, handoff, own);
    let hint = || format!("ask a person to send it to you with `tasuki reroute {}`", handoff.id);
    let is_new = |digest: &&String| !gate::is_bound(directory, &handoff.facts, digest);
    if let Some(digest) = gates.iter().find(is_new) {
        return Err(gate::unsigned(directory, handoff, digest).hint(hint()));
    }
    let is_known = |demand: &RuleMatch| handoff.facts.summary.demands.contains(&demand.rule);
    let Some(demand) = demands.into_iter().find(|demand| !is_known(demand)) else { return Ok(()) };
    if context.principal.is_human() {
        return Ok(());
    }
    let message = format!(
        "rule `{}` requires a person to look before you claim handoff {}",
        demand.rule, handoff.id
    );
    Err(Refusal::new(RefusalCode::PersonNeeded, message).hint(hint()))
}

/// Refuses an agent in a role of people if the offer was not held only because it was for people.
fn looked_at(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    if context.principal.is_human() {
        return Ok(());
    }
    let reasons = reasons_for_agents(&context.state.directory, handoff, context.now);
    if reasons.is_empty() {
        return Ok(());
    }
    let message =
        format!("handoff {} needs a person first: {}", handoff.id, words(&reasons).join(", "));
    Err(Refusal::new(RefusalCode::PersonNeeded, message).hint("a person of the role must claim it"))
}

fn taken(context: &Context<'_>, handoff: &Handoff, claim: &handoff::Claim) -> Refusal {
    let id = handoff.id;
    if let Some(child) = handoff.progress.child {
        let message = format!("handoff {id} was passed on as {child}");
        return Refusal::new(RefusalCode::ClaimAlready, message)
            .hint("it is offered again if that handoff ends unclaimed")
            .naming(child);
    }
    let holder = context.state.directory.name(claim.holder);
    let until = context.state.directory.pauses.lease_end(claim);
    let message = format!("handoff {id} is claimed by `{holder}` until {until:.0}");
    Refusal::new(RefusalCode::ClaimAlready, message).hint(format!("claim again after {until:.0}"))
}

/// Requires that the receiver supports the contract's version, as stated or registered.
fn reads(context: &Context<'_>, request: &Claim, handoff: &Handoff) -> Result<(), Refusal> {
    let Some(contract) = &handoff.facts.terms.contract else { return Ok(()) };
    let registered = context.state.directory.party(context.principal.party);
    let registered = registered.map_or(&[][..], |party| party.reads.as_slice());
    let reads = if request.reads.is_empty() { registered } else { request.reads.as_slice() };
    if reads.is_empty() || reads.iter().any(|read| is_of_same_major(read, contract)) {
        return Ok(());
    }
    let message = format!(
        "handoff {} is under `{contract}`, but you support {}",
        handoff.id,
        reads.join(", ")
    );
    Err(Refusal::new(RefusalCode::ContractUnsupported, message)
        .hint("support that version, or decline the handoff"))
}

fn claimed(context: &Context<'_>, request: &Claim, mut handoff: Handoff) -> Change {
    let mut change = Change::default();
    mark_delivered::read_by(context, &mut handoff, &mut change);
    let lease = lease(context, &handoff.facts.terms, request.lease, request.is_renewed);
    let claim =
        take(context, &mut handoff, lease, stored_key(context, request.key.as_deref()), false);
    let document = claim_document(request, &handoff);
    let event = change.record_event(EventType::Claimed, handoff.id, context.actor());
    event
        .with("claim", claim.id)
        .with("fence", claim.fence)
        .with("attempt", handoff.progress.lapses + 1)
        .with("until", claim.until);
    if let Some(document) = document {
        let sealed = Sealed::document(&document, context.seed.salt("claim"));
        event.bringing(sealed.commitment);
        change.put_document(handoff.id, DocumentKind::Claim, claim.id.to_string(), sealed);
    }
    chain::child_claimed(context, &handoff, &mut change);
    change.show_with_claim(handoff.id);
    change.put(handoff);
    change
}

/// Gives the handoff to the caller under the next fence, and resets the start of work unless the
/// same party claims it again.
pub fn take(
    context: &Context<'_>,
    handoff: &mut Handoff,
    lease: Duration,
    key: Option<String>,
    is_intercept: bool,
) -> handoff::Claim {
    let claim = handoff::Claim {
        id: context.seed.id::<ClaimId>("claim", context.now),
        holder: context.principal.party,
        fence: next_fence(context, handoff),
        epoch: context.state.head.claim_epoch,
        since: context.now,
        until: later(context.now, lease),
        lease,
        is_intercept,
        key,
    };
    let progress = &mut handoff.progress;
    if is_intercept {
        progress.taken_over_by = Some(claim.holder);
        progress.given_back = None;
    }
    let taken_again = progress.given_back.as_ref().filter(|given_back| {
        given_back.by == claim.holder && given_back.at == progress.progress_at
    });
    if let Some(given_back) = taken_again {
        progress.progress_at = carried_progress_at(given_back, context.now);
    } else {
        progress.progress_at = context.now;
        progress.started_at = None;
    }
    progress.state = State::Claimed(claim.clone());
    claim
}

/// Issues the next fence of a handoff.
pub(super) fn next_fence(context: &Context<'_>, handoff: &mut Handoff) -> u64 {
    handoff.progress.fence = handoff.progress.fence.max(context.state.head.fence_floor) + 1;
    handoff.progress.fence
}

/// Returns the instant of the last progress for a party that released the work and claimed it
/// again: a release is not progress.
fn carried_progress_at(given_back: &ReleasedClaim, now: Timestamp) -> Timestamp {
    let quiet = given_back.at.duration_since(given_back.quiet_since);
    now.checked_sub(quiet).unwrap_or(now)
}

/// Returns the document that the claim's leaf commits to: what the claimer received and stated. The
/// first claimer received only the packet, which the subject of the leaf names already.
fn claim_document(request: &Claim, handoff: &Handoff) -> Option<Value> {
    let mark = handoff.progress.checkpoint.as_ref();
    if mark.is_none() && request.read_back.is_none() && request.drift.is_none() {
        return None;
    }
    let mut document = json!({
        "given": { "revision": handoff.facts.revision, "digest": handoff.facts.summary.digest },
    });
    if let Some(mark) = mark {
        document["given"]["checkpoints"] = json!(mark.count);
        document["given"]["last_checkpoint"] = json!(mark.id);
    }
    for (name, value) in [("read_back", &request.read_back), ("drift", &request.drift)] {
        if let Some(value) = value {
            document[name] = value.clone();
        }
    }
    Some(document)
}

#[cfg(test)]
mod tests {
    use tasuki_packet::leaf::Leaf;

    use super::*;
    use crate::command::Command;
    use crate::rules::fencing::ClaimProof;
    use crate::steps::{Ask, Renew};
    use crate::testing::{
        World, checkpoint, claim, decline, halt, pass_on, release, return_packet, submit,
    };

    fn offered(more: &Value) -> (World, HandoffId) {
        let mut world = World::new();
        world.done("ana", submit(more));
        let id = world.newest();
        (world, id)
    }

    fn next() -> Command {
        Command::Claim(Claim::default())
    }

    fn keyed(handoff: Option<HandoffId>, key: &str) -> Command {
        Command::Claim(Claim { handoff, key: Some(key.to_owned()), ..Claim::default() })
    }

    #[test]
    fn a_refused_claim_has_a_reason_and_a_hint() {
        let mut refusals = Vec::new();
        let (mut world, id) = offered(&json!({ "to_agent": "role:team" }));
        refusals.push(world.refused("ana", claim(id)));
        world.done("ben", decline(id));
        refusals.push(world.refused("ben", claim(id)));
        world.done("cem", claim(id));
        refusals.push(world.refused("ben", claim(id)));
        let not_before = world.now + jiff::SignedDuration::from_secs(60);
        let shown = world.shown();
        let parked = crate::steps::Park { claim: shown, not_before, reason: None };
        world.done("cem", Command::Park(parked));
        refusals.push(world.refused("cem", claim(id)));
        world.advance(60);
        let text = "which tenant?".to_owned();
        let question = Ask { handoff: id, field: None, text, is_blocking: true };
        world.done("cem", Command::Ask(question));
        refusals.push(world.refused("cem", claim(id)));
        refusals.push(world.refused("cem", next()));
        world.done("pia", halt(false));
        refusals.push(world.refused("cem", claim(id)));
        let (mut world, id) = offered(&json!({ "can_intercept": true }));
        refusals.push(world.refused("ben", claim(id)));
        insta::assert_snapshot!(refusals.join("\n"), @"
        TK-NOT-ALLOWED: the receiver of handoff hof_… is `role:team`, not `ana`
          `tasuki show` shows whose turn it is
        TK-CLAIM-DECLINED: you declined handoff hof_…
          another member of the role or the next rung takes it
        TK-CLAIM-ALREADY: handoff hof_… is claimed by `cem` until 2026-11-15T10:30:00Z
          claim again after 2026-11-15T10:30:00Z
        TK-CLAIM-EARLY: handoff hof_… is parked until 2026-11-15T10:01:00Z
          claim it after that
        TK-QUESTION-OPEN: question qst_… on handoff hof_… waits for an answer
          the sender must answer it with `tasuki answer`
        TK-NOTHING-OFFERED: nothing is offered to `cem`
          `tasuki wait` blocks until something is offered
        TK-PROJECT-HALTED: the project is halted
          you can still record a checkpoint; an operator lifts the halt with `tasuki halt --lift`
        TK-STATE-CONFLICT: cannot claim handoff hof_…: it is held, but must be offered
          `tasuki show` lists the commands that are possible now
        ");
    }

    #[test]
    fn a_key_gives_no_second_handoff_while_its_claim_lives() {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        let first = world.newest();
        world.advance(1);
        world.done("ana", submit(&json!({ "task_id": "task-2" })));
        let taken = |world: &mut World, handoff: Option<HandoffId>| {
            let answer = world.run("ben", keyed(handoff, "k1"));
            answer.map(|answer| (answer.repeated, answer.claim.unwrap().handoff))
        };
        let id = first.to_string();
        assert_eq!(taken(&mut world, None), Ok((false, id.clone())));
        let shown = ClaimProof { handoff: first, fence: 1 };
        let action = json!("publish");
        world.done(
            "ben",
            Command::RequestApproval(crate::steps::RequestApproval {
                claim: shown,
                action,
                to: None,
                ends_task: false,
            }),
        );
        for asked in [None, Some(first)] {
            assert_eq!(taken(&mut world, asked), Ok((true, id.clone())));
        }
    }

    #[test]
    fn the_key_of_work_that_was_passed_on_claims_nothing() {
        let (mut world, parent) = offered(&json!({}));
        world.done("ben", keyed(None, "k1"));
        world.advance(1);
        world.done("ben", pass_on(world.shown(), "cem"));
        world.advance(1);
        world.done("ana", submit(&json!({ "task_id": "task-2" })));
        for asked in [None, Some(parent)] {
            world.check("ben", keyed(asked, "k1"), "refused TK-CLAIM-ALREADY");
        }
        world.check("ben", keyed(None, "k2"), "claimed by ben, fence 1");
    }

    #[test]
    fn the_statements_of_a_claimer_have_the_limits_of_a_packet() {
        let long = || Some(json!("x".repeat(1 << 20)));
        for request in [
            Claim { read_back: long(), ..Claim::default() },
            Claim { drift: long(), ..Claim::default() },
        ] {
            let (mut world, _) = offered(&json!({}));
            world.check("ben", Command::Claim(request), "refused TK-DOCUMENT-INVALID");
        }
    }

    #[test]
    fn the_next_offer_is_the_riskiest_then_the_oldest() {
        let mut world = World::new();
        let mut ids = Vec::new();
        for (task, more) in [
            ("slow", json!({})),
            ("sure", json!({ "confidence": 0.9 })),
            ("doubtful", json!({ "confidence": 0.6, "to_agent": "role:team" })),
            ("wild", json!({ "confidence": 0.3 })),
        ] {
            let mut more = more;
            more["task_id"] = json!(task);
            world.done("ana", submit(&more));
            ids.push(world.newest());
            world.advance(1);
        }
        // A release makes a new offer, so the other one of equal risk comes first.
        world.done("ben", claim(ids[0]));
        let shown = ClaimProof { handoff: ids[0], fence: 1 };
        world.done("ben", release(shown));
        let mut taken = Vec::new();
        while let Ok(answer) = world.run("ben", next()) {
            taken.push(answer.handoff.unwrap().task);
        }
        assert_eq!(taken, ["wild", "doubtful", "sure", "slow"]);
    }

    #[test]
    fn the_next_offer_skips_those_that_cannot_be_claimed() {
        let mut world = World::new();
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{ "name": "safety", "roles": ["role:people"] }],
            "applies": { "trigger": ["manual"] },
        }));
        let mut send = |task: &str, mut more: Value| {
            more["task_id"] = json!(task);
            world.advance(1);
            world.done("ana", submit(&more));
            world.newest()
        };
        send("gated", json!({ "trigger": { "kind": "manual" } }));
        let declined = send("declined", json!({ "to_agent": "role:team" }));
        let parked = send("parked", json!({}));
        let asked = send("asked", json!({}));
        send("free", json!({}));
        world.done("ben", decline(declined));
        world.done("ben", claim(parked));
        let not_before = world.now + jiff::SignedDuration::from_secs(60);
        let shown = ClaimProof { handoff: parked, fence: 1 };
        world.done(
            "ben",
            Command::Park(crate::steps::Park { claim: shown, not_before, reason: None }),
        );
        let text = "which?".to_owned();
        let question = Ask { handoff: asked, field: None, text, is_blocking: true };
        world.done("ben", Command::Ask(question));
        assert_eq!(world.done("ben", next()).handoff.unwrap().task, "free");
        assert!(world.refused("ben", next()).starts_with("TK-NOTHING-OFFERED"));
        assert_eq!(world.done("cem", next()).handoff.unwrap().task, "declined");
        world.advance(60);
        assert_eq!(world.done("ben", next()).handoff.unwrap().task, "parked");
    }

    #[test]
    fn the_same_key_is_the_same_claim_while_it_lives() {
        let (mut world, id) = offered(&json!({}));
        let first = world.done("ben", keyed(Some(id), "one"));
        let again = world.done("ben", keyed(Some(id), "one"));
        assert_eq!(again.claim, first.claim);
        assert!(again.repeated && !first.repeated);
        world.check("ben", keyed(Some(id), "two"), "refused TK-CLAIM-ALREADY");
        world.check("ben", claim(id), "refused TK-CLAIM-ALREADY");
        world.advance(30 * 60);
        world.check("ben", keyed(Some(id), "one"), "claimed by ben, fence 2");
    }

    #[test]
    fn the_same_key_is_the_same_claim_for_the_next_offer_too() {
        let (mut world, id) = offered(&json!({}));
        world.advance(1);
        world.done("ana", submit(&json!({ "task_id": "task-2" })));
        let first = world.done("ben", keyed(None, "one"));
        assert_eq!(first.claim.as_ref().unwrap().handoff, id.to_string());
        let again = world.done("ben", keyed(None, "one"));
        assert_eq!((again.claim, again.repeated), (first.claim, true));
        let other = world.done("ben", keyed(None, "two"));
        assert!(!other.repeated);
    }

    #[test]
    fn of_two_sessions_of_one_party_the_one_that_lost_the_lease_is_refused() {
        let (mut world, id) = offered(&json!({}));
        world.done("ben", claim(id));
        let first = world.shown();
        world.advance(30 * 60);
        world.check("ben", claim(id), "claimed by ben, fence 2");
        let mut refusals = Vec::new();
        for command in [
            Command::Renew(Renew { claim: first, lease: None }),
            checkpoint(first, &json!({})),
            release(first),
            pass_on(first, "cem"),
            return_packet(first, &json!({})),
        ] {
            refusals.push(world.refused("ben", command));
        }
        refusals.dedup();
        insta::assert_snapshot!(refusals.join("\n"), @"
        TK-CLAIM-STALE: your claim has expired (fence 1; the handoff is claimed by `ben` with fence 2)
          stop working on it; your checkpoints are kept, and `tasuki inbox` shows your work
        ");
        let second = world.shown();
        world.check("ben", return_packet(second, &json!({})), "done");
    }

    #[test]
    fn fences_only_grow() {
        let (mut world, id) = offered(&json!({ "return_required": ["status"] }));
        let mut fences = Vec::new();
        for step in 0..5 {
            world.done("ben", claim(id));
            let shown = world.shown();
            fences.push(shown.fence);
            match step {
                0 => drop(world.done("ben", release(shown))),
                1 => world.advance(30 * 60),
                2 => drop(world.done("ben", return_packet(shown, &json!({})))),
                3 => {
                    world.done("pia", halt(false));
                    world.done("pia", halt(true));
                }
                _ => {}
            }
            if step == 2 {
                world.done("ana", crate::testing::verdict(&world, id, false));
            }
        }
        assert_eq!(fences, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn the_receiver_must_support_the_version() {
        let mut world = World::new();
        world.contract(&json!({ "version": "1.2" }));
        world.done("ana", submit(&json!({})));
        let handoff = Some(world.newest());
        let mut reading = |reads: &[&str]| {
            let reads = reads.iter().map(|&read| read.to_owned()).collect();
            let command = Command::Claim(Claim { handoff, reads, ..Claim::default() });
            match world.run("ben", command.clone()) {
                Ok(_) => {
                    let shown = world.shown();
                    world.done("ben", release(shown));
                    "claimed".to_owned()
                }
                Err(_) => world.refused("ben", command),
            }
        };
        assert_eq!(reading(&["work@1.0"]), "claimed");
        assert_eq!(reading(&["work@2.0", "work@1.9"]), "claimed");
        assert_eq!(reading(&[]), "claimed");
        insta::assert_snapshot!(reading(&["work@2.0", "other@1.2"]), @"
        TK-CONTRACT-UNSUPPORTED: handoff hof_… is under `work@1.2`, but you support work@2.0, other@1.2
          support that version, or decline the handoff
        ");
    }

    #[test]
    fn a_member_of_a_role_that_had_the_work_before_does_not_get_it_back() {
        let (mut world, id) = offered(&json!({}));
        world.done("ben", claim(id));
        let shown = world.shown();
        world.advance(1);
        world.done("ben", pass_on(shown, "role:team"));
        let child = world.newest();
        insta::assert_snapshot!(world.refused("ben", claim(child)), @"
        TK-CHAIN-LOOP: `ben` already had this work earlier in the chain
          return the work, or publish a contract with `returns: { allowed: true }` for this edge
        ");
        world.check("ben", next(), "refused TK-NOTHING-OFFERED");
        world.check("cem", claim(child), "claimed by cem, fence 1");
    }

    #[test]
    fn a_parent_that_waits_for_its_child_is_not_claimed_again() {
        let (mut world, id) = offered(&json!({}));
        world.done("ben", claim(id));
        let shown = world.shown();
        world.advance(1);
        world.done("ben", pass_on(shown, "cem"));
        insta::assert_snapshot!(world.refused("ben", claim(id)), @"
        TK-CLAIM-ALREADY: handoff hof_… was passed on as hof_…
          it is offered again if that handoff ends unclaimed
        ");
    }

    #[test]
    fn the_leaf_of_a_claim_commits_to_what_was_received_and_stated() {
        let (mut world, id) = offered(&json!({}));
        world.done("ben", claim(id));
        assert_eq!(world.document(DocumentKind::Claim), None);
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({})));
        let given = world.document(DocumentKind::Checkpoint).unwrap();
        assert_eq!(given["packet_type"], "checkpoint");
        world.done("ben", release(shown));

        let command = Claim {
            handoff: Some(id),
            read_back: Some(json!({ "goal": "ship", "first_step": "run the tests" })),
            drift: Some(json!({ "branch": "other" })),
            ..Claim::default()
        };
        world.done("ben", Command::Claim(command));
        let document = world.document(DocumentKind::Claim).unwrap();
        assert_eq!(document["given"]["checkpoints"], 1);
        assert_eq!(document["given"]["revision"], 1);
        assert_eq!(document["given"]["digest"], world.handoff().facts.summary.digest.as_str());
        let mark = world.handoff().progress.checkpoint.clone().unwrap();
        assert_eq!(document["given"]["last_checkpoint"], mark.id.to_string());
        assert_eq!(document["read_back"]["first_step"], "run the tests");
        assert_eq!(document["drift"]["branch"], "other");
        let leaf = Leaf::read(world.leaves.last().unwrap().leaf.as_bytes()).unwrap();
        let sealed = &world.documents.last().unwrap().sealed;
        assert_eq!((leaf.event, leaf.document), (EventType::Claimed, Some(sealed.commitment)));
    }

    #[test]
    fn an_intercept_is_not_a_delivery_to_the_receiver() {
        let (mut world, id) = offered(&json!({}));
        let seen = crate::steps::SeenVersion::default();
        let take_over = crate::steps::Intercept { handoff: id, seen, reason: None };
        world.done("pia", Command::Intercept(take_over));
        assert_eq!(world.handoff().progress.delivered_at, None);
        let shown = world.shown();
        world.done("pia", release(shown));
        world.done("ben", claim(id));
        assert_eq!(world.handoff().progress.delivered_at, Some(world.now));
    }
}
