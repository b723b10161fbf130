//! A server that was away: the log says so, and leases that were live end later by that.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_engine::ports::AccountStore as _;
use tasuki_store::{Options, SqliteStore};

use crate::server::serve::PACKET;
use crate::support::folder::Folder;
use crate::support::http::{HttpServer, eventually};

/// Longer than what counts as away, and longer than the lease.
const OUTAGE: Duration = Duration::from_secs(17);

fn events(folder: &Folder) -> Vec<Value> {
    let listed = folder.command(&["events", "--json"]).output().unwrap();
    let lines = String::from_utf8(listed.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_type<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

fn instant(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// Returns whether a server has recorded a heartbeat.
fn is_seen(folder: &Folder) -> bool {
    let store = SqliteStore::open(&folder.path(".tasuki"), Options::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.last_heartbeat()).unwrap().is_some()
}

#[test]
fn the_first_server_back_says_how_long_none_was_there_and_leases_end_later() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let [sender, worker] =
        ["hermes-main", "hermes-worker-3"].map(|name| format!("Bearer {}", server.token(name)));
    let headers = [("authorization", sender.as_str()), ("content-type", "application/yaml")];
    assert_eq!(server.request("POST /v1/handoffs", &headers, PACKET).status, 201);
    let headers = [("authorization", worker.as_str()), ("content-type", "application/json")];
    assert!(!is_seen(&folder), "nothing has run by the clock yet");
    let claimed = server.request("POST /v1/claims", &headers, "{\"lease\": \"16s\"}");
    assert_eq!(claimed.status, 201, "{}", claimed.body);
    let claimed: Value = serde_json::from_str(&claimed.body).unwrap();
    eventually("a sign of life", || is_seen(&folder));
    // It is killed, as by a power cut, without a shutdown.
    drop(server);
    std::thread::sleep(OUTAGE);

    let _back = HttpServer::start(&folder, &[]);
    eventually("the lapse", || !of_type(&events(&folder), "handoff.lapsed").is_empty());
    let told = events(&folder);
    let [resumed] = of_type(&told, "exchange.outage_recorded")[..] else { panic!("{told:?}") };
    let [lapsed] = of_type(&told, "handoff.lapsed")[..] else { panic!("{told:?}") };
    let from = instant(&resumed["attributes"]["from"]);
    let until = instant(&resumed["attributes"]["until"]);
    assert!(until.duration_since(from).as_secs() >= 15, "{resumed}");
    let lease_end = instant(&claimed["claim"]["until"]);
    assert!(lease_end < until, "it would have lapsed while nobody was there");
    assert!(instant(&lapsed["at"]) >= lease_end + until.duration_since(from), "{lapsed}");
    assert!(folder.command(&["log", "check"]).output().unwrap().status.success());
}
