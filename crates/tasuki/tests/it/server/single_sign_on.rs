//! A proxy that signs people in, in front of a server process. The proxy has the address
//! `127.0.0.2`, every other client `127.0.0.1`.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use crate::support::folder::Folder;
use crate::support::http::HttpServer;

const SETTINGS: &str =
    "[server]\nuser_header = \"X-Forwarded-User\"\nuser_proxies = \"127.0.0.2\"\n";

/// Sends a request from the address of the proxy. Returns its status and body.
fn through_proxy(server: &HttpServer<'_>, request: &str, headers: &str) -> (u16, String) {
    let address: SocketAddr = server.address.parse().unwrap();
    let text =
        format!("{request} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\r\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        let mut stream = socket.connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

/// The server adds `ana`, who started it, as a person and an operator.
#[test]
fn a_header_names_a_person_only_if_the_configured_proxy_sends_it() {
    let folder = Folder::outside_repository().with("tasuki.toml", SETTINGS);
    let server = HttpServer::start(&folder, &[]);
    let ana = "x-forwarded-user: ana\r\n";
    let (status, who) = through_proxy(&server, "GET /v1/whoami", ana);
    let who: Value = serde_json::from_str(&who).unwrap();
    assert_eq!((status, &who["party"], &who["kind"]), (200, &"ana".into(), &"human".into()));
    assert_eq!(through_proxy(&server, "GET /v1/whoami", "").0, 401, "no header");

    let spoofed = server.request("GET /v1/whoami", &[("x-forwarded-user", "ana")], "");
    assert_eq!(spoofed.status, 401, "{}", spoofed.body);
    assert!(spoofed.body.contains("TK-CREDENTIAL-MISSING"));
    let forwarded = [("x-forwarded-user", "ana"), ("x-forwarded-for", "127.0.0.2")];
    assert_eq!(server.request("GET /v1/whoami", &forwarded, "").status, 401);

    let twice =
        through_proxy(&server, "GET /v1/whoami", &format!("{ana}x-forwarded-user: ben\r\n"));
    assert_eq!(twice.0, 401, "{}", twice.1);
    let stranger = through_proxy(&server, "GET /v1/whoami", "x-forwarded-user: zoe\r\n");
    assert!(stranger.0 == 404 && stranger.1.contains("TK-PROJECT-UNKNOWN"), "{}", stranger.1);
}

#[test]
fn the_log_says_that_a_proxy_signed_the_person_in() {
    let folder = Folder::outside_repository().with("tasuki.toml", SETTINGS);
    let server = HttpServer::start(&folder, &[]);
    let ana = "x-forwarded-user: ana\r\ncontent-length: 0\r\n";
    let (status, halted) = through_proxy(&server, "POST /v1/halt", ana);
    assert_eq!(status, 200, "{halted}");
    let (_, leaves) = through_proxy(&server, "GET /v1/log/leaves", ana);
    let last: Value = serde_json::from_str(leaves.lines().last().unwrap()).unwrap();
    assert_eq!(last["actor"]["auth"], "proxy", "{last}");
}
