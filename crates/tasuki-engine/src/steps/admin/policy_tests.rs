//! Tests of publishing contracts, gates and rules, and of changing settings.

use serde_json::{Value, json};

use crate::command::Command;
use crate::model::{ContractRecord, GateRecord, RulesRecord, Rung, Scope, Scopes};
use crate::steps::{AddParty, PublishContract, PublishGate, SetRules, SetSettings};
use crate::testing::World;

fn contract(more: &Value) -> Command {
    let mut document = json!({
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"],
        "payload_schema": {}, "scope": {"is": "work"}, "confidence": {"required": false},
        "provenance": {"require": []}, "fallback": [{"to": "dead_letter"}],
    });
    for (name, value) in more.as_object().unwrap() {
        document[name] = value.clone();
    }
    document.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    Command::PublishContract(PublishContract(ContractRecord {
        document,
        schemas: std::collections::BTreeMap::new(),
    }))
}

fn gate(version: &str, approvals: u32) -> Command {
    let factors = json!([{"name": "eyes", "roles": ["people"], "approvals": approvals}]);
    let document = json!({"gate": "release", "version": version, "factors": factors});
    Command::PublishGate(PublishGate(GateRecord { document }))
}

fn rules(word: &str) -> Command {
    let rule = json!({"name": "m", "when": {"words": [word]}, "then": "hold"});
    Command::SetRules(SetRules(RulesRecord { document: json!({"rules": [rule]}) }))
}

#[test]
fn only_operators_change_a_project() {
    let mut world = World::new();
    let mut principal = world.principal("pia");
    principal.scopes = Scopes::none().with(Scope::Submit).with(Scope::Decide);
    for command in [
        Command::AddParty(AddParty { name: "dan".to_owned(), ..AddParty::default() }),
        contract(&json!({})),
        gate("1.0", 1),
        rules("refund"),
        set(&json!({ "hops": 3 })),
    ] {
        let refusal = world.refusal_as(&principal, command);
        assert!(refusal.starts_with("TK-SCOPE-MISSING: this credential lacks the scope `admin`"));
    }
}

#[test]
fn a_version_of_a_contract_is_immutable() {
    let mut world = World::new();
    let answer = world.run("pia", contract(&json!({}))).unwrap();
    assert_eq!(answer.published.as_deref(), Some("work@1.0"));
    assert!(world.run("pia", contract(&json!({}))).unwrap().repeated);
    insta::assert_snapshot!(world.refusal("pia", contract(&json!({"hops": 3}))), @"
    TK-CONTRACT-CHANGED: `work@1.0` is already published with other content, and versions are immutable
    hint: publish it under the next version
    ");
    world.run("pia", contract(&json!({"version": "1.1", "hops": 3}))).unwrap();
    world.check("pia", contract(&json!({"hops": 3})), "refused TK-CONTRACT-CHANGED");
    insta::assert_snapshot!(world.refusal("pia", contract(&json!({"hops": -3, "to": 1}))), @"
    TK-DOCUMENT-INVALID: the contract has 2 violations
    hint: each violation gives its position in the document
    /to TK-FIELD-TYPE: `/to` must be a list, not a number; allowed: a list
    /hops TK-FIELD-RANGE: `/hops` is out of range; allowed: an integer from 1 to 100
    ");
    assert_eq!(world.story(0), "contract.published by pia\ncontract.published by pia");
}

#[test]
fn a_contract_with_an_error_is_refused_and_one_with_a_warning_is_not() {
    let mut world = World::new();
    let weak = json!({"verify": "automatic", "payload_schema": {"type": "object"}});
    world.run("pia", contract(&weak)).unwrap();
    let ladder = json!([{"to": "ben", "on": "invalid"}]);
    let bad = json!({"version": "2.0", "scope": null, "fallback": ladder});
    insta::assert_snapshot!(world.refusal("pia", contract(&bad)), @"
    TK-DOCUMENT-INVALID: the contract `work@2.0` has 3 violations
    hint: each violation gives its position in the document
    /scope TK-CONTRACT-PART: missing `scope`, one of the five parts of a contract
    /fallback/0/on TK-CONTRACT-LADDER: the rung for `invalid` is unreachable: invalid packets are refused; allowed: one of no_progress, declined, rejected, expired, lapsed, parked
    /fallback/0 TK-CONTRACT-LADDER: the last rung is `ben`, not `dead_letter`
    ");
    let back = json!({"contract": "back", "from": ["ben"], "to": ["ana"]});
    insta::assert_snapshot!(world.refusal("pia", contract(&back)), @"
    TK-DOCUMENT-INVALID: the contract `back@1.0` has 1 violation
    hint: each violation gives its position in the document
    /to TK-CONTRACT-LOOP: ana -> ben -> ana is a loop without a return contract
    ");
    let second = json!({
        "version": "1.2", "payload_schema": {"type": "object"}, "compatible_with": ["1.1"],
    });
    insta::assert_snapshot!(world.refusal("pia", contract(&second)), @"
    TK-DOCUMENT-INVALID: the contract `work@1.2` has 2 violations
    hint: each violation gives its position in the document
    /compatible_with/0 TK-CONTRACT-VERSION: unknown contract `work@1.1`
    /verify TK-CONTRACT-BREAKING: breaks `work@1.0`: a return now needs a verdict; allowed: automatic
    ");
    assert_eq!(world.story(0), "contract.published by pia");
}

#[test]
fn every_version_of_a_gate_is_immutable() {
    let mut world = World::new();
    world.run("pia", gate("1.0", 1)).unwrap();
    assert!(world.run("pia", gate("1.0", 1)).unwrap().repeated);
    world.run("pia", gate("1.1", 2)).unwrap();
    insta::assert_snapshot!(world.refusal("pia", gate("1.0", 3)), @"
    TK-CONTRACT-CHANGED: gate `release@1.0` is already published with other content, and versions are immutable
    hint: publish it under the next version
    ");
    insta::assert_snapshot!(world.refusal("pia", gate("2.0", 0)), @"
    TK-DOCUMENT-INVALID: the gate has 1 violation
    hint: each violation gives its position in the document
    /factors/0/approvals TK-FIELD-RANGE: `/factors/0/approvals` is out of range; allowed: an integer from 1 to 20
    ");
    assert!(world.run("pia", gate("1.0", 1)).unwrap().repeated);
}

#[test]
fn rules_and_settings_replace_the_earlier_ones() {
    let mut world = World::new();
    world.run("pia", rules("refund")).unwrap();
    assert!(world.run("pia", rules("refund")).unwrap().repeated);
    assert!(!world.run("pia", rules("wire")).unwrap().repeated);
    let broken = RulesRecord {
        document: json!({"rules": [{"name": "x", "when": {"patterns": ["("]}, "then": "hold"}]}),
    };
    insta::assert_snapshot!(world.refusal("pia", Command::SetRules(SetRules(broken))), @"
    TK-DOCUMENT-INVALID: the rules document has 1 violation
    hint: each violation gives its position in the document
    /rules/0/when/patterns/0 TK-PATTERN-INVALID: invalid pattern: unclosed group
    ");
    assert!(!world.run("pia", set(&json!({ "hops": 2 }))).unwrap().repeated);
    assert!(world.run("pia", set(&json!({ "hops": 2 }))).unwrap().repeated);
    assert_eq!(world.state.directory.settings.hops, 2);
    insta::assert_snapshot!(world.story(0), @"
    rules.published by pia
    rules.published by pia
    project.changed by pia
    ");
}

fn set(changes: &Value) -> Command {
    Command::SetSettings(SetSettings(changes.as_object().unwrap().clone()))
}

#[test]
fn omitted_settings_stay_as_they_are() {
    let mut world = World::new();
    world.run("pia", set(&json!({ "hops": 7 }))).unwrap();
    world.run("pia", set(&json!({ "attempts": 9 }))).unwrap();
    let settings = &world.state.directory.settings;
    assert_eq!((settings.hops, settings.attempts), (7, 9));
    insta::assert_snapshot!(world.refusal("pia", set(&json!({ "hop": 7 }))), @"
    TK-ARGUMENT-INVALID: unknown setting `hop`
    hint: did you mean `hops`?
    ");
    insta::assert_snapshot!(world.refusal("pia", set(&json!({ "hops": "many" }))), @r#"
    TK-ARGUMENT-INVALID: invalid setting value: invalid type: string "many", expected u32
    hint: use a JSON value of the setting's type; `null` unsets it
    "#);
}

#[test]
fn settings_that_would_block_all_work_are_refused() {
    let mut world = World::new();
    let step = |to: &str, on: Option<&str>| Rung {
        after: None,
        on: on.map(str::to_owned),
        to: to.to_owned(),
    };
    let with = |ladder: Vec<Rung>| set(&json!({ "ladder": ladder }));
    let none = set(&json!({ "hops": 0 }));
    insta::assert_snapshot!(world.refusal("pia", none), @"
    TK-ARGUMENT-INVALID: `hops` must be at least 1, not 0
    hint: with 0, no work could move
    ");
    insta::assert_snapshot!(world.refusal("pia", with(vec![step("On Call", None)])), @"
    TK-ARGUMENT-INVALID: the rung to `On Call` does not name a party
    hint: name a party, a role, or `dead_letter`
    ");
    insta::assert_snapshot!(world.refusal("pia", with(vec![step("ben", Some("boredom"))])), @"
    TK-ARGUMENT-INVALID: the rung to `ben` has an unknown cause `boredom`
    hint: use one of no_progress, declined, rejected, expired, lapsed, parked
    ");
    insta::assert_snapshot!(world.refusal("pia", with(vec![step("ben", None); 65])), @"
    TK-ARGUMENT-INVALID: the ladder has 65 rungs; the limit is 64
    hint: remove some; the dead letter is implied after the last rung
    ");
    world.run("pia", with(vec![step("ben", Some("lapsed")), step("dead_letter", None)])).unwrap();
}
