//! `tasuki demo` as a process: its agents work, a person decides, and nothing remains of it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tasuki_client::Client;
use tasuki_client::api::{DecisionKind, DecisionRequest, SignInRequest};

use crate::support::folder::Folder;
use crate::support::http::eventually;

struct Demo {
    process: Child,
    you: Client,
}

impl Demo {
    fn start(folder: &Folder) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tasuki"))
            .args(["demo", "--headless", "--json", "--port", "17420"])
            .current_dir(folder.path(""))
            .env("TMPDIR", folder.path(""))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let announced: Value = serde_json::from_str(&line).unwrap();
        let code = announced["link"].as_str().unwrap().split("?t=").nth(1).unwrap();
        let anonymous = Client::anonymous(announced["address"].as_str().unwrap()).unwrap();
        let you = anonymous.sign_in(&SignInRequest::with_code(code), "demo").unwrap();
        Self { process, you }
    }

    fn state(&self, task: &str) -> String {
        self.you.card(task).map_or_else(|_| "none".to_owned(), |handoff| handoff.state)
    }

    fn inbox(&self) -> Vec<String> {
        let inbox = self.you.inbox(None, None, Duration::ZERO).unwrap();
        inbox.handoffs.into_iter().map(|handoff| handoff.task).collect()
    }

    fn stop(mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.process.wait().unwrap().code()
    }
}

#[test]
fn the_agents_of_a_demo_ask_for_decisions_and_continue_with_them() {
    let folder = Folder::outside_repository();
    let demo = Demo::start(&folder);
    eventually("three decisions to make", || {
        let inbox = demo.inbox();
        ["pricing-1", "deploy-1", "dosing-1"].iter().all(|task| inbox.iter().any(|one| one == task))
    });
    for task in ["pricing-1", "deploy-1"] {
        let handoff = demo.you.card(task).unwrap();
        let digest = handoff.action.map_or(handoff.digest, |action| action.digest);
        let request = DecisionRequest {
            revision: Some(handoff.revision),
            digest: Some(digest),
            ..DecisionRequest::new(DecisionKind::Accept)
        };
        demo.you.decide(task, &request).unwrap();
    }
    eventually("agents that continue", || {
        demo.state("pricing-1") == "claimed" && demo.state("deploy-1") == "claimed"
    });
    eventually("a dead letter", || demo.state("crawl-1") == "dead");
    eventually("a return to judge", || demo.state("import-1") == "returned");
    assert_eq!(demo.stop(), Some(0));
    let remains = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(remains.collect::<Vec<_>>(), Vec::<std::path::PathBuf>::new());
}
