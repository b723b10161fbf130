//! Authentication: tokens that expire, people who sign in, and the limits of each.

use std::time::Duration;

use serde_json::json;
use tasuki_engine::command::Command;
use tasuki_engine::steps::{CreateToken, RevokeToken};
use tasuki_packet::credential::Credential;
use tasuki_server::Settings;

use crate::support::test_server::{PASSWORD, TestServer, cookie, packet};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

#[test]
fn a_token_is_made_shown_once_and_revoked_at_once() {
    let server = TestServer::new();
    let made = json!({ "party": "ana", "scopes": ["read"], "for": "1h", "name": "dashboard" });
    server.post("/v1/tokens").by("ana").json(&made).send().refuses(403, "TK-SCOPE-MISSING");
    let answer = server.post("/v1/tokens").by("pia").json(&made).send().is(201);
    let text = answer.body["token"]["text"].as_str().unwrap().to_owned();
    let id = answer.body["token"]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get("/v1/whoami").by(&text).send().is(200).body["scopes"], json!(["read"]));
    let list = server.get("/v1/tokens").by("pia").send().is(200);
    assert!(!list.text.contains(&text));
    server.get("/v1/tokens").by("ana").send().refuses(403, "TK-SCOPE-MISSING");

    server
        .request("DELETE", "/v1/tokens/ffffffff")
        .by("pia")
        .send()
        .refuses(404, "TK-TOKEN-UNKNOWN");
    server
        .request("DELETE", &format!("/v1/tokens/{}", &id[id.len() - 8..]))
        .by("pia")
        .send()
        .is(200);
    let refused = server.get("/v1/whoami").by(&text).send().refuses(401, "TK-TOKEN-REVOKED");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    let again = server.request("DELETE", &format!("/v1/tokens/{id}")).by("pia").send().is(200);
    assert_eq!(again.body["repeated"], true);
}

#[test]
fn a_person_uses_the_served_project_unless_they_name_another() {
    let settings = Settings { project: "other".to_owned(), ..Settings::default() };
    let server = TestServer::with(settings);
    server.set_password("odo", PASSWORD);
    let body = json!({ "name": "odo", "password": PASSWORD });
    let session = cookie(&server.post("/v1/sessions").json(&body).send().is(201));
    let who = server.get("/v1/whoami").with(&session).send().is(200);
    assert_eq!(who.body["project"], "other");
    let odd = server.get("/v1/whoami").with(&session).header("tasuki-project", "sch\u{f6}n").send();
    odd.refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_token_bound_to_networks_works_only_from_them() {
    let server = TestServer::new();
    let made = json!({ "party": "ana", "from": ["10.0.0.0/8"] });
    let answer = server.post("/v1/tokens").by("pia").json(&made).send().is(201);
    assert_eq!(answer.body["token"]["from"], json!(["10.0.0.0/8"]));
    let text = answer.body["token"]["text"].as_str().unwrap();
    // A request without a connection has no address.
    server.get("/v1/whoami").by(text).send().refuses(403, "TK-TOKEN-NETWORK");
    let wrong = json!({ "party": "ana", "from": ["10.1.2.3/8"] });
    let refused = server.post("/v1/tokens").by("pia").json(&wrong).send();
    assert!(refused.refuses(422, "TK-ARGUMENT-INVALID").text.contains("did you mean `10.0.0.0/8`"));
}

#[test]
fn a_token_change_by_another_process_applies_within_a_second() {
    let server = TestServer::new();
    server.get("/v1/whoami").by("ana").send().is(200);
    let request = CreateToken { party: "ana".to_owned(), ..CreateToken::default() };
    let made = server.run_in_other_process(Command::CreateToken(request)).token.unwrap();
    let text = made.text.unwrap().0;
    server.get("/v1/whoami").by(&text).send().is(200);
    let token = made.id.parse().unwrap();
    server.run_in_other_process(Command::RevokeToken(RevokeToken { token }));
    std::thread::sleep(Duration::from_secs(1));
    server.get("/v1/whoami").by(&text).send().refuses(401, "TK-TOKEN-REVOKED");
}

#[test]
fn a_leaf_in_the_future_expires_no_token() {
    let server = TestServer::new();
    let ahead = std::time::Duration::from_hours(40 * 24);
    server.advance(ahead);
    // The tokens of this server have expired by then, but another process writes.
    server.subscribe_in_other_process("https://example.org/hook");
    server.clock.step_back(ahead);
    server.get("/v1/whoami").by("ana").send().is(200);
    server.submitted("a");
}

#[test]
fn a_token_ends() {
    let server = TestServer::new();
    server.get("/v1/whoami").by("ana").send().is(200);
    server.advance(Duration::from_hours(24 * 31));
    server.get("/v1/whoami").by("ana").send().refuses(401, "TK-TOKEN-EXPIRED");
}

#[test]
fn an_invalid_token_is_refused_without_details() {
    let server = TestServer::new();
    let good = server.token("ana");
    let shown: Credential = good.parse().unwrap();
    let tokens = server.get("/v1/tokens").by("pia").send().is(200).body;
    let mut ids = tokens["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap());
    let id = ids.rfind(|id| id.ends_with(&shown.token_ending)).unwrap();
    let project = server.get("/v1/project").by("ana").send().is(200).body["id"].clone();
    let project = project.as_str().unwrap().parse().unwrap();
    // Well-formed, for this project and this token, with a guessed secret.
    let guessed = Credential::new(shown.kind, project, id.parse().unwrap(), [7; 32]).text();
    for wrong in ["x", "tasuki_agent_00000000_00000000_x", &good[..good.len() - 1], &guessed] {
        server.get("/v1/whoami").by(wrong).send().refuses(401, "TK-TOKEN-INVALID");
    }
    let basic = server.get("/v1/whoami").header("authorization", "Basic YTpi").send();
    basic.refuses(401, "TK-TOKEN-INVALID");
    // A valid session does not make up for an invalid token.
    let both = server.get("/v1/whoami").with(&server.signed_in()).by("x").send();
    both.refuses(401, "TK-TOKEN-INVALID");
}

#[test]
fn a_person_signs_in_and_out() {
    let server = TestServer::new();
    let body = json!({ "name": "pia", "password": PASSWORD });
    let answer = server.post("/v1/sessions").json(&body).send().is(201);
    let set = answer.header("set-cookie").unwrap();
    assert!(set.starts_with("tasuki=") && set.ends_with("; HttpOnly; SameSite=Strict"), "{set}");
    let cookie = cookie(&answer);
    let who = server.get("/v1/whoami").with(&cookie).send().is(200);
    assert_eq!((&who.body["party"], &who.body["kind"]), (&json!("pia"), &json!("human")));
    assert_eq!(who.body["scopes"], json!(["submit", "receive", "read", "decide", "verify"]));
    server.post("/v1/halt").with(&cookie).send().refuses(403, "TK-SCOPE-MISSING");
    let out = server.request("DELETE", "/v1/sessions").with(&cookie).send().is(204);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    server.get("/v1/whoami").with(&cookie).send().refuses(401, "TK-SESSION-EXPIRED");
}

#[test]
fn off_this_machine_a_cookie_goes_over_tls_only() {
    let server = TestServer::with(Settings {
        hosts: vec!["tasuki.example".to_owned()],
        ..Settings::default()
    });
    let body = json!({ "name": "pia", "password": PASSWORD });
    let answer =
        server.post("/v1/sessions").header("host", "tasuki.example").json(&body).send().is(201);
    let set = answer.header("set-cookie").unwrap();
    assert!(set.starts_with("__Host-tasuki=") && set.ends_with("; Secure"), "{set}");
    let asked =
        |host: &str| server.get("/v1/whoami").header("host", host).with(&cookie(&answer)).send();
    asked("tasuki.example").is(200);
    asked("127.0.0.1").refuses(401, "TK-CREDENTIAL-MISSING");
}

#[test]
fn a_session_expires_after_twelve_hours_without_use_and_after_thirty_days() {
    let server = TestServer::new();
    let cookie = server.signed_in();
    for _ in 0..65 {
        server.advance(11 * HOUR);
        server.get("/v1/whoami").with(&cookie).send().is(200);
    }
    server.advance(5 * HOUR);
    server.get("/v1/whoami").with(&cookie).send().refuses(401, "TK-SESSION-EXPIRED");
    let cookie = server.signed_in();
    server.advance(12 * HOUR);
    server.get("/v1/whoami").with(&cookie).send().refuses(401, "TK-SESSION-EXPIRED");
}

#[test]
fn a_session_on_the_persons_own_device_lasts_thirty_days() {
    let server = TestServer::new();
    let sign_in = |body: serde_json::Value| server.post("/v1/sessions").json(&body).send();
    let short = sign_in(json!({ "name": "pia", "password": PASSWORD })).is(201);
    assert!(!short.header("set-cookie").unwrap().contains("Max-Age"), "ends with the browser");
    let body = json!({ "name": "pia", "password": PASSWORD, "remember": true });
    let long = sign_in(body).is(201);
    assert!(long.header("set-cookie").unwrap().contains("; Max-Age=2592000; "));
    assert_eq!(long.body["expires_at"], "2026-12-15T10:00:00.000000Z");
    server.advance(24 * 29 * HOUR);
    server.get("/v1/whoami").with(&cookie(&long)).send().is(200);
    // A signature asks for the password all the same.
    gated(&server);
    sign(&server, &cookie(&long), None).refuses(403, "TK-GATE-PASSWORD");
    server.advance(24 * HOUR);
    server.get("/v1/whoami").with(&cookie(&long)).send().refuses(401, "TK-SESSION-EXPIRED");
    let by_link = sign_in(json!({ "code": server.sign_in_code, "remember": true }));
    by_link.refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_wrong_password_is_refused_and_guessing_is_slow() {
    let server = TestServer::new();
    let try_it = |name: &str, password: &str| {
        server.post("/v1/sessions").json(&json!({ "name": name, "password": password })).send()
    };
    let wrong = try_it("pia", "wrong").refuses(401, "TK-SIGN-IN-WRONG");
    let nobody = try_it("nobody", "wrong").refuses(401, "TK-SIGN-IN-WRONG");
    assert_eq!(wrong.shown(), nobody.shown());
    try_it("ana", "wrong").refuses(401, "TK-SIGN-IN-WRONG");
    server
        .post("/v1/sessions")
        .json(&json!({ "name": "pia" }))
        .send()
        .refuses(422, "TK-ARGUMENT-INVALID");
    let refused = (0..20).map(|_| try_it("pia", "wrong")).find(|one| one.status == 429).unwrap();
    assert_eq!(refused.code(), "TK-RATE-EXCEEDED");
}

fn behind_a_proxy() -> TestServer {
    let proxies = vec!["127.0.0.1".parse().unwrap()];
    TestServer::with(Settings { proxies, ..Settings::default() })
}

#[test]
fn an_attacker_behind_a_proxy_cannot_lock_a_person_out() {
    let server = behind_a_proxy();
    let try_from = |forwarded: &str, name: &str| {
        let body = json!({ "name": name, "password": "wrong" });
        server.post("/v1/sessions").header("x-forwarded-for", forwarded).json(&body).send()
    };
    // The proxy appends the real address to whatever the client wrote.
    let tried = (0..20).map(|n| try_from(&format!("10.0.0.{n}, 8.8.8.8"), &format!("nobody-{n}")));
    assert_eq!(tried.filter(|one| one.status == 429).count(), 10);
    try_from("9.9.9.9", "nobody").refuses(401, "TK-SIGN-IN-WRONG");
}

#[test]
fn attackers_from_many_addresses_cannot_lock_a_person_out() {
    let server = behind_a_proxy();
    let try_from = |address: &str, password: &str| {
        let body = json!({ "name": "pia", "password": password });
        server.post("/v1/sessions").header("x-forwarded-for", address).json(&body).send()
    };
    for n in 0..12 {
        try_from(&format!("8.8.8.{n}"), "wrong").refuses(401, "TK-SIGN-IN-WRONG");
    }
    try_from("9.9.9.9", PASSWORD).is(201);
    // Successful sign-ins are not counted.
    for _ in 0..12 {
        try_from("9.9.9.9", PASSWORD).is(201);
    }
    for _ in 0..10 {
        try_from("9.9.9.9", "wrong").refuses(401, "TK-SIGN-IN-WRONG");
    }
    try_from("9.9.9.9", PASSWORD).refuses(429, "TK-RATE-EXCEEDED");
}

#[test]
fn an_invalid_name_cannot_sign_in() {
    let server = TestServer::new();
    for name in ["", "Pia", "role:safety", &"x".repeat(200)] {
        let body = json!({ "name": name, "password": PASSWORD });
        server.post("/v1/sessions").json(&body).send().refuses(401, "TK-SIGN-IN-WRONG");
    }
}

#[test]
fn a_batch_cannot_sign_in_or_out() {
    let server = TestServer::new();
    let cookie = server.signed_in();
    let right = json!({ "name": "pia", "password": PASSWORD });
    for (method, body) in [("POST", right), ("DELETE", json!(null))] {
        let single = json!({ "method": method, "path": "/v1/sessions", "body": body });
        let batch = json!({ "requests": [single] });
        let refused = server.post("/v1/batch").with(&cookie).json(&batch).send();
        refused.refuses(422, "TK-ARGUMENT-INVALID");
    }
    server.get("/v1/whoami").with(&cookie).send().is(200);
}

#[test]
fn a_link_signs_in_once_and_proves_no_password() {
    let operators = vec!["pia".to_owned()];
    let server = TestServer::with(Settings { operators, ..Settings::default() });
    let by_link = |code: &str| server.post("/v1/sessions").json(&json!({ "code": code })).send();
    by_link("guess").refuses(401, "TK-SIGN-IN-WRONG");
    let code = server.sign_in_code.clone();
    let cookie = cookie(&by_link(&code).is(201));
    by_link(&code).refuses(401, "TK-SIGN-IN-WRONG");
    let who = server.get("/v1/whoami").with(&cookie).send().is(200);
    assert_eq!(who.body["scopes"].as_array().unwrap().len(), 6, "the operator has all scopes");
    gated(&server);
    sign(&server, &cookie, None).refuses(403, "TK-GATE-PASSWORD");
    server.advance(12 * HOUR);
    server.get("/v1/whoami").with(&cookie).send().refuses(401, "TK-SESSION-EXPIRED");
}

#[test]
fn a_new_password_ends_what_was_opened_before_it() {
    let server = TestServer::new();
    let by_link = server.post("/v1/sessions").json(&json!({ "code": server.sign_in_code })).send();
    let cookies = [cookie(&by_link.is(201)), server.signed_in()];
    for cookie in &cookies {
        server.get("/v1/whoami").with(cookie).send().is(200);
    }
    server.set_password("pia", "another horse");
    for cookie in &cookies {
        server.get("/v1/whoami").with(cookie).send().refuses(401, "TK-SESSION-EXPIRED");
    }
}

#[test]
fn a_link_works_only_from_this_machine() {
    let server = TestServer::new();
    let by_link = || server.post("/v1/sessions").json(&json!({ "code": server.sign_in_code }));
    let other_process = by_link().header("x-forwarded-for", "8.8.8.8").send();
    other_process.refuses(401, "TK-SIGN-IN-WRONG");
    // The failed attempt did not use it up.
    by_link().send().is(201);
}

#[test]
fn an_unused_link_expires() {
    let server = TestServer::new();
    server.advance(15 * MINUTE);
    let body = json!({ "code": server.sign_in_code });
    server.post("/v1/sessions").json(&body).send().refuses(401, "TK-SIGN-IN-WRONG");
}

#[test]
fn a_session_names_its_project_and_learns_nothing_of_others() {
    let server = TestServer::new();
    let cookie = server.signed_in();
    let asked = |project: &str| {
        server.get("/v1/whoami").with(&cookie).header("tasuki-project", project).send()
    };
    assert_eq!(asked("default").is(200).body["project"], "default");
    // She is not a member of `other`, and `nothing` does not exist; the responses are the same.
    let (other, nothing) = (asked("other"), asked("nothing"));
    assert_eq!(other.shown().replace("other", "…"), nothing.shown().replace("nothing", "…"));
    other.refuses(404, "TK-PROJECT-UNKNOWN");
    // A token names its project; the header does not change it.
    let named = server.get("/v1/whoami").by("ana").header("tasuki-project", "other").send().is(200);
    assert_eq!(named.body["project"], "default");
}

/// Returns a handoff that waits for `pia`'s signature.
fn gated(server: &TestServer) -> String {
    let gate = json!({ "document": {
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
    } });
    let role = json!({ "name": "role:people", "members": ["pia"] });
    server.post("/v1/parties").by("pia").json(&role).send().is(201);
    server.post("/v1/gates").by("pia").json(&gate).send().is(201);
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"], "gates": ["release"],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] }, "fallback": [{ "to": "dead_letter" }],
    } });
    server.post("/v1/contracts").by("pia").json(&contract).send().is(201);
    let held = server.post("/v1/handoffs").by("ana").yaml(&packet("a", "")).send().is(201);
    held.body["handoff"]["digest"].as_str().unwrap().to_owned()
}

fn sign(
    server: &TestServer,
    cookie: &str,
    password: Option<&str>,
) -> crate::support::client::Answer {
    let shown = server.get("/v1/handoffs/a").with(cookie).send().is(200);
    let mut body = json!({
        "decision": "sign_off", "gate": "release", "revision": 1, "seconds": 12,
        "digest": shown.body["handoff"]["digest"], "opened": ["packet"],
    });
    if let Some(password) = password {
        body["password"] = json!(password);
    }
    server.post("/v1/handoffs/a/decisions").with(cookie).json(&body).send()
}

#[test]
fn a_gate_requires_the_password_with_the_signature() {
    let server = TestServer::new();
    let digest = gated(&server);
    let cookie = server.signed_in();
    sign(&server, &cookie, None).refuses(403, "TK-GATE-PASSWORD");
    sign(&server, &cookie, Some("wrong")).refuses(401, "TK-SIGN-IN-WRONG");
    // A token cannot sign off, even with the right password.
    let body = json!({
        "decision": "sign_off", "revision": 1, "digest": digest, "opened": ["packet"], "password": PASSWORD,
    });
    let token = server.post("/v1/handoffs/a/decisions").by("pia").json(&body).send();
    token.refuses(403, "TK-GATE-PASSWORD");
    let signed = sign(&server, &cookie, Some(PASSWORD)).is(201);
    assert_eq!(signed.body["handoff"]["state"], "offered");
    server.get("/v1/handoffs/a").by("ben").send().is(200);
}
