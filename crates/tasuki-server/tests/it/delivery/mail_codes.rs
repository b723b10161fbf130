//! Codes that are mailed to people: one decision, by `POST`, never about what needs more proof.

use std::time::Duration;

use serde_json::{Value, json};

use crate::delivery::messages::{request_approval, server as with_mailbox, submit};
use crate::support::client::Answer;
use crate::support::smtp_server::SmtpServer;
use crate::support::test_server::TestServer;

const LINK: &str = "https://tasuki.example/ui/m/#";

/// Returns a server whose project mails codes.
fn server() -> (TestServer, SmtpServer) {
    let (server, smtp) = with_mailbox();
    set(&server, &json!({ "mails_codes": true }));
    (server, smtp)
}

fn set(server: &TestServer, settings: &Value) {
    server.request("PATCH", "/v1/project").by("pia").json(settings).send().is(200);
}

fn held(server: &TestServer) -> String {
    submit(server, "Port the CSV exporter", "can_intercept: true\n")
}

/// Returns the code of an email, if it has one.
fn code(smtp: &SmtpServer, count: usize) -> Option<String> {
    let text = smtp.wait_for(count)[count - 1].text();
    text.lines().find_map(|line| line.strip_prefix(LINK)).map(str::to_owned)
}

fn view(server: &TestServer, code: &str) -> Answer {
    server.post("/v1/mail-codes/view").json(&json!({ "code": code })).send()
}

fn redeem(server: &TestServer, code: &str, more: &Value) -> Answer {
    let mut body = json!({ "code": code, "decision": "accept" });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    server.post("/v1/mail-codes/redeem").json(&body).send()
}

fn state(server: &TestServer, id: &str) -> Value {
    let path = format!("/v1/handoffs/{id}");
    server.get(&path).by("ana").send().is(200).body["handoff"]["state"].clone()
}

#[test]
fn a_mailed_code_shows_what_it_is_for_and_decides_once() {
    let (server, smtp) = server();
    let id = held(&server);
    let code = code(&smtp, 1).unwrap();
    assert!(code.len() == 64 && code.bytes().all(|byte| byte.is_ascii_hexdigit()), "{code}");
    let shown = view(&server, &code).is(200).body;
    let text = serde_json::to_string_pretty(&shown).unwrap().replace(&id, "hof_…");
    insta::assert_snapshot!(text, @r#"
    {
      "project": "default",
      "handoff": "hof_…",
      "task": "export-7",
      "person": "pia",
      "from": "ana",
      "to": "ben",
      "revision": 1,
      "risk": "low",
      "state": "held",
      "open": true,
      "goal": "Port the CSV exporter",
      "causes": [
        {
          "reason": "asked",
          "by": "packet",
          "text": "the packet asks for a person"
        }
      ],
      "expires_at": "2026-11-16T10:00:00.000000Z"
    }
    "#);
    assert_eq!(state(&server, &id), "held");
    let decided = redeem(&server, &code, &json!({ "reason": "go on" })).is(200);
    assert_eq!(decided.header("set-cookie"), None);
    assert_eq!((&decided.body["state"], &decided.body["open"]), (&json!("offered"), &json!(false)));
    redeem(&server, &code, &json!({})).refuses(404, "TK-MAIL-CODE-INVALID");
    view(&server, &code).refuses(404, "TK-MAIL-CODE-INVALID");
    let log = server.get("/v1/log/leaves?from=0").by("pia").send().is(200).text;
    assert!(log.contains(r#""auth":"mail""#) || log.contains(r#"\"auth\":\"mail\""#), "{log}");
    assert!(!log.contains(&code));
}

#[test]
fn an_action_is_approved_or_rejected_with_a_mailed_code() {
    let (server, smtp) = server();
    let id = submit(&server, "Port it", "");
    request_approval(&server, &id, "npm publish");
    let code = code(&smtp, 1).unwrap();
    let shown = view(&server, &code).is(200).body;
    assert_eq!((&shown["action"], &shown["goal"]), (&json!("npm publish"), &Value::Null));
    // A refused request does not use the code up.
    let reject = json!({ "decision": "reject" });
    assert_eq!(redeem(&server, &code, &reject).body["status"], 422);
    let reject = json!({ "decision": "reject", "reason": "not on a Friday" });
    redeem(&server, &code, &reject).is(200);
    assert_eq!(state(&server, &id), "claimed");
}

#[test]
fn a_link_scanner_that_follows_every_link_changes_nothing() {
    let (server, smtp) = server();
    let id = held(&server);
    let code = code(&smtp, 1).unwrap();
    let text = smtp.all()[0].text();
    let links =
        text.split_whitespace().filter_map(|word| word.strip_prefix("https://tasuki.example"));
    // A fragment stays with the client.
    let mut paths: Vec<&str> = links.map(|link| link.split('#').next().unwrap()).collect();
    assert_eq!(paths.len(), 2, "{text}");
    paths.extend(["/v1/mail-codes/view", "/v1/mail-codes/redeem"]);
    for path in paths {
        let with_code = format!("{path}?code={code}&decision=accept");
        for path in [path, &with_code] {
            server.get(path).send();
            server.request("HEAD", path).send();
        }
    }
    server.get("/v1/mail-codes/redeem").send().refuses(405, "TK-METHOD-UNKNOWN");
    assert_eq!(state(&server, &id), "held");
    assert_eq!(view(&server, &code).is(200).body["open"], true);
    redeem(&server, &code, &json!({})).is(200);
}

#[test]
fn a_code_ends_with_the_address_that_it_was_mailed_to() {
    let (server, smtp) = server();
    let id = held(&server);
    let code = code(&smtp, 1).unwrap();
    view(&server, &code).is(200);
    let moved = json!({ "name": "pia", "email": "pia@elsewhere.example" });
    server.post("/v1/parties").by("pia").json(&moved).send();
    view(&server, &code).refuses(404, "TK-MAIL-CODE-INVALID");
    redeem(&server, &code, &json!({})).refuses(404, "TK-MAIL-CODE-INVALID");
    assert_eq!(state(&server, &id), "held");
}

#[test]
fn no_code_is_mailed_where_it_could_not_decide() {
    let check = |settings: &Value, goal: &str, more: &str| {
        let (server, smtp) = with_mailbox();
        if settings.as_object().is_some_and(|settings| !settings.is_empty()) {
            set(&server, settings);
        }
        submit(&server, goal, more);
        assert_eq!(code(&smtp, 1), None, "{settings} {more}");
    };
    let on = json!({ "mails_codes": true });
    check(&json!({}), "Port it", "can_intercept: true\n");
    check(&on, "Drop it", "trigger: { kind: critical_action, detail: drops a table }\n");
    check(
        &json!({ "mails_codes": true, "quoted_up_to": null }),
        "Port it",
        "can_intercept: true\n",
    );
    let (server, smtp) = self::server();
    let id = submit(&server, "Port it", "");
    request_approval(&server, &id, &"x".repeat(201));
    assert_eq!(code(&smtp, 1), None, "the mail does not show the whole action");
}

#[test]
fn a_code_is_for_one_revision_and_one_day_and_only_while_codes_are_allowed() {
    let (server, smtp) = server();
    let id = held(&server);
    let first = code(&smtp, 1).unwrap();
    set(&server, &json!({ "mails_codes": false }));
    redeem(&server, &first, &json!({})).refuses(403, "TK-NOT-ALLOWED");
    set(&server, &json!({ "mails_codes": true }));
    let text = crate::support::test_server::packet("export-7", "can_intercept: true\n");
    server.post(&format!("/v1/handoffs/{id}/revisions")).by("ana").yaml(&text).send().is(201);
    assert_eq!(view(&server, &first).is(200).body["open"], false);
    redeem(&server, &first, &json!({})).refuses(412, "TK-REVISION-CHANGED");
    assert_eq!(state(&server, &id), "held");
    server.advance(Duration::from_hours(24));
    view(&server, &first).refuses(404, "TK-MAIL-CODE-INVALID");
    redeem(&server, &first, &json!({})).refuses(404, "TK-MAIL-CODE-INVALID");
    redeem(&server, "0000", &json!({})).refuses(404, "TK-MAIL-CODE-INVALID");
}
