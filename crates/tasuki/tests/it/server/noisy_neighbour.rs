//! A project that floods the server, and the one beside it that does not (T27).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::folder::Folder;
use crate::support::http::HttpServer;

/// Callers of the noisy project, more than the server takes on at once of one project.
const CALLERS: usize = 12;

/// Requests of the quiet one, each sent when the one before was answered.
const QUIET: usize = 60;

const LIMITS: &str =
    "[server]\nrequests_per_token = 0\nrequests_per_project = 50\nrequests_at_once = 12\n";

/// How often which status was answered.
type Tally = BTreeMap<u16, usize>;

fn packet(task: &str) -> String {
    format!(
        "handoff_version: '1.0'\ntask_id: {task}\nfrom_agent: ana\nto_agent: ben\n\
         status: in_progress\ngoal: Ship {task}\ncompleted: []\nremaining: []\n"
    )
}

/// One request of the kind that this number stands for, and its status.
fn ask(server: &HttpServer<'_>, bearer: &str, task: &str, number: usize) -> u16 {
    let headers = [("authorization", bearer), ("content-type", "application/yaml")];
    let answer = match number % 4 {
        0 => server.request("POST /v1/handoffs", &headers, &packet(&format!("{task}-{number}"))),
        1 => server.request("GET /v1/handoffs", &headers[..1], ""),
        2 => server.request("GET /v1/search?q=ship", &headers[..1], ""),
        _ => server.request("GET /v1/stats", &headers[..1], ""),
    };
    answer.status
}

/// Asks as fast as it is let until the other is done.
fn flood(server: &HttpServer<'_>, bearer: &str, caller: usize, is_over: &AtomicBool) -> Tally {
    let mut tally = Tally::new();
    for number in (0..).take_while(|_| !is_over.load(Ordering::SeqCst)) {
        let status = ask(server, bearer, &format!("noise-{caller}"), number);
        *tally.entry(status).or_default() += 1;
    }
    tally
}

/// How long each answer took, the longest last.
fn quiet(server: &HttpServer<'_>, bearer: &str) -> Vec<Duration> {
    let mut took: Vec<Duration> = (0..QUIET)
        .map(|number| {
            let begin = Instant::now();
            let status = ask(server, bearer, "quiet", number);
            assert!([200, 201].contains(&status), "request {number} of the quiet one: {status}");
            begin.elapsed()
        })
        .collect();
    took.sort();
    took
}

#[test]
fn a_quiet_project_is_answered_while_another_floods() {
    let folder = Folder::outside_repository().with("tasuki.toml", LIMITS);
    for project in ["noisy", "quiet"] {
        folder.run(&["init", "--project", project]);
    }
    let server = HttpServer::start_with_log(&folder, &["--project", "quiet"], "error");
    let bearer =
        |project: &str| format!("Bearer {}", server.token_with("ana", &["--project", project]));
    for project in ["noisy", "quiet"] {
        folder.run(&["party", "add", "ben", "--project", project]);
    }
    let (noisy, calm, is_over) = (bearer("noisy"), bearer("quiet"), AtomicBool::new(false));
    let (tally, took) = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (server, noisy, is_over) = (&server, &noisy, &is_over);
                scope.spawn(move || flood(server, noisy, caller, is_over))
            })
            .collect();
        let took = scope.spawn(|| quiet(&server, &calm)).join();
        is_over.store(true, Ordering::SeqCst);
        let mut tally = Tally::new();
        for (status, count) in callers.into_iter().flat_map(|caller| caller.join().unwrap()) {
            *tally.entry(status).or_default() += count;
        }
        (tally, took.unwrap())
    });
    let p99 = took[(took.len() * 99).div_ceil(100) - 1];
    println!("quiet: {} answered, p99 {p99:?}; noisy: {tally:?}", took.len());
    // The flood was let in as far as it may, and then told to wait.
    assert!(tally.contains_key(&201) && tally.contains_key(&429), "{tally:?}");
    assert!(tally.keys().all(|status| [200, 201, 429, 503].contains(status)), "{tally:?}");
}
