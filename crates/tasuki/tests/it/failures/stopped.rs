//! A holder that is stopped (`kill -STOP`) until its lease is over: what it does when it goes on is
//! refused by its token, although it is the same party on the same store.

use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::exchange::{Exchange, words};

const TIMEOUT: Duration = Duration::from_mins(2);

#[test]
fn a_stopped_holder_is_refused_after_another_party_claimed() {
    let exchange = Exchange::new();
    exchange.succeed(&words("submit --as ana --to ben --goal Ship --task build-42"));
    let claimed = exchange.run("first", "claim build-42 --as ben --lease 2s --no-drift");
    assert!(claimed.status.success(), "{}", exchange.folder.shown(&claimed));

    // Both have read their token, if they had the time, and wait for their packet on stdin.
    let checkpoint = start(&exchange, "checkpoint build-42 --as ben -f -");
    let returned = start(&exchange, "return build-42 --as ben -f -");
    std::thread::sleep(Duration::from_millis(500));
    signal(&checkpoint, "STOP");
    signal(&returned, "STOP");
    claim_as_soon_as_possible(&exchange);

    let packet = r#"{"handoff_version":"1.0","packet_type":"checkpoint","completed":["Late"]}"#;
    check_stale(&exchange, &resume(checkpoint, packet));
    let packet =
        r#"{"handoff_version":"1.0","packet_type":"return","status":"completed","summary":"Late"}"#;
    check_stale(&exchange, &resume(returned, packet));

    let finished = exchange.run("second", "return build-42 --as ben --summary Done");
    assert!(finished.status.success(), "{}", exchange.folder.shown(&finished));
    let events = exchange.events();
    let story: Vec<String> = events
        .iter()
        .filter(|event| event.task() == "build-42")
        .map(|event| match event.attribute("fence").as_u64() {
            Some(token) => format!("{} {token}", event.word()),
            None => event.word().to_owned(),
        })
        .collect();
    assert_eq!(
        story,
        ["submitted", "delivered", "claimed 1", "lapsed 1", "claimed 2", "returned 2", "done"]
    );
    exchange.check_log();
}

/// A command of the first session that waits for its packet.
fn start(exchange: &Exchange, line: &str) -> Child {
    let mut command = exchange.command("first", &words(line));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let line = format!("kill -s {name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

/// Claims in a second session of the same party, which is refused until the lease is over.
fn claim_as_soon_as_possible(exchange: &Exchange) {
    let began = Instant::now();
    loop {
        let output = exchange.run("second", "claim build-42 --as ben --no-drift");
        if output.status.success() {
            return;
        }
        let shown = exchange.folder.shown(&output);
        assert!(shown.starts_with("exit 6\n"), "{shown}");
        assert!(began.elapsed() < TIMEOUT, "the lease never ends: {shown}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn resume(mut child: Child, packet: &str) -> Output {
    signal(&child, "CONT");
    child.stdin.take().unwrap().write_all(packet.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn check_stale(exchange: &Exchange, output: &Output) {
    let shown = exchange.folder.shown(output);
    assert!(shown.starts_with("exit 6\n") && shown.contains("[TK-CLAIM-STALE]"), "{shown}");
}
