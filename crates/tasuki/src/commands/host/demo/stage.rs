//! Sets the stage of the demo: parties, contracts, a gate, rules, and a token for each agent.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tasuki_client::api::{ContractRequest, PartyKind, PartyRequest, PolicyRequest, TokenRequest};
use tasuki_client::{Client, Error};

use super::actor::Actor;
use super::exchange::PERSON;
use super::pause::Pause;

const AGENTS: [&str; 10] = [
    "coder-1",
    "coder-2",
    "crawler",
    "deployer",
    "dosing-model",
    "importer",
    "planner",
    "researcher",
    "ward-system",
    "writer",
];

/// The agents of the demo.
pub(super) struct Stage {
    actors: BTreeMap<&'static str, Actor>,
    pub(super) pause: Pause,
}

impl Stage {
    /// Prepares the project with a token that may change it.
    pub(super) fn set(address: &str, token: &str, pause: &Pause) -> Result<Self, Error> {
        let director = Client::new(address, token)?;
        let mut actors = BTreeMap::new();
        for name in AGENTS {
            let client = Client::new(address, hire(&director, name)?)?;
            actors.insert(name, Actor { client, pause: pause.clone() });
        }
        add_role(&director, "role:coder", &["coder-1", "coder-2"])?;
        add_role(&director, "role:safety_officer", &[PERSON])?;
        for document in contracts() {
            director.publish_contract(&ContractRequest { document, schemas: BTreeMap::new() })?;
        }
        director.publish_gate(&PolicyRequest { document: gate() })?;
        director.set_rules(&PolicyRequest { document: rules() })?;
        Ok(Self { actors, pause: pause.clone() })
    }

    /// Returns an agent by name.
    pub(super) fn actor(&self, name: &str) -> &Actor {
        &self.actors[name]
    }
}

/// Adds an agent, and returns the text of its token.
fn hire(director: &Client, name: &str) -> Result<String, Error> {
    let kind = Some(PartyKind::Agent);
    director.add_party(&PartyRequest { name: name.to_owned(), kind, ..PartyRequest::default() })?;
    let request = TokenRequest { party: name.to_owned(), ..TokenRequest::default() };
    let token = director.create_token(&request)?.token.and_then(|token| token.text);
    token.map(|text| text.0).ok_or_else(|| Error::UnexpectedResponse {
        address: director.address().to_owned(),
        reason: "the response has no token".to_owned(),
    })
}

fn add_role(director: &Client, name: &str, members: &[&str]) -> Result<(), Error> {
    let members = members.iter().map(|&member| member.to_owned()).collect();
    director.add_party(&PartyRequest {
        name: name.to_owned(),
        kind: Some(PartyKind::Role),
        members,
        ..PartyRequest::default()
    })?;
    Ok(())
}

fn contracts() -> [Value; 4] {
    [
        json!({
            "contract": "planner-to-coder", "version": "1.0",
            "description": "A change to write, with its acceptance criteria",
            "from": ["planner"], "to": ["role:coder"],
            "scope": { "is": "a change to write", "is_not": ["leave to deploy"] },
            "payload_schema": { "type": ["object", "array"] },
            "confidence": { "required": false, "hold_below": 0.1 },
            "provenance": { "require": [] },
            "lease": { "for": "6s", "attempts": 3 },
            "fallback": [{ "to": "dead_letter" }],
            "returns": { "allowed": true, "require": ["status", "verification"] },
            "verify": "automatic",
        }),
        json!({
            "contract": "researcher-to-writer", "version": "1.0",
            "description": "Findings to write up; a person looks at uncertain ones",
            "from": ["researcher"], "to": ["writer"],
            "scope": { "is": "findings with their sources", "is_not": ["a finished text"] },
            "payload_schema": { "type": ["object", "array"] },
            "confidence": { "required": true, "hold_below": 0.7 },
            "provenance": { "require": [] },
            "fallback": [{ "to": "dead_letter" }],
            "returns": { "allowed": true, "require": ["status"] },
            "verify": "automatic",
        }),
        json!({
            "contract": "planner-to-importer", "version": "1.0",
            "description": "An import to run; a person judges its result",
            "from": ["planner"], "to": ["importer"],
            "scope": { "is": "an import to run", "is_not": ["leave to delete"] },
            "payload_schema": { "type": ["object", "array"] },
            "confidence": { "required": false, "hold_below": 0.1 },
            "provenance": { "require": [] },
            "rework": { "attempts": 3 },
            "fallback": [{ "to": "dead_letter" }],
            "returns": { "allowed": true, "require": ["status"] },
            "verify": "person",
        }),
        json!({
            "contract": "planner-to-crawler", "version": "1.0",
            "description": "Pages to fetch, soon or not at all",
            "from": ["planner"], "to": ["crawler"],
            "scope": { "is": "pages to fetch", "is_not": ["leave to log in"] },
            "payload_schema": { "type": ["object", "array"] },
            "confidence": { "required": false, "hold_below": 0.1 },
            "provenance": { "require": [] },
            "deadlines": { "claim": "6s" },
            "fallback": [{ "to": "dead_letter" }],
            "returns": { "allowed": true, "require": ["status"] },
            "verify": "automatic",
        }),
    ]
}

fn gate() -> Value {
    json!({
        "gate": "clinical-release", "version": "1.0",
        "description": "Released for clinical use by a safety officer",
        "factors": [{
            "name": "safety_officer", "roles": ["safety_officer"], "approvals": 1,
            "meaning": ["approved_for_clinical_use", "reviewed"],
        }],
        "applies": [{ "edge": [{ "from": "dosing-model", "to": "ward-system" }] }],
    })
}

fn rules() -> Value {
    json!({
        "description": "A person looks at production deployments",
        "rules": [
            { "name": "production", "when": { "words": ["production"] }, "then": "hold" },
        ],
    })
}
