//! `events --follow` and `wait` against a server that goes away and comes back.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::folder::{Folder, words};
use crate::support::server_process::Served;
use crate::support::shared_exchange::World;
use crate::support::tcp_proxy::Between;

/// An exchange behind a server that can go away, and somebody who asks it from elsewhere.
struct Far {
    there: Folder,
    away: Folder,
    token: String,
    place: String,
    served: Option<Served>,
    between: Between,
}

impl Far {
    fn new() -> Self {
        let there = Folder::elsewhere();
        there.stdout(&["init"]);
        there.stdout(&["party", "add", "worker"]);
        let token = there.stdout(&["token", "create", "--as", "worker", "-q"]).trim().to_owned();
        let served = Served::start(&there);
        let place = served.place().to_owned();
        let between = Between::start(&place);
        Self { there, away: Folder::elsewhere(), token, place, served: Some(served), between }
    }

    /// Does something on the machine of the exchange, whether a server is there or not.
    fn there(&self, line: &str) {
        let words = words(line);
        self.there.stdout(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }

    fn asking(&self, line: &str) -> Command {
        let served = self.served.as_ref().unwrap();
        let mut command = served.asking(&self.away, &self.token, line);
        command.env("TASUKI_URL", &self.between.address);
        command
    }

    fn kill_server(&mut self) {
        self.served = None;
    }

    fn start_server(&mut self) {
        self.served = Some(Served::start_at(&self.there, &self.place));
    }

    /// Waits until so many streams were opened.
    fn until_streams(&self, count: usize) {
        let until = Instant::now() + Duration::from_mins(1);
        while self.between.count("accept: text/event-stream") < count {
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
fn whoever_follows_misses_nothing_and_sees_nothing_twice() {
    let mut far = Far::new();
    let rounds = 8;
    let line = format!("events --follow --type submitted --json --limit {rounds}");
    let (running, mut stdout) = Running::start(far.asking(&line));
    far.until_streams(1);
    let mut next = || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let event: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        event["task"].as_str().unwrap().to_owned()
    };
    let submit = |far: &Far, round: usize| {
        far.there(&format!("submit --as main --to worker --goal Ship --task t{round} -q"));
    };
    for round in 0..rounds {
        match round % 4 {
            // Nothing happens to the connection.
            0 => submit(&far, round),
            // It is cut, and something happens at once.
            1 => {
                far.between.cut();
                submit(&far, round);
            }
            // The server is killed, and something happens while nobody serves.
            2 => {
                far.kill_server();
                submit(&far, round);
                std::thread::sleep(Duration::from_millis(700));
                far.start_server();
            }
            // It comes back in between, again and again.
            _ => {
                far.between.cut();
                far.kill_server();
                far.start_server();
                submit(&far, round);
                far.between.cut();
            }
        }
        assert_eq!(next(), format!("t{round}"));
    }
    let (exit, said) = running.ended();
    assert_eq!(exit, 0, "{said}");
    // Each connection is one request, and nobody asks in between.
    let (streams, asked) =
        (far.between.count("accept: text/event-stream"), far.between.count("get /v1/events"));
    assert!(streams > 4, "{streams}");
    assert_eq!(asked, streams + 1, "the first asks where to begin");
}

#[test]
fn whoever_waits_hears_of_the_end_after_the_server_was_away() {
    let mut far = Far::new();
    far.there("submit --as main --to worker --goal Ship --task t1 -q");
    let (running, mut stdout) = Running::start(far.asking("wait t1 --until claimed --timeout 60s"));
    far.until_streams(1);
    // Long enough that somebody who asks every 500 ms would have asked again.
    std::thread::sleep(Duration::from_millis(1_600));
    assert!(far.between.count("get /v1/") < 8, "{}", far.between.count("get /v1/"));
    far.kill_server();
    far.there("claim t1 --as worker --no-drift -q");
    std::thread::sleep(Duration::from_secs(2));
    far.start_server();
    let (exit, said) = running.ended();
    let mut printed = String::new();
    stdout.read_to_string(&mut printed).unwrap();
    assert_eq!(exit, 0, "{printed}{said}");
    assert!(printed.contains("claimed by worker"), "{printed}");
    assert!(said.contains("Trying again; nothing is missed."), "{said}");
}

#[test]
fn a_wait_of_a_server_ends_in_time() {
    let far = Far::new();
    let began = Instant::now();
    let output = far.asking("wait --timeout 700ms").output().unwrap();
    assert_eq!(output.status.code(), Some(20));
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(700) && took < Duration::from_secs(20), "{took:?}");
    assert_eq!(far.between.count("accept: text/event-stream"), 1);
}

#[test]
fn a_token_that_is_revoked_ends_what_follows() {
    let far = Far::new();
    let (running, _stdout) = Running::start(far.asking("events --follow"));
    far.until_streams(1);
    let digits = far.token.split('_').nth(3).unwrap();
    far.there(&format!("token revoke {digits}"));
    // A server believes what it knows of a token for a second.
    std::thread::sleep(Duration::from_millis(1_200));
    far.there("submit --as main --to worker --goal Ship --task t1 -q");
    let (exit, said) = running.ended();
    assert_eq!(exit, 4, "{said}");
    assert!(said.contains("TK-TOKEN-REVOKED"), "{said}");
}

#[test]
fn a_return_that_its_sender_did_not_judge_in_time_is_for_whoever_judges_now() {
    let world = World::new();
    let write = |name: &str, text: &str| std::fs::write(world.folder.path(name), text).unwrap();
    write(
        "contract.yaml",
        "contract: work\nversion: '1.0'\nfrom: [main]\nto: [worker]\ndeadlines: { verify: 2s }\n\
         scope: { is: work }\nfallback: [{ to: dead_letter }]\npayload_schema: {}\n\
         confidence: { required: false }\nprovenance: { require: [] }\n",
    );
    // Whoever judges has the same deadline, and gets it again and again here.
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
        world.run(who, line);
    }
    let said = world.says("judge", "wait --timeout 30s");
    assert!(said.contains("  Ship  returned  "), "{said}");
    let next = "1 handoff. Next: tasuki show [short] · tasuki verify [short]\n";
    assert!(said.ends_with(next), "{said}");
    assert!(world.says("judge", "inbox").contains(next));
    world.run("judge", "verify t1 --pass");
    for name in ["judge", "main", "worker"] {
        let said = world.says(name, "inbox");
        assert!(said.contains(&format!("Nothing waits for {name}.")), "{said}");
    }
}

#[test]
fn parked_work_is_for_me_as_soon_as_its_time_has_come() {
    let world = World::new();
    world.run("main", "submit --to worker --goal Ship --task t1");
    world.run("worker", "claim t1 --no-drift");
    world.run("worker", "park --for 2s");
    let said = world.says("worker", "wait --timeout 30s");
    assert!(said.contains("1 handoff."), "{said}");
    let far = Far::new();
    far.there("submit --as main --to worker --goal Ship --task t1 -q");
    far.there("claim t1 --as worker --no-drift -q");
    far.there("park t1 --as worker --for 3s -q");
    let output = far.asking("wait --timeout 30s").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
