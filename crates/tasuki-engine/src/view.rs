//! Builds the response bodies that callers see.

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_packet::id::PartyId;
use tasuki_packet::policy::contract::PartyName;
use tasuki_packet::policy::gate::Factor;

use crate::model::{
    Channel, Claim, Directory, GateSignature, Handoff, Hold, HoldReason, Judge,
    NotificationFailure, Party, Principal, Published, Returned, SigningSecret, State, Status,
    SubscriptionRecord, TokenRecord, WorkTreeMark, failure,
};
use crate::ports::{Delivery, Found};
use crate::rules::causes::causes;
use crate::rules::deadlines::Upcoming;
use crate::rules::fallback::DEAD_LETTER;
use crate::rules::gate::AtGate;
use crate::rules::{authorization, deadlines, deputies, fallback, grants};

/// The caller who reads, and the time of reading.
#[derive(Debug, Clone, Copy)]
pub struct Viewer<'a> {
    /// The directory of the project.
    pub directory: &'a Directory,
    /// The caller.
    pub principal: &'a Principal,
    /// The time of reading.
    pub now: Timestamp,
}

impl Viewer<'_> {
    /// Returns a handoff as this caller may see it. If a gate hides the packet from the caller, the
    /// goal, the steps and the reasons of denials are left out.
    ///
    /// INVARIANT: lists, and responses to callers who may not read the packet, show handoffs
    /// through this function.
    pub fn handoff(&self, handoff: &Handoff) -> api::Handoff {
        let Self { directory, principal, now } = *self;
        let mut card = self::handoff(directory, handoff);
        let revision = handoff.facts.revision;
        if authorization::released_to(directory, principal, handoff, revision, now).is_err() {
            card.goal.clear();
            card.steps = None;
            let denied = card.gates.iter_mut().flat_map(|gate| &mut gate.denied);
            denied.for_each(|denial| denial.reason = None);
        }
        card.in_place_of = self.in_place_of(handoff);
        card
    }
}

impl Viewer<'_> {
    /// Returns the person in whose place the caller decides about a handoff.
    pub(crate) fn in_place_of(&self, handoff: &Handoff) -> Option<String> {
        let Self { directory, principal, now } = *self;
        let person = deputies::in_place_of(directory, principal.party, handoff, now);
        person.filter(|_| principal.is_human()).map(|person| directory.name(person))
    }
}

/// Returns a handoff as a caller who may read its packet sees it.
pub fn handoff(directory: &Directory, handoff: &Handoff) -> api::Handoff {
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    let name = |party: PartyId| directory.name(party);
    let (held_for, since, not_before): (Vec<String>, Option<Timestamp>, _) = match &progress.state {
        State::Held(hold) => (held_for(directory, &hold.reasons), Some(hold.since), None),
        State::Offered(offer) => (Vec::new(), Some(offer.since), offer.not_before),
        State::Claimed(claim) => (Vec::new(), Some(claim.since), None),
        State::Returned(returned) => (Vec::new(), Some(returned.since), None),
        State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => (Vec::new(), None, None),
    };
    let is_returned = matches!(progress.state, State::Returned(_));
    let upcoming =
        deadlines::upcoming(directory, handoff).filter(|_| !directory.pauses.is_halted());
    let person_judges = is_returned && facts.terms.verify == Judge::Person;
    api::Handoff {
        id: handoff.id.to_string(),
        task: facts.task.clone(),
        task_label: facts.task_label.clone(),
        state: progress.state.word().as_str().to_owned(),
        from: name(facts.sender),
        to: name(facts.receiver),
        holder: handoff.claim().map(|claim| name(claim.holder)),
        goal: facts.summary.title.clone(),
        revision: facts.revision,
        digest: facts.summary.digest.clone(),
        risk: handoff.risk().as_str().to_owned(),
        held_for,
        causes: causes(directory, handoff),
        deciders: deciders(&progress.state),
        action: action(&progress.state),
        gates: gates(directory, handoff),
        confidence: facts.summary.confidence,
        trigger: facts.summary.trigger.clone(),
        classification: facts.summary.classification.clone(),
        contract: facts.terms.contract.clone(),
        parent: facts.parent.map(|id| id.to_string()),
        child: progress.child.map(|id| id.to_string()),
        questions: progress.questions.iter().map(|question| question.id.to_string()).collect(),
        in_place_of: None,
        question: None,
        blocked: progress.questions.iter().any(|question| question.is_blocking),
        declined_by: progress.declined_by.iter().copied().map(name).collect(),
        returned_by: returned(&progress.state).map(|returned| name(returned.holder)),
        return_id: returned(&progress.state).map(|returned| returned.return_packet.to_string()),
        judge: handoff.judge().filter(|judge| !person_judges || *judge != facts.sender).map(name),
        person_judges,
        attempt: progress.lapses + 1,
        rung: progress.rung,
        reworks: progress.reworks,
        checkpoints: progress.checkpoint.as_ref().map_or(0, |mark| mark.count),
        steps: steps(handoff),
        alive_at: handoff.alive_at(),
        submitted_at: facts.submitted_at,
        since,
        due_at: upcoming.map(|upcoming| upcoming.at),
        due_for: upcoming.and_then(|upcoming| api::DueFor::named(upcoming.due_for)),
        next_rung: upcoming.and_then(|upcoming| next_rung(directory, upcoming)),
        not_before,
        delivered_at: progress.delivered_at,
        started_at: progress.started_at,
        notification_failure: failure::notification_failure(handoff)
            .map(|one| notification_failure(directory, one)),
        work_tree: progress.work_tree.clone().map(work_tree),
    }
}

fn work_tree(WorkTreeMark { id, branch, at }: WorkTreeMark) -> api::WorkTreeMark {
    api::WorkTreeMark { id, branch, at }
}

fn steps(handoff: &Handoff) -> Option<api::StepCounts> {
    let (done, left) = handoff.step_counts()?;
    Some(api::StepCounts { done, left })
}

/// Returns the rung that a handoff goes to at its next deadline.
fn next_rung(directory: &Directory, upcoming: Upcoming) -> Option<api::NextRung> {
    let rung = upcoming.rung?;
    let to = rung.to.map_or_else(|| DEAD_LETTER.to_owned(), |party| directory.name(party));
    Some(api::NextRung { to, at: upcoming.at, on: rung.on.as_str().to_owned() })
}

/// Returns the rungs of a handoff.
pub fn ladder(handoff: &Handoff) -> Vec<api::LadderRung> {
    let used = usize::try_from(handoff.rung()).unwrap_or(usize::MAX);
    let rungs = fallback::ladder(handoff).iter().enumerate();
    rungs
        .map(|(at, rung)| api::LadderRung {
            to: rung.to.clone(),
            after: rung.after.map(|after| after.to_string()),
            on: rung.on.clone(),
            used: at < used,
        })
        .collect()
}

/// Returns the return that waits for a verdict.
fn returned(state: &State) -> Option<&Returned> {
    let State::Returned(returned) = state else { return None };
    Some(returned)
}

/// Returns the notification failure of a handoff.
fn notification_failure(
    directory: &Directory,
    failure: &NotificationFailure,
) -> api::NotificationFailure {
    api::NotificationFailure {
        event: failure.event,
        wait: failure.wait.as_str().to_owned(),
        party: failure.party.map(|party| directory.name(party)),
        because: failure.because.as_str().to_owned(),
        at: failure.at,
    }
}

/// Returns the reasons of a hold. A gate is `gate:<name>`, plus its version if that is ambiguous.
fn held_for(directory: &Directory, reasons: &[HoldReason]) -> Vec<String> {
    let gate = |reason: &HoldReason| {
        if let HoldReason::Gate(digest) = reason { directory.gate(digest).cloned() } else { None }
    };
    let is_twice =
        |name: &str| reasons.iter().filter_map(gate).filter(|one| one.name == name).count() > 1;
    let word = |reason: &HoldReason| match (reason, gate(reason)) {
        (_, Some(gate)) if is_twice(&gate.name) => format!("gate:{}", gate.identity()),
        (_, Some(gate)) => format!("gate:{}", gate.name),
        (HoldReason::Gate(digest), None) => format!("gate:{digest}"),
        (other, None) => other.word().to_owned(),
    };
    reasons.iter().map(word).collect()
}

/// Returns the names of the people or roles to whom a hold is left.
fn deciders(state: &State) -> Vec<String> {
    let State::Held(hold) = state else { return Vec::new() };
    hold.deciders.iter().map(|decider| decider.by.clone()).collect()
}

/// Returns the action that a holder asks to have approved.
fn action(state: &State) -> Option<api::Action> {
    let State::Held(Hold { approval_request: Some(asked), .. }) = state else { return None };
    Some(api::Action { id: asked.document(), digest: asked.digest.clone() })
}

/// Returns the signatures of each gate. Expired signatures are included with their end, so that the
/// result does not depend on the current time.
fn gates(directory: &Directory, handoff: &Handoff) -> Vec<api::Gate> {
    let digests = handoff.facts.terms.gates.iter();
    let at_gates =
        digests.filter_map(|digest| AtGate::new(directory, handoff, digest, Timestamp::MIN));
    at_gates
        .map(|at_gate| api::Gate {
            name: at_gate.gate.identity().to_string(),
            factors: at_gate
                .gate
                .factors
                .iter()
                .map(|one| factor(directory, &at_gate, one))
                .collect(),
            denied: at_gate.denials().map(|word| denial(directory, &at_gate, word)).collect(),
        })
        .collect()
}

fn denial(directory: &Directory, at_gate: &AtGate<'_>, word: &GateSignature) -> api::Denial {
    api::Denial {
        by: directory.name(word.person),
        at: word.at,
        until: at_gate.counts_until(word),
        reason: word.reason.clone(),
    }
}

fn factor(directory: &Directory, at_gate: &AtGate<'_>, factor: &Factor) -> api::Factor {
    let signature = |word: &GateSignature| api::Signature {
        by: directory.name(word.person),
        at: word.at,
        until: at_gate.counts_until(word),
        joined_after_submit: word.joined_after_submit,
    };
    let left = at_gate.signatures_for(factor);
    let left = left.filter(|word| at_gate.has_left(factor, word.person));
    api::Factor {
        name: factor.name.clone(),
        roles: factor.roles.iter().map(|role| role.as_str().to_owned()).collect(),
        needed: factor.approvals,
        signed: at_gate.signed_for(factor).map(signature).collect(),
        left: left.map(signature).collect(),
    }
}

/// Returns a claim as its holder sees it.
pub fn claim(directory: &Directory, handoff: &Handoff, claim: &Claim) -> api::Claim {
    api::Claim {
        id: claim.id.to_string(),
        handoff: handoff.id.to_string(),
        holder: directory.name(claim.holder),
        fence: claim.fence,
        until: directory.pauses.lease_end(claim),
        lease: claim.lease.to_string(),
        authority: grants::granted(directory, handoff, claim.holder),
    }
}

/// Returns a party with its addresses and authority.
pub fn party_card(directory: &Directory, party: &Party) -> api::Party {
    api::Party {
        reads: party.reads.clone(),
        authority: party.authority.clone(),
        sends_for: party.sends_for.iter().map(|other| directory.name(*other)).collect(),
        email: party.channels.email.clone(),
        ..self::party(directory, party)
    }
}

/// Returns a party as lists show it, to every caller who may read.
pub fn party(directory: &Directory, party: &Party) -> api::Party {
    api::Party {
        id: party.id.to_string(),
        name: party.name.clone(),
        kind: party.kind.as_str().to_owned(),
        aliases: party.aliases.clone(),
        members: party.members.iter().map(|member| directory.name(*member)).collect(),
        skills: party.skills.clone(),
        absence: party.absence.map(|absence| api::Absence {
            deputy: directory.name(absence.deputy),
            from: absence.from,
            until: absence.until,
        }),
        reads: Vec::new(),
        authority: None,
        sends_for: Vec::new(),
        email: None,
    }
}

/// Returns a token as lists show it, with the time of its last use.
pub fn used_token(
    directory: &Directory,
    token: &TokenRecord,
    last_used: Option<Timestamp>,
) -> api::Token {
    api::Token { last_used, ..self::token(directory, token) }
}

/// Returns a token as lists show it, without its text.
pub fn token(directory: &Directory, token: &TokenRecord) -> api::Token {
    api::Token {
        id: token.id.to_string(),
        text: None,
        party: directory.name(token.party),
        scopes: token.scopes.words().into_iter().map(str::to_owned).collect(),
        from: token.from.iter().map(ToString::to_string).collect(),
        to: token.to.iter().map(|party| directory.name(*party)).collect(),
        name: token.name.clone(),
        created_at: token.created_at,
        expires_at: token.expires_at,
        revoked_at: token.revoked_at,
        last_used: None,
    }
}

/// Returns a delivery attempt as lists show it.
pub fn delivery(delivery: &Delivery) -> api::Delivery {
    api::Delivery {
        n: delivery.n,
        at: delivery.at,
        attempt: delivery.attempt,
        status: delivery.status,
        millis: delivery.millis,
        response: delivery.response.clone(),
    }
}

/// Returns a search result as clients see it.
pub fn search_hit(found: Found) -> api::SearchHit {
    let Found { n, handoff, kind, excerpt } = found;
    api::SearchHit { n, handoff: handoff.map(|id| id.to_string()), kind, excerpt }
}

/// Returns a contract as lists show it.
pub fn contract_summary(published: &Published) -> api::ContractSummary {
    let contract = published.compiled.contract();
    let names = |parties: &[PartyName]| -> Vec<String> {
        parties.iter().map(|party| party.as_str().to_owned()).collect()
    };
    api::ContractSummary {
        contract: contract.name.clone(),
        version: contract.version.to_string(),
        from: names(&contract.from),
        to: names(&contract.to),
        digest: published.digest.clone(),
    }
}

/// Returns a contract with its schemas.
pub fn contract_details(published: &Published) -> api::ContractDetails {
    let record = &published.record;
    api::ContractDetails {
        document: record.document.clone(),
        schemas: record.schemas.clone(),
        digest: published.digest.clone(),
    }
}

/// Returns a subscription as lists show it, without its secrets.
pub fn subscription(directory: &Directory, record: &SubscriptionRecord) -> api::Subscription {
    let (url, address, secret) = match &record.channel {
        Channel::Webhook { url, secrets } => (Some(url.clone()), None, secrets.first()),
        Channel::Email { address } => (None, Some(address.clone()), None),
        Channel::Slack { url } | Channel::Ntfy { url, .. } => (Some(origin(&url.0)), None, None),
        Channel::None {} => (None, None, None),
    };
    let (status, because) = match record.status {
        Status::Active => ("active", None),
        Status::Disabled { because, .. } => ("disabled", Some(because.as_str().to_owned())),
        Status::Removed { .. } => ("removed", None),
    };
    api::Subscription {
        id: record.id.to_string(),
        party: directory.name(record.party),
        kind: record.channel.as_str().to_owned(),
        url,
        address,
        public_key: secret.and_then(SigningSecret::public_key),
        secret: None,
        filter: record.filter.members(),
        status: status.to_owned(),
        because,
        created_at: record.created_at,
        from: record.from,
    }
}

/// Returns the origin of a URL whose path is secret: `https://hooks.slack.com/…`.
fn origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    format!("{scheme}://{host}/…")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::steps::decision::testing::{accept, all_sign, gated, hold, people, release_gate};
    use crate::testing::{World, claim, submit};

    #[test]
    #[expect(clippy::too_many_lines, reason = "one snapshot of the whole card")]
    fn a_card_has_everything_a_person_needs_to_decide() {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        world.contract(&json!({ "gates": ["release"], "confidence": { "hold_below": 0.7 } }));
        let trigger = json!({ "kind": "critical_action", "detail": "drops a table" });
        let more = json!({
            "can_intercept": true, "confidence": 0.5, "trigger": trigger,
            "classification": "OFFICIAL", "regulation_refs": ["DTAC 1"],
            "sign_off_gates": ["release"], "retention": "P5Y", "goal": "Ship the part\nand more",
        });
        world.run("ana", submit(&more)).unwrap();
        let mut card =
            serde_json::to_value(handoff(&world.state.directory, world.handoff())).unwrap();
        for name in ["id", "digest"] {
            assert!(card[name].is_string());
            card[name] = json!("…");
        }
        insta::assert_snapshot!(serde_json::to_string_pretty(&card).unwrap(), @r#"
        {
          "id": "…",
          "task": "task-1",
          "state": "held",
          "from": "ana",
          "to": "ben",
          "goal": "Ship the part",
          "revision": 1,
          "digest": "…",
          "risk": "high",
          "held_for": [
            "asked",
            "confidence",
            "trigger",
            "gate:release"
          ],
          "causes": [
            {
              "reason": "asked",
              "by": "packet",
              "text": "the packet asks for a person"
            },
            {
              "reason": "confidence",
              "by": "contract:work@1.0",
              "text": "held by the confidence limit 0.7; the confidence is 0.5"
            },
            {
              "reason": "trigger",
              "by": "trigger:critical_action",
              "text": "held by trigger critical_action"
            },
            {
              "reason": "gate",
              "by": "gate:release",
              "text": "held by gate release"
            }
          ],
          "gates": [
            {
              "name": "release@1.0",
              "factors": [
                {
                  "name": "safety",
                  "roles": [
                    "role:safety"
                  ],
                  "needed": 1
                },
                {
                  "name": "eyes",
                  "roles": [
                    "role:reviewer"
                  ],
                  "needed": 2
                }
              ]
            }
          ],
          "confidence": 0.5,
          "trigger": "critical_action",
          "classification": "OFFICIAL",
          "contract": "work@1.0",
          "attempt": 1,
          "steps": {
            "done": 1,
            "left": 1
          },
          "submitted_at": "2026-11-15T10:00:00.000000Z",
          "since": "2026-11-15T10:00:00.000000Z",
          "due_at": "2026-11-18T10:00:00.000000Z",
          "due_for": "gate",
          "next_rung": {
            "to": "role:people",
            "at": "2026-11-18T10:00:00.000000Z",
            "on": "expired"
          }
        }
        "#);
    }

    #[test]
    fn before_its_gate_is_signed_a_card_has_its_goal_only_for_its_sender_and_for_people() {
        let mut world = gated(&json!({}));
        let goals = |world: &World| {
            let goal = |name: &str| {
                let (directory, principal) = (&world.state.directory, &world.principal(name));
                Viewer { directory, principal, now: world.now }.handoff(world.handoff()).goal
            };
            ["ana", "ben", "cem", "pia"].map(goal)
        };
        assert_eq!(goals(&world), ["Ship the part", "", "", "Ship the part"]);
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(goals(&world), ["Ship the part"; 4]);
        // A receiver sees what it may claim, even with a credential that may not read.
        let scopes = crate::model::Scopes::none();
        let principal = &Principal { scopes, ..world.principal("ben") };
        let viewer = Viewer { directory: &world.state.directory, principal, now: world.now };
        assert_eq!(viewer.handoff(world.handoff()).goal, "Ship the part");
    }

    #[test]
    fn a_response_hides_the_goal_from_a_party_that_gave_the_work_up() {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        let answer = world.done("ben", crate::testing::decline(world.newest()));
        // The handoff moves to the next rung, for which no person has signed.
        assert_eq!(world.standing(), "held for gate:release");
        assert_eq!(answer.handoff.unwrap().goal, "");
    }

    #[test]
    fn a_card_shows_the_signatures_of_each_gate() {
        let mut world = gated(&json!({}));
        let signed = |world: &World| {
            let card = handoff(&world.state.directory, world.handoff());
            let factor = |factor: &api::Factor| {
                let by: Vec<&str> = factor.signed.iter().map(|one| one.by.as_str()).collect();
                let roles = factor.roles.join(" ");
                format!("{} {roles} {}: {}", factor.name, factor.needed, by.join(" "))
            };
            let gate = |gate: &api::Gate| {
                format!("{} {:?}", gate.name, gate.factors.iter().map(factor).collect::<Vec<_>>())
            };
            card.gates.iter().map(gate).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(signed(&world), @r#"release@1.0 ["safety role:safety 1: ", "eyes role:reviewer 2: "]"#);
        all_sign(&mut world, &["pia", "quin"]);
        insta::assert_snapshot!(signed(&world), @r#"release@1.0 ["safety role:safety 1: pia", "eyes role:reviewer 2: quin"]"#);
        let card = handoff(&world.state.directory, world.handoff());
        let first = &card.gates[0].factors[0].signed[0];
        assert_eq!(first.at, world.now);
        assert_eq!(first.until, Some(world.now + jiff::SignedDuration::from_hours(72)));
    }

    #[test]
    fn a_card_shows_who_refused_to_sign_before_the_gate_closes() {
        let mut world = gated(&json!({ "deny": 2 }));
        let denial = crate::steps::decision::testing::denial(&world);
        let denied = crate::command::Command::SignOff(denial);
        world.run_as(&world.signed_in("pia"), denied).unwrap();
        let shown = |name: &str| {
            let (directory, principal) = (&world.state.directory, &world.principal(name));
            let viewer = Viewer { directory, principal, now: world.now };
            let gate = viewer.handoff(world.handoff()).gates.remove(0);
            let describe = |one: &api::Denial| format!("{}: {:?}", one.by, one.reason);
            gate.denied.iter().map(describe).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(shown("ana"), r#"pia: Some("the evidence is old")"#);
        // A caller who may not read the packet does not see the reason of a denial.
        assert_eq!(shown("ben"), "pia: None");
    }

    #[test]
    fn a_card_names_the_action_until_a_person_has_decided() {
        let mut world = people();
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        let asked = world.done("ben", hold(&world, json!({ "run": "make publish" })));
        let action = asked.handoff.unwrap().action.unwrap();
        assert_eq!(Some(action.id), asked.document);
        assert_eq!(action.digest, world.documents.last().unwrap().sealed.digest);
        let command = accept(&world);
        assert_eq!(world.done("pia", command).handoff.unwrap().action, None);
    }

    #[test]
    fn two_versions_of_a_gate_are_distinguished() {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        world.gate(release_gate(&json!({ "version": "2.0" })));
        let digest = |more| HoldReason::Gate(tasuki_packet::canonical::digest(&release_gate(more)));
        let (first, second) = (digest(&json!({})), digest(&json!({ "version": "2.0" })));
        let unknown = HoldReason::Gate("sha256:00".to_owned());
        let directory = &world.state.directory;
        assert_eq!(held_for(directory, std::slice::from_ref(&first)), ["gate:release"]);
        let both = [HoldReason::Asked, first, second, unknown];
        let expected = ["asked", "gate:release@1.0", "gate:release@2.0", "gate:sha256:00"];
        assert_eq!(held_for(directory, &both), expected);
    }

    #[test]
    fn a_claim_shows_fence_lease_and_authority() {
        let mut world = people();
        world.change("ben", |party, _| {
            party.authority = Some(vec!["read:".to_owned(), "write:src/".to_owned()]);
        });
        world.run("ana", submit(&json!({ "authority": ["write:src/"] }))).unwrap();
        let id = world.newest();
        let answer = world.run("ben", claim(id)).unwrap();
        let claim = answer.claim.unwrap();
        let shown = (claim.holder.as_str(), claim.fence, claim.lease.as_str());
        assert_eq!(shown, ("ben", 1, "30m"));
        assert_eq!(claim.authority, Some(vec!["write:src/".to_owned()]));
        let card = answer.handoff.unwrap();
        assert_eq!((card.holder.as_deref(), card.due_at), (Some("ben"), Some(claim.until)));
    }
}
