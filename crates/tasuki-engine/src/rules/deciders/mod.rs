//! The people to whom rules, contracts and holders leave a decision.
//!
//! A rule or a contract with `decide` restricts who may clear a hold and who is notified of it. All
//! of them apply together, and a holder can only narrow them further. The restriction is fixed when
//! the hold begins; the members of a role are those at the time of the decision. From
//! `escalate_after` on, any person with the scope may decide, as without a restriction.

/// Deputies: people who decide in the place of a person who is away.
pub mod deputies;
/// Sign-offs that are due before a return or a pass-on.
pub mod sign_offs;

#[cfg(test)]
mod deputies_tests;
#[cfg(test)]
mod sign_offs_tests;

use jiff::Timestamp;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Actor, EventType};
use tasuki_packet::policy::decide::Decide;

use crate::model::{Change, Context, Decider, Directory, Handoff, Hold, Party, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::messages;
use crate::rules::offer::words;

/// Returns the deciders that rules and contract name for a hold that begins now. `action_rules` are
/// the rules that apply to an action which waits for approval.
pub fn of(
    directory: &Directory,
    handoff: &Handoff,
    action_rules: &[String],
    now: Timestamp,
) -> Vec<Decider> {
    let decider = |decide: &Decide, named_by: String| Decider {
        by: decide.by.as_str().to_owned(),
        named_by,
        until: decide.escalate_after.map(|after| directory.pauses.deadline(now, after)),
    };
    let contract = directory.contract_of(&handoff.facts.terms).map(|own| own.compiled.contract());
    let by_contract = contract.and_then(|contract| {
        let decide = contract.decide.as_ref()?;
        Some(decider(decide, format!("contract:{}", contract.identity())))
    });
    let found = handoff.progress.checkpoint.as_ref().map_or(&[][..], |mark| &mark.found);
    let lists = [&handoff.facts.summary.demands[..], found, action_rules];
    let applies = |name: &String| lists.iter().any(|list| list.contains(name));
    let rules = directory.rules.iter().flat_map(|rules| &rules.stated.entries);
    let by_rules = rules
        .filter(|rule| applies(&rule.name))
        .filter_map(|rule| Some(decider(rule.decide.as_ref()?, format!("rule:{}", rule.name))));
    by_contract.into_iter().chain(by_rules).collect()
}

/// Returns the party that is named as a decider, which must be a person or a role with people.
pub fn named<'d>(directory: &'d Directory, name: &str) -> Result<&'d Party, Refusal> {
    let party = directory.find(name)?;
    if people_in(directory, party.id).next().is_some() {
        return Ok(party);
    }
    Err(Refusal::new(RefusalCode::RoleEmpty, format!("no person is in `{name}`"))
        .hint("name a person, or a role with people in it"))
}

/// Returns the people whom a name stands for: the person, or the people in the role.
fn people_in(directory: &Directory, party: PartyId) -> impl Iterator<Item = &Party> {
    directory.people().filter(move |person| directory.is_or_is_in(person.id, party))
}

/// Returns `true` if a person may clear a hold, as far as its deciders go. Deputies are not asked.
pub fn admit(directory: &Directory, hold: &Hold, person: PartyId, now: Timestamp) -> bool {
    hold.deciders.iter().all(|decider| is_met(directory, decider, person, now))
}

fn is_met(directory: &Directory, decider: &Decider, person: PartyId, now: Timestamp) -> bool {
    let is_over = decider.until.is_some_and(|until| directory.pauses.counted(now) >= until);
    is_over || is_one(directory, decider, person)
}

fn is_one(directory: &Directory, decider: &Decider, person: PartyId) -> bool {
    let party = directory.find(&decider.by);
    party.is_ok_and(|party| directory.is_or_is_in(person, party.id))
}

/// Returns `true` if a person could decide before the last escalation of a hold, and so was notified of
/// it already. That is known of the deciders that rules and the contract name.
pub fn was_asked_before(
    directory: &Directory,
    handoff: &Handoff,
    hold: &Hold,
    person: PartyId,
) -> bool {
    let Some(escalated_at) = hold.escalated_at else { return false };
    let rules = hold.approval_request.as_ref().map_or(&[][..], |asked| &asked.rules);
    let named = of(directory, handoff, rules, hold.since);
    let now = directory.pauses.counted(escalated_at);
    let last = named.iter().filter_map(|decider| decider.until.filter(|until| *until <= now)).max();
    let was_left = |decider: &&Decider| decider.until.is_none_or(|until| Some(until) >= last);
    last.is_some() && named.iter().filter(was_left).all(|one| is_one(directory, one, person))
}

/// Returns the instant at which the time of a decider of a hold ends.
pub fn escalates_at(handoff: &Handoff) -> Option<Timestamp> {
    let State::Held(hold) = &handoff.progress.state else { return None };
    hold.deciders.iter().filter_map(|decider| decider.until).min()
}

/// Ends the restriction to deciders whose time has passed. The event notifies the people who may
/// decide from now on.
pub fn escalate(handoff: &mut Handoff, now: Timestamp, actor: Actor, change: &mut Change) {
    let id = handoff.id;
    let State::Held(hold) = &mut handoff.progress.state else { return };
    hold.deciders.retain(|decider| decider.until.is_none_or(|until| until > now));
    hold.escalated_at = Some(now);
    change
        .record_event(EventType::Held, id, actor)
        .with("reasons", words(&hold.reasons))
        .with("because", "escalated");
}

/// Requires that the caller is one of each decider of a hold, or stands in for a person who is.
pub fn require(context: &Context<'_>, handoff: &Handoff, hold: &Hold) -> Result<(), Refusal> {
    let (directory, caller) = (&context.state.directory, context.principal.party);
    let is_deputy = deputies::in_place_of(directory, caller, handoff, context.now).is_some();
    if context.principal.is_human() && is_deputy {
        return messages::require_code_allowed(context, handoff);
    }
    require_in_person(context, handoff, hold)
}

/// Requires that the caller is one of each decider of a hold. Deputies are not.
pub fn require_in_person(
    context: &Context<'_>,
    handoff: &Handoff,
    hold: &Hold,
) -> Result<(), Refusal> {
    messages::require_code_allowed(context, handoff)?;
    let (directory, caller) = (&context.state.directory, context.principal.party);
    let is_missing = |one: &&Decider| !is_met(directory, one, caller, context.now);
    let Some(decider) = hold.deciders.iter().find(is_missing) else { return Ok(()) };
    let name = directory.name(caller);
    let message = format!(
        "handoff {} is decided by `{}` ({}), and `{name}` is not",
        handoff.id, decider.by, decider.named_by
    );
    Err(Refusal::new(RefusalCode::NotAllowed, message).hint(format!(
        "ask `{}` to decide; `tasuki party show {}` lists them",
        decider.by, decider.by
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tasuki_packet::leaf::EventType;

    use crate::command::Command;
    use crate::model::{PartyKind, PendingAction, PendingKind, Principal, Scope, Scopes};
    use crate::refusal::RefusalCode;
    use crate::rules::causes::causes;
    use crate::rules::recipients;
    use crate::steps::RequestApproval;
    use crate::steps::decision::testing::{
        accept, all_sign, edit, gated, intercept, people, reject, reroute,
    };
    use crate::testing::{World, claim, packet, submit};

    /// Returns a world with `rex` and `sam` in `role:engineers`, and these rules.
    fn engineers(rules: &Value) -> World {
        let mut world = people();
        world.add("role:engineers", PartyKind::Role);
        world.change("role:engineers", |party, id| party.members = vec![id("rex"), id("sam")]);
        world.rules(json!({ "rules": rules }));
        world
    }

    fn deploy(more: &Value) -> Value {
        let mut rule = json!({
            "name": "deploy", "when": { "words": ["deploy"] }, "then": "hold",
            "decide": "role:engineers",
        });
        more.as_object().unwrap().iter().for_each(|(name, value)| rule[name] = value.clone());
        rule
    }

    fn notified(world: &World) -> Vec<&str> {
        let directory = &world.state.directory;
        let operators = recipients::Operators { named: &[], now: world.now };
        let people = recipients::people(directory, world.handoff(), PendingKind::Hold, &operators);
        people.iter().map(|person| person.name.as_str()).collect()
    }

    #[test]
    fn only_the_people_that_a_rule_names_clear_its_hold() {
        let mut world = engineers(&json!([deploy(&json!({}))]));
        world.check("ana", submit(&json!({ "goal": "deploy it" })), "held for label");
        assert_eq!(notified(&world), ["rex", "sam"]);
        insta::assert_snapshot!(world.refusal("pia", accept(&world)), @"
        TK-NOT-ALLOWED: handoff hof_1 is decided by `role:engineers` (rule:deploy), and `pia` is not
        hint: ask `role:engineers` to decide; `tasuki party show role:engineers` lists them
        ");
        for command in [reject(&world, "no"), intercept(&world, "")] {
            world.check("pia", command, "refused TK-NOT-ALLOWED");
        }
        world.check("rex", accept(&world), "offered to ben");
    }

    #[test]
    fn a_hold_that_no_rule_assigns_is_decided_by_any_person() {
        let mut world = engineers(&json!([deploy(&json!({}))]));
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        assert!(notified(&world).contains(&"pia"));
        world.check("pia", accept(&world), "offered to ben");
    }

    #[test]
    fn a_contract_names_its_deciders_and_a_rule_narrows_them() {
        let mut world = engineers(&json!([deploy(&json!({ "decide": "rex" }))]));
        world.contract(&json!({ "decide": "role:engineers" }));
        let asked = json!({ "can_intercept": true });
        world.check("ana", submit(&asked), "held for asked");
        assert_eq!(notified(&world), ["rex", "sam"]);
        world.check("pia", accept(&world), "refused TK-NOT-ALLOWED");
        world.check("sam", accept(&world), "offered to ben");
        world.advance(1);
        let both = json!({ "can_intercept": true, "goal": "deploy", "task_id": "other" });
        world.check("ana", submit(&both), "held for asked, label");
        assert_eq!(notified(&world), ["rex"]);
        world.check("sam", accept(&world), "refused TK-NOT-ALLOWED");
        world.check("rex", accept(&world), "offered to ben");
    }

    #[test]
    fn after_the_time_to_escalate_any_person_decides() {
        let mut world = engineers(&json!([deploy(&json!({ "escalate_after": "4h" }))]));
        world.check("ana", submit(&json!({ "goal": "deploy it" })), "held for label");
        world.advance(4 * 3600 - 1);
        world.check("pia", accept(&world), "refused TK-NOT-ALLOWED");
        world.advance(1);
        world.check("pia", accept(&world), "offered to ben");
    }

    #[test]
    fn a_holder_narrows_who_decides_about_its_action_and_never_widens_it() {
        let asking = |to: &str| {
            let mut world = engineers(&json!([]));
            world.contract(&json!({ "decide": "role:engineers" }));
            world.done("ana", submit(&json!({})));
            world.done("ben", claim(world.newest()));
            let (action, to) = (json!({ "run": "deploy" }), Some(to.to_owned()));
            let request = RequestApproval { claim: world.shown(), action, to, ends_task: false };
            let outcome = world.outcome("ben", Command::RequestApproval(request));
            (world, outcome)
        };
        let (mut world, outcome) = asking("sam");
        assert_eq!(outcome, "held for action, by ben");
        assert_eq!(notified(&world), ["sam"]);
        let action = json!({ "run": "deploy --dry-run" }).to_string().into_bytes();
        world.check("rex", accept(&world), "refused TK-NOT-ALLOWED");
        world.check("rex", edit(&world, action), "refused TK-NOT-ALLOWED");
        world.check("sam", accept(&world), "claimed by ben, fence 1");
        let (mut world, _) = asking("pia");
        world.check("pia", accept(&world), "refused TK-NOT-ALLOWED");
        assert_eq!(asking("role:nobody").1, "refused TK-ROLE-EMPTY");
        assert_eq!(asking("cem").1, "refused TK-ROLE-EMPTY");
    }

    #[test]
    fn a_rule_applies_to_an_action_that_waits_for_approval() {
        let asking = |then: &str, action: Value| {
            let costly = json!({ "name": "costly", "when": { "risk": "high" }, "then": "hold" });
            let mut world = engineers(&json!([deploy(&json!({ "then": then })), costly]));
            world.done("ana", submit(&json!({})));
            world.done("ben", claim(world.newest()));
            let claim = world.shown();
            let request = RequestApproval { claim, action, to: None, ends_task: false };
            world.check("ben", Command::RequestApproval(request), "held for action, by ben");
            world
        };
        let causes = |world: &World| {
            let causes = causes(&world.state.directory, world.handoff());
            let causes: Vec<String> = causes.into_iter().map(|cause| cause.by).collect();
            format!("{}: {}", world.handoff().risk().as_str(), causes.join(" "))
        };
        let mut world = asking("sensitive_topic", json!("Deploy 2.4.1"));
        assert_eq!(causes(&world), "high: holder rule:deploy rule:costly");
        assert_eq!(notified(&world), ["rex", "sam"]);
        world.check("pia", accept(&world), "refused TK-NOT-ALLOWED");
        world.check("sam", accept(&world), "claimed by ben, fence 1");
        // What was said about the action is gone with it.
        assert_eq!(causes(&world), "low: ");
        let world = asking("hold", json!({ "deploy": ["2.4.1"] }));
        assert_eq!(causes(&world), "medium: holder rule:deploy");
        let mut world = asking("hold", json!({ "run": "make test" }));
        assert_eq!(causes(&world), "medium: holder");
        world.check("pia", accept(&world), "claimed by ben, fence 1");
    }

    #[test]
    fn the_people_who_may_decide_are_notified_when_a_hold_escalates() {
        let rule = json!({ "name": "costly", "when": { "words": ["deploy"] }, "then": "hold",
            "decide": "rex", "escalate_after": "2h" });
        let mut world = engineers(&json!([deploy(&json!({ "escalate_after": "4h" })), rule]));
        world.check("ana", submit(&json!({ "goal": "deploy it" })), "held for label");
        let mut check = |hours: i64, expected: &[&str]| {
            world.advance(hours * 3600);
            world.apply_due();
            let last = world.leaves.last().unwrap();
            let leaf: Value = serde_json::from_str(&last.leaf).unwrap();
            assert_eq!((last.kind, &leaf["attr"]["reasons"]), (EventType::Held, &json!(["label"])));
            assert_eq!(leaf["attr"]["because"].is_null(), hours == 0);
            let (handoff, at, kind) = (world.newest(), world.now, PendingKind::Hold);
            let pending = PendingAction { handoff, n: last.n, at, kind, question: None };
            assert!(recipients::is_still_pending(world.handoff(), &pending));
            let earlier =
                PendingAction { at: world.now - jiff::SignedDuration::from_secs(1), ..pending };
            assert!(!recipients::is_still_pending(world.handoff(), &earlier));
            assert_eq!(notified(&world), expected);
        };
        check(0, &["rex"]);
        // The people who were notified before are not notified again.
        check(2, &["sam"]);
        check(2, &["pia", "quin", "tia"]);
    }

    #[test]
    fn an_operator_reroutes_a_hold_and_does_not_clear_it() {
        let mut world = engineers(&json!([deploy(&json!({}))]));
        world.check("ana", submit(&json!({ "goal": "deploy it" })), "held for label");
        let pia = |world: &World, scope: Scope| Principal {
            scopes: Scopes::none().with(Scope::Decide).with(scope),
            ..world.principal("pia")
        };
        let (person, operator) = (pia(&world, Scope::Read), pia(&world, Scope::Admin));
        let refused = world.run_as(&person, reroute(&world, "cem", "")).unwrap_err();
        assert_eq!(refused.code, RefusalCode::NotAllowed);
        world.run_as(&operator, reroute(&world, "cem", "")).unwrap();
        assert_eq!(world.standing(), "held for label");
        assert_eq!(world.state.directory.name(world.handoff().facts.receiver), "cem");
        let leaf = world.leaves.iter().rfind(|row| row.kind == EventType::Rerouted).unwrap();
        let detail: Value = serde_json::from_str(&leaf.detail).unwrap();
        assert_eq!(detail["actor"], "pia");
        world.check("pia", accept(&world), "refused TK-NOT-ALLOWED");
        world.check("rex", accept(&world), "offered to cem");
    }

    #[test]
    fn gates_keep_their_own_signers() {
        let mut world = gated(&json!({}));
        world.rules(json!({ "rules": [deploy(&json!({ "decide": "tia" }))] }));
        world.advance(1);
        let deploying = json!({ "goal": "deploy", "task_id": "other" });
        world.check("ana", submit(&deploying), "held for label, gate:release");
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "held for label");
        world.check("pia", accept(&world), "refused TK-NOT-ALLOWED");
        world.check("tia", accept(&world), "offered to ben");
        // What a signature approves is not a way around the deciders.
        world.advance(1);
        let source = packet(&json!({ "goal": "deploy more", "task_id": "other" }));
        let supersedes = Some(world.newest());
        let again = crate::steps::Submit { source, supersedes, ..Default::default() };
        world.check("ana", Command::Submit(again), "held for label, changed, gate:release");
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "held for label, changed");
    }
}
