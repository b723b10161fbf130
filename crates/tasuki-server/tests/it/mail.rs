//! Mail to people, against a small mail server.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tasuki_server::{MailSettings, MailTls, Settings};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::webhooks::until;
use crate::world::{World, packet};

type Letters = Arc<Mutex<Vec<String>>>;

/// A world with a mail server, and the letters that it got.
fn world() -> (World, Letters) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let world = World::with(Settings { mail: Some(at(port)), ..Settings::default() });
    let letters = Letters::default();
    let kept = Arc::clone(&letters);
    world.runtime.spawn(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(receive(stream, Arc::clone(&kept)));
        }
    });
    (world, letters)
}

fn at(port: u16) -> MailSettings {
    MailSettings {
        host: "127.0.0.1".to_owned(),
        port,
        from: "tasuki@example.org".to_owned(),
        tls: MailTls::None,
        user: None,
        password_file: None,
    }
}

async fn receive(stream: TcpStream, letters: Letters) {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 small\r\n").await.unwrap();
    let (mut letter, mut is_data) = (String::new(), false);
    let mut line = String::new();
    while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
        letter.push_str(&line);
        let reply = match line.trim_end() {
            "." if is_data => {
                letters.lock().unwrap().push(std::mem::take(&mut letter));
                is_data = false;
                "250 kept\r\n"
            }
            _ if is_data => "",
            "EHLO tasuki" => "250-small\r\n250 SIZE\r\n",
            "DATA" => {
                is_data = true;
                "354 go on\r\n"
            }
            "QUIT" => "221 bye\r\n",
            text if text.contains("nobody@") => "550 no such mailbox\r\n",
            _ => "250 ok\r\n",
        };
        stream.write_all(reply.as_bytes()).await.unwrap();
        line.clear();
    }
}

/// The text of a letter.
fn text(letter: &str) -> String {
    use base64::Engine as _;
    let body =
        letter.split_once("\r\n\r\n").unwrap().1.trim_end_matches(".\r\n").replace("\r\n", "");
    String::from_utf8(base64::engine::general_purpose::STANDARD.decode(body).unwrap()).unwrap()
}

#[test]
fn a_subscriber_gets_a_plain_letter_with_a_link() {
    let (world, letters) = world();
    let body = json!({ "address": "pia@example.org", "filter": { "type": ["handoff.submitted"] } });
    world.post("/v1/subscriptions").by("pia").json(&body).send().is(201);
    let id = world.submitted("one");
    until(|| !letters.lock().unwrap().is_empty());
    let letter = letters.lock().unwrap()[0].clone();
    assert!(letter.contains("MAIL FROM:<tasuki@example.org>"), "{letter}");
    assert!(letter.contains("RCPT TO:<pia@example.org>"), "{letter}");
    assert!(letter.contains("Subject: handoff.submitted: one\r\n"), "{letter}");
    let shown = text(&letter).replace(&id, "hof_…");
    insta::assert_snapshot!(shown, @r"
    What: handoff.submitted
    Task: one
    From: ana
    To: ben
    By: ana
    State: offered
    Risk: low

    http://127.0.0.1:7420/ui/p/default/handoffs/hof_…
    ");
}

#[test]
fn a_person_is_told_of_what_waits_for_them_without_subscribing() {
    let (world, letters) = world();
    let body = json!({ "name": "pia", "email": "pia@example.org" });
    world.post("/v1/parties").by("pia").json(&body).send().is(201);
    // Whoever tells people begins with what comes after it began.
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    let offered = packet("for-pia", "").replace("to_agent: ben", "to_agent: pia");
    world.post("/v1/handoffs").by("ana").yaml(&offered).send().is(201);
    until(|| !letters.lock().unwrap().is_empty());
    let letter = letters.lock().unwrap()[0].clone();
    assert!(letter.contains("for-pia\r\n"), "{letter}");
    assert!(letter.contains("RCPT TO:<pia@example.org>"), "{letter}");
}

#[test]
fn a_channel_that_leads_nowhere_is_refused_when_it_is_chosen() {
    let body = json!({ "address": "pia@example.org" });
    let unset = World::new();
    let answer = unset.post("/v1/subscriptions").by("pia").json(&body).send();
    answer.refuses(422, "TK-CHANNEL-UNSET");
    // A port that was just given back listens no more.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let away = World::with(Settings { mail: Some(at(port)), ..Settings::default() });
    let answer = away.post("/v1/subscriptions").by("pia").json(&body).send();
    answer.refuses(422, "TK-CHANNEL-UNREACHABLE");
}

#[test]
fn what_the_mail_server_refuses_is_noted() {
    let (world, _letters) = world();
    let body =
        json!({ "address": "nobody@example.org", "filter": { "type": ["handoff.submitted"] } });
    let made = world.post("/v1/subscriptions").by("pia").json(&body).send().is(201).body;
    let id = made["subscription"]["id"].as_str().unwrap();
    let tried = world.post(&format!("/v1/subscriptions/{id}/test")).by("pia").send().is(200).body;
    assert_eq!(tried["status"], 550);
    assert_eq!(tried["response"], "the mail server said `550 no such mailbox`");
}
