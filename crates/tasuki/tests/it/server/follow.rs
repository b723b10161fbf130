//! `events --follow`, `watch` and `wait` against a server that goes away and comes back.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::folder::{Folder, words};
use crate::support::server_process::ServerProcess;
use crate::support::shared_exchange::SharedExchange;
use crate::support::tcp_proxy::TcpProxy;

/// A client in another folder, and a server that can be stopped and cut off.
struct RemoteClient {
    server_dir: Folder,
    client_dir: Folder,
    token: String,
    place: String,
    server: Option<ServerProcess>,
    proxy: TcpProxy,
}

impl RemoteClient {
    fn new() -> Self {
        let server_dir = Folder::outside_repository();
        server_dir.stdout(&["init"]);
        server_dir.stdout(&["party", "add", "worker"]);
        let token =
            server_dir.stdout(&["token", "create", "--as", "worker", "-q"]).trim().to_owned();
        let server = ServerProcess::start(&server_dir);
        let place = server.socket_address().to_owned();
        let proxy = TcpProxy::start(&place);
        Self {
            server_dir,
            client_dir: Folder::outside_repository(),
            token,
            place,
            server: Some(server),
            proxy,
        }
    }

    /// Does something on the machine of the exchange, whether a server is there or not.
    fn run_on_server(&self, line: &str) {
        let words = words(line);
        self.server_dir.stdout(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }

    fn client_command(&self, line: &str) -> Command {
        let server = self.server.as_ref().unwrap();
        let mut command = server.client_command(&self.client_dir, &self.token, line);
        command.env("TASUKI_URL", &self.proxy.address);
        command
    }

    fn kill_server(&mut self) {
        self.server = None;
    }

    fn start_server(&mut self) {
        self.server = Some(ServerProcess::start_at(&self.server_dir, &self.place));
    }

    /// Waits until so many streams were opened.
    fn until_streams(&self, count: usize) {
        let until = Instant::now() + Duration::from_mins(1);
        while self.proxy.count("accept: text/event-stream") < count {
            assert!(Instant::now() < until, "nobody opened a stream");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A command that runs, and ends with the test.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> (Self, BufReader<ChildStdout>) {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        (Self(child), stdout)
    }

    /// How it ended, and what it said to people.
    fn ended(mut self) -> (i32, String) {
        let until = Instant::now() + Duration::from_mins(1);
        while self.0.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut said = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.0.wait().unwrap().code().unwrap(), said)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_follower_gets_every_event_exactly_once() {
    let mut client = RemoteClient::new();
    let rounds = 8;
    let line = format!("events --follow --type submitted --json --limit {rounds}");
    let (running, mut stdout) = Running::start(client.client_command(&line));
    client.until_streams(1);
    let mut next = || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let event: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        event["task"].as_str().unwrap().to_owned()
    };
    let submit = |client: &RemoteClient, round: usize| {
        client
            .run_on_server(&format!("submit --as main --to worker --goal Ship --task t{round} -q"));
    };
    for round in 0..rounds {
        match round % 4 {
            // Nothing happens to the connection.
            0 => submit(&client, round),
            // It is cut, and something happens at once.
            1 => {
                client.proxy.cut();
                submit(&client, round);
            }
            // The server is killed, and an event happens while it is down.
            2 => {
                client.kill_server();
                submit(&client, round);
                std::thread::sleep(Duration::from_millis(700));
                client.start_server();
            }
            // It comes back in between, again and again.
            _ => {
                client.proxy.cut();
                client.kill_server();
                client.start_server();
                submit(&client, round);
                client.proxy.cut();
            }
        }
        assert_eq!(next(), format!("t{round}"));
    }
    let (exit, said) = running.ended();
    assert_eq!(exit, 0, "{said}");
    // Each connection is one request, and there is no polling in between.
    let (streams, asked) =
        (client.proxy.count("accept: text/event-stream"), client.proxy.count("get /v1/events"));
    assert!(streams > 4, "{streams}");
    assert_eq!(asked, streams + 1, "the first asks where to begin");
}

#[test]
fn a_watched_event_is_json_on_the_stdin_of_a_command_without_a_shell() {
    use std::os::unix::fs::PermissionsExt as _;
    let client = RemoteClient::new();
    let script = client.client_dir.path("on event.sh");
    let text = "#!/bin/sh\ncat >> received\necho \"$1 $2\" >> arguments\nexit 3\n";
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let exec = client.client_dir.path("on-event");
    std::os::unix::fs::symlink(&script, &exec).unwrap();
    let line = format!(
        "watch --type submitted --limit 2 --exec '{} $HOME;id' -- 'two words'",
        exec.display()
    );
    let (running, _stdout) = Running::start(client.client_command(&line));
    client.until_streams(1);
    let submit = "submit --as main --to worker --goal Ship -q --task";
    client.run_on_server(&format!("{submit} t1"));
    client.proxy.cut();
    client.run_on_server(&format!("{submit} t2"));
    let (exit, said) = running.ended();
    assert_eq!(exit, 0, "{said}");
    let received = client.client_dir.read("received");
    let events = received.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let tasks: Vec<String> =
        events.map(|event| event["task"].as_str().unwrap().to_owned()).collect();
    assert_eq!(tasks, ["t1", "t2"]);
    assert_eq!(client.client_dir.read("arguments"), "$HOME;id two words\n".repeat(2));
    assert_eq!(said.matches("failed for event").count(), 2, "{said}");
}

#[test]
fn watch_prints_events_as_they_happen() {
    let folder = Folder::outside_repository();
    folder.stdout(&["init"]);
    let command =
        folder.command(&["watch", "--limit", "2", "--type", "submitted", "--type", "claimed"]);
    let (mut running, mut stdout) = Running::start(command);
    let mut said = String::new();
    BufReader::new(running.0.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "Watching project default. Ctrl-C to stop.\n");
    folder
        .stdout(&["submit", "--as", "ana", "--to", "ben", "--goal", "Ship", "--task", "t1", "-q"]);
    folder.stdout(&["claim", "--as", "ben", "--no-drift", "-q"]);
    let mut printed = String::new();
    stdout.read_to_string(&mut printed).unwrap();
    let shown: Vec<&str> = printed.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    assert_eq!(
        shown,
        ["t1          ana submitted it to ben", "t1          ben claimed it (fence 1)"]
    );
}

#[test]
fn a_wait_ends_after_an_outage_of_the_server() {
    let mut client = RemoteClient::new();
    client.run_on_server("submit --as main --to worker --goal Ship --task t1 -q");
    let (running, mut stdout) =
        Running::start(client.client_command("wait t1 --until claimed --timeout 60s"));
    client.until_streams(1);
    // Long enough that a client polling every 500 ms would have polled again.
    std::thread::sleep(Duration::from_millis(1_600));
    assert!(client.proxy.count("get /v1/") < 8, "{}", client.proxy.count("get /v1/"));
    client.kill_server();
    client.run_on_server("claim t1 --as worker --no-drift -q");
    std::thread::sleep(Duration::from_secs(2));
    client.start_server();
    let (exit, said) = running.ended();
    let mut printed = String::new();
    stdout.read_to_string(&mut printed).unwrap();
    assert_eq!(exit, 0, "{printed}{said}");
    assert!(printed.contains("worker claimed it"), "{printed}");
    assert!(said.contains("reconnecting, no events are lost"), "{said}");
}

#[test]
fn a_wait_of_a_server_ends_in_time() {
    let client = RemoteClient::new();
    let began = Instant::now();
    let output = client.client_command("wait --timeout 700ms").output().unwrap();
    assert_eq!(output.status.code(), Some(20));
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(700) && took < Duration::from_secs(20), "{took:?}");
    assert_eq!(client.proxy.count("accept: text/event-stream"), 1);
}

#[test]
fn a_token_that_is_revoked_ends_what_follows() {
    let client = RemoteClient::new();
    let (running, _stdout) = Running::start(client.client_command("events --follow"));
    client.until_streams(1);
    let digits = client.token.split('_').nth(3).unwrap();
    client.run_on_server(&format!("token revoke {digits}"));
    // A server believes what it knows of a token for a second.
    std::thread::sleep(Duration::from_millis(1_200));
    client.run_on_server("submit --as main --to worker --goal Ship --task t1 -q");
    let (exit, said) = running.ended();
    assert_eq!(exit, 4, "{said}");
    assert!(said.contains("TK-TOKEN-REVOKED"), "{said}");
}

#[test]
fn a_return_that_its_sender_did_not_verify_in_time_goes_to_the_judge() {
    let exchange = SharedExchange::new();
    let write = |name: &str, text: &str| std::fs::write(exchange.folder.path(name), text).unwrap();
    write(
        "contract.yaml",
        "contract: work\nversion: '1.0'\nfrom: [main]\nto: [worker]\ndeadlines: { verify: 2s }\n\
         scope: { is: work }\nfallback: [{ to: dead_letter }]\npayload_schema: {}\n\
         confidence: { required: false }\nprovenance: { require: [] }\n",
    );
    // The judge has the same deadline, which is renewed here repeatedly.
    let ladder = "  - { to: judge }\n".repeat(15);
    let packet = format!(
        "handoff_version: '1.0'\ntask_id: t1\nto_agent: worker\nstatus: in_progress\ngoal: Ship\n\
         completed: []\nremaining: []\npayload: []\nreturn_required: [status]\nfallback:\n{ladder}"
    );
    write("packet.yaml", &packet);
    for (who, line) in [
        ("pia", "party add judge"),
        ("pia", "contract publish contract.yaml"),
        ("main", "submit packet.yaml"),
        ("worker", "claim t1 --no-drift"),
        ("worker", "return --summary Shipped"),
    ] {
        exchange.run(who, line);
    }
    let said = exchange.says("judge", "wait --timeout 30s");
    assert!(said.contains("  verify the return of worker  "), "{said}");
    let next = "Next: tasuki show t1\n";
    assert!(said.ends_with(next), "{said}");
    assert!(exchange.says("judge", "inbox").contains(next));
    exchange.run("judge", "verify t1@seen --pass");
    for name in ["judge", "main", "worker"] {
        let said = exchange.says(name, "inbox");
        assert!(said.contains(&format!("Nothing waits for {name}.")), "{said}");
    }
}

#[test]
fn parked_work_is_for_me_as_soon_as_its_time_has_come() {
    let exchange = SharedExchange::new();
    exchange.run("main", "submit --to worker --goal Ship --task t1");
    exchange.run("worker", "claim t1 --no-drift");
    exchange.run("worker", "park --for 2s");
    let said = exchange.says("worker", "wait --timeout 30s");
    assert!(said.contains("\nt1    claim  "), "{said}");
    let client = RemoteClient::new();
    client.run_on_server("submit --as main --to worker --goal Ship --task t1 -q");
    client.run_on_server("claim t1 --as worker --no-drift -q");
    client.run_on_server("park t1 --as worker --for 3s -q");
    let output = client.client_command("wait --timeout 30s").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
