//! The permission matrix: every kind of caller at every operation, compared with a committed table.
//!
//! `in` means that the caller was admitted, whatever the engine then decided. `TASUKI_UPDATE=1`
//! rewrites the table.

use std::fmt::Write as _;

use serde_json::json;
use tasuki_server::operations::{ALL, Operation, Verb};
use tasuki_server::webhook::Origin;
use tasuki_server::{Limits, Settings};

use crate::support::client::Request;
use crate::support::committed::compare;
use crate::support::test_server::TestServer;

const CALLERS: &[&str] =
    &["nobody", "submit", "receive", "read", "verify", "agent", "person", "admin", "other"];

/// An address without a webhook receiver.
const NO_RECEIVER: &str = "http://127.0.0.1:9";

#[test]
fn everybody_gets_in_exactly_where_the_table_says() {
    let limits = Limits {
        requests_per_token: 0,
        requests_per_project: 0,
        sign_ins_per_minute: 0,
        ..Limits::default()
    };
    let webhook_origins = vec![Origin::read(NO_RECEIVER).unwrap()];
    let server = TestServer::with(Settings { limits, webhook_origins, ..Settings::default() });
    let prepared = Prepared::new(&server);
    let mut table = format!("{:<22}", "");
    for caller in CALLERS {
        write!(table, "{caller:<9}").unwrap();
    }
    table = format!("{}\n", table.trim_end());
    for operation in ALL {
        let mut row = format!("{:<22}", operation.id);
        for caller in CALLERS {
            write!(row, "{:<9}", prepared.cell(operation, caller)).unwrap();
        }
        table.push_str(row.trim_end());
        table.push('\n');
    }
    compare("crates/tasuki-server/tests/it/access/matrix.txt", &table);
}

/// A project in which every path parameter exists.
struct Prepared<'w> {
    server: &'w TestServer,
    handoff: String,
    tokens: Vec<(&'static str, String)>,
    spare: String,
    subscription: String,
    cookie: String,
}

impl<'w> Prepared<'w> {
    fn new(server: &'w TestServer) -> Self {
        let gate = json!({ "document": {
            "gate": "known", "version": "1.0",
            "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
        } });
        server.post("/v1/gates").by("pia").json(&gate).send().is(201);
        let contract = json!({ "document": {
            "contract": "known", "version": "1.0", "from": ["ben"], "to": ["ana"],
            "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
            "provenance": { "require": [] }, "fallback": [{ "to": "dead_letter" }],
        } });
        server.post("/v1/contracts").by("pia").json(&contract).send().is(201);
        let token = |scopes: &[&str]| {
            let to: &[&str] = if scopes == ["submit"] { &["ana"] } else { &[] };
            let body = json!({ "party": "ben", "scopes": scopes, "to": to });
            server.post("/v1/tokens").by("pia").json(&body).send().is(201).body["token"].clone()
        };
        let text = |scopes: &[&str]| token(scopes)["text"].as_str().unwrap().to_owned();
        let tokens = vec![
            ("submit", text(&["submit"])),
            ("receive", text(&["receive"])),
            ("read", text(&["read"])),
            ("verify", text(&["verify"])),
            ("agent", text(&["submit", "receive", "read"])),
            ("admin", text(&["admin"])),
            ("other", "other-ben".to_owned()),
        ];
        let spare = token(&["read"])["id"].as_str().unwrap().to_owned();
        let subscription = server.subscribe_in_other_process(NO_RECEIVER);
        let path = format!("/v1/subscriptions/{subscription}/disable");
        server.post(&path).by("pia").send().is(200);
        let (handoff, cookie) = (server.submitted("known"), server.signed_in());
        Self { server, handoff, tokens, spare, subscription, cookie }
    }

    fn cell(&self, operation: &Operation, caller: &str) -> String {
        let name = match operation.path {
            path if path.contains("/tokens/") => &self.spare,
            path if path.contains("/subscriptions/") => &self.subscription,
            path if path.contains("/claims/{id}/") => "clm_00000000000000000000000000000000",
            path if path.contains("/parties/") => "ana",
            path if path.contains("{name}") || path.contains("{task}") => "known",
            _ => &self.handoff,
        };
        let path = ["{id}", "{task}", "{name}"]
            .iter()
            .fold(operation.path.to_owned(), |path, part| path.replace(part, name));
        let verb = match operation.verb {
            Verb::Get => "GET",
            Verb::Post => "POST",
            Verb::Put => "PUT",
            Verb::Patch => "PATCH",
            Verb::Delete => "DELETE",
        };
        let request = Request::new(self.server, verb, &path);
        let request = match self.tokens.iter().find(|(name, _)| *name == caller) {
            Some((_, token)) => request.by(token),
            None if caller == "person" => request.with(&self.cookie),
            None => request,
        };
        // Ending the session would end the row.
        if (operation.id, caller) == ("sign_out", "person") {
            return "in".to_owned();
        }
        let answer = request.send();
        match (answer.status, answer.code()) {
            (404, "TK-NOTHING-OFFERED") => "in".to_owned(),
            (status @ (401 | 403 | 404), _) => status.to_string(),
            _ => "in".to_owned(),
        }
    }
}
