//! Refusals as the caller sees them, and what they must not reveal.

use serde_json::{Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::steps::SetSettings;
use tasuki_server::operations::{Operation, Verb};
use tasuki_server::{Limits, Settings};

use crate::support::client::Answer;
use crate::support::test_server::{TestServer, packet};

#[test]
fn a_refusal_has_a_code_a_hint_and_every_violation() {
    let server = TestServer::new();
    let wrong = packet("a", "confidence: 74\nstatuss: x\n").replace("in_progress", "done");
    let answer = server.post("/v1/handoffs").by("ana").yaml(&wrong).send();
    insta::assert_snapshot!(answer.shown(), @r#"
    422
    {
      "type": "/docs/errors/TK-PACKET-INVALID",
      "title": "Unprocessable Entity",
      "status": 422,
      "detail": "the packet has 2 violations",
      "code": "TK-PACKET-INVALID",
      "hint": "fix every violation and send the packet again",
      "violations": [
        {
          "code": "TK-FIELD-VALUE",
          "pointer": "/status",
          "line": 5,
          "column": 9,
          "message": "`status` must be one of `in_progress`, `blocked`, `failed`, `completed`",
          "found": "\"done\"",
          "allowed": "in_progress, blocked, failed, completed"
        },
        {
          "code": "TK-FIELD-RANGE",
          "pointer": "/confidence",
          "line": 10,
          "column": 13,
          "message": "`confidence` is out of range",
          "found": "74",
          "allowed": "a number between 0 and 1",
          "hint": "did you mean 0.74?"
        }
      ]
    }
    "#);
    let missing = server.get("/v1/handoffs/hof_00000000000000000000000000000000").by("ana").send();
    insta::assert_snapshot!(missing.shown(), @r#"
    404
    {
      "type": "/docs/errors/TK-HANDOFF-UNKNOWN",
      "title": "Not Found",
      "status": 404,
      "detail": "unknown handoff or task `hof_…`",
      "code": "TK-HANDOFF-UNKNOWN",
      "hint": "list the handoffs of this project with `tasuki list`"
    }
    "#);
}

#[test]
fn a_request_without_a_credential_is_refused() {
    let server = TestServer::new();
    insta::assert_snapshot!(server.get("/v1/inbox").send().shown(), @r#"
    401
    www-authenticate: Bearer
    {
      "type": "/docs/errors/TK-CREDENTIAL-MISSING",
      "title": "Unauthorized",
      "status": 401,
      "detail": "no credential given",
      "code": "TK-CREDENTIAL-MISSING",
      "hint": "send `Authorization: Bearer TOKEN`; create a token with `tasuki token create`"
    }
    "#);
    insta::assert_snapshot!(server.get("/v1/inbox").by("eve").send().shown(), @r#"
    401
    www-authenticate: Bearer
    {
      "type": "/docs/errors/TK-TOKEN-INVALID",
      "title": "Unauthorized",
      "status": 401,
      "detail": "malformed token: expected `tasuki_<kind>_<project>_<token>_<secret>`",
      "code": "TK-TOKEN-INVALID",
      "hint": "an operator creates one with `tasuki token create --as NAME`"
    }
    "#);
}

#[test]
fn a_duplicate_task_names_the_live_handoff() {
    let server = TestServer::new();
    let id = server.submitted("a");
    let again = packet("a", "summary: Another\n");
    let answer = server.post("/v1/handoffs").by("ana").yaml(&again).send();
    assert_eq!(answer.refuses(409, "TK-TASK-LIVE").body["handoff"], id.as_str());
    let path = format!("/v1/handoffs?supersedes={id}");
    server.post(&path).by("ana").yaml(&again).send().is(201);
}

#[test]
fn a_late_holder_is_refused() {
    let server = TestServer::new();
    let (id, token) = server.claimed("a");
    let progress = "handoff_version: '1.0'\npacket_type: checkpoint\ncompleted: [x]\n";
    let write = |query: &str| {
        server
            .post(&format!("/v1/handoffs/{id}/checkpoints{query}"))
            .by("ben")
            .yaml(progress)
            .send()
    };
    write("").refuses(422, "TK-ARGUMENT-INVALID");
    write(&format!("?fence={}", token + 1)).refuses(409, "TK-CLAIM-STALE");
    server.advance(std::time::Duration::from_hours(1));
    write(&format!("?fence={token}")).refuses(409, "TK-CLAIM-STALE");
}

#[test]
fn a_write_only_box_sees_nothing_not_even_that_there_is_something() {
    let server = TestServer::new();
    let id = server.submitted("secret-task");
    for path in [
        "/v1/handoffs".to_owned(),
        "/v1/inbox".to_owned(),
        "/v1/events".to_owned(),
        "/v1/search?q=ship".to_owned(),
        format!("/v1/handoffs/{id}"),
        format!("/v1/handoffs/{id}/packet"),
        "/v1/tasks/secret-task/timeline".to_owned(),
        "/v1/log/leaves".to_owned(),
        "/v1/decisions".to_owned(),
    ] {
        server.get(&path).by("box").send().refuses(404, "TK-ROUTE-UNKNOWN");
    }
    let cancel = json!({ "decision": "cancel" });
    let there = server.post(&format!("/v1/handoffs/{id}/decisions")).by("box").json(&cancel).send();
    let absent = id.replace(&id[4..12], "00000000");
    let gone =
        server.post(&format!("/v1/handoffs/{absent}/decisions")).by("box").json(&cancel).send();
    assert_eq!(there.shown(), gone.shown());
    assert_eq!((there.status, there.code()), (404, "TK-HANDOFF-UNKNOWN"));
    let own = packet("dropped", "").replace("from_agent: ana", "from_agent: box");
    let sent = server.post("/v1/handoffs").by("box").yaml(&own).send().is(201).body;
    let sent = sent["handoff"]["id"].as_str().unwrap();
    let of_own = server.post(&format!("/v1/handoffs/{sent}/decisions")).by("box").json(&cancel);
    of_own.send().refuses(404, "TK-HANDOFF-UNKNOWN");
    server.post("/v1/claims").by("box").send().refuses(403, "TK-SCOPE-MISSING");
}

#[test]
fn a_write_only_token_reaches_its_receivers_and_learns_of_no_other() {
    let server = TestServer::new();
    server.submitted("secret-task");
    let drop = |to: &str, task: &str| {
        let packet = packet(task, "").replace("from_agent: ana", "from_agent: box");
        let packet = packet.replace("to_agent: ben", &format!("to_agent: {to}"));
        server.post("/v1/handoffs").by("box").yaml(&packet).send()
    };
    let (there, absent) = (drop("pia", "a"), drop("hermes", "a"));
    assert_eq!((there.status, there.code()), (403, "TK-RECEIVER-REFUSED"));
    assert_eq!(there.shown().replace("pia", "NAME"), absent.shown().replace("hermes", "NAME"));
    // The task of another sender is only a label here.
    let answer = drop("ben", "secret-task").is(201).body;
    assert_eq!(answer["handoff"]["task_label"], "secret-task");
    assert!(answer["handoff"]["task"].as_str().unwrap().starts_with("tsk_"));
    let body = json!({ "party": "box", "scopes": ["submit"] });
    server.post("/v1/tokens").by("pia").json(&body).send().refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn another_project_is_another_world() {
    let server = TestServer::new();
    let (id, token) = server.claimed("a");
    let get = |path: &str| server.get(path).by("other-ben").send();
    get(&format!("/v1/handoffs/{id}")).refuses(404, "TK-HANDOFF-UNKNOWN");
    get(&format!("/v1/handoffs/{id}/packet")).refuses(404, "TK-HANDOFF-UNKNOWN");
    get("/v1/tasks/a/packet").refuses(404, "TK-HANDOFF-UNKNOWN");
    let path = format!("/v1/handoffs/{id}/returns?fence={token}");
    let packet = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: x\n";
    server.post(&path).by("other-ben").yaml(packet).send().refuses(404, "TK-HANDOFF-UNKNOWN");
    assert_eq!(get("/v1/handoffs?all=true").is(200).body["items"], json!([]));
    assert_eq!(get("/v1/whoami").is(200).body["project"], "other");
}

#[test]
fn no_address_of_one_project_leads_into_another() {
    let server = TestServer::new();
    let handoff = server.submitted("secret-task");
    let claim = server.post(&format!("/v1/handoffs/{handoff}/claims")).by("ben").send().is(201);
    let claim = claim.body["claim"]["id"].as_str().unwrap().to_owned();
    let tokens = server.get("/v1/tokens").by("pia").send().is(200).body;
    let token = tokens["items"][0]["id"].as_str().unwrap().to_owned();
    let ending = handoff[handoff.len() - 8..].to_owned();
    let before = server.get("/v1/log/leaves").by("pia").send().is(200).text;
    let mut asked = 0;
    for operation in tasuki_server::operations::ALL.iter().filter(|one| one.path.contains('{')) {
        for name in [&handoff, &ending, "secret-task", &claim, &token, "box"] {
            for caller in ["other-ana", "other-odo"] {
                let there = asked_for(&server, operation, name, caller);
                let nowhere = asked_for(&server, operation, &other_than(name), caller);
                let (path, text) = (operation.path, &there.text);
                assert!(there.status >= 400 && !text.contains("Ship"), "{path} {name} {text}");
                assert_eq!(
                    (there.status, there.code()),
                    (nowhere.status, nowhere.code()),
                    "{path}"
                );
                asked += 1;
            }
        }
    }
    assert!(asked > 300, "{asked}");
    let after = server.get("/v1/log/leaves").by("pia").send().is(200).text;
    assert_eq!(before, after, "nothing happened there");
}

/// Returns an unused name of the same form.
fn other_than(name: &str) -> String {
    let last = if name.ends_with('0') { "1" } else { "0" };
    format!("{}{last}", &name[..name.len() - 1])
}

/// Sends a request with a body that suits most operations.
fn asked_for(server: &TestServer, operation: &Operation, name: &str, caller: &str) -> Answer {
    let (start, end) = operation.path.split_once('{').unwrap();
    let path = format!("{start}{name}{}", end.split_once('}').unwrap().1);
    match operation.verb {
        Verb::Get => server.get(&path).by(caller).send(),
        Verb::Delete => server.request("DELETE", &path).by(caller).send(),
        Verb::Put => server.request("PUT", &path).by(caller).json(&json!({})).send(),
        _ if path.ends_with("/decisions") => {
            let body = json!({ "decision": "cancel", "reason": "x" });
            server.post(&path).by(caller).json(&body).send()
        }
        _ => server.post(&path).by(caller).json(&json!({ "reason": "x" })).send(),
    }
}

#[test]
fn a_request_that_was_not_meant_for_us_is_refused() {
    let server = TestServer::new();
    let asked = |name: &str, value: &str| {
        server.post("/v1/handoffs").by("ana").yaml(&packet("a", "")).header(name, value).send()
    };
    insta::assert_snapshot!(asked("host", "evil.example").shown(), @r#"
    421
    {
      "type": "/docs/errors/TK-HOST-UNKNOWN",
      "title": "Misdirected Request",
      "status": 421,
      "detail": "unknown host `evil.example`",
      "code": "TK-HOST-UNKNOWN",
      "hint": "use the server's address, or add the name to `hosts` in the `[server]` settings"
    }
    "#);
    insta::assert_snapshot!(asked("sec-fetch-site", "cross-site").shown(), @r#"
    403
    {
      "type": "/docs/errors/TK-ORIGIN-FOREIGN",
      "title": "Forbidden",
      "status": 403,
      "detail": "cross-site requests cannot make changes",
      "code": "TK-ORIGIN-FOREIGN",
      "hint": "use the console, or send a token"
    }
    "#);
    asked("origin", "http://evil.example").refuses(403, "TK-ORIGIN-FOREIGN");
    asked("origin", "http://127.0.0.1:7420").is(201);
    server.get("/v1/inbox").by("ana").header("sec-fetch-site", "cross-site").send().is(200);
}

#[test]
fn a_reached_quota_has_a_longer_retry_delay() {
    let server = TestServer::new();
    let settings = serde_json::json!({ "open_handoffs": 1 });
    server.request("PATCH", "/v1/project").by("pia").json(&settings).send().is(200);
    server.submitted("one");
    let refused = server.post("/v1/handoffs").by("ana").yaml(&packet("two", "")).send();
    let refused = refused.refuses(429, "TK-QUOTA-REACHED");
    assert_eq!(refused.header("retry-after"), Some("30"));
}

#[test]
fn too_much_is_refused_with_a_time_to_come_back() {
    let limits = Limits { requests_per_token: 3, ..Limits::default() };
    let server = TestServer::with(Settings { limits, ..Settings::default() });
    let refused =
        (0..20).map(|_| server.get("/v1/whoami").by("ana").send()).find(|one| one.status != 200);
    insta::assert_snapshot!(refused.unwrap().shown(), @r#"
    429
    retry-after: 1
    {
      "type": "/docs/errors/TK-RATE-EXCEEDED",
      "title": "Too Many Requests",
      "status": 429,
      "detail": "too many requests with this token",
      "code": "TK-RATE-EXCEEDED",
      "hint": "try again in 1 s"
    }
    "#);
    server.get("/v1/whoami").by("ben").send().is(200);
}

#[test]
fn a_body_is_what_its_content_type_says() {
    let server = TestServer::new();
    let (yaml, linked) = (packet("a", ""), packet("b", ""));
    let markdown = format!("[link](http://x)\n\n```tasuki\n{linked}```\n");
    let send = |media: &str, text: &str| {
        server.post("/v1/handoffs").by("ana").body(media, text.as_bytes()).send()
    };
    for (media, text) in [
        ("application/json", yaml.as_str()),
        ("application/json", &markdown),
        ("application/yaml", &markdown),
        ("text/markdown", &yaml),
    ] {
        send(media, text).refuses(422, "TK-ARGUMENT-INVALID");
    }
    let slip = send("application/json", &yaml);
    assert_eq!(slip.body["detail"], "the body is YAML, but its content type is JSON");
    assert_eq!(slip.body["hint"], "send `Content-Type: application/yaml`");
    send("text/markdown", &markdown).is(201);
    let packed = server.post("/v1/handoffs").by("ana").header("content-encoding", "gzip");
    let packed = packed.body("application/json", &[0x1f, 0x8b, 8, 0]).send();
    packed.refuses(415, "TK-MEDIA-UNKNOWN");
    // The same holds for bodies that are not packets.
    let claim = |media: &str, text: &str| {
        server.post("/v1/handoffs/b/claims").by("ben").body(media, text.as_bytes()).send()
    };
    let wrong = claim("application/json", "lease: 2h\n").is(422);
    assert_eq!(wrong.body["violations"][0]["code"], "TK-JSON-SYNTAX");
    claim("text/markdown", "lease: 2h\n").refuses(415, "TK-MEDIA-UNKNOWN");
    claim("application/yaml", "lease: 2h\n").is(201);
}

#[test]
fn a_parameter_that_an_operation_does_not_have_is_refused() {
    let server = TestServer::new();
    server.submitted("a");
    let refused = |answer: Answer| {
        let answer = answer.refuses(422, "TK-ARGUMENT-INVALID");
        format!("{}: {}", answer.body["detail"].as_str().unwrap(), answer.body["hint"])
    };
    let misplaced = server.post("/v1/tokens?for=1h").by("pia").json(&json!({ "party": "ana" }));
    insta::assert_snapshot!(refused(misplaced.send()), @r#"`POST /v1/tokens` has no parameter `for`: "it has no parameters; put this into the body""#);
    let unknown = server.get("/v1/handoffs/a?foo=bar").by("ana").send();
    assert!(refused(unknown).starts_with("`GET /v1/handoffs/{id}` has no parameter `foo`"));
    let slip = server.get("/v1/handoffs?limits=3").by("ana").send();
    insta::assert_snapshot!(refused(slip), @r#"`GET /v1/handoffs` has no parameter `limits`: "did you mean `limit`?""#);
    refused(server.get("/v1/openapi.json?x=1").send());
    // Authorization comes first, and an empty parameter is ignored.
    server.get("/v1/handoffs/a?foo=bar").send().refuses(401, "TK-CREDENTIAL-MISSING");
    server.get("/v1/whoami?").by("ana").send().is(200);
}

#[test]
fn an_address_with_a_nul_is_refused_by_every_operation() {
    let server = TestServer::new();
    for operation in tasuki_server::operations::ALL.iter().filter(|one| one.path.contains('{')) {
        let answer = asked_for(&server, operation, "a%00b", "pia");
        let refused = answer.code() == "TK-ARGUMENT-INVALID" && answer.text.contains("U+0000");
        let is_forbidden = [401, 403].contains(&answer.status);
        assert!(refused || is_forbidden, "{}: {}", operation.path, answer.text);
    }
    for query in [
        "/v1/handoffs?task=a%00b",
        "/v1/handoffs?from=%00",
        "/v1/search?q=ship%00",
        "/v1/events?reason=%00",
        "/v1/inbox?a%00b",
    ] {
        let answer = server.get(query).by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
        assert!(answer.text.contains("the query of the address contains U+0000"), "{query}");
    }
    let submit = server.post("/v1/handoffs?to=be%00n").by("ana").yaml(&packet("a", ""));
    submit.send().refuses(422, "TK-ARGUMENT-INVALID");
    let one = json!({ "method": "GET", "path": "/v1/handoffs/a%00b" });
    let batch = server.post("/v1/batch").by("ana").json(&json!({ "requests": [one] })).send();
    assert_eq!(batch.is(200).body["answers"][0]["status"], 422);
    // A percent sign in a name is not a NUL.
    server.get("/v1/handoffs/a%2500b").by("ana").send().refuses(404, "TK-HANDOFF-UNKNOWN");
}

#[test]
fn null_means_absent() {
    let server = TestServer::new();
    let token = json!({ "party": "ana", "scopes": null, "for": null, "from": null, "name": null });
    server.post("/v1/tokens").by("pia").json(&token).send().is(201);
    let subscription = json!({
        "url": "https://hooks.example/in", "filter": { "type": null, "task": null },
    });
    let subscription = server.post("/v1/subscriptions").by("pia").json(&subscription).send();
    assert_ne!(subscription.code(), "TK-ARGUMENT-INVALID", "{}", subscription.text);
}

#[test]
fn requests_without_a_valid_credential_are_limited_by_address() {
    let limits = Limits { requests_per_address: 3, ..Limits::default() };
    let proxies = vec!["127.0.0.1".parse().unwrap()];
    let server = TestServer::with(Settings { limits, proxies, ..Settings::default() });
    let from = |address: &str, path: &str| server.get(path).header("x-forwarded-for", address);
    // No credential, a wrong one, and paths that need none.
    for (address, path, token) in [
        ("192.0.2.1", "/v1/whoami", None),
        ("192.0.2.2", "/v1/whoami", Some("wrong")),
        ("192.0.2.3", "/v1/openapi.json", None),
        ("192.0.2.4", "/docs", None),
    ] {
        let ask = || match token {
            Some(token) => from(address, path).by(token).send(),
            None => from(address, path).send(),
        };
        let first = ask().status;
        let refused = (0..20).map(|_| ask()).find(|one| one.status != first).unwrap();
        let refused = refused.refuses(429, "TK-RATE-EXCEEDED");
        assert_eq!(refused.header("retry-after"), Some("1"), "{path}");
        // Neither a valid credential at the same address nor another address is limited.
        from(address, "/v1/whoami").by("ana").send().is(200);
    }
    from("192.0.2.5", "/v1/whoami").send().refuses(401, "TK-CREDENTIAL-MISSING");
    assert!((0..20).all(|_| from("192.0.2.1", "/healthz").send().status == 200));
}

#[test]
fn a_noisy_project_takes_nothing_from_another() {
    let limits = Limits { requests_per_token: 0, requests_per_project: 3, ..Limits::default() };
    let server = TestServer::with(Settings { limits, ..Settings::default() });
    let refused = |name: &str| {
        (0..20).map(|_| server.get("/v1/whoami").by(name).send()).find(|one| one.status != 200)
    };
    refused("ana").unwrap().refuses(429, "TK-RATE-EXCEEDED");
    refused("ben").unwrap().refuses(429, "TK-RATE-EXCEEDED");
    server.get("/v1/whoami").by("other-ana").send().is(200);
}

#[test]
fn hostile_bodies_are_refused_before_they_cost_anything() {
    let server = TestServer::new();
    let send =
        |media: &str, body: &[u8]| server.post("/v1/handoffs").by("ana").body(media, body).send();
    send("application/yaml", &vec![b'a'; (1 << 20) + 1]).refuses(413, "TK-BODY-TOO-LARGE");
    let deep = "[".repeat(200_000);
    let start = std::time::Instant::now();
    send("application/json", deep.as_bytes()).is(422);
    send("application/yaml", deep.as_bytes()).is(422);
    let bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n";
    let answer = send("application/yaml", bomb.as_bytes()).is(422);
    assert!(answer.text.contains("TK-YAML-ANCHOR"), "{}", answer.text);
    send("application/json", &[0xff, 0xfe]).is(422);
    assert!(start.elapsed() < std::time::Duration::from_secs(2));
    let claim =
        server.post("/v1/claims").by("ben").body("application/json", deep.as_bytes()).send();
    claim.refuses(422, "TK-ARGUMENT-INVALID");
    let unknown = server.post("/v1/claims").by("ben").json(&json!({ "leese": "1h" })).send();
    insta::assert_snapshot!(unknown.shown(), @r#"
    422
    {
      "type": "/docs/errors/TK-ARGUMENT-INVALID",
      "title": "Unprocessable Entity",
      "status": 422,
      "detail": "invalid request body: /leese: unknown field `leese`, expected one of `lease`, `renewed`, `key`, `reads`, `read_back`, `drift`",
      "code": "TK-ARGUMENT-INVALID",
      "hint": "did you mean `lease`?",
      "violations": [
        {
          "code": "TK-FIELD-UNKNOWN",
          "pointer": "/leese",
          "line": 1,
          "column": 2,
          "message": "unknown field `leese`, expected one of `lease`, `renewed`, `key`, `reads`, `read_back`, `drift`",
          "hint": "did you mean `lease`?"
        }
      ]
    }
    "#);
    let wrong = server.post("/v1/claims").by("ben").json(&json!({ "lease": "soon" })).send();
    insta::assert_snapshot!(wrong.shown(), @r#"
    422
    {
      "type": "/docs/errors/TK-ARGUMENT-INVALID",
      "title": "Unprocessable Entity",
      "status": 422,
      "detail": "invalid request body: /lease: a duration must be an integer and a unit (`ms`, `s`, `m`, `h` or `d`), as in `120s`",
      "code": "TK-ARGUMENT-INVALID",
      "violations": [
        {
          "code": "TK-FIELD-VALUE",
          "pointer": "/lease",
          "line": 1,
          "column": 10,
          "message": "a duration must be an integer and a unit (`ms`, `s`, `m`, `h` or `d`), as in `120s`"
        }
      ]
    }
    "#);
}

#[test]
fn every_answer_is_hardened() {
    let server = TestServer::new();
    for answer in [server.get("/v1/inbox").send(), server.get("/v1/whoami").by("ana").send()] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert!(
            answer.header("content-security-policy").unwrap().starts_with("default-src 'none'")
        );
    }
}

#[test]
fn members_of_another_request_are_refused() {
    let server = TestServer::new();
    let body = packet("a", "can_intercept: true\n");
    server.post("/v1/handoffs").by("ana").yaml(&body).send().is(201);
    for decision in [
        json!({ "decision": "accept", "deny": true }),
        json!({ "decision": "accept", "to": "ben" }),
        json!({ "decision": "reject", "reason": "no", "gate": "release" }),
        json!(["accept", "because"]),
    ] {
        let decided = server.post("/v1/handoffs/a/decisions").by("pia").json(&decision).send();
        decided.refuses(422, "TK-ARGUMENT-INVALID");
    }
    let stray = server.post("/v1/handoffs?fence=5").by("ana").yaml(&packet("b", "")).send();
    stray.refuses(422, "TK-ARGUMENT-INVALID");
}

#[test]
fn a_task_of_digits_is_not_taken_for_the_end_of_an_id() {
    let server = TestServer::new();
    let first = server.submitted("first");
    let digits = &first[first.len() - 4..];
    server.post("/v1/handoffs").by("ana").yaml(&packet(digits, "")).send().is(201);
    let both = server.get(&format!("/v1/handoffs/{digits}")).by("ana").send();
    both.refuses(404, "TK-HANDOFF-UNKNOWN");
}

#[test]
fn naming_a_party_over_the_network_does_not_register_it() {
    let server = TestServer::new();
    let Value::Object(wanted) = json!({ "registers_on_first_use": true }) else { unreachable!() };
    server.run_in_other_process(Command::SetSettings(SetSettings(wanted)));
    let to_ghost = server.post("/v1/handoffs?to=ghost").by("ana").yaml(&packet("a", "")).send();
    to_ghost.refuses(404, "TK-PARTY-UNKNOWN");
    server.submitted("a");
    let reroute = json!({ "decision": "reroute", "to": "ghost" });
    let rerouted = server.post("/v1/handoffs/a/decisions").by("ana").json(&reroute).send();
    rerouted.refuses(404, "TK-PARTY-UNKNOWN");
    let as_person = server.post("/v1/handoffs/a/decisions").with(&server.signed_in());
    as_person.json(&reroute).send().refuses(404, "TK-PARTY-UNKNOWN");
}

#[test]
fn too_large_headers_are_refused_with_a_problem_document() {
    let server = TestServer::new();
    let with =
        |bytes: usize| server.get("/v1/whoami").by("ana").header("x-more", &"x".repeat(bytes));
    with(60_000).send().is(200);
    with(66_000).send().refuses(422, "TK-ARGUMENT-INVALID");
    let address = format!("/v1/search?q={}", "x".repeat(65_500));
    server.get(&address).by("ana").header("x-more", "x").send().refuses(422, "TK-ARGUMENT-INVALID");
}
