//! Reads for people who watch: the leaves of a task, and the last hours.

use std::time::Duration;

use serde_json::{Value, json};
use tasuki_packet::leaf::{Hash, Leaf};

use crate::support::test_server::{TestServer, packet};

const HOUR: Duration = Duration::from_hours(1);

/// Returns the leaves of task `a`, as lines.
fn leaves(server: &TestServer, query: &str) -> Vec<String> {
    let answer = server.get(&format!("/v1/tasks/a/leaves{query}")).by("ana").send().is(200);
    assert_eq!(answer.header("content-type"), Some("application/jsonl"));
    answer.text.lines().map(str::to_owned).collect()
}

fn number(line: &str) -> u64 {
    serde_json::from_str::<Value>(line).unwrap()["n"].as_u64().unwrap()
}

#[test]
fn the_leaves_of_a_task_come_with_the_ones_before_and_after_them() {
    let server = TestServer::new();
    let (id, fence) = server.claimed("a");
    for number in 0..30 {
        server.submitted(&format!("other-{number}"));
    }
    let path = format!("/v1/handoffs/{id}/returns?fence={fence}");
    let back = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: Done\n";
    server.post(&path).by("ben").yaml(back).send().is(201);
    server.submitted("last");

    let lines = leaves(&server, "?limit=500");
    let numbers: Vec<u64> = lines.iter().map(|line| number(line)).collect();
    let events = server.get("/v1/tasks/a/timeline").by("ana").send().is(200).body;
    let own = events["items"].as_array().unwrap().iter().map(|one| one["n"].as_u64().unwrap());
    let mut wanted: Vec<u64> = own.clone().flat_map(|n| [n - 1, n, n + 1]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    assert_eq!(numbers, wanted, "every leaf of the task with its neighbours, and no other");
    for (line, next) in lines.iter().zip(&lines[1..]).filter(|(a, b)| number(a) + 1 == number(b)) {
        let next = Leaf::read(next.as_bytes()).unwrap();
        assert_eq!(next.previous, Hash::of_leaf(line.as_bytes()), "exactly the bytes");
    }

    let first = own.clone().next().unwrap();
    let one = leaves(&server, "?limit=1");
    assert_eq!(
        one.iter().map(|line| number(line)).collect::<Vec<_>>(),
        [first - 1, first, first + 1]
    );
    let last = own.max().unwrap();
    let end = leaves(&server, &format!("?from={last}"));
    assert_eq!(end.iter().map(|line| number(line)).collect::<Vec<_>>(), [last - 1, last, last + 1]);
    assert_eq!(leaves(&server, &format!("?from={}", last + 1)), [""; 0]);
    server.get("/v1/tasks/a/leaves?limit=0").by("ana").send().refuses(422, "TK-ARGUMENT-INVALID");
    server.get("/v1/tasks/zz/leaves").by("ana").send().refuses(404, "TK-HANDOFF-UNKNOWN");
}

#[test]
fn an_overview_counts_each_hour_and_measures_each_edge() {
    let server = TestServer::new();
    let start = Duration::from_mins(1);
    server.submitted("early");
    server.advance(3 * HOUR + start);
    let (id, fence) = {
        let id = server.submitted("a");
        server.advance(Duration::from_secs(40));
        let claim = server.post(&format!("/v1/handoffs/{id}/claims")).by("ben").send().is(201);
        (id, claim.body["claim"]["fence"].as_u64().unwrap())
    };
    server.advance(Duration::from_mins(5));
    let path = format!("/v1/handoffs/{id}/returns?fence={fence}");
    let back = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: Done\n";
    server.post(&path).by("ben").yaml(back).send().is(201);
    let held = packet("held", "can_intercept: true\n");
    server.post("/v1/handoffs").by("ana").yaml(&held).send().is(201);
    server.advance(HOUR);
    server.submitted("refused");
    let decline = json!({ "reason": "busy" });
    server.post("/v1/handoffs/refused/declines").by("ben").json(&decline).send().is(201);

    let read = |query: &str| server.get(&format!("/v1/overview{query}")).by("ana").send();
    let two = read("?hours=2").is(200).body;
    assert_eq!(two["from"], "2026-11-15T13:00:00.000000Z", "an hour of the clock");
    assert_eq!(two["complete"], true);
    let hours = two["hours"].as_array().unwrap();
    let counts =
        |hour: &Value| ["submitted", "held", "dead"].map(|name| hour[name].as_u64().unwrap());
    assert_eq!(hours.iter().map(counts).collect::<Vec<_>>(), [[2, 1, 0], [1, 0, 1]]);
    let edge = &two["edges"][0];
    assert_eq!((&edge["from"], &edge["to"]), (&json!("ana"), &json!("ben")));
    assert_eq!(edge["by_hour"], json!([2, 1]), "the work before the period is not counted");
    assert_eq!(edge["waiting"], json!({ "count": 1, "median": 40, "p95": 40 }));
    assert_eq!(edge["working"], json!({ "count": 1, "median": 300, "p95": 300 }));

    assert_eq!(read("").is(200).body["hours"].as_array().unwrap().len(), 24);
    assert_eq!(read("?hours=24").is(200).body["edges"][0]["handoffs"], 4);
    for hours in ["0", "169", "x"] {
        read(&format!("?hours={hours}")).refuses(422, "TK-ARGUMENT-INVALID");
    }
}
