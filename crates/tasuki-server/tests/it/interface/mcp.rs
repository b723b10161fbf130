//! `/mcp`: the tools of agents over Streamable HTTP, in both eras of the protocol.

use serde_json::{Value, json};
use tasuki_server::Settings;

use crate::support::client::{Answer, Request};
use crate::support::test_server::TestServer;

const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

/// A request as a client without a handshake sends it.
fn modern<'s>(
    server: &'s TestServer,
    method: &str,
    name: Option<&str>,
    params: Value,
) -> Request<'s> {
    let version = "2026-07-28";
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = post(server, method, &params)
        .header("mcp-protocol-version", version)
        .header("mcp-method", method);
    match name {
        Some(name) => request.header("mcp-name", name),
        None => request,
    }
}

/// A request as a client with a handshake sends it.
fn legacy<'s>(server: &'s TestServer, method: &str, params: &Value) -> Request<'s> {
    post(server, method, params).header("mcp-protocol-version", "2025-11-25")
}

fn post<'s>(server: &'s TestServer, method: &str, params: &Value) -> Request<'s> {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    server.post("/mcp").header("accept", "application/json, text/event-stream").json(&message)
}

fn call<'s>(server: &'s TestServer, tool: &str, arguments: &Value) -> Request<'s> {
    modern(server, "tools/call", Some(tool), json!({ "name": tool, "arguments": arguments }))
}

#[track_caller]
fn content(answer: Answer) -> Value {
    let result = answer.is(200).body["result"].clone();
    assert_eq!(result["isError"], false, "{result}");
    result["structuredContent"].clone()
}

#[test]
fn both_eras_are_served_without_a_session() {
    let server = TestServer::new();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } });
    let answer = post(&server, "initialize", &params).by("ben").send().is(200);
    assert_eq!(answer.body["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answer.header("mcp-session-id"), None);
    let tools = legacy(&server, "tools/list", &json!({})).by("ben").send().is(200);
    assert_eq!(tools.body["result"]["tools"].as_array().unwrap().len(), 19);
    let answer = modern(&server, "server/discover", None, json!({})).by("ben").send().is(200);
    let versions = answer.body["result"]["supportedVersions"].as_array().unwrap().clone();
    assert!(versions.contains(&json!("2026-07-28")), "{versions:?}");
}

#[test]
fn a_tool_acts_for_the_party_of_the_token() {
    let server = TestServer::new();
    let submit = json!({ "to": "ben", "goal": "Ship it", "task": "ship" });
    let sent = content(call(&server, "handoff_submit", &submit).by("ana").send());
    assert_eq!((&sent["from"], &sent["state"]), (&json!("ana"), &json!("offered")));
    let claimed = content(call(&server, "handoff_claim", &json!({})).by("ben").send());
    let holder = json!({ "handoff": "ship", "fence": claimed["fence"], "completed": ["One"] });
    let saved = content(call(&server, "handoff_checkpoint", &holder).by("ben").send());
    assert_eq!(saved["checkpoints"], 1);
    assert!(
        saved["next"].as_str().unwrap().contains("handoff_renew"),
        "no process renews: {saved}"
    );
    let renew = json!({ "handoff": "ship", "fence": claimed["fence"] });
    content(call(&server, "handoff_renew", &renew).by("ben").send());
}

#[test]
fn a_brief_has_a_card_that_leads_to_the_console_if_its_address_is_known() {
    let card = |server: &TestServer| {
        server.submitted("ship");
        let brief = call(server, "handoff_brief", &json!({ "handoff": "ship" })).by("ben").send();
        brief.is(200).body["result"]["_meta"]["dev.tasuki/card"].clone()
    };
    let server = TestServer::new();
    let shown = card(&server);
    assert_eq!((&shown["goal"], shown.get("console")), (&json!("Ship ship"), None));
    let public_url = Some("https://tasuki.example/".to_owned());
    let server = TestServer::with(Settings { public_url, ..Settings::default() });
    let address = card(&server)["console"].as_str().unwrap().to_owned();
    assert!(address.starts_with("https://tasuki.example/ui/p/default/h/hof_"), "{address}");
}

#[test]
fn the_card_is_a_page_that_may_reach_nothing() {
    let server = TestServer::new();
    let tools = modern(&server, "tools/list", None, json!({})).by("ben").send().is(200);
    let tools = tools.body["result"]["tools"].as_array().unwrap().clone();
    let uris: Vec<&Value> = tools
        .iter()
        .map(|tool| &tool["_meta"]["ui"]["resourceUri"])
        .filter(|u| !u.is_null())
        .collect();
    assert_eq!(uris, ["ui://tasuki/card.html"]);
    let uri = json!({ "uri": uris[0] });
    let read = modern(&server, "resources/read", uris[0].as_str(), uri).by("ben").send().is(200);
    let page = &read.body["result"]["contents"][0];
    assert_eq!(page["mimeType"], "text/html;profile=mcp-app");
    assert_eq!(page["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
    assert!(page["text"].as_str().unwrap().starts_with("<!doctype html>"));
}

/// A request of the handoff extension by a client that declares these extensions.
fn method<'s>(
    server: &'s TestServer,
    is_modern: bool,
    name: &str,
    params: &Value,
    extensions: &Value,
) -> Request<'s> {
    let client = json!({ "extensions": extensions });
    let mut params = params.clone();
    params["_meta"] = json!({ "io.modelcontextprotocol/clientCapabilities": client });
    if !is_modern {
        return legacy(server, name, &params);
    }
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    let request = post(server, name, &params).header("mcp-protocol-version", "2026-07-28");
    request.header("mcp-method", name)
}

#[test]
fn the_methods_of_the_extension_are_aliases_of_the_tools_in_both_eras() {
    let server = TestServer::new();
    let discovered = modern(&server, "server/discover", None, json!({})).by("ben").send().is(200);
    let settings = &discovered.body["result"]["capabilities"]["extensions"]["dev.tasuki/handoff"];
    assert_eq!(settings["methods"].as_array().unwrap().len(), 19, "{settings}");
    let declared = json!({ "dev.tasuki/handoff": {} });
    for (is_modern, task) in [(true, "one"), (false, "two")] {
        let error = |name: &str, params: &Value| {
            let answer = method(&server, is_modern, name, params, &declared).by("ben").send();
            answer.body["error"]["code"].clone()
        };
        let submit = json!({ "to": "ben", "goal": "Ship it", "task": task });
        let sent =
            method(&server, is_modern, "handoff/submit", &submit, &declared).by("ana").send();
        let result = &sent.is(200).body["result"];
        assert_eq!(result["state"], "offered", "{result}");
        let has_type = result.get("resultType") == Some(&json!("complete"));
        assert_eq!(has_type, is_modern, "{result}");
        let stale = json!({ "handoff": task, "fence": 9, "completed": ["x"] });
        assert_eq!(error("handoff/checkpoint", &stale), 409);
        assert_eq!(error("handoff/claim", &json!({ "nothing": 1 })), 422);
        assert_eq!(error("handoff/decide", &json!({})), -32601);
    }
}

#[test]
fn a_method_of_the_extension_is_refused_to_a_client_that_did_not_declare_it() {
    let server = TestServer::new();
    for is_modern in [true, false] {
        for declared in [json!({}), json!({ "io.modelcontextprotocol/ui": {} })] {
            let answer = method(&server, is_modern, "handoff/inbox", &json!({}), &declared);
            let body = answer.by("ben").send().body;
            assert_eq!(body["error"]["code"], -32021, "{body}");
            let required = &body["error"]["data"]["requiredCapabilities"]["extensions"];
            assert_eq!(required, &json!({ "dev.tasuki/handoff": {} }), "{body}");
        }
    }
}

#[test]
fn a_refusal_is_a_result_with_the_code_of_the_interface() {
    let server = TestServer::new();
    server.submitted("ship");
    let answer = call(&server, "handoff_claim", &json!({ "handoff": "ship" })).by("box").send();
    let result = answer.is(200).body["result"].clone();
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("[TK-"), "{text}");
}

#[test]
fn a_caller_needs_a_token_and_learns_where_to_get_one() {
    let server = TestServer::new();
    let answer = call(&server, "handoff_inbox", &json!({})).send();
    let answer = answer.refuses(401, "TK-CREDENTIAL-MISSING");
    let challenge = format!("Bearer resource_metadata=\"http://127.0.0.1:7420{METADATA}\"");
    assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()));
    let wrong = call(&server, "handoff_inbox", &json!({})).header("authorization", "Bearer x");
    wrong.send().refuses(401, "TK-TOKEN-INVALID");
    let cookie = server.signed_in();
    let answer = call(&server, "handoff_inbox", &json!({})).with(&cookie).send();
    answer.refuses(401, "TK-CREDENTIAL-MISSING");
}

#[test]
fn the_token_of_a_person_is_refused() {
    let server = TestServer::new();
    let answer = call(&server, "handoff_inbox", &json!({})).by("pia").send();
    answer.refuses(403, "TK-CALLER-HUMAN");
}

#[test]
fn a_revoked_token_ends_at_once() {
    let server = TestServer::new();
    content(call(&server, "handoff_inbox", &json!({})).by("ben").send());
    let tokens = server.get("/v1/tokens").by("pia").send().is(200);
    let is_bens = |token: &&Value| token["party"] == "ben";
    let items = tokens.body["items"].as_array().unwrap();
    let id = items.iter().find(is_bens).unwrap()["id"].as_str().unwrap();
    server.request("DELETE", &format!("/v1/tokens/{id}")).by("pia").send().is(200);
    let answer = call(&server, "handoff_inbox", &json!({})).by("ben").send();
    answer.refuses(401, "TK-TOKEN-REVOKED");
}

#[test]
fn another_host_and_another_site_are_refused() {
    let server = TestServer::new();
    let inbox = || call(&server, "handoff_inbox", &json!({})).by("ben");
    inbox().header("host", "evil.example").send().refuses(421, "TK-HOST-UNKNOWN");
    inbox().header("origin", "http://evil.example").send().refuses(403, "TK-ORIGIN-FOREIGN");
    content(inbox().header("origin", "http://127.0.0.1:7420").send());
}

#[test]
fn the_metadata_names_an_authorization_server_only_if_one_is_configured() {
    let server = TestServer::new();
    let document = server.get(METADATA).send().is(200).body;
    assert_eq!(document["resource"], "http://127.0.0.1:7420/mcp");
    assert_eq!(document.get("authorization_servers"), None);
    assert!(!document["scopes_supported"].as_array().unwrap().contains(&json!("decide")));
    let issuer = "https://login.example".to_owned();
    let settings = Settings {
        authorization_servers: vec![issuer.clone()],
        public_url: Some("https://tasuki.example".to_owned()),
        ..Settings::default()
    };
    let server = TestServer::with(settings);
    let document = server.get(METADATA).send().is(200).body;
    assert_eq!(document["authorization_servers"], json!([issuer]));
    assert_eq!(document["resource"], "https://tasuki.example/mcp");
}
