//! Subscriptions: added, listed, changed and removed, here and with a server that delivers.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::fixture::Fixture;
use crate::support::folder::Folder;
use crate::support::server_process::ServerProcess;
use crate::support::shared_exchange::filtered;
use crate::support::silent_receiver;
use crate::support::webhook_receiver::{WebhookReceiver, allow};

/// Replaces everything that differs between runs.
fn plain(text: &str, id: &str, origin: &str) -> String {
    let text = text.replace(id, "sub_[id]").replace(&id[id.len() - 8..], "[digits]");
    let text = text.replace(origin, "[ORIGIN]");
    let words = text.split_inclusive(|c: char| c.is_whitespace() || c == '"').map(|piece| {
        let word = piece.trim_end_matches(|c: char| c.is_whitespace() || c == '"');
        let is_key = word.starts_with("whsec_") || word.starts_with("whpk_");
        let is_id = word.starts_with("sub_") && word.len() == "sub_".len() + 8;
        match () {
            () if is_key => piece.replace(word, "[key]"),
            () if is_id => piece.replace(word, "sub_[id]"),
            () => piece.to_owned(),
        }
    });
    let mut text = filtered(&words.collect::<String>());
    for millis in 0..2_000 {
        text = text.replace(&format!(" {millis} ms "), " [n] ms ");
    }
    while text.contains("  ") {
        text = text.replace("  ", " ");
    }
    text
}

/// Looks until there is something to see.
fn poll_until_some<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < until, "nothing came");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A desk with one subscription: its id and its secret.
fn subscribed() -> (Fixture, String, String) {
    let fixture = Fixture::new();
    allow(&fixture.folder, silent_receiver::origin());
    fixture.run("party add ana --human --no-password");
    let origin = silent_receiver::origin();
    let added = fixture.objects(&format!(
        "subscription add --url {origin}/hooks --as op --for ana --type held --type died"
    ));
    let text = |name: &str| added[0]["subscription"][name].as_str().unwrap().to_owned();
    (fixture, text("id"), text("secret"))
}

/// Plays lines in which `ID` stands for the last digits of a subscription, `ORIGIN` for a receiver.
fn played(fixture: &Fixture, id: &str, lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| {
        line.replace("ORIGIN", silent_receiver::origin()).replace("ID", &id[id.len() - 8..])
    });
    let lines: Vec<String> = lines.collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    plain(&fixture.play(&lines), id, silent_receiver::origin())
}

#[test]
fn a_subscription_is_kept_here_and_needs_a_server_to_be_delivered() {
    let none = Fixture::new().says("subscription list");
    assert!(none.contains("Next: tasuki subscription add --url URL"), "{none}");
    let (fixture, id, secret) = subscribed();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let lines = [
        "subscription show ID",
        "subscription list",
        "subscription deliveries ID",
        "subscription test ID",
        "subscription replay ID --from 0",
    ];
    let said = played(&fixture, &id, &lines);
    assert!(!said.contains(&secret));
    assert_snapshot!(said, @"
    $ subscription show [digits]
    [id] active
    for ana
    webhook [ORIGIN]/hooks
    events type=handoff.held,handoff.died
    since [n] s ago, from event 4

    $ subscription list
    ID FOR KIND TO EVENTS STATUS
    sub_[id] ana webhook [ORIGIN]/hooks type=handoff.held,handoff.died active

    $ subscription deliveries [digits]
    No deliveries yet.

    $ subscription test [digits]
    error: testing a subscription needs a server
     hint: run `tasuki serve`, then use `--server URL` and set `TASUKI_TOKEN`
    [exit 2]

    $ subscription replay [digits] --from 0
    error: replaying events needs a server
     hint: run `tasuki serve`, then use `--server URL` and set `TASUKI_TOKEN`
    [exit 2]
    ");
}

#[test]
fn a_subscription_waits_goes_on_and_ends() {
    let (fixture, id, _) = subscribed();
    let lines = [
        "subscription rotate ID",
        "subscription disable ID",
        "subscription disable ID",
        "subscription list",
        "subscription enable ID",
        "subscription rm ID",
        "subscription list",
        "subscription show ID",
    ];
    assert_snapshot!(played(&fixture, &id, &lines), @"
    $ subscription rotate [digits]
    [key]
    ✓ Rotated the secret of sub_[id] for ana: webhook to [ORIGIN]/hooks. The secret is shown only once.
    The old secret stays valid for 24 hours.

    $ subscription disable [digits]
    ✓ Disabled sub_[id] for ana

    $ subscription disable [digits]
    ✓ Already disabled: sub_[id] for ana

    $ subscription list
    ID FOR KIND TO EVENTS STATUS
    sub_[id] ana webhook [ORIGIN]/hooks type=handoff.held,handoff.died disabled: asked

    $ subscription enable [digits]
    ✓ Enabled sub_[id] for ana

    $ subscription rm [digits]
    ✓ Removed sub_[id] for ana

    $ subscription list
    No subscriptions yet. Next: tasuki subscription add --url URL

    $ subscription show [digits]
    error: unknown subscription `[digits]` [TK-SUBSCRIPTION-UNKNOWN]
     hint: `tasuki subscription list` lists the subscriptions of this project
    [exit 5]
    ");
}

#[test]
fn a_channel_that_leads_nowhere_is_refused() {
    let (fixture, id, _) = subscribed();
    let lines = [
        "subscription add --url ORIGIN/ --signing key-pair",
        "subscription add --url ORIGIN/ --as op --signing key-pair",
        "subscription add --url http://169.254.169.254/latest --as op",
        "subscription add --url https://ana:secret@example.org --as op",
        "subscription add --email ana@example.org --as op",
        "subscription add --as op",
        "subscription add --url ORIGIN/ --email ana@example.org --as op",
        "subscription add --url ORIGIN/ --as op --type hold",
    ];
    assert_snapshot!(played(&fixture, &id, &lines), @"
    $ subscription add --url [ORIGIN]/ --signing key-pair
    error: no identity given
     hint: use `--as NAME`, or set `TASUKI_AS`
    [exit 4]

    $ subscription add --url [ORIGIN]/ --as op --signing key-pair
    [key]
    ✓ Added sub_[id] for op: webhook to [ORIGIN]/.
    Next: tasuki serve, which delivers

    $ subscription add --url http://169.254.169.254/latest --as op
    error: webhooks must use `https` on port 443 [TK-CHANNEL-REFUSED]
     hint: an operator can allow an origin with `server.webhook_origins`
    [exit 3]

    $ subscription add --url https://ana:secret@example.org --as op
    error: invalid URL [TK-CHANNEL-REFUSED]
     hint: an operator can allow an origin with `server.webhook_origins`
    [exit 3]

    $ subscription add --email ana@example.org --as op
    error: no mail server is configured [TK-CHANNEL-UNSET]
     hint: an operator configures it as `[server.mail]` in tasuki.toml
    [exit 3]

    $ subscription add --as op
    error: the following required arguments were not provided:
     <--url <URL>|--email <ADDRESS>|--slack-file <FILE>|--ntfy-file <FILE>>

    Usage: tasuki subscription add [OPTIONS] <--url|--email|--slack-file|--ntfy-file>

    For more information, try '--help'.
    [exit 2]

    $ subscription add --url [ORIGIN]/ --email ana@example.org --as op
    error: the argument '--url <URL>' cannot be used with '--email <ADDRESS>'

    Usage: tasuki subscription add [OPTIONS] <--url|--email|--slack-file|--ntfy-file>

    For more information, try '--help'.
    [exit 2]

    $ subscription add --url [ORIGIN]/ --as op --type hold
    error: invalid value 'hold' for '--type <TYPE>': unknown event type; did you mean `held`?

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn a_server_delivers_and_the_command_line_sees_what_became_of_it() {
    let receiver = WebhookReceiver::start(&[500, 200, 200, 500, 200]);
    let server_dir = Folder::outside_repository();
    server_dir.stdout(&["init"]);
    allow(&server_dir, &receiver.address);
    let token =
        server_dir.stdout(&["token", "create", "--as", "op", "--scope", "read,admin,submit", "-q"]);
    server_dir.stdout(&["party", "add", "worker"]);
    let server = ServerProcess::start(&server_dir);
    let client_dir = Folder::outside_repository();
    let ask = |line: &str| server.client_command(&client_dir, token.trim(), line).output().unwrap();
    let json = |line: &str| -> Vec<Value> {
        let output = ask(&format!("{line} --json"));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let hooks = format!("{}/hooks", receiver.address);
    let added = ask(&format!("subscription add --url {hooks} --task build-1"));
    let secret = String::from_utf8(added.stdout).unwrap();
    assert!(secret.starts_with("whsec_") && secret.lines().count() == 1, "{secret}");
    let id = json("subscription list")[0]["id"].as_str().unwrap().to_owned();
    let digits = &id[id.len() - 8..];

    // A test is no event.
    let failed = json(&format!("subscription test {digits}"));
    assert_eq!((&failed[0]["status"], &failed[0]["response"]), (&500.into(), &"hello".into()));
    receiver.next();
    assert_eq!(ask(&format!("subscription test {digits}")).status.code(), Some(0));
    receiver.next();

    assert!(ask("submit --to worker --goal 'Ship it' --task build-1").status.success());
    let number = receiver.next();
    let deliveries = format!("subscription deliveries {digits}");
    let attempt = poll_until_some(|| json(&deliveries).pop());
    assert_eq!((&attempt["n"].to_string(), &attempt["status"]), (&number, &200.into()));

    let replay = format!("subscription replay {digits} --from 0");
    let said = |line: &str| {
        let output = ask(line);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let exit = output.status.code().unwrap();
        format!("$ {line}\n{}{}[exit {exit}]\n", text(&output.stdout), text(&output.stderr))
    };
    let rotate = format!("subscription rotate {digits}");
    let remove = format!("subscription remove {digits}");
    let all = [&replay, &replay, &rotate, &remove, &replay].map(|line| said(line)).concat();
    assert_eq!([receiver.next(), receiver.next()], [number.clone(), number]);
    assert_snapshot!(plain(&all, &id, &receiver.address), @"
    $ subscription replay [digits] --from 0
    EVENT WHEN ATTEMPT STATUS TIME RESPONSE
    5 [n] s ago 1 500 [n] ms hello
    ✗ Event 5 was not delivered. Next: tasuki subscription replay [digits] --from 5 --to 5
    [exit 1]
    $ subscription replay [digits] --from 0
    EVENT WHEN ATTEMPT STATUS TIME RESPONSE
    5 [n] s ago 1 200 [n] ms hello
    ✓ Delivered 1 event again.
    [exit 0]
    $ subscription rotate [digits]
    [key]
    ✓ Rotated the secret of sub_[id] for op: webhook to [ORIGIN]/hooks. The secret is shown only once.
    The old secret stays valid for 24 hours.
    [exit 0]
    $ subscription remove [digits]
    ✓ Removed sub_[id] for op
    [exit 0]
    $ subscription replay [digits] --from 0
    error: unknown subscription `[digits]` [TK-SUBSCRIPTION-UNKNOWN]
     hint: `tasuki subscription list` lists the subscriptions of this project
    [exit 5]
    ");
}
