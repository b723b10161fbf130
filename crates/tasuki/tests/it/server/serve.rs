//! `tasuki serve` as a process: started, asked over a socket, told to stop.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tasuki_engine::engine::Engine;
use tasuki_engine::model::Settings;
use tasuki_engine::ports::System;
use tasuki_store::{Options, SqliteStore};

use crate::support::folder::Folder;
use crate::support::http::{HttpServer, eventually};
use crate::support::server_process::ServerProcess;

pub(crate) const PACKET: &str = "handoff_version: '1.0'\ntask_id: build-42\nfrom_agent: hermes-main\n\
    to_agent: hermes-worker-3\nstatus: in_progress\ngoal: Ship the secret part\ncompleted: []\n\
    remaining: []\ntrace: { traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 }\n";

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// T25: a leaked token is refused elsewhere, and its use is seen.
#[test]
fn a_token_works_where_it_was_made_for_and_shows_when_it_was_used() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let who = |token: &str, more: &[(&str, &str)]| {
        let bearer = format!("Bearer {token}");
        let headers = [&[("authorization", bearer.as_str())], more].concat();
        let answer = server.request("GET /v1/whoami", &headers, "");
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        (answer.status, body["code"].as_str().unwrap_or_default().to_owned())
    };
    let here = server.token_with("hermes-main", &["--from", "127.0.0.0/8"]);
    let bound_token = server.token_with("hermes-main", &["--from", "10.0.0.0/8,2001:db8::/32"]);
    let elsewhere = (403, "TK-TOKEN-NETWORK".to_owned());
    assert_eq!(who(&bound_token, &[]), elsewhere);
    assert_eq!(who(&here, &[("x-forwarded-for", "127.0.0.1")]), elsewhere);
    assert_eq!(who(&here, &[]).0, 200);

    let last_used = || -> Vec<Value> {
        let listed = folder.command(&["token", "list", "--json"]).output().unwrap();
        let lines = String::from_utf8(listed.stdout).unwrap();
        let tokens = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        tokens.map(|token| token["last_used"].clone()).collect()
    };
    eventually("a note that the token was used", || !last_used()[0].is_null());
    assert!(last_used()[1].is_null(), "a token that was refused was not used");
}

#[test]
fn a_newcomer_hands_work_over_by_http_and_the_command_line_sees_it() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    assert_eq!(server.request("GET /readyz", &[], "").status, 200);
    let refused = server.request("GET /v1/inbox", &[], "");
    assert_eq!(refused.status, 401, "the API wants a token on this machine too: {}", refused.body);

    let bearer = format!("Bearer {}", server.token("hermes-main"));
    folder.stdout(&["party", "add", "hermes-worker-3"]);
    let yaml = ("content-type", "application/yaml");
    let sent = server.request("POST /v1/handoffs", &[("authorization", &bearer), yaml], PACKET);
    assert_eq!(sent.status, 201, "{}", sent.body);
    let by_http: Value = serde_json::from_str(&sent.body).unwrap();

    // A change of another process on the same store is seen, and answered in the same body.
    let shown =
        folder.command(&["show", "build-42", "--as", "hermes-main", "--json"]).output().unwrap();
    let by_command: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(by_command["handoff"], by_http["handoff"]);
    let claimed =
        folder.command(&["claim", "build-42", "--as", "hermes-worker-3"]).output().unwrap();
    assert!(claimed.status.success());
    let path = "GET /v1/handoffs/build-42";
    let shown = server.request(path, &[("authorization", &bearer)], "");
    assert_eq!(serde_json::from_str::<Value>(&shown.body).unwrap()["handoff"]["state"], "claimed");
    let same =
        folder.command(&["show", "build-42", "--as", "hermes-main", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8(same.stdout).unwrap().trim(), shown.body);

    // What is revoked by another process is refused within a moment.
    let ending = bearer.split('_').nth(3).unwrap();
    assert!(folder.command(&["token", "revoke", ending]).output().unwrap().status.success());
    eventually("a refusal", || {
        server.request(path, &[("authorization", &bearer)], "").status == 401
    });

    server.signal("TERM");
    let secret = bearer.trim_start_matches("Bearer ").to_owned();
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("\"operation\":\"submit\"") && log.contains("\"status\":201"), "{log}");
    assert!(log.contains("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), "{log}");
    for kept_out in ["secret part", "hermes-main", secret.as_str()] {
        assert!(!log.contains(kept_out), "{kept_out} is in the log: {log}");
    }
}

#[test]
fn every_request_about_a_handoff_has_the_trace_of_its_packet_in_the_log() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let ask = |who: &str, request: &str, kind: &str, body: &str| -> Value {
        let headers = [("authorization", who), ("content-type", kind)];
        serde_json::from_str(&server.request(request, &headers, body).body).unwrap()
    };
    let [main, worker] =
        ["hermes-main", "hermes-worker-3"].map(|party| format!("Bearer {}", server.token(party)));
    let json = "application/json";
    let submitted = ask(&main, "POST /v1/handoffs", "application/yaml", PACKET);
    let id = submitted["handoff"]["id"].as_str().unwrap();
    ask(&worker, "GET /v1/handoffs/build-42", json, "");
    let claims = format!("POST /v1/handoffs/{id}/claims");
    let claimed = ask(&worker, &claims, json, "{}");
    ask(&main, &claims, json, "{}");
    let claim = claimed["claim"]["id"].as_str().unwrap();
    ask(&worker, &format!("POST /v1/claims/{claim}/renew"), json, "{}");
    ask(&worker, &format!("POST /v1/claims/{claim}/release"), json, "{}");
    ask(&worker, "GET /v1/inbox", json, "");
    server.signal("TERM");
    let (_, log) = server.ended();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines = lines.filter(|line| line["target"] == "tasuki::request");
    let traced: Vec<(String, u64, bool)> = lines
        .map(|line| {
            let is_traced = line["traceparent"].as_str().is_some_and(|text| TRACE == text);
            (
                line["operation"].as_str().unwrap().to_owned(),
                line["status"].as_u64().unwrap(),
                is_traced,
            )
        })
        .filter(|(operation, ..)| operation != "ready")
        .collect();
    let expected = [
        ("submit", 201, true),
        ("show_handoff", 200, true),
        ("claim", 201, true),
        ("claim", 403, true),
        ("renew", 200, true),
        ("release", 200, true),
        ("inbox", 200, false),
    ];
    let expected = expected.map(|(operation, status, is)| (operation.to_owned(), status, is));
    assert_eq!(traced, expected, "{log}");
}

#[test]
fn what_is_done_in_a_batch_is_in_the_log() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let bearer = format!("Bearer {}", server.token("hermes-main"));
    folder.stdout(&["party", "add", "hermes-worker-3"]);
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let single = json!({
        "method": "POST", "path": "/v1/handoffs", "body": PACKET, "content_type": "application/yaml",
    });
    let batch = json!({ "requests": [single, { "method": "GET", "path": "/v1/whoami" }] });
    let sent = server.request("POST /v1/batch", &headers, &batch.to_string());
    assert_eq!(sent.status, 200, "{}", sent.body);
    server.signal("TERM");
    let (_, log) = server.ended();
    let line = |operation: &str| {
        let word = format!("\"operation\":\"{operation}\"");
        log.lines()
            .find(|line| line.contains(&word))
            .unwrap_or_else(|| panic!("{operation}: {log}"))
    };
    assert!(line("submit").contains("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
    assert!(line("whoami").contains("\"status\":200") && line("batch").contains("\"party\""));
}

/// Signs in as the page of the link does. Returns the cookie.
fn by_link(server: &HttpServer<'_>) -> String {
    let link = server.link.as_deref().unwrap();
    let (page, code) = link.split_once("?t=").unwrap();
    assert_eq!(page, format!("http://{}/ui/welcome", server.address));
    let body = json!({ "code": code }).to_string();
    let answer =
        server.request("POST /v1/sessions", &[("content-type", "application/json")], &body);
    assert_eq!(answer.status, 201, "{}", answer.body);
    let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

#[test]
fn the_user_who_starts_it_signs_in_by_the_link_without_an_account() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let cookie = by_link(&server);
    let who = server.request("GET /v1/whoami", &[("cookie", &cookie)], "");
    let who: Value = serde_json::from_str(&who.body).unwrap();
    assert_eq!((&who["party"], &who["kind"]), (&json!("ana"), &json!("human")));
    assert!(who["scopes"].as_array().unwrap().contains(&json!("admin")));
    server.signal("INT");
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn the_link_leads_into_the_project_that_is_served() {
    let folder = Folder::outside_repository();
    let mut command =
        folder.command(&["serve", "--json", "--listen", "127.0.0.1:0", "--project", "shop"]);
    command.env("USER", "Ana Müller").env("LOGNAME", "Ana").stderr(Stdio::null());
    let server = ServerProcess::spawn(command);
    let server = HttpServer::of(&folder, server);
    let cookie = by_link(&server);
    let who = server.request("GET /v1/whoami", &[("cookie", &cookie)], "");
    let who: Value = serde_json::from_str(&who.body).unwrap();
    assert_eq!((&who["party"], &who["project"]), (&json!("ana"), &json!("shop")));
}

#[test]
fn what_people_lack_is_said_when_it_starts() {
    let folder = Folder::outside_repository();
    folder.stdout(&["init"]);
    folder.stdout(&["party", "add", "ana"]);
    let started = |arguments: &[&str]| {
        let mut command = folder.command(&[&["serve"], arguments].concat());
        command.env("USER", "ana").env("TASUKI_LOG", "error");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        while !said.contains("Docs") {
            lines.read_line(&mut said).unwrap();
        }
        std::thread::sleep(Duration::from_millis(200));
        child.kill().unwrap();
        lines.read_to_string(&mut said).unwrap();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        said
    };
    let here = started(&["--listen", "127.0.0.1:0"]);
    assert!(
        here.contains("No sign-in link: `ana`, who runs this server, is not a person"),
        "{here}"
    );
    assert!(here.contains("/metrics") && !here.contains("No one has a password"), "{here}");
    let open = started(&["--listen", "0.0.0.0:0"]);
    assert!(open.contains("No one has a password, so only tokens can sign in"), "{open}");
    assert!(!open.contains("/metrics") && !open.contains("No sign-in link"), "{open}");
}

#[test]
fn mail_needs_the_public_url_before_a_server_starts() {
    let folder = Folder::outside_repository();
    let mail = "[server.mail]\nhost = 'mail.example'\nfrom = 'tasuki@example.org'\n";
    std::fs::write(folder.path("tasuki.toml"), mail).unwrap();
    let refused = folder.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(refused.contains("`server.public_url` is not set, but mail has links"), "{refused}");
    assert!(refused.contains("public_url = \"https://tasuki.example\""), "{refused}");
}

#[test]
fn what_was_accepted_is_finished_before_it_ends() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let bearer = format!("Bearer {}", server.token("hermes-main"));
    folder.stdout(&["party", "add", "hermes-worker-3"]);
    // Half a request, then the signal, then the rest.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = format!(
        "POST /v1/handoffs HTTP/1.1\r\nhost: {}\r\nauthorization: {bearer}\r\ncontent-type: application/yaml\r\ncontent-length: {}\r\n\r\n",
        server.address,
        PACKET.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&PACKET.as_bytes()[..100]).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    server.signal("TERM");
    std::thread::sleep(Duration::from_millis(300));
    assert!(TcpStream::connect(&server.address).is_err(), "it takes no new connection");
    stream.write_all(&PACKET.as_bytes()[100..]).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    let found = folder.command(&["list", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap().lines().count(), 1);
}

#[test]
fn an_open_stream_does_not_prevent_a_shutdown() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let bearer = format!("Bearer {}", server.token("hermes-worker-3"));
    let headers = [("authorization", bearer.as_str()), ("prefer", "wait=60")];
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.request("GET /v1/inbox", &headers, ""));
        std::thread::sleep(Duration::from_millis(500));
        let told = Instant::now();
        server.signal("TERM");
        assert_eq!(waiting.join().unwrap().status, 200);
        assert!(told.elapsed() < Duration::from_secs(10));
    });
    assert_eq!(server.ended().0, Some(0));
}

#[test]
fn a_lease_expires_without_any_request() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let [bearer, worker] =
        ["hermes-main", "hermes-worker-3"].map(|name| format!("Bearer {}", server.token(name)));
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/yaml")];
    assert_eq!(server.request("POST /v1/handoffs", &headers, PACKET).status, 201);
    let headers = [("authorization", worker.as_str()), ("content-type", "application/json")];
    let claimed = server.request("POST /v1/claims", &headers, "{\"lease\": \"1s\"}");
    assert_eq!(claimed.status, 201, "{}", claimed.body);
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        // The leaves are read as they are: looking does nothing that is due.
        let leaves = server.request("GET /v1/log/leaves", &[("authorization", &bearer)], "");
        if leaves.body.contains("handoff.lapsed") {
            return;
        }
        assert!(Instant::now() < deadline, "nothing lapsed: {}", leaves.body);
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn of_two_servers_one_delivers_and_the_other_says_so() {
    let folder = Folder::outside_repository();
    let (first, second) = (HttpServer::start(&folder, &[]), HttpServer::start(&folder, &[]));
    for server in [&first, &second] {
        server.signal("TERM");
    }
    let (_, said) = first.ended();
    assert!(!said.contains("Another server"), "{said}");
    let (_, said) = second.ended();
    assert!(said.contains("Another server uses this exchange"), "{said}");
}

#[test]
fn an_address_that_is_taken_and_settings_that_make_no_sense_are_refused() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start(&folder, &[]);
    let again = folder.command(&["serve", "--listen", &server.address]).output().unwrap();
    let said = String::from_utf8(again.stderr).unwrap();
    assert_eq!(again.status.code(), Some(2));
    assert!(said.contains("address already in use") && said.contains("--listen"), "{said}");
    let wrong = folder.command(&["serve", "--listen", "everywhere"]).output().unwrap();
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(said.contains("--listen: `everywhere` is not a valid listen address"), "{said}");
}

/// Each open project has files open, and a server may only have so many.
#[cfg(target_os = "linux")]
#[test]
fn many_projects_are_not_open_at_once() {
    const PROJECTS: usize = 120;
    let folder = Folder::outside_repository();
    folder.run(&["init"]);
    let store = SqliteStore::open(&folder.path(".tasuki"), Options::default()).unwrap();
    let engine = Engine::start(Arc::new(store), Arc::new(System), Arc::new(System));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for number in 0..PROJECTS {
        let name = format!("p{number}");
        runtime.block_on(engine.create_project(&name, Settings::default())).unwrap();
    }
    engine.close();
    drop(engine);

    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 256; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_tasuki")])
        .args(["serve", "--json", "--listen", "127.0.0.1:0"])
        .current_dir(folder.path(""))
        .env_clear()
        .env("USER", "ana")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let server = ServerProcess::spawn(command);
    let files = format!("/proc/{}/fd", server.child.id());
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(4) {
        let open = std::fs::read_dir(&files).unwrap().count();
        assert!(open < 240, "{open} files are open");
        let mut stream = TcpStream::connect(server.socket_address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let request = format!(
            "GET /readyz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            server.socket_address()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        std::thread::sleep(Duration::from_millis(200));
    }
}
