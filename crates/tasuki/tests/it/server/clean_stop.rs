//! A server that is told to stop leaves everything in the databases: a copy of `*.db` loses nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use tasuki_engine::ports::Store as _;
use tasuki_store::{Options, SqliteStore};

use crate::server::serve::PACKET;
use crate::support::folder::Folder;
use crate::support::http::HttpServer;

const HANDOFFS: usize = 200;

fn submit(server: &HttpServer<'_>, bearer: &str, number: usize) {
    let headers = [("authorization", bearer), ("content-type", "application/yaml")];
    let packet = PACKET.replace("build-42", &format!("build-{number}"));
    let answer = server.request("POST /v1/handoffs", &headers, &packet);
    assert_eq!(answer.status, 201, "{}", answer.body);
}

fn submit_all(folder: &Folder, server: &HttpServer<'_>) {
    folder.stdout(&["party", "add", "hermes-worker-3"]);
    let bearer = format!("Bearer {}", server.token("hermes-main"));
    (0..HANDOFFS).for_each(|number| submit(server, &bearer, number));
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Copies the databases of an exchange, and nothing else, to a folder of its own.
fn copy_of_databases(folder: &Folder) -> Folder {
    let copy = Folder::outside_repository();
    let place = folder.path("");
    let is_database = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "db");
    for file in files(&folder.path(".tasuki")).into_iter().filter(is_database) {
        let target = copy.path(file.strip_prefix(&place).unwrap().to_str().unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, target).unwrap();
    }
    copy
}

#[track_caller]
fn check_complete(folder: &Folder) {
    let listed = folder.stdout(&["ls", "--json", "--limit", "1000"]);
    assert_eq!(listed.lines().count(), HANDOFFS);
    folder.stdout(&["log", "check"]);
}

#[test]
fn a_copy_of_the_databases_after_a_clean_stop_loses_nothing() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start_with_log(&folder, &[], "warn");
    submit_all(&folder, &server);
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    check_complete(&copy_of_databases(&folder));
    let is_wal = |path: &PathBuf| path.to_string_lossy().ends_with("-wal");
    let left: Vec<PathBuf> = files(&folder.path(".tasuki")).into_iter().filter(is_wal).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

#[test]
fn open_streams_do_not_keep_the_wal() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start_with_log(&folder, &[], "warn");
    let bearer = format!("Bearer {}", server.token("hermes-main"));
    let mut streams: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            let request = format!(
                "GET /v1/events HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nauthorization: {bearer}\r\n\r\n",
                server.address
            );
            stream.write_all(request.as_bytes()).unwrap();
            stream.read_exact(&mut [0; 64]).unwrap();
            stream
        })
        .collect();
    submit_all(&folder, &server);
    server.signal("TERM");
    let (code, log) = server.ended();
    assert_eq!(code, Some(0), "{log}");
    check_complete(&copy_of_databases(&folder));
    streams.clear();
}

#[test]
fn another_process_with_the_store_open_does_not_keep_the_wal() {
    let folder = Folder::outside_repository();
    let server = HttpServer::start_with_log(&folder, &[], "warn");
    submit_all(&folder, &server);
    let other = SqliteStore::open(&folder.path(".tasuki"), Options::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let project = runtime.block_on(other.projects()).unwrap()[0].1;
    assert!(runtime.block_on(other.head(project)).unwrap().is_some());
    server.signal("TERM");
    assert_eq!(server.ended().0, Some(0));
    check_complete(&copy_of_databases(&folder));
    drop(other);
}
