//! Every rule of deputies: what they may decide, when, for whom, and what they never may.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tasuki_api::Verb;

use crate::command::Command;
use crate::command::allowed::allowed;
use crate::model::{Absence, CommandSeed, PartyKind, PendingKind, Principal, Scope};
use crate::query::events::event;
use crate::rules::deputies::{in_place_of, represented};
use crate::rules::recipients;
use crate::steps::decision::testing::{
    accept, all_sign, check_as, check_signed, hold, intercept, people, reject, release_gate,
    reroute, signature,
};
use crate::steps::question::ask::Ask;
use crate::steps::{AddParty, BeginAbsence, EndAbsence};
use crate::testing::{World, claim, return_packet, submit, verdict};

const DAY: i64 = 86_400;

/// Returns a world in which a rule leaves deployments to `rex`.
fn world() -> World {
    let mut world = people();
    let rule = json!({
        "name": "deploy", "when": { "words": ["deploy"] }, "then": "hold", "decide": "rex",
    });
    world.rules(json!({ "rules": [rule] }));
    world
}

/// Returns a handoff that is left to `rex`, held before `ben`.
fn held(world: &mut World) {
    world.check("ana", deployment("ana"), "held for label");
}

fn deployment(from: &str) -> Command {
    submit(&json!({ "from_agent": from, "goal": "deploy it" }))
}

fn away(world: &World, person: &str, deputy: &str, days: i64) -> Command {
    let until = world.now + SignedDuration::from_secs(days * DAY);
    let (person, deputy) = (person.to_owned(), deputy.to_owned());
    Command::BeginAbsence(BeginAbsence { person, deputy, from: None, until })
}

fn back(person: &str) -> Command {
    Command::EndAbsence(EndAbsence { person: person.to_owned() })
}

/// Sends a person away for a day, with a deputy.
fn leave(world: &mut World, person: &str, deputy: &str) {
    let command = away(world, person, deputy, 1);
    world.run(person, command).unwrap();
}

fn behalf(world: &World) -> Option<String> {
    event(world.leaves.last().unwrap()).unwrap().on_behalf_of
}

fn notified(world: &World, kind: PendingKind) -> Vec<&str> {
    let operators = recipients::Operators { named: &[], now: world.now };
    let people = recipients::people(&world.state.directory, world.handoff(), kind, &operators);
    people.iter().map(|person| person.name.as_str()).collect()
}

fn verbs(world: &World, name: &str) -> Vec<Verb> {
    let (state, principal) = (&world.state, world.principal(name));
    allowed(state, &principal, world.handoff(), world.now, CommandSeed::new([3; 32]))
}

#[test]
fn a_deputy_decides_in_the_place_of_a_person_and_the_log_says_for_whom() {
    let mut world = world();
    held(&mut world);
    world.check("tia", accept(&world), "refused TK-NOT-ALLOWED");
    leave(&mut world, "rex", "tia");
    world.check("sam", accept(&world), "refused TK-NOT-ALLOWED");
    world.check("tia", accept(&world), "offered to ben");
    let rex = world.id("rex");
    let leaf = &world.leaves.last().unwrap().leaf;
    assert!(leaf.contains(&format!(r#""for":"{rex}""#)), "{leaf}");
    assert_eq!(behalf(&world).as_deref(), Some("rex"));
}

#[test]
fn the_person_who_is_away_still_decides_in_their_own_name() {
    let mut world = world();
    held(&mut world);
    leave(&mut world, "rex", "tia");
    world.check("rex", accept(&world), "offered to ben");
    assert_eq!(behalf(&world), None);
}

#[test]
fn every_decision_about_a_hold_is_open_to_the_deputy_and_recorded_for_the_person() {
    type Make = fn(&World) -> Command;
    let decisions: [(&str, Make, &str); 5] = [
        ("handoff.accepted", accept, "offered to ben"),
        ("handoff.rejected", |world| reject(world, "no"), "rejected"),
        ("handoff.rerouted", |world| reroute(world, "cem", "no"), "held for label"),
        ("handoff.intercepted", |world| intercept(world, "no"), "claimed by tia, fence 1"),
        ("handoff.asked", ask, "held for label"),
    ];
    for (kind, make, expected) in decisions {
        let mut world = world();
        held(&mut world);
        // An operator may move any hold, so the deputy is none here.
        let mut tia = world.principal("tia");
        tia.scopes = [Scope::Decide, Scope::Receive, Scope::Read].into_iter().collect();
        let command = make(&world);
        check_as(&mut world, &tia, command.clone(), "refused TK-NOT-ALLOWED");
        leave(&mut world, "rex", "tia");
        let from = world.leaves.len();
        check_as(&mut world, &tia, command, expected);
        let events = world.leaves[from..].iter().map(|row| event(row).unwrap());
        let decided = events.into_iter().find(|event| event.kind == kind).unwrap();
        assert_eq!(decided.on_behalf_of.as_deref(), Some("rex"), "{kind}");
        assert_eq!(decided.actor, "tia", "{kind}");
    }
}

fn ask(world: &World) -> Command {
    let text = "which cluster?".to_owned();
    Command::Ask(Ask { handoff: world.newest(), field: None, text, is_blocking: false })
}

#[test]
fn an_absence_counts_from_its_beginning_until_its_end_and_ends_by_itself() {
    let mut world = world();
    held(&mut world);
    let at = |seconds: i64| world.now + SignedDuration::from_secs(seconds);
    let (from, until) = (at(3600), at(7200));
    let begin = BeginAbsence {
        person: "rex".to_owned(),
        deputy: "tia".to_owned(),
        from: Some(from),
        until,
    };
    world.run("rex", Command::BeginAbsence(begin)).unwrap();
    let leaves = world.leaves.len();
    for (seconds, is_deputy) in
        [(0, false), (3599, false), (3600, true), (7199, true), (7200, false)]
    {
        let mut world = world.clone();
        world.advance(seconds);
        let expected = if is_deputy { "offered to ben" } else { "refused TK-NOT-ALLOWED" };
        world.check("tia", accept(&world), expected);
        let found =
            in_place_of(&world.state.directory, world.id("tia"), &held_at(&world), world.now);
        assert_eq!(found.is_some(), is_deputy, "{seconds}");
    }
    assert_eq!(world.leaves.len(), leaves, "nothing is recorded when it ends");
}

/// Returns the handoff of the world as it was while it was held.
fn held_at(world: &World) -> crate::model::Handoff {
    let mut before = self::world();
    held(&mut before);
    let mut handoff = before.handoff().clone();
    handoff.id = world.newest();
    handoff
}

#[test]
fn coming_back_and_another_deputy_end_the_first_one() {
    let mut world = world();
    held(&mut world);
    leave(&mut world, "rex", "tia");
    let mut returned = world.clone();
    returned.run("rex", back("rex")).unwrap();
    returned.check("tia", accept(&returned), "refused TK-NOT-ALLOWED");
    leave(&mut world, "rex", "sam");
    world.check("tia", accept(&world), "refused TK-NOT-ALLOWED");
    world.check("sam", accept(&world), "offered to ben");
}

#[test]
fn a_deputy_never_signs_at_a_gate_in_the_place_of_a_person() {
    let mut world = world();
    world.gate(release_gate(&json!({})));
    world.contract(&json!({ "gates": ["release"], "decide": "rex" }));
    world.check("ana", submit(&json!({})), "held for gate:release");
    leave(&mut world, "rex", "tia");
    assert!(!verbs(&world, "tia").contains(&Verb::SignOff));
    assert!(!verbs(&world, "tia").contains(&Verb::Deny));
    let signed = signature(&world);
    check_signed(&mut world, "tia", signed, "refused TK-GATE-FORBIDDEN");
    world.check("tia", accept(&world), "refused TK-NOT-ALLOWED");
    assert!(!notified(&world, PendingKind::Hold).contains(&"tia"));
    let (directory, tia) = (&world.state.directory, world.id("tia"));
    assert_eq!(in_place_of(directory, tia, world.handoff(), world.now), None);
}

#[test]
fn a_deputy_clears_the_other_reasons_and_the_gate_stays() {
    let mut world = world();
    world.gate(release_gate(&json!({})));
    world.contract(&json!({ "gates": ["release"] }));
    world.check("ana", deployment("ana"), "held for label, gate:release");
    leave(&mut world, "rex", "tia");
    all_sign(&mut world, &["pia", "quin", "sam"]);
    world.check("tia", accept(&world), "offered to ben");
    assert_eq!(behalf(&world).as_deref(), Some("rex"));
}

#[test]
fn the_signature_of_a_deputy_is_no_decision_for_the_person() {
    // `sam` may sign in person, and stands in for `rex`, to whom the decision is left.
    let mut world = world();
    world.gate(release_gate(&json!({})));
    world.contract(&json!({ "gates": ["release"], "decide": "rex" }));
    world.check("ana", submit(&json!({})), "held for gate:release");
    leave(&mut world, "rex", "sam");
    all_sign(&mut world, &["sam"]);
    let reviewed = world.handoff().progress.reviewed.clone().unwrap();
    assert_eq!(reviewed.digest, None, "the packet is not approved by it");
    assert_eq!(behalf(&world), None);
}

#[test]
fn a_deputy_never_decides_about_their_own_work() {
    let mut world = world();
    world.check("tia", deployment("tia"), "held for label");
    leave(&mut world, "rex", "tia");
    world.check("tia", accept(&world), "refused TK-OWN-HANDOFF");
    assert!(!notified(&world, PendingKind::Hold).contains(&"tia"));
    // An action that the deputy wants approved is their own work as well.
    let mut world = self::world();
    world.run("ana", submit(&json!({ "to_agent": "tia" }))).unwrap();
    world.run("tia", claim(world.newest())).unwrap();
    world.run("tia", hold(&world, json!({ "run": "deploy" }))).unwrap();
    leave(&mut world, "rex", "tia");
    world.check("tia", accept(&world), "refused TK-OWN-HANDOFF");
    let (directory, tia) = (&world.state.directory, world.id("tia"));
    assert_eq!(in_place_of(directory, tia, world.handoff(), world.now), None);
}

#[test]
fn a_deputy_never_decides_about_the_work_of_the_person() {
    let mut world = world();
    world.check("rex", deployment("rex"), "held for label");
    leave(&mut world, "rex", "tia");
    world.check("tia", accept(&world), "refused TK-NOT-ALLOWED");
    let mut world = self::world();
    world.run("ana", submit(&json!({ "to_agent": "rex" }))).unwrap();
    world.run("rex", claim(world.newest())).unwrap();
    world.run("rex", hold(&world, json!({ "run": "deploy" }))).unwrap();
    leave(&mut world, "rex", "tia");
    world.check("tia", accept(&world), "refused TK-NOT-ALLOWED");
}

#[test]
fn a_deputy_has_no_deputy() {
    let mut world = world();
    held(&mut world);
    leave(&mut world, "rex", "tia");
    let note = world.run("tia", away(&world, "tia", "sam", 1)).unwrap().notes;
    assert_eq!(note, ["`tia` stands in for `rex` then, and no one does so meanwhile"]);
    world.check("sam", accept(&world), "refused TK-NOT-ALLOWED");
    let refused = away(&world, "rex", "tia", 2);
    insta::assert_snapshot!(world.refusal("rex", refused), @"
    TK-ARGUMENT-INVALID: `tia` is away from 2026-11-15T10:00:00Z until 2026-11-16T10:00:00Z and cannot stand in then
    hint: name another person; a deputy has no deputy
    ");
}

#[test]
fn a_deputy_needs_one_person_who_meets_every_decider() {
    let mut world = world();
    world.contract(&json!({ "decide": "sam" }));
    world.check("ana", deployment("ana"), "held for label");
    leave(&mut world, "rex", "sam");
    // Rex is no `sam`, and Sam alone is no `rex`.
    world.check("sam", accept(&world), "refused TK-NOT-ALLOWED");
    world.contract(&json!({ "version": "1.1", "decide": "role:safety" }));
    world.advance(1);
    let other = json!({ "goal": "deploy it", "task_id": "other" });
    world.check("ana", submit(&other), "held for label");
    // Rex is in `role:safety` and is `rex`, so his deputy may decide for him.
    world.check("sam", accept(&world), "offered to ben");
}

#[test]
fn a_deputy_judges_returns_for_the_person_but_not_their_own() {
    let returned = |by: &str| {
        let mut world = people();
        let packet = json!({ "from_agent": "rex", "to_agent": by, "return_required": ["status"] });
        world.run("rex", submit(&packet)).unwrap();
        world.run(by, claim(world.newest())).unwrap();
        world.run(by, return_packet(world.shown(), &json!({}))).unwrap();
        leave(&mut world, "rex", "tia");
        world
    };
    let mut world = returned("ben");
    let (directory, tia) = (&world.state.directory, world.id("tia"));
    let found = in_place_of(directory, tia, world.handoff(), world.now);
    assert_eq!(found, Some(world.id("rex")));
    world.check("tia", verdict(&world, world.newest(), true), "done");
    assert_eq!(behalf(&world).as_deref(), Some("rex"));
    let mut world = returned("tia");
    assert_eq!(
        in_place_of(&world.state.directory, world.id("tia"), world.handoff(), world.now),
        None
    );
    world.check("tia", verdict(&world, world.newest(), true), "refused TK-OWN-HANDOFF");
}

#[test]
fn the_deputy_is_notified_of_what_waits_for_the_person_except_questions_and_signatures() {
    let mut world = world();
    held(&mut world);
    leave(&mut world, "rex", "tia");
    assert_eq!(notified(&world, PendingKind::Hold), ["rex", "tia"]);
    world.advance(DAY);
    assert_eq!(notified(&world, PendingKind::Hold), ["rex"]);
    let mut world = self::world();
    leave(&mut world, "rex", "tia");
    world.check("ana", submit(&json!({ "to_agent": "rex" })), "offered to rex");
    assert_eq!(notified(&world, PendingKind::Offer), ["rex", "tia"]);
    // A role has other members, who are notified anyway.
    let role = json!({ "to_agent": "role:safety", "task_id": "other" });
    world.advance(1);
    world.check("ana", submit(&role), "offered to role:safety");
    assert_eq!(notified(&world, PendingKind::Offer), ["pia", "rex"]);
    let mut world = self::world();
    leave(&mut world, "rex", "tia");
    world.run("rex", submit(&json!({ "from_agent": "rex" }))).unwrap();
    world.run("ben", ask(&world)).unwrap();
    assert_eq!(notified(&world, PendingKind::Question), ["rex"]);
}

#[test]
fn a_deputy_who_is_no_longer_a_person_stands_in_for_no_one() {
    let mut world = world();
    held(&mut world);
    leave(&mut world, "rex", "tia");
    let (directory, tia) = (&world.state.directory, world.id("tia"));
    assert_eq!(represented(directory, tia, world.now), [world.id("rex")]);
    world.change("tia", |party, _| party.kind = PartyKind::Agent);
    let (directory, tia) = (&world.state.directory, world.id("tia"));
    assert_eq!(represented(directory, tia, world.now), []);
    assert_eq!(notified(&world, PendingKind::Hold), ["rex"]);
}

#[test]
fn only_the_person_and_people_who_operate_the_project_name_a_deputy() {
    let mut world = people();
    let command = away(&world, "rex", "tia", 1);
    let cell = |principal, expected: &str| {
        let mut world = world.clone();
        let outcome = match world.run_as(&principal, command.clone()) {
            Ok(_) => "away".to_owned(),
            Err(refusal) => refusal.code.as_str().to_owned(),
        };
        assert_eq!(outcome, expected);
    };
    let with = |mut principal: Principal, words: &[Scope]| {
        principal.scopes = words.iter().copied().collect();
        principal
    };
    cell(with(world.signed_in("rex"), &[Scope::Decide]), "away");
    cell(with(world.signed_in("sam"), &[Scope::Decide]), "TK-SCOPE-MISSING");
    cell(with(world.signed_in("sam"), &[Scope::Admin]), "away");
    cell(with(world.with_token("sam"), &[Scope::Admin]), "away");
    cell(with(world.with_token("ana"), &[Scope::Admin]), "TK-PERSON-NEEDED");
    cell(with(world.principal("ana"), &[Scope::Admin]), "away");
    cell(with(world.signed_in("rex"), &[Scope::Read]), "TK-SCOPE-MISSING");
    world.run("rex", command.clone()).unwrap();
    let refused =
        world.run_as(&with(world.signed_in("sam"), &[Scope::Decide]), back("rex")).unwrap_err();
    assert_eq!(refused.code.as_str(), "TK-SCOPE-MISSING");
}

#[test]
fn an_absence_has_two_people_and_an_end() {
    let mut world = people();
    let mut refused = |person: &str, deputy: &str, days: i64| {
        let command = away(&world, person, deputy, days);
        let text = world.refusal("pia", command);
        text.lines().next().unwrap_or_default().to_owned()
    };
    let texts = [
        refused("ana", "tia", 1),
        refused("rex", "ana", 1),
        refused("rex", "role:safety", 1),
        refused("rex", "rex", 1),
        refused("rex", "tia", 0),
        refused("rex", "tia", 91),
        refused("rex", "unknown", 1),
    ];
    insta::assert_snapshot!(texts.join("\n"), @"
    TK-ARGUMENT-INVALID: `ana` is not a person; only people have deputies
    TK-ARGUMENT-INVALID: `ana` is not a person; a deputy decides, and must be a person
    TK-ARGUMENT-INVALID: `role:safety` is not a person; a deputy decides, and must be a person
    TK-ARGUMENT-INVALID: `rex` cannot be their own deputy
    TK-ARGUMENT-INVALID: the absence would end at 2026-11-15T10:00:00Z, before it begins
    TK-ARGUMENT-INVALID: an absence lasts at most 90d, not until 2027-02-14T10:00:00Z
    TK-PARTY-UNKNOWN: unknown party `unknown`
    ");
    world.run("pia", away(&world, "rex", "tia", 90)).unwrap();
}

#[test]
fn an_absence_is_recorded_with_its_deputy_and_its_end() {
    let mut world = people();
    let from = world.leaves.len();
    let until = world.now + SignedDuration::from_secs(DAY);
    let answer = world.run("rex", away(&world, "rex", "tia", 1)).unwrap();
    let shown = answer.party.unwrap().absence.unwrap();
    assert_eq!((shown.deputy.as_str(), shown.from, shown.until), ("tia", world.now, until));
    let leaf: Value = serde_json::from_str(&world.leaves[from].leaf).unwrap();
    let attributes = &leaf["attr"];
    assert_eq!(attributes["deputy"], json!(world.id("tia").to_string()));
    assert_eq!(attributes["party"], json!(world.id("rex").to_string()));
    let at = |name: &str| attributes[name].as_str().unwrap().parse::<Timestamp>().unwrap();
    assert_eq!((at("from"), at("until")), (world.now, until));
    let absence = world.state.directory.find("rex").unwrap().absence;
    assert_eq!(absence, Some(Absence { deputy: world.id("tia"), from: world.now, until }));
    world.run("rex", back("rex")).unwrap();
    assert!(world.run("rex", back("rex")).unwrap().repeated);
    assert_eq!(world.state.directory.find("rex").unwrap().absence, None);
    assert_eq!(world.story(from), "party.away by rex\nparty.back by rex");
}

#[test]
fn a_change_of_the_party_keeps_the_absence_and_a_change_of_its_kind_ends_it() {
    let mut world = people();
    leave(&mut world, "rex", "tia");
    let with_alias = AddParty {
        name: "rex".to_owned(),
        aliases: vec!["Rexy".to_owned()],
        ..AddParty::default()
    };
    world.run("pia", Command::AddParty(with_alias)).unwrap();
    assert!(world.state.directory.find("rex").unwrap().absence.is_some());
    let kind = Some(PartyKind::Agent);
    let agent = AddParty { name: "rex".to_owned(), kind, ..AddParty::default() };
    world.run("pia", Command::AddParty(agent)).unwrap();
    assert_eq!(world.state.directory.find("rex").unwrap().absence, None);
}
