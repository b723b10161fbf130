//! The parties of a run, and their contracts, gates, rules and settings.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::model::{ContractRecord, GateRecord, PartyKind, RulesRecord, Rung, Settings};
use tasuki_engine::steps::{
    AddParty, BeginAbsence, PublishContract, PublishGate, SetRules, SetSettings,
};

use crate::random::Random;
use crate::samples;

pub(crate) const AGENTS: [&str; 4] = ["ana", "ben", "cem", "dov"];

/// People. The last one is the operator.
pub(crate) const PEOPLE: [&str; 4] = ["pia", "quin", "rob", "olga"];

/// Roles with their members; the last one is empty.
const ROLES: [(&str, &[&str]); 5] = [
    ("role:team", &["ben", "cem"]),
    ("role:people", &["pia", "quin", "rob"]),
    ("role:reviewer", &["dov", "quin"]),
    ("role:mixed", &["dov", "rob"]),
    ("role:nobody", &[]),
];

/// The receivers of work.
pub(crate) const RECEIVERS: [&str; 9] = [
    "ben",
    "cem",
    "dov",
    "pia",
    "role:team",
    "role:people",
    "role:reviewer",
    "role:mixed",
    "skill:python",
];

/// Names that resolve to no party, to several, or to one that was not added.
const WRONG_RECEIVERS: [&str; 5] = ["role:nobody", "eve", "The Twins", "skill:juggling", "fay"];

/// Returns the commands that add all parties.
pub(crate) fn parties() -> Vec<Command> {
    let add = |name: &str, kind: PartyKind| AddParty {
        name: name.to_owned(),
        kind: Some(kind),
        ..AddParty::default()
    };
    let mut all: Vec<AddParty> = Vec::new();
    all.extend(AGENTS.iter().map(|name| add(name, PartyKind::Agent)));
    all.extend(PEOPLE.iter().map(|name| add(name, PartyKind::Human)));
    for (name, members) in ROLES {
        let members = members.iter().map(|&member| member.to_owned()).collect();
        all.push(AddParty { members, ..add(name, PartyKind::Role) });
    }
    all[1].skills = vec!["python".to_owned()];
    all.into_iter().map(Command::AddParty).collect()
}

/// Returns the commands that publish the initial policy.
pub(crate) fn policy(random: &mut Random) -> Vec<Command> {
    let mut commands = vec![Command::PublishGate(PublishGate(gate(random, "release", "1.0")))];
    if random.chance(40) {
        commands.push(Command::PublishGate(PublishGate(gate(random, "safety", "1.0"))));
    }
    if random.chance(80) {
        commands.push(Command::PublishContract(PublishContract(contract(random, "work", "1.0"))));
    }
    if random.chance(50) {
        commands.push(Command::PublishContract(PublishContract(contract(random, "review", "1.0"))));
    }
    if random.chance(15) {
        commands.push(Command::PublishContract(PublishContract(contract(random, "other", "2.0"))));
    }
    if random.chance(30) {
        commands.push(Command::SetRules(SetRules(rules(random))));
    }
    if random.chance(30) {
        let until = samples::at(0) + SignedDuration::from_hours(*random.pick(&[1, 8, 200]));
        let (person, deputy) = ("pia".to_owned(), "rob".to_owned());
        commands.push(Command::BeginAbsence(BeginAbsence { person, deputy, from: None, until }));
    }
    commands
}

/// Returns a change of policy during a run.
pub(crate) fn change(random: &mut Random) -> Command {
    match random.below(10) {
        0 => {
            let version = *random.pick(&["1.0", "1.1", "2.0"]);
            Command::PublishContract(PublishContract(contract(random, "work", version)))
        }
        1 => Command::PublishContract(PublishContract(ContractRecord {
            document: json!({ "contract": "broken", "from": "nobody" }),
            schemas: BTreeMap::new(),
        })),
        2 => {
            let version = *random.pick(&["1.0", "1.1"]);
            Command::PublishGate(PublishGate(gate(random, "release", version)))
        }
        3 => Command::SetRules(SetRules(rules(random))),
        4 => Command::SetSettings(SetSettings(settings(random).members())),
        _ => Command::AddParty(party(random)),
    }
}

/// Returns a party to add or change. Only members that were added this way are removed from a role,
/// because the engine keeps an offer to a role that lost its last member.
fn party(random: &mut Random) -> AddParty {
    let text = |name: &str| name.to_owned();
    let of = |name: &str| AddParty { name: name.to_owned(), ..AddParty::default() };
    match random.below(10) {
        0 => AddParty { aliases: vec![text("The Twins")], ..of("cem") },
        1 => AddParty { aliases: vec![text("The Twins")], ..of("dov") },
        2 => AddParty { aliases: vec![text("ana")], ..of("ben") },
        3 => AddParty { members: vec![text("dov")], ..of("role:team") },
        4 => AddParty { without_members: vec![text("dov")], ..of("role:team") },
        5 => AddParty { reads: Some(vec![text("work@1.0")]), ..of("ben") },
        6 => AddParty { authority: Some(vec![text("write:src/")]), ..of("ben") },
        7 => AddParty { sends_for: vec![text("ana")], ..of("dov") },
        8 => AddParty { kind: Some(PartyKind::Role), ..of("gil") },
        _ => AddParty { members: vec![text("ana")], ..of("ben") },
    }
}

/// Returns settings with short timeouts.
pub(crate) fn settings(random: &mut Random) -> Settings {
    let hour = "1h".parse().expect("a duration");
    Settings {
        allows_edges_without_contract: random.chance(80),
        registers_on_first_use: random.chance(40),
        redacts_secrets: random.chance(30),
        ladder: ladder(random),
        hops: 2 + small(random, 4),
        attempts: 1 + small(random, 3),
        reworks: small(random, 3),
        chain_time: random.chance(20).then_some(hour),
        open_handoffs: random.chance(20).then_some(5),
        ..Settings::default()
    }
}

fn small(random: &mut Random, bound: u64) -> u32 {
    u32::try_from(random.below(bound)).expect("a small number")
}

/// Returns a receiver, sometimes a wrong one.
pub(crate) fn receiver(random: &mut Random) -> &'static str {
    if random.chance(8) { one_of(random, &WRONG_RECEIVERS) } else { one_of(random, &RECEIVERS) }
}

pub(crate) fn one_of(random: &mut Random, names: &[&'static str]) -> &'static str {
    names[random.index(names.len())]
}

/// Returns rungs as a packet or a contract writes them.
pub(crate) fn rungs(random: &mut Random) -> Value {
    let count = 1 + random.below(3);
    let mut rungs: Vec<Value> = (0..count).map(|_| rung(random)).collect();
    rungs.push(json!({ "to": "dead_letter" }));
    Value::from(rungs)
}

fn rung(random: &mut Random) -> Value {
    let to = *random.pick(&["role:people", "role:nobody", "pia", "cem", "role:team", "role:mixed"]);
    let mut rung = json!({ "to": to });
    if random.chance(30) {
        rung["after"] = json!(*random.pick(&["5m", "1h"]));
    }
    if random.chance(30) {
        let on = ["no_progress", "declined", "rejected", "expired", "lapsed", "parked"];
        rung["on"] = json!(*random.pick(&on));
    }
    rung
}

fn ladder(random: &mut Random) -> Vec<Rung> {
    if random.chance(50) {
        return Vec::new();
    }
    let rungs = rungs(random);
    let step = |rung: &Value| Rung {
        after: rung["after"].as_str().and_then(|after| after.parse().ok()),
        on: rung["on"].as_str().map(str::to_owned),
        to: rung["to"].as_str().unwrap_or_default().to_owned(),
    };
    rungs.as_array().expect("rungs are a list").iter().map(step).collect()
}

fn contract(random: &mut Random, name: &str, version: &str) -> ContractRecord {
    let (from, to) = match name {
        "work" => (json!(["ana", "role:team"]), json!(["ben", "cem", "role:team"])),
        "review" => (json!(["ben", "cem"]), json!(["dov", "pia", "role:reviewer"])),
        _ => (json!(["ana"]), json!(["ben", "role:mixed"])),
    };
    let fallback = rungs(random);
    let mut document = json!({
        "contract": name, "version": version, "from": from, "to": to, "fallback": fallback,
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] },
    });
    let mut put = |percent: u64, name: &str, values: &[Value]| {
        if random.chance(percent) {
            document[name] = random.pick(values).clone();
        }
    };
    put(
        50,
        "confidence",
        &[json!({ "required": true, "auto_progress_at": 0.8, "hold_below": 0.5 })],
    );
    put(40, "lease", &[json!({ "for": "60s", "attempts": 2 }), json!({ "for": "1h" })]);
    let deadlines = [
        json!({ "deliver": "1m", "claim": "10m" }),
        json!({ "start": "2m", "progress": "5m" }),
        json!({ "return": "30m", "verify": "10m" }),
    ];
    put(50, "deadlines", &deadlines);
    let returns = [
        json!({ "allowed": true }),
        json!({ "require": ["status", "verification"] }),
        json!({ "allowed": true, "require": ["status"] }),
    ];
    put(60, "returns", &returns);
    put(30, "gates", &[json!(["release"])]);
    put(50, "verify", &[json!("automatic"), json!("sender"), json!("person")]);
    put(30, "park", &[json!("other"), json!("same")]);
    put(30, "rework", &[json!({ "attempts": 0 }), json!({ "attempts": 1 })]);
    put(20, "hops", &[json!(2)]);
    put(30, "decide", &[json!("pia"), json!("quin"), json!("role:people")]);
    put(20, "risk", &[json!("high")]);
    // A role that hands over to itself is a loop, unless its work may be returned.
    if document["from"] == json!(["ana", "role:team"]) && document["returns"]["allowed"] != true {
        document["from"] = json!(["ana"]);
    }
    if document["park"] == "other" {
        let rungs = document["fallback"].as_array_mut().expect("rungs are a list");
        rungs.insert(0, json!({ "to": "role:mixed", "on": "parked" }));
    }
    ContractRecord { document, schemas: BTreeMap::new() }
}

fn gate(random: &mut Random, name: &str, version: &str) -> GateRecord {
    let approvals = 1 + random.below(2);
    let mut factors =
        vec![json!({ "name": "eyes", "roles": ["role:people"], "approvals": approvals })];
    if random.chance(20) {
        factors[0]["meaning"] = json!(["reviewed"]);
    }
    if random.chance(20) {
        factors.push(json!({ "name": "review", "roles": ["role:reviewer"], "approvals": 1 }));
    }
    let mut document = json!({ "gate": name, "version": version, "factors": factors, "deny": 1 });
    if random.chance(50) {
        document["ttl"] = json!(*random.pick(&["10m", "2h"]));
    }
    if random.chance(20) {
        document["requires_opened"] = json!(["packet"]);
    }
    if random.chance(60) {
        document["applies"] = json!([{ "classification": ["RESTRICTED"] }]);
    }
    GateRecord { document }
}

fn rules(random: &mut Random) -> RulesRecord {
    let effect = *random.pick(&["hold", "sensitive_topic"]);
    let document = json!({
        "rules": [{ "name": "money", "when": { "words": ["refund"] }, "then": effect }],
        "triggers": { "error": "offer" },
    });
    RulesRecord { document }
}
