//! Tests that read, check and use the contracts shipped with the repository.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::check::{self, Entry};
use super::document::Contract;
use super::graph::Graph;
use super::{CompiledContract, convert_up};
use crate::Packet;
use crate::dialect::{self, Dialect};
use crate::read::Source;

macro_rules! shipped {
    ($($path:literal),+ $(,)?) => {
        [$(($path, include_str!(concat!("../../../../../contracts/", $path)))),+]
    };
}

/// Returns the schema files by the paths that contracts refer to.
pub(super) fn shipped_schemas() -> BTreeMap<String, Value> {
    shipped![
        "schemas/change.schema.json",
        "schemas/finding.schema.json",
        "schemas/incident-1.0.schema.json",
        "schemas/incident-1.1.schema.json",
        "schemas/incident.schema.json",
    ]
    .map(|(path, text)| (path.to_owned(), serde_json::from_str(text).unwrap()))
    .into()
}

fn entries() -> Vec<Entry> {
    let files = shipped![
        "coder-to-reviewer.yaml",
        "correlation-to-investigation-1.0.yaml",
        "correlation-to-investigation-1.1.yaml",
        "correlation-to-investigation.yaml",
        "planner-to-coder.yaml",
        "reviewer-to-coder.yaml",
    ];
    let schemas = shipped_schemas();
    let entry = |(path, text): (&str, &str)| {
        let source = Source::plain(text.as_bytes()).unwrap();
        let document = source.read_plain().unwrap().to_value();
        let contract = Contract::read(&document).unwrap();
        let compiled = CompiledContract::new(&contract, &schemas);
        Entry { source: path.to_owned(), contract, compiled }
    };
    files.map(entry).into()
}

#[test]
fn the_shipped_contracts_pass_their_check() {
    let report = check::contracts(&entries());
    assert_eq!(report.findings, []);
    assert_eq!(report.summary.to_string(), "6 contracts, 2 payload schemas in use on 4 edges");
}

#[test]
fn the_shipped_contracts_have_a_loop_only_because_a_return_is_allowed() {
    let mut entries = entries();
    for entry in &mut entries {
        entry.contract.returns.allowed = false;
    }
    let report = check::contracts(&entries);
    let messages: Vec<_> = report.findings.iter().map(|f| f.violation.to_string()).collect();
    assert_eq!(
        messages,
        ["TK-CONTRACT-LOOP: coder -> role:reviewer -> coder is a loop without a return contract"]
    );
}

#[test]
fn the_shipped_contracts_are_drawn() {
    let contracts: Vec<Contract> = entries().into_iter().map(|entry| entry.contract).collect();
    insta::assert_snapshot!(Graph::of(&contracts).to_text(), @"
    coder             --> role:reviewer      coder-to-reviewer@1.0
    coder             - > planner            returns status, changed_paths, verification, blockers, handoff_summary
    coder             - > role:reviewer      returns status, changed_paths, verification
    coder             ..> role:coder         fallback after 30m on no_progress
    coder             ..> role:human-queue   fallback after 4h
    correlator        --> role:investigator  correlation-to-investigation@1.2
    planner           --> coder              planner-to-coder@1.0
    role:coder        ..> role:human-queue   fallback
    role:human-queue  ..> dead_letter        fallback
    role:investigator - > correlator         returns status, verification
    role:investigator ..> role:oncall        fallback
    role:oncall       ..> role:human-queue   fallback after 15m
    role:reviewer     - > coder              returns status, evidence, blockers, assumptions
    role:reviewer     - > coder              reviewer-to-coder@1.0
    role:reviewer     ..> role:human-queue   fallback after 4h
    ");
}

/// Returns an incident as its correlation agent writes it, outside a packet.
fn incident() -> Value {
    json!({
        "incident_id": "inc-2026-04-17-0042",
        "signal_types": ["metric", "log", "trace"],
        "services": ["checkout-api", "payment-client"],
        "time_window": {"start": "2026-04-17T23:03:00Z", "duration_seconds": 240},
        "alert_count": 84,
        "primary_hypothesis": "recent_deploy",
        "evidence_refs": ["deploy:prod-2026-04-17-2247", "trace:abc123..."],
        "confidence": 0.74,
        "fallback": "escalate_to_oncall_if_not_progressed_within_300s"
    })
}

#[test]
fn an_imported_incident_lacks_only_its_provenance() {
    let entries = entries();
    let newest = entries.iter().find(|entry| entry.source == "correlation-to-investigation.yaml");
    let newest = newest.unwrap().compiled.as_ref().unwrap();
    let incident = incident();
    let imported = dialect::import(Dialect::Incident, incident.as_object().unwrap()).unwrap();
    let mut members = imported.packet;
    let found = newest.check(&Packet::new(members.clone()));
    let places: Vec<_> = found.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect();
    assert_eq!(
        places,
        ["inputs", "sources", "tools"].map(|n| format!("TK-PROVENANCE-MISSING /provenance/{n}"))
    );
    members.insert(
        "provenance".to_owned(),
        json!({"inputs": ["84 alerts"], "sources": ["metrics"], "tools": ["correlate"]}),
    );
    assert_eq!(newest.check(&Packet::new(members)), []);
}

#[test]
fn an_incident_of_the_first_version_arrives_as_one_of_the_newest() {
    let entries = entries();
    let compiled = |version: &str| {
        let identity = format!("correlation-to-investigation@{version}");
        let entry = entries.iter().find(|e| e.contract.identity().to_string() == identity);
        entry.unwrap().compiled.as_ref().unwrap()
    };
    let packet = json!({
        "from_agent": "correlator",
        "to_agent": "role:investigator",
        "contract": "correlation-to-investigation@1.0",
        "confidence": 0.74,
        "provenance": {"inputs": ["84 alerts"], "sources": ["metrics"], "tools": ["correlate"]},
        "payload": {
            "incident_id": "inc-1",
            "services": ["checkout-api"],
            "time_window": {"start": "2026-04-17T23:03:00Z", "duration_seconds": 240},
            "hypothesis": "recent_deploy",
        },
    });
    let packet = Packet::from_value(packet).unwrap();
    let (first, newest) = (compiled("1.0"), compiled("1.2"));
    assert_eq!(first.check(&packet), []);
    assert_eq!(newest.check(&packet).len(), 2);
    let converted = convert_up(newest.contract(), &packet).unwrap().unwrap();
    assert_eq!(newest.check(&converted), []);
    assert!(!newest.contract().needs_person(&converted));
    assert!(!newest.contract().auto_progresses(&converted));
}
