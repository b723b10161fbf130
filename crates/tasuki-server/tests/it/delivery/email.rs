//! Email to subscribers.

use serde_json::json;
use tasuki_server::{MailSettings, Settings};

use crate::support::smtp_server::{self, SmtpBehavior, at, server};
use crate::support::test_server::TestServer;

#[test]
fn a_subscriber_gets_a_plain_email_with_a_link() {
    let (server, smtp) = server();
    let body = json!({ "address": "pia@example.org", "filter": { "type": ["handoff.submitted"] } });
    server.post("/v1/subscriptions").by("pia").json(&body).send().is(201);
    let id = server.submitted("one");
    let email = smtp.wait_for(1)[0].clone();
    assert!(email.session.contains("MAIL FROM:<tasuki@example.org>"), "{email:?}");
    assert_eq!(email.to, "pia@example.org");
    assert_eq!(email.subject(), "handoff.submitted: one");
    let shown = email.text().replace(&id, "hof_…");
    insta::assert_snapshot!(shown, @"
    Event: handoff.submitted
    Task: one
    Goal: Ship one
    From: ana
    To: ben
    Risk: low
    By: ana
    State: offered

    https://tasuki.example/ui/p/default/h/hof_…
    ");
}

#[test]
fn an_unreachable_channel_is_refused_when_it_is_chosen() {
    let body = json!({ "address": "pia@example.org" });
    let unset = TestServer::new();
    let answer = unset.post("/v1/subscriptions").by("pia").json(&body).send();
    answer.refuses(422, "TK-CHANNEL-UNSET");
    // A port that was just released does not listen.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let away = TestServer::with(Settings { mail: Some(at(port)), ..Settings::default() });
    let answer = away.post("/v1/subscriptions").by("pia").json(&body).send();
    answer.refuses(422, "TK-CHANNEL-UNREACHABLE");
}

#[test]
fn a_failed_mail_login_refuses_the_channel() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "wrong horse\n").unwrap();
    let settings = |port| MailSettings {
        user: Some("tasuki".to_owned()),
        password_file: Some(file.clone()),
        ..at(port)
    };
    let behavior = SmtpBehavior { password: Some("right horse"), ..SmtpBehavior::default() };
    let (server, _smtp) = smtp_server::with(settings, behavior);
    let body = json!({ "address": "pia@example.org" });
    let add = || server.post("/v1/subscriptions").by("pia").json(&body).send();
    let refused = add().refuses(422, "TK-CHANNEL-UNREACHABLE");
    insta::assert_snapshot!(refused.body["detail"].as_str().unwrap(), @"mail server is unusable: login as `tasuki` failed: mail server replied `535 5.7.8 authentication failed`");
    // The file is read for every email, so that a new password needs no restart.
    std::fs::write(&file, "right horse\n").unwrap();
    add().is(201);
    std::fs::remove_file(&file).unwrap();
    let refused = add().refuses(422, "TK-CHANNEL-UNREACHABLE");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("cannot read the password file: "), "{detail}");
}

#[test]
fn a_refusal_of_the_mail_server_is_recorded() {
    let (server, _smtp) = server();
    let body =
        json!({ "address": "nobody@example.org", "filter": { "type": ["handoff.submitted"] } });
    let made = server.post("/v1/subscriptions").by("pia").json(&body).send().is(201).body;
    let id = made["subscription"]["id"].as_str().unwrap();
    let tried = server.post(&format!("/v1/subscriptions/{id}/test")).by("pia").send().is(200).body;
    assert_eq!(tried["status"], 550);
    assert_eq!(tried["response"], "mail server replied `550 no such mailbox`");
}
