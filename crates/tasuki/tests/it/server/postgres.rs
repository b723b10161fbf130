//! An exchange on PostgreSQL, with and without servers. `scripts/with-postgres` starts the database.

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::folder::{Folder, words};
use crate::support::http::{HttpServer, eventually};
use crate::support::server_process::ServerProcess;
use crate::support::webhook_receiver::{WebhookReceiver, allow};

/// A folder whose commands work on a schema of their own.
struct Exchange {
    folder: Folder,
    url: String,
}

impl Exchange {
    #[expect(clippy::disallowed_methods, reason = "tests have no other configuration")]
    fn new() -> Self {
        let database = std::env::var("TASUKI_TEST_POSTGRES").expect(
            "these tests need PostgreSQL: run them with `scripts/with-postgres cargo nextest run`, \
             or leave them out with `cargo nextest run -E 'not test(postgres::)'`",
        );
        let start = jiff::Timestamp::now().as_nanosecond();
        let url = format!("{database}?schema=cli_{}_{start}", std::process::id());
        Self { folder: Folder::outside_repository(), url }
    }

    fn command(&self, line: &str) -> Command {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.folder.command(&words);
        command.env("TASUKI_STORE", &self.url).env("HOME", self.folder.path("home"));
        command
    }

    fn output(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a command that must succeed. Returns its stdout.
    fn run(&self, line: &str) -> String {
        let output = self.output(line);
        assert!(output.status.success(), "{line}: {}", self.folder.shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn serve(&self) -> ServerProcess {
        let mut command = self.command("serve --json --listen 127.0.0.1:0");
        command.env("USER", "op").stderr(Stdio::null());
        ServerProcess::spawn(command)
    }

    fn token(&self, party: &str) -> String {
        self.run(&format!("token create --as {party} -q")).trim().to_owned()
    }
}

#[test]
fn the_quick_start_works_without_a_server_and_without_a_data_directory() {
    let exchange = Exchange::new();
    exchange.run("init");
    exchange.run("submit --as planner --to coder --goal 'Port the CSV exporter'");
    exchange.run("claim --as coder");
    exchange.run("checkpoint --as coder --completed 'Wrote the writer' --remaining 'Add tests'");
    exchange.run("return --as coder --summary 'All tests pass'");
    assert_eq!(exchange.run("status"), "Nothing is open.\n");
    assert!(exchange.run("search exporter").contains("packet"));
    let checked: Value = serde_json::from_str(&exchange.run("log check --json")).unwrap();
    assert_eq!(checked["intact"], true, "{checked}");
    assert!(exchange.run("doctor").contains("rows and counters agree"));
    assert!(!exchange.folder.path(".tasuki").exists());
}

#[test]
fn files_of_a_database_are_not_backed_up_or_restored() {
    let exchange = Exchange::new();
    exchange.run("init");
    std::fs::write(exchange.folder.path("old.db"), "").unwrap();
    for (line, hint) in [("backup copy.db", "pg_dump"), ("restore old.db", "tasuki import")] {
        let output = exchange.output(line);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("is not a directory") && text.contains(hint), "{text}");
    }
}

#[test]
fn a_wrong_address_is_an_error_without_its_password() {
    let exchange = Exchange::new();
    for (store, code) in [
        ("postgres://ana:secret@127.0.0.1:1/tasuki", 7),
        ("postgres://ana:secret@127.0.0.1/x?schema=A", 2),
        ("mysql://ana:secret@127.0.0.1/x", 2),
    ] {
        let output = exchange.command("status").env("TASUKI_STORE", store).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(!text.contains("secret") && text.contains("hint:"), "{text}");
    }
}

/// A stream of one server has the events of commands that another one received.
#[test]
fn servers_that_share_a_database_share_everything() {
    let exchange = Exchange::new();
    exchange.run("init");
    let (one, other) = (exchange.serve(), exchange.serve());
    let (planner, coder) = (exchange.token("planner"), exchange.token("coder"));
    let client = Folder::outside_repository();
    let ask = |server: &ServerProcess, token: &str, line: &str| {
        let output = server.client_command(&client, token, line).output().unwrap();
        assert!(output.status.success(), "{line}: {}", client.shown(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let mut follower = other.client_command(&client, &planner, "events --follow --json");
    let log = client.path("events");
    follower.stdout(std::fs::File::create(&log).unwrap()).stderr(Stdio::null());
    let mut follower = follower.spawn().unwrap();
    ask(&one, &planner, "submit --to coder --goal 'Port it' --task port-1");
    ask(&other, &coder, "claim port-1");
    ask(&other, &coder, "return port-1 --summary done");
    let took = eventually("the stream has the last event", || {
        std::fs::read_to_string(&log).unwrap().contains("handoff.returned")
    });
    follower.kill().unwrap();
    follower.wait().unwrap();
    assert!(took < Duration::from_secs(5), "{took:?}");
    let seen = ask(&one, &planner, "show port-1 --json");
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["handoff"]["state"], "done", "{seen}");
}

/// The servers lease the deliveries, so that a receiver gets each event from one of them.
#[test]
fn one_of_the_servers_on_a_database_delivers_each_event() {
    let exchange = Exchange::new();
    let receiver = WebhookReceiver::start(&[200]);
    allow(&exchange.folder, &receiver.address);
    exchange.run("init");
    let (one, other) = (exchange.serve(), exchange.serve());
    let planner = exchange.token("planner");
    exchange.run("party add coder --as admin");
    exchange.run(&format!(
        "subscription add --as admin --url {}/hooks --type handoff.submitted",
        receiver.address
    ));
    let client = Folder::outside_repository();
    for (number, server) in (0..20).zip([&one, &other].into_iter().cycle()) {
        let line = format!("submit --to coder --goal 'Port part {number}'");
        let output = server.client_command(&client, &planner, &line).output().unwrap();
        assert!(output.status.success(), "{line}: {}", client.shown(&output));
    }
    let delivered: BTreeSet<String> = (0..20).map(|_| receiver.next()).collect();
    assert_eq!(delivered.len(), 20, "{delivered:?}");
    // Long enough for a server that missed the record of a delivery.
    let again = receiver.ids.recv_timeout(Duration::from_secs(3));
    assert!(again.is_err(), "{again:?} was delivered again");
}

#[test]
fn a_server_on_a_database_has_its_metrics() {
    let exchange = Exchange::new();
    exchange.run("init");
    let server = HttpServer::of(&exchange.folder, exchange.serve());
    exchange.run("submit --as planner --to coder --goal 'Port the CSV exporter'");
    let metrics = server.request("GET /metrics", &[], "");
    assert!(
        metrics.status == 200 && metrics.body.contains("project=\"default\",state=\"offered\"} 1"),
        "{}",
        metrics.body
    );
}
