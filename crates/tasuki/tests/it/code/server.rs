//! A snapshot travels from one clone to another through a server.

use std::time::{Duration, Instant};

use super::support::Desk;

/// Waits until the server has a snapshot, and returns what it knows about the newest one.
fn wait_for(desk: &Desk) -> serde_json::Value {
    let started = Instant::now();
    loop {
        let (status, body) = desk.request("planner", "GET", "/v1/tasks/build/snapshots");
        assert_eq!(status, 200, "{body}");
        let listed: serde_json::Value = serde_json::from_str(&body).unwrap();
        if let Some(newest) = listed["items"].as_array().unwrap().first() {
            return newest.clone();
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{body}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn another_clone_gets_the_exact_tree_through_a_server() {
    let desk = Desk::behind_server();
    desk.run("main", "planner", "begin --task build --goal 'Port the lexer'");
    desk.write("main/a.txt", "changed\n");
    desk.write("main/new.txt", "new\n");
    desk.git("main", "add new.txt");
    desk.write("main/.env", "SECRET=1\n");
    desk.run("main", "planner", "pass-on build --to coder --goal 'Write the tests'");
    let newest = wait_for(&desk);
    assert_eq!((&newest["number"], &newest["by"]), (&1.into(), &"planner".into()));
    desk.run("side", "coder", "claim build");
    let said = desk.run("side", "coder", "resume build --restore");
    assert!(said.contains("Restored 2 files of the work tree of planner."), "{said}");
    assert!(said.contains("left out: .env"), "{said}");
    let status = desk.git("side", "status --porcelain");
    assert_eq!(status, " M a.txt\nA  new.txt");
    // A late snapshot of the former holder is refused, and a stranger reads none.
    let (code, _) =
        desk.says("main", "planner", "snapshot --task build --owner planner --cause crash");
    assert_eq!(code, 0, "an unchanged tree is not sent again");
    desk.write("main/a.txt", "late\n");
    let (code, said) =
        desk.says("main", "planner", "snapshot --task build --owner planner --cause crash");
    assert_ne!(code, 0);
    assert!(said.contains("is held by `coder`"), "{said}");
    for path in ["/v1/tasks/build/snapshots", "/v1/tasks/build/snapshots/bundle"] {
        assert_eq!(desk.request("stranger", "GET", path).0, 403, "{path}");
    }
}
