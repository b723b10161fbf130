//! Reminders: one digest per person, however much waits.

use std::time::Duration;

use serde_json::json;

use crate::delivery::messages::server as with_mailbox;
use crate::delivery::webhooks;
use crate::support::test_server::{TestServer, packet};
use crate::support::webhook_receiver::status;

const DAY: Duration = Duration::from_hours(24);

const MINUTE: Duration = Duration::from_mins(1);

fn held(server: &TestServer, task: &str) -> String {
    let text = packet(task, "can_intercept: true\n");
    let answer = server.post("/v1/handoffs").by("ana").yaml(&text).send().is(201);
    answer.body["handoff"]["id"].as_str().unwrap().to_owned()
}

/// Lets time pass, and writes an event, which wakes the notifier.
fn pass(server: &TestServer, time: Duration, task: &str) {
    server.advance(time);
    server.submitted(task);
}

#[test]
fn what_still_waits_after_a_day_is_one_digest_per_person() {
    let (server, smtp) = with_mailbox();
    held(&server, "one");
    let decided = held(&server, "two");
    server.advance(MINUTE);
    held(&server, "three");
    smtp.wait_for(3);
    server.accept(&decided);
    pass(&server, DAY, "wake");
    let digest = smtp.wait_for(4)[3].clone();
    assert_eq!(digest.to, "pia@example.org");
    assert_eq!(digest.subject(), "2 handoffs are still waiting for you: default");
    insta::assert_snapshot!(digest.text(), @"
    2 handoffs are still waiting for you.

    one: held since 2026-11-15 10:00 UTC
    three: held since 2026-11-15 10:01 UTC

    https://tasuki.example/ui/p/default/inbox
    ");
    // Not more than once per interval.
    pass(&server, Duration::from_hours(23), "wake-again");
    pass(&server, Duration::from_hours(1), "and-again");
    let all = smtp.wait_for(5);
    assert_eq!(all.len(), 5);
    assert_eq!(all[4].subject(), "2 handoffs are still waiting for you: default");
}

#[test]
fn a_project_without_reminders_sends_none() {
    let (server, smtp) = with_mailbox();
    let set = |settings| server.request("PATCH", "/v1/project").by("pia").json(&settings).send();
    set(json!({ "remind_after": "30s" })).refuses(422, "TK-ARGUMENT-INVALID");
    set(json!({ "remind_after": null })).is(200);
    held(&server, "one");
    smtp.wait_for(1);
    pass(&server, DAY, "wake");
    held(&server, "last");
    smtp.wait_for(2);
    let subjects: Vec<String> = smtp.all().iter().map(|one| one.subject().to_owned()).collect();
    assert!(subjects.iter().all(|subject| !subject.contains("still")), "{subjects:?}");
}

#[test]
fn a_person_without_a_mailbox_gets_the_digest_by_their_chat() {
    let (server, receiver) = webhooks::server(|_| status(200));
    let url = format!("http://{}/services/T0/B0/xyz", receiver.address);
    server.post("/v1/subscriptions").by("pia").json(&json!({ "slack": url })).send().is(201);
    held(&server, "one");
    receiver.wait_for(1);
    pass(&server, DAY, "wake");
    let digest = receiver.wait_for(2)[1].json();
    assert_eq!(digest["text"], "1 handoff is still waiting for you: default");
}
