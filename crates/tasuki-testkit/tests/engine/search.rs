//! A search by a party from which gates hide much.

use std::collections::BTreeMap;

use serde_json::json;
use tasuki_engine::command::Command;
use tasuki_engine::model::{ContractRecord, GateRecord};
use tasuki_engine::query::search::{Page, SearchCursor};
use tasuki_engine::steps::{AddParty, PublishContract, PublishGate};

use crate::fixture::{Exchange, plain, run, submit_of};

/// More than one page scans.
const HIDDEN: usize = 2_050;

/// Adds a gate that `pia` signs before `ben` may read.
fn gated(exchange: &Exchange) {
    let members = vec!["pia".to_owned()];
    let role = AddParty { name: "role:people".to_owned(), members, ..AddParty::default() };
    exchange.run("pia", Command::AddParty(role)).unwrap();
    let factors = json!([{ "name": "safety", "roles": ["role:people"] }]);
    let document = json!({ "gate": "release", "version": "1.0", "factors": factors });
    exchange.run("pia", Command::PublishGate(PublishGate(GateRecord { document }))).unwrap();
    let document = json!({
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] }, "gates": ["release"],
        "fallback": [{ "to": "dead_letter" }],
    });
    let contract = ContractRecord { document, schemas: BTreeMap::new() };
    exchange.run("pia", Command::PublishContract(PublishContract(contract))).unwrap();
}

fn page(exchange: &Exchange, name: &str, behind: Option<SearchCursor>) -> Page {
    let (engine, principal) = (&exchange.engine, &exchange.parties[name]);
    let reader = run(engine.reader(exchange.project, principal)).unwrap();
    run(reader.search("scaffold", behind, 10)).unwrap()
}

#[test]
fn hidden_results_do_not_end_a_search() {
    let exchange = Exchange::new();
    exchange.run("ana", plain("first")).unwrap();
    gated(&exchange);
    for number in 0..HIDDEN {
        let packet = submit_of(&format!("task-{number}"), &json!({ "payload": [] }));
        exchange.run("ana", packet).unwrap();
    }
    let looked_through = page(&exchange, "ben", None);
    assert!(looked_through.found.is_empty(), "all of these wait for a signature");
    let last = page(&exchange, "ben", looked_through.next);
    assert_eq!((last.found.len(), last.next), (1, None), "the oldest is visible to him");

    // A reader of everything has full pages without duplicates.
    let (mut seen, mut behind) = (Vec::new(), None);
    loop {
        let page = page(&exchange, "ana", behind);
        seen.extend(page.found.iter().map(|one| one.n));
        behind = page.next;
        if behind.is_none() {
            break;
        }
        assert_eq!(page.found.len(), 10);
    }
    assert!(seen.is_sorted_by(|one, next| one > next));
    assert_eq!(seen.len(), HIDDEN + 1);
}
