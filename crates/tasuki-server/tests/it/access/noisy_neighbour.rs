//! The share of the server that one project may use (T27).

use tasuki_server::{Limits, Settings};

use crate::support::listener::Listener;
use crate::support::test_server::TestServer;

#[test]
fn one_project_has_half_of_the_streams_and_no_more() {
    let limits = Limits { connections: 4, ..Limits::default() };
    let server = TestServer::with(Settings { limits, ..Settings::default() });
    server.runtime.block_on(async {
        let asked = async |by: &str| Listener::request(&server, by, "", None).await;
        let first = Listener::open(&server, "ana", "", None).await;
        let _second = Listener::open(&server, "ben", "", None).await;
        assert_eq!(asked("ana").await.status(), 503);
        assert_eq!(asked("other-ana").await.status(), 200);
        drop(first);
        assert_eq!(asked("ana").await.status(), 200);
    });
}

#[test]
fn one_token_has_half_of_the_streams_of_its_project_and_no_more() {
    let limits = Limits { connections: 8, ..Limits::default() };
    let server = TestServer::with(Settings { limits, ..Settings::default() });
    server.runtime.block_on(async {
        let asked = async |by: &str| Listener::request(&server, by, "", None).await;
        let _first = Listener::open(&server, "ana", "", None).await;
        let second = Listener::open(&server, "ana", "", None).await;
        assert_eq!(asked("ana").await.status(), 503);
        assert_eq!(asked("ben").await.status(), 200);
        drop(second);
        assert_eq!(asked("ana").await.status(), 200);
    });
}
