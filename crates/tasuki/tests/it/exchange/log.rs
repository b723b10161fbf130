//! The log: check, show, and the audit trail that is compared with it.

use insta::assert_snapshot;

use crate::support::fixture::Fixture;

#[test]
fn an_untouched_log_is_intact_from_any_leaf_on() {
    let fixture = Fixture::with_work();
    let leaves = fixture.stdout("log show").lines().count();
    for from in 0..=leaves {
        let checked = &fixture.objects(&format!("log check --from {from}"))[0];
        assert_eq!(checked["intact"], true, "from {from}: {checked}");
        assert_eq!(checked["leaves"], leaves - from);
    }
    let whole = &fixture.objects("log check")[0];
    assert_eq!(whole["documents"], 5, "three packets, a checkpoint, a return");
    assert_snapshot!(fixture.says("log check --from 99"), @"
    $ log check --from 99
    error: there is no leaf 99 [TK-ARGUMENT-INVALID]
      hint: the log has 14 leaves, and the first is 0
    [exit 3]
    ");
}

#[test]
fn of_a_log_with_a_gap_the_gap_is_named() {
    let fixture = Fixture::with_work();
    let leaves = fixture.objects("log check")[0]["leaves"].as_u64().unwrap();
    for n in 1..leaves {
        // Past the end of the log there is nothing to check.
        if !fixture.is_damaged_by(&format!("UPDATE leaf SET n = 1000 WHERE n = {n}")) {
            return;
        }
        for from in [0, n - 1] {
            let said = fixture.says(&format!("log check --from {from}"));
            let named = format!("entry {n}: the leaf is missing");
            assert!(said.contains(&named), "leaf {n}, from {from}: {said}");
        }
        assert!(fixture.is_damaged_by(&format!("UPDATE leaf SET n = {n} WHERE n = 1000")));
    }
}

#[test]
fn a_gap_before_the_first_leaf_is_blamed_for_the_documents_behind_it() {
    let fixture = Fixture::with_work();
    let events = fixture.objects("timeline build");
    let number = |kind: &str| {
        let found = events.iter().rfind(|event| event["type"] == kind);
        found.and_then(|event| event["n"].as_u64()).unwrap_or_else(|| panic!("no {kind}"))
    };
    let (claimed, returned) = (number("handoff.claimed"), number("handoff.returned"));
    if !fixture.is_damaged_by(&format!("DELETE FROM leaf WHERE n = {claimed}")) {
        return;
    }
    let said = fixture.says(&format!("log check --from {returned}"));
    assert!(said.contains(&format!("entry {claimed}: the leaf is missing")), "{said}");
}

#[test]
fn what_was_agreed_on_is_part_of_it() {
    let fixture = Fixture::new();
    let folder = crate::support::folder::repository("");
    let folder = folder.display();
    fixture.run(&format!("contract publish {folder}/contracts/"));
    fixture.run(&format!("gate publish {folder}/gates/clinical-release.yaml"));
    fixture.run(&format!("rules set {folder}/rules/default.yaml"));
    fixture.run(&format!("rules set {folder}/rules/default.yaml"));
    fixture.run("project set hops=7");
    fixture.run("project set hops=8");
    assert_eq!(fixture.objects("log check")[0]["intact"], true);
}

#[test]
fn leaves_are_printed_as_they_were_hashed() {
    let fixture = Fixture::with_work();
    let text = fixture.stdout("log show");
    let leaves: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    let hash = tasuki_packet::leaf::check_chain(leaves.iter().copied()).unwrap();
    assert_eq!(fixture.objects("log check")[0]["hash"], hash.to_string());
    let part = fixture.stdout("log show --from 2 --limit 3");
    assert_eq!(part.lines().collect::<Vec<_>>(), text.lines().skip(2).take(3).collect::<Vec<_>>());
}

#[test]
fn a_kept_trail_is_compared_with_the_log() {
    let fixture = Fixture::with_work();
    let trail = fixture.stdout("show build --trail --json");
    let entries = trail.matches("\"n\":").count();
    fixture.write("trail.json", &trail);
    assert_eq!(fixture.exit("log check --trail trail.json"), 0);
    let value: serde_json::Value = serde_json::from_str(&trail).unwrap();
    let check = |change: &dyn Fn(&mut Vec<serde_json::Value>), expected: &str| {
        let mut list = value["audit_trail"].as_array().unwrap().clone();
        change(&mut list);
        fixture.write("changed.json", &serde_json::Value::from(list).to_string());
        let said = fixture.says("log check --trail changed.json");
        assert!(said.contains(expected) && said.contains("[exit 1]"), "{expected}: {said}");
    };
    assert!(entries > 5);
    check(&|list| list[1]["event"] = "handoff.done".into(), "the trail says event `handoff.done`");
    check(&|list| list[1]["time"] = "2020-01-01T00:00:00.000000Z".into(), "the trail says time");
    check(&|list| list[2]["actor"] = "clock".into(), "the trail says actor");
    check(&|list| list[2]["hash"] = list[1]["hash"].clone(), "the trail says hash");
    check(
        &|list| list[3]["previous_hash"] = list[1]["hash"].clone(),
        "the trail says previous hash",
    );
    check(&|list| drop(list.remove(2)), "the trail leaves out what was before it");
    check(&|list| list[0]["n"] = 77.into(), "the trail");
    check(&|list| list.reverse(), "or in another order than the log");
    check(&|list| list.push(list[list.len() - 1].clone()), "the trail has it twice");
    let mut other = value.clone();
    let forged = |other: &serde_json::Value| {
        fixture.write("changed.json", &other.to_string());
        let said = fixture.says("log check --trail changed.json");
        assert!(!said.contains("doctor") && !said.contains("intact"), "{said}");
        said
    };
    for id in ["hof_0194f1c2b3d47e8f9a0b1c2d3e4f5a6b", "hof_ff94f1c2b3d47e8f9a0b1c2d3e4f5a6b"] {
        other["handoff"] = id.into();
        assert!(forged(&other).contains("the trail is of another handoff"), "{}", forged(&other));
    }
    other["audit_trail"] = serde_json::json!([]);
    assert!(forged(&other).contains("has no audit trail: it is empty"));
    // The entries of two handoffs are no trail of either.
    let draft: serde_json::Value =
        serde_json::from_str(&fixture.stdout("show draft --trail --json")).unwrap();
    check(
        &|list| {
            list.extend(draft["audit_trail"].as_array().unwrap().iter().cloned());
            list.sort_by_key(|entry| entry["n"].as_u64());
        },
        "the trail is of another handoff",
    );
    fixture.write("changed.json", "{}");
    assert_snapshot!(fixture.says("log check --trail changed.json"), @"
    $ log check --trail changed.json
    error: changed.json has no audit trail: invalid type: map, expected a sequence
      hint: `tasuki show ID --trail --json` writes one
    [exit 2]
    ");
}
