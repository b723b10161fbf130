//! People are notified of pending actions without a subscription. If no one can be notified, that
//! is an event, shown on the card, and the next rung.

use std::time::Duration;

use serde_json::{Value, json};

use crate::delivery::webhooks;
use crate::support::smtp_server::{SmtpServer, server as with_smtp};
use crate::support::test_server::{TestServer, packet};
use crate::support::until::until;
use crate::support::webhook_receiver::status;

/// Adds people: `pia` and `quin` with mailboxes, `rob` without.
fn people(server: &TestServer) {
    for (name, email) in [("pia", "pia@"), ("quin", "quin@"), ("rob", "")] {
        let email = if email.is_empty() { String::new() } else { format!("{email}example.org") };
        let body = json!({ "name": name, "kind": "human", "email": email });
        server.post("/v1/parties").by("pia").json(&body).send().is(201);
    }
}

fn role(server: &TestServer, name: &str, members: &[&str]) {
    let body = json!({ "name": name, "kind": "role", "members": members });
    server.post("/v1/parties").by("pia").json(&body).send().is(201);
}

fn server() -> (TestServer, SmtpServer) {
    let (server, smtp) = with_smtp();
    people(&server);
    (server, smtp)
}

/// Submits a handoff, with more lines in the packet.
fn hand_over(server: &TestServer, task: &str, to: &str, more: &str) -> String {
    let text = packet(task, more).replace("to_agent: ben", &format!("to_agent: {to}"));
    let answer = server.post("/v1/handoffs").by("ana").yaml(&text).send().is(201);
    answer.body["handoff"]["id"].as_str().unwrap().to_owned()
}

fn card(server: &TestServer, id: &str) -> Value {
    server.get(&format!("/v1/handoffs/{id}")).by("ana").send().is(200).body["handoff"].clone()
}

/// Returns the events of a handoff with their reasons.
fn events(server: &TestServer, id: &str) -> Vec<String> {
    let body = server
        .get(&format!("/v1/events?handoff={id}&from=0&limit=200"))
        .by("ana")
        .send()
        .is(200)
        .body;
    let line = |event: &Value| {
        let because = event["attributes"]["because"].as_str().unwrap_or_default();
        format!("{} {because}", event["type"].as_str().unwrap()).trim_end().to_owned()
    };
    body["items"].as_array().unwrap().iter().map(line).collect()
}

fn notifications(smtp: &SmtpServer) -> Vec<String> {
    let line = |email: &crate::support::smtp_server::ReceivedEmail| {
        format!("{}: {}", email.to.trim_end_matches("@example.org"), email.subject())
    };
    smtp.all().iter().map(line).collect()
}

/// Advances the clock in steps, so that the notifier runs between them.
fn advance_until(server: &TestServer, is_met: impl Fn() -> bool) {
    until(|| {
        server.advance(Duration::from_secs(10));
        is_met()
    });
}

#[test]
fn an_offer_notifies_the_person_and_every_person_in_a_role() {
    let (server, smtp) = server();
    role(&server, "role:oncall", &["pia", "quin", "rob"]);
    hand_over(&server, "for-pia", "pia", "");
    smtp.wait_for(1);
    hand_over(&server, "for-all", "role:oncall", "");
    smtp.wait_for(3);
    assert_eq!(
        notifications(&smtp),
        [
            "pia: A handoff is offered to you: for-pia",
            "pia: A handoff is offered to you: for-all",
            "quin: A handoff is offered to you: for-all",
        ]
    );
    let text = smtp.all()[0].text();
    assert!(text.starts_with("A handoff is offered to you.\n\n"), "{text}");
}

#[test]
fn a_hold_notifies_the_decider_once() {
    let (server, smtp) = server();
    let id = hand_over(&server, "held", "ben", "can_intercept: true\n");
    smtp.wait_for(2);
    // An approval request of the holder is another hold.
    server.accept(&id);
    let claimed = server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201).body;
    let claim = claimed["claim"]["id"].as_str().unwrap();
    let body = json!({ "action": { "run": "deploy" } });
    server
        .post(&format!("/v1/claims/{claim}/request-approval"))
        .by("ben")
        .json(&body)
        .send()
        .is(200);
    smtp.wait_for(4);
    let each = |what: &str| ["pia", "quin"].map(|name| format!("{name}: {what}: held"));
    let held = each("A handoff is waiting for your decision");
    let asked = each("An action is waiting for your approval");
    assert_eq!(notifications(&smtp), [held, asked].concat());
}

#[test]
fn an_escalated_hold_notifies_the_people_who_may_decide_then() {
    let (server, smtp) = server();
    let rule = json!({
        "name": "deploy", "when": { "words": ["deploy"] }, "then": "hold",
        "decide": "quin", "escalate_after": "2h",
    });
    let rules = json!({ "document": { "rules": [rule] } });
    server.request("PUT", "/v1/rules").by("pia").json(&rules).send().is(200);
    let id = hand_over(&server, "held", "ben", "notes: [deploy it]\n");
    assert_eq!(card(&server, &id)["deciders"], json!(["quin"]));
    smtp.wait_for(1);
    server.advance(Duration::from_hours(2));
    assert_eq!(card(&server, &id)["deciders"], Value::Null);
    smtp.wait_for(2);
    // The person who was notified at first is not notified again.
    assert_eq!(
        notifications(&smtp),
        ["quin", "pia"].map(|name| format!("{name}: A handoff is waiting for your decision: held"))
    );
    assert_eq!(
        events(&server, &id),
        ["handoff.submitted", "handoff.held", "handoff.held escalated"]
    );
}

#[test]
fn a_question_notifies_the_sender() {
    let (server, smtp) = server();
    let id = {
        let text = packet("asked", "").replace("from_agent: ana", "from_agent: pia");
        let answer = server.post("/v1/handoffs").by("pia").yaml(&text).send().is(201);
        answer.body["handoff"]["id"].as_str().unwrap().to_owned()
    };
    let body = json!({ "question": "Which region?", "blocking": true });
    server.post(&format!("/v1/handoffs/{id}/questions")).by("ben").json(&body).send().is(201);
    smtp.wait_for(1);
    assert_eq!(notifications(&smtp), ["pia: A question is waiting for your answer: asked"]);
}

#[test]
fn an_escalation_notifies_the_rung() {
    let (server, smtp) = server();
    role(&server, "role:oncall", &["quin", "rob"]);
    let id = hand_over(&server, "stuck", "ben", "fallback: [{ to: 'role:oncall' }]\n");
    let body = json!({ "reason": "no time" });
    server.post(&format!("/v1/handoffs/{id}/declines")).by("ben").json(&body).send().is(201);
    smtp.wait_for(1);
    assert_eq!(notifications(&smtp), ["quin: A handoff was escalated to you: stuck"]);
}

#[test]
fn a_substitute_verifier_is_notified_and_has_the_return_in_the_inbox() {
    let (server, smtp) = server();
    let contract = json!({ "document": {
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"],
        "deadlines": { "verify": "10m" }, "fallback": [{ "to": "dead_letter" }],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] },
    } });
    server.post("/v1/contracts").by("pia").json(&contract).send().is(201);
    role(&server, "role:judges", &["box", "pia"]);
    let more = "return_required: [status]\nfallback: [{ to: 'role:judges' }]\n";
    let id = hand_over(&server, "back", "ben", more);
    let claimed = server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201).body;
    let path = format!("/v1/handoffs/{id}/returns?fence={}", claimed["claim"]["fence"]);
    let text = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: Done\n";
    server.post(&path).by("ben").yaml(text).send().is(201);
    let inbox =
        |name: &str| server.get("/v1/inbox").by(name).send().is(200).body["handoffs"].clone();
    assert_eq!(inbox("pia"), json!([]));

    server.advance(Duration::from_mins(10));
    let found = inbox("pia");
    assert_eq!((&found[0]["id"], &found[0]["state"]), (&json!(id), &json!("returned")));
    assert_eq!(inbox("ben"), json!([]));
    smtp.wait_for(1);
    assert_eq!(notifications(&smtp), ["pia: A return is waiting for your verdict: back"]);

    let path = format!("/v1/handoffs/{id}/verdicts");
    let verdict = json!({ "result": "pass", "return": server.return_id(&id) });
    server.post(&path).by("pia").json(&verdict).send().is(201);
    assert_eq!((inbox("pia"), inbox("ana")), (json!([]), json!([])));
}

#[test]
fn a_refused_mailbox_is_an_event_and_the_next_rung() {
    let (server, smtp) = server();
    let body = json!({ "name": "rob", "email": "nobody@example.org" });
    server.post("/v1/parties").by("pia").json(&body).send().is(201);
    let id = hand_over(&server, "lost", "rob", "fallback: [{ to: quin }]\n");
    smtp.wait_for(1);
    assert_eq!(notifications(&smtp), ["quin: A handoff was escalated to you: lost"]);
    assert_eq!(
        events(&server, &id),
        [
            "handoff.submitted",
            "handoff.notification_failed mail_failed",
            "handoff.moved_on no_progress"
        ]
    );
    let card = card(&server, &id);
    assert_eq!((&card["state"], &card["to"]), (&json!("offered"), &json!("quin")));
    let failure = &card["notification_failure"];
    assert_eq!(failure["wait"], "offer");
    assert_eq!((&failure["because"], &failure["party"]), (&json!("mail_failed"), &json!("rob")));
    let listed = server.get("/v1/handoffs").by("ana").send().is(200).body;
    assert_eq!(listed["items"][0]["notification_failure"], *failure);
}

/// Returns the failures in the inbox of a caller, as `task kind cause`.
fn failures(server: &TestServer, name: &str) -> Vec<String> {
    let inbox = server.get("/v1/inbox").by(name).send().is(200).body;
    let line = |one: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let (kind, cause) = (text(&one["kind"]), text(&one["cause"]));
        format!("{} {kind} {cause}", text(&one["handoff"]["task"]))
    };
    inbox["failures"].as_array().into_iter().flatten().map(line).collect()
}

#[test]
fn failures_are_mailed_to_the_sender_and_the_operators_and_stay_in_the_inbox() {
    let (server, smtp) = server();
    let text = packet("refused", "can_intercept: true\n").replace("from_agent: ana\n", "");
    let sent = server.post("/v1/handoffs").by("pia").yaml(&text).send().is(201).body;
    let id = sent["handoff"]["id"].as_str().unwrap().to_owned();
    smtp.wait_for(1);
    let path = format!("/v1/handoffs/{id}/decisions");
    let body = json!({ "decision": "reject", "reason": "not today" });
    let token = json!({ "party": "quin", "scopes": ["read", "decide"] });
    let token = server.post("/v1/tokens").by("pia").json(&token).send().is(201).body;
    let bearer = format!("Bearer {}", token["token"]["text"].as_str().unwrap());
    server.post(&path).header("Authorization", &bearer).json(&body).send().is(201);
    smtp.wait_for(2);
    let stuck = hand_over(&server, "stuck", "ben", "");
    let body = json!({ "reason": "no time" });
    server.post(&format!("/v1/handoffs/{stuck}/declines")).by("ben").json(&body).send().is(201);
    smtp.wait_for(3);
    assert_eq!(
        notifications(&smtp)[1..],
        ["pia: A handoff was rejected: refused", "pia: A handoff is a dead letter: stuck"]
    );
    assert_eq!(failures(&server, "pia"), ["refused rejected -", "stuck dead declined"]);
    assert_eq!(failures(&server, "ana"), ["stuck dead declined"]);

    let inbox = server.get("/v1/inbox").by("pia").send().is(200).body;
    let first = &inbox["failures"][0];
    assert_eq!((&first["by"], &first["reason"]), (&json!("quin"), &json!("not today")));
    let seen = json!({ "failures": [{ "handoff": id, "n": first["n"] }] });
    for acknowledged in [1, 1] {
        let done = server.post("/v1/inbox/ack").by("pia").json(&seen).send().is(200).body;
        assert_eq!(done, json!({ "acknowledged": acknowledged }));
    }
    assert_eq!(failures(&server, "pia"), ["stuck dead declined"]);
    let other = json!({ "failures": [{ "handoff": id, "n": 99 }] });
    let refused = server.post("/v1/inbox/ack").by("ben").json(&other).send().is(404).body;
    assert_eq!(refused["code"], "TK-HANDOFF-UNKNOWN");
}

#[test]
fn a_failed_email_is_in_the_inbox_and_is_never_reported_by_email() {
    let (server, smtp) = server();
    let body = json!({ "name": "rob", "email": "nobody@example.org" });
    server.post("/v1/parties").by("pia").json(&body).send().is(201);
    hand_over(&server, "lost", "rob", "fallback: [{ to: quin }]\n");
    smtp.wait_for(1);
    assert_eq!(failures(&server, "pia"), ["lost notification_failed mail_failed"]);
    assert_eq!(failures(&server, "ana"), ["lost notification_failed mail_failed"]);
    hand_over(&server, "next", "pia", "");
    smtp.wait_for(2);
    assert_eq!(
        notifications(&smtp),
        ["quin: A handoff was escalated to you: lost", "pia: A handoff is offered to you: next"]
    );
}

#[test]
fn a_refused_mailbox_is_tried_once_while_others_are_retried() {
    let (server, smtp) = server();
    role(&server, "role:oncall", &["quin", "rob"]);
    let body = json!({ "name": "rob", "email": "nobody@example.org" });
    server.post("/v1/parties").by("pia").json(&body).send().is(201);
    smtp.set_busy(true);
    hand_over(&server, "half", "role:oncall", "");
    until(|| smtp.rejected_count() == 1);
    smtp.wait_for_deferral();
    smtp.set_busy(false);
    advance_until(&server, || smtp.all().len() == 1);
    assert_eq!(notifications(&smtp), ["quin: A handoff is offered to you: half"]);
    assert_eq!(smtp.rejected_count(), 1);
}

#[test]
fn a_refused_mailbox_without_a_rung_is_a_dead_letter() {
    let (server, _smtp) = server();
    let body = json!({ "name": "rob", "email": "nobody@example.org" });
    server.post("/v1/parties").by("pia").json(&body).send().is(201);
    let id = hand_over(&server, "lost", "rob", "");
    until(|| card(&server, &id)["state"] == "dead");
    assert_eq!(
        events(&server, &id),
        [
            "handoff.submitted",
            "handoff.notification_failed mail_failed",
            "handoff.died no_progress"
        ]
    );
}

#[test]
fn one_notified_recipient_is_enough() {
    let (server, smtp) = server();
    role(&server, "role:oncall", &["quin", "rob"]);
    let body = json!({ "name": "rob", "email": "nobody@example.org" });
    server.post("/v1/parties").by("pia").json(&body).send().is(201);
    let id = hand_over(&server, "found", "role:oncall", "fallback: [{ to: pia }]\n");
    smtp.wait_for(1);
    server.advance(Duration::from_hours(1));
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(events(&server, &id), ["handoff.submitted"]);
}

#[test]
fn a_deferring_mail_server_is_retried_and_delays_no_one_else() {
    let (server, smtp) = server();
    smtp.set_busy(true);
    let id = hand_over(&server, "late", "pia", "fallback: [{ to: quin }]\n");
    smtp.wait_for_deferral();
    smtp.set_busy(false);
    hand_over(&server, "soon", "quin", "");
    smtp.wait_for(1);
    advance_until(&server, || smtp.all().len() == 2);
    assert_eq!(
        notifications(&smtp),
        ["quin: A handoff is offered to you: soon", "pia: A handoff is offered to you: late"]
    );
    assert_eq!(events(&server, &id), ["handoff.submitted"]);
}

#[test]
fn without_a_channel_the_failure_is_shown_and_the_offer_stays() {
    let server = TestServer::new();
    let id = hand_over(&server, "looked-for", "pia", "");
    let held = hand_over(&server, "held", "ben", "can_intercept: true\n");
    // Recipients who act on their own have a minute.
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(events(&server, &id), ["handoff.submitted"]);
    advance_until(&server, || {
        card(&server, &held)["notification_failure"]["because"] == "no_channel"
    });
    until(|| card(&server, &id)["notification_failure"]["because"] == "no_channel");
    assert_eq!(
        events(&server, &id),
        ["handoff.submitted", "handoff.notification_failed no_channel"]
    );
    assert_eq!(card(&server, &id)["state"], "offered");
    let held_events = events(&server, &held);
    assert_eq!(
        held_events,
        ["handoff.submitted", "handoff.held", "handoff.notification_failed no_channel"]
    );
    let inbox = server.get("/v1/inbox").by("pia").send().is(200).body;
    assert!(inbox.to_string().contains("\"because\":\"no_channel\""), "{inbox}");
}

#[test]
fn without_a_channel_it_moves_to_a_rung_with_one() {
    let (server, smtp) = server();
    let id =
        hand_over(&server, "handed-up", "rob", "fallback: [{ to: quin }, { to: dead_letter }]\n");
    advance_until(&server, || smtp.all().len() >= 2);
    let mut notified = notifications(&smtp);
    notified.sort();
    let failed = "pia: No one could be notified of a handoff: handed-up";
    assert_eq!(notified, [failed, "quin: A handoff was escalated to you: handed-up"]);
    assert_eq!(
        events(&server, &id),
        [
            "handoff.submitted",
            "handoff.notification_failed no_channel",
            "handoff.moved_on no_progress"
        ]
    );
}

#[test]
fn a_webhook_of_the_person_is_a_channel() {
    let server_with_receiver = |code: u16| {
        let (server, receiver) = webhooks::server(move |_| status(code));
        people(&server);
        let body = json!({ "party": "rob", "url": format!("http://{}", receiver.address) });
        server.post("/v1/subscriptions").by("pia").json(&body).send().is(201);
        (server, receiver)
    };
    let (server, receiver) = server_with_receiver(200);
    let id = hand_over(&server, "by-webhook", "rob", "fallback: [{ to: ben }]\n");
    receiver.wait_for(1);
    for _ in 0..3 {
        server.advance(Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(700));
    }
    assert_eq!(events(&server, &id), ["handoff.submitted"]);
    // A receiver that replies 410 has failed permanently.
    let (server, _receiver) = server_with_receiver(410);
    let id = hand_over(&server, "by-webhook", "rob", "fallback: [{ to: ben }]\n");
    advance_until(&server, || card(&server, &id)["to"] == "ben");
    assert_eq!(
        events(&server, &id),
        ["handoff.submitted", "handoff.notification_failed failed", "handoff.moved_on no_progress"]
    );
}

#[test]
fn a_decision_cancels_the_notification() {
    let (server, smtp) = server();
    smtp.set_busy(true);
    let id = hand_over(&server, "quick", "pia", "fallback: [{ to: quin }]\n");
    smtp.wait_for_deferral();
    server.post(&format!("/v1/handoffs/{id}/claims")).by("pia").send().is(201);
    smtp.set_busy(false);
    for _ in 0..3 {
        server.advance(Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(700));
    }
    assert!(smtp.all().is_empty(), "{:?}", notifications(&smtp));
}
