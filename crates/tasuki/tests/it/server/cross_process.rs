//! Writes of another process to a project that is idle in the server: streams, webhooks and deadlines
//! notice them soon. Without watching the files it would take a minute.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{EventFilter, Principal, Signing};
use tasuki_engine::ports::{Store as _, System};
use tasuki_engine::steps::{AddSubscription, NewChannel};
use tasuki_packet::leaf::EventType;
use tasuki_store::{Options, SqliteStore};

use crate::server::serve::PACKET;
use crate::support::folder::Folder;
use crate::support::http::{HttpServer, eventually};

/// A receiver that says yes to everything and counts.
fn receiver() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, count) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = [0; 4_096];
            drop(stream.read(&mut head));
            counted.fetch_add(1, Ordering::SeqCst);
            drop(
                stream.write_all(
                    b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                ),
            );
        }
    });
    (port, count)
}

/// The test process as a second process on the store of the server.
struct OtherProcess {
    runtime: tokio::runtime::Runtime,
    store: Arc<SqliteStore>,
}

impl OtherProcess {
    fn new(folder: &Folder) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let store = SqliteStore::open(&folder.path(".tasuki"), Options::default()).unwrap();
        Self { runtime, store: Arc::new(store) }
    }

    fn subscribe(&self, url: String) {
        let engine =
            Engine::start(Arc::clone(&self.store) as _, Arc::new(System), Arc::new(System));
        self.runtime.block_on(async {
            let project = engine.project("default").await.unwrap();
            let channel = NewChannel::Webhook { url, signing: Signing::default() };
            let party = "hermes-main".to_owned();
            let request = AddSubscription { party, channel, filter: EventFilter::default() };
            let (principal, command) = (Principal::system(), Command::AddSubscription(request));
            engine.run(Call { project, principal, command, key: None }).await.unwrap();
        });
        engine.close();
    }

    /// Returns whether an event is in the log, without applying deadlines.
    fn has_happened(&self, kind: EventType) -> bool {
        self.runtime.block_on(async {
            let projects = self.store.projects().await.unwrap();
            let leaves = self.store.leaves(projects[0].1, 0, 1_000).await.unwrap();
            leaves.iter().any(|leaf| leaf.kind == kind)
        })
    }
}

fn submit(folder: &Folder) {
    let said = folder.run_with(&["submit", "-", "--as", "hermes-main"], PACKET);
    assert!(!said.contains("error"), "{said}");
}

/// A server with an idle project, after its first pass over all projects.
fn resting(folder: &Folder) -> HttpServer<'_> {
    folder.run(&["init"]);
    folder.run(&["party", "add", "hermes-main"]);
    folder.run(&["party", "add", "hermes-worker-3"]);
    let server = HttpServer::start(folder, &[]);
    std::thread::sleep(Duration::from_secs(2));
    server
}

#[test]
fn a_webhook_that_another_process_adds_is_delivered_soon() {
    let (port, count) = receiver();
    let settings = format!("[server]\nwebhook_origins = \"http://127.0.0.1:{port}\"\n");
    let folder = Folder::outside_repository().with("tasuki.toml", settings);
    let _serving = resting(&folder);
    OtherProcess::new(&folder).subscribe(format!("http://127.0.0.1:{port}/hook"));
    submit(&folder);
    let took = eventually("a delivery", || count.load(Ordering::SeqCst) > 0);
    println!("told by webhook after {took:?}");
}

#[test]
fn a_lease_that_another_process_takes_lapses_in_its_time() {
    let folder = Folder::outside_repository();
    let _serving = resting(&folder);
    submit(&folder);
    folder.run(&["claim", "--as", "hermes-worker-3", "--lease", "1s", "--no-drift"]);
    let other = OtherProcess::new(&folder);
    let took = eventually("the lapse", || other.has_happened(EventType::Lapsed));
    println!("lapsed after {took:?}");
}

#[test]
fn a_stream_hears_what_another_process_does() {
    let folder = Folder::outside_repository();
    let server = resting(&folder);
    let bearer = server.token("hermes-main");
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request = format!(
        "GET /v1/events HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nauthorization: Bearer {bearer}\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    lines.find(String::is_empty).unwrap();
    submit(&folder);
    let begin = Instant::now();
    lines.find(|line| line.contains("handoff.submitted")).unwrap();
    println!("told by stream after {:?}", begin.elapsed());
}
