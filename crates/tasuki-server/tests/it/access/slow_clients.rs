//! Strangers and slow clients on real connections (T44): bodies that do not arrive, connections that
//! do nothing, and more bytes than the server takes at once.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tasuki_server::{Limits, Settings};

use crate::support::socket::{Socket, head};
use crate::support::test_server::{TestServer, packet};

const YAML: &str = "application/yaml";

fn with(limits: Limits) -> Settings {
    Settings { limits, ..Settings::default() }
}

/// Returns the status of a complete submission by `ana`.
fn submit(server: &TestServer, address: SocketAddr, task: &str) -> u16 {
    let body = packet(task, "");
    let head = head("POST /v1/handoffs", YAML, Some(&server.token("ana")), body.len());
    Socket::sending(address, format!("{head}{body}")).status()
}

#[test]
fn a_body_that_does_not_arrive_takes_no_place() {
    let server = TestServer::new();
    let address = server.listen(with(Limits {
        requests_at_once: 2,
        anonymous_at_once: 1,
        ..Limits::default()
    }));
    let ana = server.token("ana");
    // One endpoint for each kind of body, and each kind of caller.
    let slow: Vec<Socket> = [
        ("POST /v1/handoffs", YAML, Some(ana.as_str())),
        ("POST /v1/claims", "application/json", Some(&ana)),
        ("POST /v1/batch", "application/json", Some(&ana)),
        ("POST /v1/tasks/t/snapshots", "application/x-git-bundle", Some(&ana)),
        ("POST /mcp", "application/json", Some(&ana)),
        ("POST /v1/handoff/validate", YAML, Some(&ana)),
        ("POST /v1/sessions", "application/json", None),
    ]
    .into_iter()
    .flat_map(|kind| std::iter::repeat_n(kind, 8))
    .map(|(target, media, token)| {
        Socket::sending(address, format!("{}x", head(target, media, token, 100)))
    })
    .collect();
    let start = Instant::now();
    assert_eq!(submit(&server, address, "t-1"), 201);
    let get = "GET /v1/openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
    assert_eq!(Socket::sending(address, get).status(), 200);
    assert!(start.elapsed() < Duration::from_secs(5));
    for mut socket in slow {
        let is_silent = socket.is_silent_for(Duration::from_millis(1));
        assert!(is_silent, "it was refused: {}", socket.response());
    }
}

#[test]
fn a_body_has_a_time_limit() {
    let server = TestServer::new();
    let body_timeout = Duration::from_millis(200);
    let address = server.listen(with(Limits { body_timeout, ..Limits::default() }));
    let head = head("POST /v1/handoffs", YAML, Some(&server.token("ana")), 100);
    let mut slow = Socket::sending(address, format!("{head}x"));
    assert!(slow.response().contains("TK-REQUEST-TIMEOUT"));
}

#[test]
fn large_bodies_wait_for_their_share_of_the_memory() {
    let server = TestServer::new();
    let address = server.listen(with(Limits { body_bytes: 256 * 1024, ..Limits::default() }));
    let large = format!("# {}\n{}", "x".repeat(100_000), packet("t-1", ""));
    let ana = server.token("ana");
    let head_of = |token| head("POST /v1/handoffs", YAML, token, large.len());
    // The server asks for a body once it has reserved it.
    let asking =
        head_of(Some(ana.as_str())).replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
    let mut stalled = Socket::sending(address, asking);
    assert_eq!(stalled.status(), 100);
    // The same token has to wait, although its body is complete.
    let mut second = Socket::sending(address, format!("{}{large}", head_of(Some(&ana))));
    assert!(second.is_silent_for(Duration::from_millis(300)));
    assert_eq!(submit(&server, address, "t-2"), 201, "a small body does not wait");
    stalled.send(&large);
    assert_eq!((stalled.status(), second.status()), (201, 201));
}

#[test]
fn bodies_of_strangers_have_a_budget_of_their_own() {
    let server = TestServer::new();
    let limits = Limits { body_bytes: 512 * 1024, ..Limits::default() };
    let address = server.listen(with(Limits { body_timeout: Duration::from_secs(2), ..limits }));
    let stranger = head("POST /v1/sessions", "application/json", None, 64 * 1024);
    let mut stalled: Vec<Socket> = (0..20).map(|_| Socket::sending(address, &stranger)).collect();
    let large = format!("# {}\n{}", "x".repeat(200_000), packet("t-1", ""));
    let head = head("POST /v1/handoffs", YAML, Some(&server.token("ana")), large.len());
    assert_eq!(Socket::sending(address, format!("{head}{large}")).status(), 201);
    let refused = stalled.iter_mut().map(Socket::response);
    assert!(refused.filter(|one| one.contains("TK-SERVER-BUSY")).count() >= 18);
}

#[test]
fn connections_of_one_address_are_capped_and_idle_ones_are_closed() {
    let server = TestServer::new();
    let limits = Limits { connections_per_address: 3, ..Limits::default() };
    let address =
        server.listen(with(Limits { body_timeout: Duration::from_millis(500), ..limits }));
    let mut idle: Vec<Socket> = (0..3).map(|_| Socket::open(address)).collect();
    let refused = Socket::open(address).response();
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.contains("TK-SERVER-BUSY"),
        "{refused}"
    );
    for socket in &mut idle {
        assert_eq!(socket.status(), 0, "closed without a request");
    }
    let until = Instant::now() + Duration::from_secs(10);
    while submit(&server, address, "t-1") == 503 {
        assert!(Instant::now() < until, "the permits of closed connections are free");
    }
}

#[test]
fn a_proxy_is_exempt_and_its_clients_are_counted() {
    let server = TestServer::new();
    let proxies = vec!["127.0.0.1".parse().unwrap()];
    let limits = Limits { connections_per_address: 2, ..Limits::default() };
    let address = server.listen(Settings { proxies, limits, ..Settings::default() });
    let token = server.token("ana");
    let ask = |client: &str, path: &str, more: &str| {
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n\
             x-forwarded-for: {client}\r\n{more}\r\n"
        );
        Socket::sending(address, head)
    };
    let mut streams: Vec<Socket> =
        (0..2).map(|_| ask("192.0.2.1", "/v1/events", "accept: text/event-stream\r\n")).collect();
    assert!(streams.iter_mut().all(|stream| stream.status() == 200));
    assert_eq!(ask("192.0.2.1", "/v1/whoami", "").status(), 503);
    assert_eq!(ask("192.0.2.2", "/v1/whoami", "").status(), 200);
    drop(streams);
    let until = Instant::now() + Duration::from_secs(20);
    while ask("192.0.2.1", "/v1/whoami", "").status() == 503 {
        assert!(Instant::now() < until, "a closed stream releases its permit");
    }
}

#[test]
fn a_forwarded_address_counts_only_from_a_configured_proxy() {
    let server = TestServer::new();
    let address = server.listen(with(Limits { requests_per_address: 3, ..Limits::default() }));
    let ask = |client: usize| {
        let head = format!(
            "GET /v1/whoami HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: 192.0.2.{client}\r\n\r\n"
        );
        Socket::sending(address, head).status()
    };
    let statuses: Vec<u16> = (0..20).map(ask).collect();
    assert!(statuses.contains(&429), "a forged address is no new allowance: {statuses:?}");
}

#[test]
fn a_repeated_host_or_credential_is_refused() {
    let server = TestServer::new();
    let address = server.listen(Settings::default());
    let bearer = format!("authorization: Bearer {}\r\n", server.token("ana"));
    let host = "host: 127.0.0.1\r\n".to_owned();
    for (name, headers) in [
        ("host", format!("{host}{host}{bearer}")),
        ("host", format!("{host}Host: evil.example\r\n{bearer}")),
        ("authorization", format!("{host}{bearer}{bearer}")),
        ("authorization", format!("{host}{bearer}Authorization: Bearer other\r\n")),
    ] {
        let request = format!("GET /v1/whoami HTTP/1.1\r\n{headers}\r\n");
        let response = Socket::sending(address, request).response();
        assert!(response.starts_with("HTTP/1.1 422 "), "{response}");
        assert!(response.contains(&format!("duplicate header `{name}`")), "{response}");
    }
    let request = format!("GET /v1/whoami HTTP/1.1\r\n{host}{bearer}\r\n");
    assert_eq!(Socket::sending(address, request).status(), 200);
}
