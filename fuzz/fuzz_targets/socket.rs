//! Any bytes on a connection of a server: no panic, no internal error, and every response is HTTP.
//!
//! `TOKEN` in the input becomes the token of an agent, so that the input gets past authentication.
//! Where the input has the byte 0, the sender pauses, so that a request arrives in parts.
#![no_main]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{Principal, Settings as ProjectSettings};
use tasuki_engine::steps::{AddParty, CreateToken};
use tasuki_packet::id::ProjectId;
use tasuki_server::{App, Limits, Server, Settings, StoreMaintenance, Work};
use tasuki_testkit::clock::{ManualClock, SeededEntropy};
use tasuki_testkit::memory::MemoryStore;
use tokio::signal::unix::{SignalKind, signal};

/// LIMIT: pauses in one input.
const PAUSES_MAX: usize = 4;

struct Running {
    address: SocketAddr,
    token: String,
}

/// The maintenance of a memory store, which needs none.
struct NoMaintenance;

impl StoreMaintenance for NoMaintenance {
    fn index(&self, _: ProjectId, _: u32) -> bool {
        true
    }

    fn close_idle(&self) {}

    fn change_stamp(&self, _: ProjectId) -> u64 {
        0
    }

    fn owns(&self, _: Work) -> bool {
        false
    }
}

fuzz_target!(|data: &[u8]| {
    static RUNNING: OnceLock<Running> = OnceLock::new();
    let running = RUNNING.get_or_init(start);
    let mut stream = TcpStream::connect(running.address).expect("the server accepts");
    stream.set_read_timeout(Some(Duration::from_secs(4))).expect("a timeout can be set");
    for part in data.splitn(PAUSES_MAX, |byte| *byte == 0) {
        // A server that has refused a request closes the connection.
        if stream.write_all(&with_token(part, &running.token)).is_err() {
            break;
        }
        thread::yield_now();
    }
    let _closed = stream.shutdown(Shutdown::Write);
    check(&answer(&mut stream));
});

/// Returns everything that the server sends until it closes the connection.
fn answer(stream: &mut TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    let mut part = [0; 16 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut part) {
        answer.extend_from_slice(&part[..count]);
    }
    answer
}

fn check(answer: &[u8]) {
    if answer.is_empty() {
        return;
    }
    let status = answer.strip_prefix(b"HTTP/1.1 ").or_else(|| answer.strip_prefix(b"HTTP/1.0 "));
    let status = status.and_then(|rest| std::str::from_utf8(rest.get(..3)?).ok());
    let status: u16 = status.and_then(|status| status.parse().ok()).expect("a response is HTTP");
    assert!(status < 500 || status == 503, "{}", String::from_utf8_lossy(answer));
}

fn with_token(part: &[u8], token: &str) -> Vec<u8> {
    const MARK: &[u8] = b"TOKEN";
    let mut sent = Vec::with_capacity(part.len());
    let mut rest = part;
    while let Some(at) = rest.windows(MARK.len()).position(|window| window == MARK) {
        sent.extend_from_slice(&rest[..at]);
        sent.extend_from_slice(token.as_bytes());
        rest = &rest[at + MARK.len()..];
    }
    sent.extend_from_slice(rest);
    sent
}

/// Starts a server on a memory store. A panic in one of its tasks ends the process.
fn start() -> Running {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        default_hook(panic);
        std::process::abort();
    }));
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build().expect("a runtime starts");
        runtime.block_on(async {
            // The fuzzer's own `main` lets a closed connection end the process, that of Rust does
            // not.
            let _broken_pipes = signal(SignalKind::pipe()).expect("a signal can be handled");
            let (server, token) = server().await;
            let address = server.address().expect("the server has an address");
            sender.send(Running { address, token }).expect("the fuzzer waits");
            server.run(Arc::new(NoMaintenance), std::future::pending()).await;
        });
    });
    receiver.recv().expect("the server starts")
}

async fn server() -> (Server, String) {
    let store = Arc::new(MemoryStore::new());
    let now = "2026-11-15T10:00:00Z".parse().expect("an instant");
    let clock = Arc::new(ManualClock::at(now));
    let engine = Engine::start(Arc::clone(&store) as _, clock, Arc::new(SeededEntropy::new(7)));
    let project = engine.create_project("default", ProjectSettings::default()).await;
    let project = project.expect("a project is created");
    let run = async |command| {
        let call = Call { project, principal: Principal::system(), command, key: None };
        engine.run(call).await.expect("the command is accepted")
    };
    let ana = || "ana".to_owned();
    run(Command::AddParty(AddParty { name: ana(), ..AddParty::default() })).await;
    let request = CreateToken { party: ana(), ..CreateToken::default() };
    let created = run(Command::CreateToken(request)).await;
    let token = created.token.and_then(|token| token.text).expect("a token is shown once").0;
    let limits = Limits {
        requests_per_token: 0,
        requests_per_project: 0,
        requests_per_address: 0,
        rows_per_token: 0,
        rows_per_project: 0,
        sign_ins_per_minute: 0,
        body_timeout: Duration::from_secs(1),
        ..Limits::default()
    };
    let settings =
        Settings { listen: ([127, 0, 0, 1], 0).into(), limits, ..Settings::default() };
    let server = Server::bind(App::new(engine.clone(), store, settings)).await;
    (server.expect("an address is free"), token)
}
