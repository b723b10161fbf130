//! The tools of agents record the directory of their process, and say what is missing there.

use serde_json::{Value, json};

use super::support::Desk;
use crate::support::mcp_host::McpHost;

fn check(desk: &Desk) {
    let mut planner = McpHost::legacy(desk.command("main", "planner", "mcp"));
    let mut coder = McpHost::modern(desk.command("side", "coder", "mcp"));
    let count = |who: &str| {
        let shown: Value =
            serde_json::from_str(&desk.run("main", who, "show build --json")).unwrap();
        shown["work_tree"]["count"].as_u64()
    };
    desk.write("main/a.txt", "changed\n");
    let begun = planner.call("handoff_begin", json!({ "goal": "Port it", "task": "build" }));
    assert_eq!(count("planner"), Some(1));
    desk.write("main/notes/new.txt", "new\n");
    let held = json!({ "handoff": "build", "fence": begun["fence"], "completed": ["Half"] });
    planner.call("handoff_checkpoint", held);
    assert_eq!(count("planner"), Some(2));
    let over = json!({ "handoff": "build", "fence": begun["fence"], "to": "coder" });
    planner.call("handoff_pass_on", over);
    let claimed = coder.call("handoff_claim", json!({ "handoff": "build" }));
    let expected = "2 uncommitted files of the sender are not here: a.txt, notes/new.txt";
    assert!(claimed["notes"].as_array().unwrap().contains(&json!(expected)), "{claimed}");
    let brief = coder.call("handoff_brief", json!({ "handoff": "build" }));
    assert_eq!(brief["notes"], json!([expected]), "{brief}");
    desk.write("side/a.txt", "changed\n");
    desk.write("side/notes/new.txt", "new\n");
    let brief = coder.call("handoff_brief", json!({ "handoff": "build" }));
    assert_eq!(brief.get("notes"), None, "{brief}");
    let done = json!({ "handoff": "build", "fence": claimed["fence"], "summary": "It runs" });
    coder.call("handoff_return", done);
    assert_eq!(count("coder"), Some(2));
}

#[test]
fn tools_record_the_work_tree_and_name_the_files_that_are_not_here() {
    check(&Desk::new());
}

#[test]
fn tools_record_the_work_tree_through_a_server() {
    check(&Desk::behind_server());
}
