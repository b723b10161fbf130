//! A receiver takes the work under a lease.
//!
//! A claim is exclusive until its lease lapses. Each carries a fence that grows by one; a
//! write that states an older fence is refused, so a receiver that woke up late can never overwrite
//! the one that replaced it.
//!
//! Not here: how long a lease is (`lease`), lapsing (`deadlines`), and telling receivers that work exists (a cursor over the log).

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId, PartyId};
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::rules::RuleMatch;

use super::lease::lease;
use crate::model::context::later;
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

/// Work to be taken.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Claim {
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

/// A claim whose texts were scanned for secrets.
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
        text::key(request.key.as_deref())?;
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
        // The same key is the same claim, also where the next one is asked for.
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

/// Decides a claim.
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

/// Claiming twice with the same key is claiming once, while that claim lives: also while its holder
/// waits for leave. Work that was passed on is not its holder's to claim, and no other is given for it.
fn same_claim(context: &Context<'_>, request: &Claim) -> Result<Option<Change>, Refusal> {
    if request.key.is_none() {
        return Ok(None);
    }
    let is_same = |claim: &handoff::Claim| {
        claim.key == request.key
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

/// The most urgent offer that the caller may claim.
fn next<'a>(context: &'a Context<'_>, request: &Claim) -> Result<&'a Handoff, Refusal> {
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
    authorization::may_reach(context, handoff, own)?;
    looked_at(context, handoff)?;
    // Whether it may come to this receiver was asked on its way; a role has members that nobody looked at.
    if handoff.facts.receiver != own {
        chain::one_way(context, &handoff.facts, own)?;
        asked_for_claimer(context, handoff)?;
    }
    reads(context, request, handoff)
}

/// Gates and rules that name somebody count for whoever is in the role when the work comes to it. Who
/// came into the role later is asked for now.
fn asked_for_claimer(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let (directory, own) = (&context.state.directory, context.principal.party);
    let (gates, demands) = asked_for_member(directory, handoff, own);
    let hint = || format!("a person sends it to you alone: `tasuki reroute {}`", handoff.id);
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
        "rule `{}` demands that a person looks before you take handoff {}",
        demand.rule, handoff.id
    );
    Err(Refusal::new(RefusalCode::PersonNeeded, message).hint(hint()))
}

/// What nobody has looked at, because it was for people, is not for an agent who came into the role.
fn looked_at(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    if context.principal.is_human() {
        return Ok(());
    }
    let reasons = reasons_for_agents(&context.state.directory, handoff, context.now);
    if reasons.is_empty() {
        return Ok(());
    }
    let message = format!(
        "handoff {} was offered to people, and nobody has looked at it: {}",
        handoff.id,
        words(&reasons).join(", ")
    );
    Err(Refusal::new(RefusalCode::PersonNeeded, message).hint("a person of the role takes it"))
}

fn taken(context: &Context<'_>, handoff: &Handoff, claim: &handoff::Claim) -> Refusal {
    let id = handoff.id;
    if let Some(child) = handoff.progress.child {
        let message = format!("handoff {id} was passed on with {child}");
        return Refusal::new(RefusalCode::ClaimAlready, message)
            .hint("it is offered again if the other one ends without being claimed")
            .naming(child);
    }
    let holder = context.state.directory.name(claim.holder);
    let until = context.state.directory.pauses.lease_end(claim);
    let message = format!("handoff {id} is claimed by `{holder}` until {until:.0}");
    Refusal::new(RefusalCode::ClaimAlready, message).hint(format!("claim again after {until:.0}"))
}

/// The receiver reads the contract's version: what it says now, or what it is registered with.
fn reads(context: &Context<'_>, request: &Claim, handoff: &Handoff) -> Result<(), Refusal> {
    let Some(contract) = &handoff.facts.terms.contract else { return Ok(()) };
    let registered = context.state.directory.party(context.principal.party);
    let registered = registered.map_or(&[][..], |party| party.reads.as_slice());
    let reads = if request.reads.is_empty() { registered } else { request.reads.as_slice() };
    if reads.is_empty() || reads.iter().any(|read| is_of_same_major(read, contract)) {
        return Ok(());
    }
    let message =
        format!("handoff {} is under `{contract}`, you read {}", handoff.id, reads.join(", "));
    Err(Refusal::new(RefusalCode::ContractUnsupported, message)
        .hint("read that version, or decline the handoff so that it goes on"))
}

fn claimed(context: &Context<'_>, request: &Claim, mut handoff: Handoff) -> Change {
    let mut change = Change::default();
    mark_delivered::read_by(context, &mut handoff, &mut change);
    let lease = lease(context, &handoff.facts.terms, request.lease, request.is_renewed);
    let claim = take(context, &mut handoff, lease, request.key.clone(), false);
    let said = said(request, &handoff);
    let event = change.record_event(EventType::Claimed, handoff.id, context.actor());
    event
        .with("claim", claim.id)
        .with("fence", claim.fence)
        .with("attempt", handoff.progress.lapses + 1)
        .with("until", claim.until);
    if let Some(said) = said {
        let sealed = Sealed::document(&said, context.seed.salt("claim"));
        event.bringing(sealed.commitment);
        change.put_document(handoff.id, DocumentKind::Claim, claim.id.to_string(), sealed);
    }
    chain::child_claimed(context, &handoff, &mut change);
    change.show_with_claim(handoff.id);
    change.put(handoff);
    change
}

/// Gives the handoff to the caller under the next fence. Work under a claim of somebody else has not
/// started.
pub fn take(
    context: &Context<'_>,
    handoff: &mut Handoff,
    lease: Duration,
    key: Option<String>,
    is_intercept: bool,
) -> handoff::Claim {
    handoff.progress.fence = handoff.progress.fence.max(context.state.head.fence_floor) + 1;
    let claim = handoff::Claim {
        id: context.seed.id::<ClaimId>("claim", context.now),
        holder: context.principal.party,
        fence: handoff.progress.fence,
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
        progress.progress_at = goes_on_from(given_back, context.now);
    } else {
        progress.progress_at = context.now;
        progress.started_at = None;
    }
    progress.state = State::Claimed(claim.clone());
    claim
}

/// Whoever gives work back and takes it again without anything in between has not made progress.
fn goes_on_from(given_back: &ReleasedClaim, now: Timestamp) -> Timestamp {
    let quiet = given_back.at.duration_since(given_back.quiet_since);
    now.checked_sub(quiet).unwrap_or(now)
}

/// What the claim's leaf commits to besides the packet: what the claimer was given and said.
///
/// A claimer of the first attempt was given the packet, which the leaf's subject names already.
fn said(request: &Claim, handoff: &Handoff) -> Option<Value> {
    let mark = handoff.progress.checkpoint.as_ref();
    if mark.is_none() && request.read_back.is_none() && request.drift.is_none() {
        return None;
    }
    let mut said = json!({
        "given": { "revision": handoff.facts.revision, "digest": handoff.facts.summary.digest },
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
    fn a_refused_claim_says_why_and_what_to_do() {
        let mut said = Vec::new();
        let (mut world, id) = offered(&json!({ "to_agent": "role:team" }));
        said.push(world.refused("ana", claim(id)));
        world.done("ben", decline(id));
        said.push(world.refused("ben", claim(id)));
        world.done("cem", claim(id));
        said.push(world.refused("ben", claim(id)));
        let not_before = world.now + jiff::SignedDuration::from_secs(60);
        let shown = world.shown();
        let parked = crate::steps::Park { claim: shown, not_before, reason: None };
        world.done("cem", Command::Park(parked));
        said.push(world.refused("cem", claim(id)));
        world.advance(60);
        let text = "which tenant?".to_owned();
        let question = Ask { handoff: id, field: None, text, is_blocking: true };
        world.done("cem", Command::Ask(question));
        said.push(world.refused("cem", claim(id)));
        said.push(world.refused("cem", next()));
        world.done("pia", halt(false));
        said.push(world.refused("cem", claim(id)));
        let (mut world, id) = offered(&json!({ "can_intercept": true }));
        said.push(world.refused("ben", claim(id)));
        insta::assert_snapshot!(said.join("\n"), @"
        TK-NOT-ALLOWED: the receiver of handoff hof_… is `role:team`, not `ana`
          `tasuki show` says whose turn it is
        TK-CLAIM-DECLINED: you declined handoff hof_…
          another member of the role takes it, or the next rung does
        TK-CLAIM-ALREADY: handoff hof_… is claimed by `cem` until 2026-11-15T10:30:00Z
          claim again after 2026-11-15T10:30:00Z
        TK-CLAIM-EARLY: handoff hof_… is parked until 2026-11-15T10:01:00Z
          claim it then
        TK-QUESTION-OPEN: question qst_… on handoff hof_… waits for an answer
          the sender answers with `tasuki answer`
        TK-NOTHING-OFFERED: nothing is offered to `cem`
          `tasuki wait` blocks until something is
        TK-PROJECT-HALTED: the project is halted: nobody claims, renews, returns or passes on
          leave a last checkpoint; an operator lifts the halt with `tasuki halt --lift`
        TK-STATE-CONFLICT: handoff hof_… is held; to claim it, it must be offered
          `tasuki show` says what can be done with it now
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
            Command::RequestApproval(crate::steps::RequestApproval { claim: shown, action }),
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
    fn what_a_claimer_says_has_the_limits_of_a_packet() {
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
    fn the_next_one_is_the_riskiest_then_the_one_that_waits_longest() {
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
        // What was released waits since then, so the other one of equal risk comes first.
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
    fn the_next_one_skips_what_cannot_be_claimed() {
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
    fn the_same_key_is_the_same_claim_for_the_next_one_too() {
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
        let mut said = Vec::new();
        for command in [
            Command::Renew(Renew { claim: first, lease: None }),
            checkpoint(first, &json!({})),
            release(first),
            pass_on(first, "cem"),
            return_packet(first, &json!({})),
        ] {
            said.push(world.refused("ben", command));
        }
        said.dedup();
        insta::assert_snapshot!(said.join("\n"), @"
        TK-CLAIM-STALE: fence 1 does not hold handoff hof_…, which is claimed by `ben` with fence 2
          stop working on it: what you did is in your checkpoints; `tasuki inbox` shows what is yours
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
                world.done("ana", crate::testing::verdict(id, false));
            }
        }
        assert_eq!(fences, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn the_receiver_must_read_the_version() {
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
        TK-CONTRACT-UNSUPPORTED: handoff hof_… is under `work@1.2`, you read work@2.0, other@1.2
          read that version, or decline the handoff so that it goes on
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
        TK-CHAIN-LOOP: `ben` had this work before, and work goes one way
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
        TK-CLAIM-ALREADY: handoff hof_… was passed on with hof_…
          it is offered again if the other one ends without being claimed
        ");
    }

    #[test]
    fn the_leaf_of_a_claim_commits_to_what_was_given_and_said() {
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
        let said = world.document(DocumentKind::Claim).unwrap();
        assert_eq!(said["given"]["checkpoints"], 1);
        assert_eq!(said["given"]["revision"], 1);
        assert_eq!(said["given"]["digest"], world.handoff().facts.summary.digest.as_str());
        let mark = world.handoff().progress.checkpoint.clone().unwrap();
        assert_eq!(said["given"]["last_checkpoint"], mark.id.to_string());
        assert_eq!(said["read_back"]["first_step"], "run the tests");
        assert_eq!(said["drift"]["branch"], "other");
        let leaf = Leaf::read(world.leaves.last().unwrap().leaf.as_bytes()).unwrap();
        let sealed = &world.documents.last().unwrap().sealed;
        assert_eq!((leaf.event, leaf.document), (EventType::Claimed, Some(sealed.commitment)));
    }

    #[test]
    fn a_person_who_takes_over_has_not_delivered_it_to_its_receiver() {
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
