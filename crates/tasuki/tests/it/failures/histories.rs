//! Records what clients of a real server see while it is killed, and checks that one party at a time
//! holds each task.
//!
//! Every client repeats a request with its idempotency key until it is answered, so an operation may
//! span a kill. As a control, the same run on a store that loses acknowledged commits must be found
//! wrong. `make histories` is the long form.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tasuki_testkit::histories::{Call, Operation, Outcome, check};
use tasuki_testkit::random::Random;

use super::exchange::{Exchange, words};
use crate::support::server_process::ServerProcess;

const CLIENTS: usize = 3;
const TASKS: usize = 2;
const CHECKPOINT: &str = "handoff_version: '1.0'\npacket_type: checkpoint\ncompleted: [x]\n";

/// The histories by task.
type Histories = BTreeMap<usize, Vec<Operation>>;

/// The number of kills, which the long form sets.
#[expect(clippy::disallowed_methods, reason = "tests have no other configuration")]
fn kills() -> usize {
    let set = std::env::var("TASUKI_HISTORY_KILLS").ok().and_then(|text| text.parse().ok());
    set.unwrap_or(4)
}

#[test]
fn one_party_at_a_time_holds_a_task_whenever_the_server_is_killed() {
    let histories = record(kills(), false);
    for (task, history) in &histories {
        assert_eq!(check(history), Ok(()), "task {task}: {history:#?}");
    }
    let answered: usize = histories.values().map(Vec::len).sum();
    let claims = histories.values().flatten();
    let claims = claims.filter(|one| matches!(one.answered, Some((_, Outcome::Claimed(_)))));
    assert!(answered >= 20 && claims.count() >= 4, "only {answered} operations were recorded");
}

#[test]
fn a_store_that_loses_acknowledged_commits_is_found_out() {
    let histories = record(4, true);
    let found = histories.values().filter(|history| check(history).is_err()).count();
    assert!(found > 0, "{histories:#?}");
}

/// Runs the clients while the server is killed this often. If `rolls_back`, every restart but the
/// first finds the store as it was at the first kill.
fn record(kills: usize, rolls_back: bool) -> Histories {
    let exchange = Exchange::new();
    let (tokens, tasks) = prepare(&exchange);
    let mut server = ServerProcess::start(&exchange.folder);
    let address = server.socket_address().to_owned();
    let run = Arc::new(Run {
        address: address.clone(),
        tasks,
        begin: Instant::now(),
        is_over: AtomicBool::new(false),
        histories: Mutex::default(),
    });
    let clients: Vec<_> = tokens
        .into_iter()
        .enumerate()
        .map(|(number, token)| {
            let run = Arc::clone(&run);
            std::thread::spawn(move || Client::new(run, number, token).work())
        })
        .collect();
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(400));
        drop(server);
        if rolls_back && kill == 0 {
            copy(&exchange, ".tasuki", "lost");
        } else if rolls_back {
            copy(&exchange, "lost", ".tasuki");
        }
        server = ServerProcess::start_at(&exchange.folder, &address);
    }
    std::thread::sleep(Duration::from_millis(400));
    run.is_over.store(true, Ordering::SeqCst);
    for client in clients {
        client.join().unwrap();
    }
    drop(server);
    std::mem::take(&mut run.histories.lock().unwrap())
}

/// Adds the clients and the tasks. Returns the tokens and the handoffs.
fn prepare(exchange: &Exchange) -> (Vec<String>, Vec<String>) {
    let mut role = "party add role:team".to_owned();
    for client in 0..CLIENTS {
        exchange.succeed(&words(&format!("party add c{client}")));
        role.push_str(&format!(" --member c{client}"));
    }
    exchange.succeed(&words(&role));
    let token = |client: usize| {
        exchange.succeed(&words(&format!("token create --as c{client} -q"))).trim().to_owned()
    };
    let submit = |task: usize| {
        let line = format!("submit --as ana --to role:team --goal Ship --task t{task} --json");
        let answer: Value = serde_json::from_str(&exchange.succeed(&words(&line))).unwrap();
        answer["handoff"]["id"].as_str().unwrap().to_owned()
    };
    ((0..CLIENTS).map(token).collect(), (0..TASKS).map(submit).collect())
}

/// Replaces a folder of the exchange by a copy of another.
fn copy(exchange: &Exchange, from: &str, to: &str) {
    drop(std::fs::remove_dir_all(exchange.folder.path(to)));
    let (from, to) = (exchange.folder.path(from), exchange.folder.path(to));
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

/// The state that all clients share.
struct Run {
    address: String,
    tasks: Vec<String>,
    begin: Instant,
    is_over: AtomicBool,
    histories: Mutex<Histories>,
}

struct Client {
    run: Arc<Run>,
    number: usize,
    token: String,
    random: Random,
    sent: usize,
    /// The last claim of each task: its id and fence.
    claims: BTreeMap<usize, (String, u64)>,
}

impl Client {
    fn new(run: Arc<Run>, number: usize, token: String) -> Self {
        let random = Random::new(u64::try_from(number).unwrap());
        Self { run, number, token, random, sent: 0, claims: BTreeMap::new() }
    }

    fn work(mut self) {
        while !self.run.is_over.load(Ordering::SeqCst) {
            let task = usize::try_from(self.random.below(TASKS as u64)).unwrap();
            let known = self.claims.get(&task).cloned();
            let handoff = &self.run.tasks[task];
            let (call, path, body) = match (known, self.random.below(10)) {
                (Some((_, fence)), 0..5) => {
                    let path = format!("/v1/handoffs/{handoff}/checkpoints?fence={fence}");
                    (Call::Checkpoint(fence), path, CHECKPOINT)
                }
                (Some((claim, fence)), 5..8) => {
                    (Call::Release(fence), format!("/v1/claims/{claim}/release"), "")
                }
                _ => (Call::Claim, format!("/v1/handoffs/{handoff}/claims"), ""),
            };
            self.send(task, call, &path, body);
        }
    }

    /// Sends a request until it is answered, and records the operation.
    fn send(&mut self, task: usize, call: Call, path: &str, body: &str) {
        self.sent += 1;
        let key = format!("{}-{}", self.number, self.sent);
        let called = self.time();
        let outcome = loop {
            assert!(self.run.begin.elapsed() < Duration::from_mins(30), "no answer to {path}");
            match self.post(path, &key, body) {
                Ok((429 | 500.., _)) | Err(_) => std::thread::sleep(Duration::from_millis(20)),
                Ok((status, answer)) => break self.outcome(task, call, status, &answer),
            }
        };
        let answered = Some((self.time(), outcome));
        let operation = Operation { client: self.number, called, answered, call };
        self.run.histories.lock().unwrap().entry(task).or_default().push(operation);
    }

    fn outcome(&mut self, task: usize, call: Call, status: u16, answer: &Value) -> Outcome {
        let code = answer["code"].as_str().unwrap_or_default();
        match (call, status, code) {
            (Call::Claim, 200 | 201, _) => {
                let claim = &answer["claim"];
                let fence = claim["fence"].as_u64().unwrap_or_else(|| panic!("{answer}"));
                self.claims.insert(task, (claim["id"].as_str().unwrap().to_owned(), fence));
                Outcome::Claimed(fence)
            }
            (Call::Claim, 409, _) => Outcome::Taken,
            (_, 200 | 201, _) => Outcome::Done,
            (_, 409 | 404, "TK-CLAIM-STALE" | "TK-CLAIM-NONE" | "TK-HANDOFF-UNKNOWN") => {
                Outcome::Stale
            }
            _ => panic!("{call:?}: {status} {answer}"),
        }
    }

    fn time(&self) -> u64 {
        u64::try_from(self.run.begin.elapsed().as_nanos()).unwrap()
    }

    fn post(&self, path: &str, key: &str, body: &str) -> std::io::Result<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.run.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let (address, token, length) = (&self.run.address, &self.token, body.len());
        let media = if body.is_empty() { "application/json" } else { "application/yaml" };
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer \
             {token}\r\nidempotency-key: {key}\r\ncontent-type: {media}\r\ncontent-length: \
             {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let cut = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(cut)?;
        let body = serde_json::from_str(body)?;
        Ok((status, body))
    }
}
