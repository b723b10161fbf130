//! Contracts, gates, rules and settings come into the project.

use serde_json::{Map, Value};
use tasuki_packet::contract::check::{self, Entry};
use tasuki_packet::contract::{Identity, PartyName};
use tasuki_packet::gate::Gate;
use tasuki_packet::leaf::EventType;
use tasuki_packet::rules::Rules;

use crate::limits::SETTLE_STEPS_MAX;
use crate::model::change::Change;
use crate::model::context::Context;
use crate::model::directory::{
    ContractRecord, Directory, GateRecord, Published, Record, RulesRecord, Settings,
};
use crate::model::document::hash_of_digest;
use crate::prepare::invalid;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;

/// What a rung may be for.
const FALLBACK_REASONS: [&str; 6] =
    ["no_progress", "declined", "rejected", "expired", "lapsed", "parked"];

/// Decides that a version of a contract can be used.
pub fn publish_contract(
    context: &Context<'_>,
    record: &ContractRecord,
    published: &Published,
) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let identity: Identity = published.compiled.contract().identity();
    let mut change = Change::default();
    change.answer.published = Some(identity.to_string());
    match context.state.directory.contract(&identity) {
        Some(known) if known.digest == published.digest => {
            change.answer.repeated = true;
            return Ok(change);
        }
        Some(_) => {
            let message = format!(
                "`{identity}` was published with other content, and a version is immutable"
            );
            return Err(Refusal::new(RefusalCode::ContractChanged, message)
                .hint("publish it under the next version"));
        }
        None => {}
    }
    must_be_good(&context.state.directory, published)?;
    change
        .happened_here(EventType::ContractPublished, context.actor())
        .with("contract", hash_of_digest(&published.digest));
    change.records.push(Record::Contract(record.clone()));
    Ok(change)
}

/// What is an error among the contracts of a project does not come into it. This is decided in the line:
/// two that are good by themselves can be a loop together.
fn must_be_good(directory: &Directory, published: &Published) -> Result<(), Refusal> {
    let entry = |published: &Published| Entry {
        source: String::new(),
        contract: published.compiled.contract().clone(),
        compiled: Ok(published.compiled.clone()),
    };
    let there: Vec<Entry> = directory.contracts().map(|one| entry(one)).collect();
    let found = check::addition(&there, &entry(published));
    if found.is_empty() {
        return Ok(());
    }
    let identity = published.compiled.contract().identity();
    Err(invalid(&format!("contract `{identity}`"), found))
}

/// Decides that a version of a gate can be used.
pub fn publish_gate(
    context: &Context<'_>,
    record: &GateRecord,
    gate: &Gate,
) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let digest = gate.digest();
    let mut change = Change::default();
    change.answer.published = Some(gate.identity().to_string());
    let directory = &context.state.directory;
    if directory.gate(&digest).is_some() {
        change.answer.repeated = true;
        return Ok(change);
    }
    if directory.published_gate(&gate.identity()).is_some() {
        let message = format!(
            "gate `{}` was published with other content, and a version is immutable",
            gate.identity()
        );
        return Err(Refusal::new(RefusalCode::ContractChanged, message)
            .hint("publish it under the next version"));
    }
    change
        .happened_here(EventType::GatePublished, context.actor())
        .with("gate", hash_of_digest(&digest));
    change.records.push(Record::Gate(record.clone()));
    Ok(change)
}

/// Decides that the project has these rules from now on.
pub fn set_rules(
    context: &Context<'_>,
    record: &RulesRecord,
    rules: &Rules,
) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let mut change = Change::default();
    change.answer.published = Some("rules".to_owned());
    let known = context.state.directory.rules.as_ref();
    if known.is_some_and(|known| known.stated.digest() == rules.digest()) {
        change.answer.repeated = true;
        return Ok(change);
    }
    change
        .happened_here(EventType::RulesPublished, context.actor())
        .with("rules", hash_of_digest(&rules.digest()));
    change.records.push(Record::Rules(record.clone()));
    Ok(change)
}

/// Decides that the project has these settings from now on. What is not named stays as it is, so that
/// two operators who change different things change both.
pub fn set_settings(
    context: &Context<'_>,
    changes: &Map<String, Value>,
) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let before = &context.state.directory.settings;
    let settings = before.with(changes)?;
    must_work(&settings)?;
    let mut change = Change::default();
    if *before == settings {
        change.answer.repeated = true;
        return Ok(change);
    }
    change
        .happened_here(EventType::ProjectChanged, context.actor())
        .with("settings", hash_of_digest(&settings.digest()));
    change.records.push(Record::Settings(settings));
    Ok(change)
}

/// Settings with which no work could move are a mistake.
fn must_work(settings: &Settings) -> Result<(), Refusal> {
    let refuse = |message: String, hint: &str| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
    };
    let (hops, attempts) = (u64::from(settings.hops), u64::from(settings.attempts));
    let open = settings.open_handoffs.unwrap_or(u64::MAX);
    for (name, value) in [("hops", hops), ("attempts", attempts), ("open_handoffs", open)] {
        if value == 0 {
            return refuse(format!("`{name}` is 0, and must be at least 1"), "nothing could move");
        }
    }
    let rungs = settings.ladder.len();
    if rungs > SETTLE_STEPS_MAX {
        let message = format!("the ladder has {rungs} rungs, the limit is {SETTLE_STEPS_MAX}");
        return refuse(message, "the dead letter follows the last rung by itself");
    }
    for step in &settings.ladder {
        if step.to != "dead_letter" && step.to.parse::<PartyName>().is_err() {
            let message = format!("the rung to `{}` leads to no party", step.to);
            return refuse(message, "name a party, a role, or `dead_letter`");
        }
        let is_reason = |on: &String| FALLBACK_REASONS.contains(&on.as_str());
        if let Some(on) = step.on.as_ref().filter(|on| !is_reason(on)) {
            let message = format!("the rung to `{}` is for `{on}`, which never happens", step.to);
            let hint = format!("it is one of {}", FALLBACK_REASONS.join(", "));
            return refuse(message, &hint);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::command::Command;
    use crate::model::packet_summary::Step;
    use crate::model::principal::{Scope, Scopes};
    use crate::steps::admin::AddParty;
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
        Command::PublishContract(ContractRecord {
            document,
            schemas: std::collections::BTreeMap::new(),
        })
    }

    fn gate(version: &str, approvals: u32) -> Command {
        let factors = json!([{"name": "eyes", "roles": ["people"], "approvals": approvals}]);
        let document = json!({"gate": "release", "version": version, "factors": factors});
        Command::PublishGate(GateRecord { document })
    }

    fn rules(word: &str) -> Command {
        let rule = json!({"name": "m", "when": {"words": [word]}, "then": "hold"});
        Command::SetRules(RulesRecord { document: json!({"rules": [rule]}) })
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
            assert!(
                refusal.starts_with("TK-SCOPE-MISSING: this credential lacks the scope `admin`")
            );
        }
    }

    #[test]
    fn a_version_of_a_contract_is_immutable() {
        let mut world = World::new();
        let answer = world.run("pia", contract(&json!({}))).unwrap();
        assert_eq!(answer.published.as_deref(), Some("work@1.0"));
        assert!(world.run("pia", contract(&json!({}))).unwrap().repeated);
        insta::assert_snapshot!(world.refusal("pia", contract(&json!({"hops": 3}))), @"
        TK-CONTRACT-CHANGED: `work@1.0` was published with other content, and a version is immutable
        hint: publish it under the next version
        ");
        world.run("pia", contract(&json!({"version": "1.1", "hops": 3}))).unwrap();
        world.check("pia", contract(&json!({"hops": 3})), "refused TK-CONTRACT-CHANGED");
        insta::assert_snapshot!(world.refusal("pia", contract(&json!({"hops": -3, "to": 1}))), @"
        TK-DOCUMENT-INVALID: the contract has 2 violations
        hint: every violation names its place in the document
        /to TK-FIELD-TYPE: `/to` must be a list, not a number; allowed: a list
        /hops TK-FIELD-RANGE: `/hops` is out of range; allowed: an integer from 1 to 100
        ");
        assert_eq!(world.story(0), "contract.published by pia\ncontract.published by pia");
    }

    #[test]
    fn a_contract_with_an_error_is_not_published_and_one_with_a_warning_is() {
        let mut world = World::new();
        let weak = json!({"verify": "automatic", "payload_schema": {"type": "object"}});
        world.run("pia", contract(&weak)).unwrap();
        let ladder = json!([{"to": "ben", "on": "invalid"}]);
        let bad = json!({"version": "2.0", "scope": null, "fallback": ladder});
        insta::assert_snapshot!(world.refusal("pia", contract(&bad)), @"
        TK-DOCUMENT-INVALID: the contract `work@2.0` has 3 violations
        hint: every violation names its place in the document
        /scope TK-CONTRACT-PART: `scope` is missing, one of the five parts of a contract
        /fallback/0/on TK-CONTRACT-LADDER: the rung is for `invalid`, which never happens: what is not valid is refused; allowed: one of no_progress, declined, rejected, expired, lapsed, parked
        /fallback/0 TK-CONTRACT-LADDER: the last rung is `ben`, not the dead letter
        ");
        let back = json!({"contract": "back", "from": ["ben"], "to": ["ana"]});
        insta::assert_snapshot!(world.refusal("pia", contract(&back)), @"
        TK-DOCUMENT-INVALID: the contract `back@1.0` has 1 violation
        hint: every violation names its place in the document
        /to TK-CONTRACT-LOOP: ana -> ben -> ana is a loop without a return contract
        ");
        let second = json!({
            "version": "1.2", "payload_schema": {"type": "object"}, "compatible_with": ["1.1"],
        });
        insta::assert_snapshot!(world.refusal("pia", contract(&second)), @"
        TK-DOCUMENT-INVALID: the contract `work@1.2` has 2 violations
        hint: every violation names its place in the document
        /compatible_with/0 TK-CONTRACT-VERSION: there is no `work@1.1`
        /verify TK-CONTRACT-BREAKING: breaks `work@1.0`: a return newly needs a verdict of somebody; allowed: automatic
        ");
        assert_eq!(world.story(0), "contract.published by pia");
    }

    #[test]
    fn a_version_of_a_gate_is_immutable_also_an_older_one() {
        let mut world = World::new();
        world.run("pia", gate("1.0", 1)).unwrap();
        assert!(world.run("pia", gate("1.0", 1)).unwrap().repeated);
        world.run("pia", gate("1.1", 2)).unwrap();
        insta::assert_snapshot!(world.refusal("pia", gate("1.0", 3)), @"
        TK-CONTRACT-CHANGED: gate `release@1.0` was published with other content, and a version is immutable
        hint: publish it under the next version
        ");
        insta::assert_snapshot!(world.refusal("pia", gate("2.0", 0)), @"
        TK-DOCUMENT-INVALID: the gate has 1 violation
        hint: every violation names its place in the document
        /factors/0/approvals TK-FIELD-RANGE: `/factors/0/approvals` is out of range; allowed: an integer from 1 to 20
        ");
        assert!(world.run("pia", gate("1.0", 1)).unwrap().repeated);
    }

    #[test]
    fn rules_and_settings_replace_what_was_there() {
        let mut world = World::new();
        world.run("pia", rules("refund")).unwrap();
        assert!(world.run("pia", rules("refund")).unwrap().repeated);
        assert!(!world.run("pia", rules("wire")).unwrap().repeated);
        let broken = RulesRecord {
            document: json!({"rules": [{"name": "x", "when": {"patterns": ["("]}, "then": "hold"}]}),
        };
        insta::assert_snapshot!(world.refusal("pia", Command::SetRules(broken)), @"
        TK-DOCUMENT-INVALID: the rules document has 1 violation
        hint: every violation names its place in the document
        /rules/0/when/patterns/0 TK-PATTERN-INVALID: the pattern cannot be used: unclosed group
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
        Command::SetSettings(changes.as_object().unwrap().clone())
    }

    #[test]
    fn settings_that_nobody_names_stay_as_they_are() {
        let mut world = World::new();
        world.run("pia", set(&json!({ "hops": 7 }))).unwrap();
        world.run("pia", set(&json!({ "attempts": 9 }))).unwrap();
        let settings = &world.state.directory.settings;
        assert_eq!((settings.hops, settings.attempts), (7, 9));
        insta::assert_snapshot!(world.refusal("pia", set(&json!({ "hop": 7 }))), @"
        TK-ARGUMENT-INVALID: there is no setting `hop`
        hint: did you mean `hops`?
        ");
        insta::assert_snapshot!(world.refusal("pia", set(&json!({ "hops": "many" }))), @r#"
        TK-ARGUMENT-INVALID: that is no value for it: invalid type: string "many", expected u32
        hint: a value is JSON of the kind that the setting has; `null` unsets one
        "#);
    }

    #[test]
    fn settings_with_which_nothing_could_move_are_refused() {
        let mut world = World::new();
        let step = |to: &str, on: Option<&str>| Step {
            after: None,
            on: on.map(str::to_owned),
            to: to.to_owned(),
        };
        let with = |ladder: Vec<Step>| set(&json!({ "ladder": ladder }));
        let none = set(&json!({ "hops": 0 }));
        insta::assert_snapshot!(world.refusal("pia", none), @"
        TK-ARGUMENT-INVALID: `hops` is 0, and must be at least 1
        hint: nothing could move
        ");
        insta::assert_snapshot!(world.refusal("pia", with(vec![step("On Call", None)])), @"
        TK-ARGUMENT-INVALID: the rung to `On Call` leads to no party
        hint: name a party, a role, or `dead_letter`
        ");
        insta::assert_snapshot!(world.refusal("pia", with(vec![step("ben", Some("boredom"))])), @"
        TK-ARGUMENT-INVALID: the rung to `ben` is for `boredom`, which never happens
        hint: it is one of no_progress, declined, rejected, expired, lapsed, parked
        ");
        insta::assert_snapshot!(world.refusal("pia", with(vec![step("ben", None); 65])), @"
        TK-ARGUMENT-INVALID: the ladder has 65 rungs, the limit is 64
        hint: the dead letter follows the last rung by itself
        ");
        world
            .run("pia", with(vec![step("ben", Some("lapsed")), step("dead_letter", None)]))
            .unwrap();
    }
}
