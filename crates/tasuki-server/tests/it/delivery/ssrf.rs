//! Webhooks cannot reach internal networks: not by notation, not by name, not by a name that
//! resolves differently later.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tasuki_server::Settings;
use tasuki_server::webhook::{Resolve, Resolving};
use tasuki_testkit::memory::MemoryStore;

use crate::support::test_server::TestServer;
use crate::support::webhook_receiver::{WebhookReceiver, status};

/// A resolver that returns a public address first and loopback afterwards.
#[derive(Debug, Default)]
struct RebindingResolver {
    lookups: AtomicUsize,
}

impl Resolve for RebindingResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let open: IpAddr = "203.0.114.1".parse().unwrap();
        let closed: IpAddr = "127.0.0.1".parse().unwrap();
        let lookups = self.lookups.fetch_add(1, Ordering::Relaxed);
        let found = match name {
            "mixed.example" => vec![open, closed],
            "fickle.example" if lookups > 0 => vec![closed],
            "metadata.example" => vec!["169.254.169.254".parse().unwrap()],
            _ => vec![open],
        };
        Box::pin(async move { Ok(found) })
    }
}

#[test]
fn no_address_leads_to_this_machine() {
    let resolver = Arc::new(RebindingResolver::default());
    let server = TestServer::with_resolver(
        Arc::new(MemoryStore::new()),
        Settings::default(),
        resolver.clone(),
    );
    let canary = WebhookReceiver::new(&server, |_| status(200));
    let port = canary.address.port();
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("https://127.0.0.1:{port}/"),
        "https://127.0.0.1/".to_owned(),
        "https://[::1]/".to_owned(),
        "https://[::ffff:7f00:1]/".to_owned(),
        "https://[64:ff9b::7f00:1]/".to_owned(),
        "https://[2002:7f00:1::]/".to_owned(),
        "https://169.254.169.254/latest/meta-data/".to_owned(),
        "https://100.64.0.1/".to_owned(),
        "https://10.0.0.1/".to_owned(),
        "https://224.0.0.1/".to_owned(),
        "http://open.example/".to_owned(),
        "https://open.example:8443/".to_owned(),
        "https://mixed.example/".to_owned(),
        "https://metadata.example/".to_owned(),
    ] {
        let body = json!({ "url": url });
        let answer = server.post("/v1/subscriptions").by("pia").json(&body).send();
        assert_eq!((answer.status, answer.code()), (422, "TK-CHANNEL-REFUSED"), "{url}");
    }
    assert!(canary.all().is_empty());
}

#[test]
fn odd_spellings_are_no_addresses() {
    let server = TestServer::with_resolver(
        Arc::new(MemoryStore::new()),
        Settings::default(),
        Arc::new(RebindingResolver::default()),
    );
    for url in [
        "https://ana:secret@open.example/",
        "https://open.example\\@127.0.0.1/",
        "https://0x7f000001/",
        "https://127.1/",
        "https://2130706433/",
        "https://0177.0.0.1/",
    ] {
        let body = json!({ "url": url });
        let answer = server.post("/v1/subscriptions").by("pia").json(&body).send();
        assert_eq!((answer.status, answer.code()), (422, "TK-CHANNEL-REFUSED"), "{url}");
    }
}

#[test]
fn a_name_that_changes_its_mind_is_caught_when_it_is_used() {
    // It resolved to a public address when it was added.
    let resolver = Arc::new(RebindingResolver { lookups: AtomicUsize::new(1) });
    let server = TestServer::with_resolver(
        Arc::new(MemoryStore::new()),
        Settings::default(),
        resolver.clone(),
    );
    let canary = WebhookReceiver::new(&server, |_| status(200));
    let id = server.subscribe_in_other_process("https://fickle.example/");
    let tried = server.post(&format!("/v1/subscriptions/{id}/test")).by("pia").send().is(200).body;
    assert_eq!(tried["status"], serde_json::Value::Null);
    let why = tried["response"].as_str().unwrap();
    assert!(why.contains("not open to webhooks"), "{why}");
    server.submitted("one");
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(canary.all().is_empty());
    assert!(resolver.lookups.load(Ordering::Relaxed) > 2);
}
