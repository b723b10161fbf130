//! A receiver learns which uncommitted files of the sender are not in its directory.

use serde_json::Value;

use super::support::Desk;

fn check(desk: &Desk) {
    desk.write("main/a.txt", "changed\n");
    desk.write("main/notes/new.txt", "new\n");
    desk.run("main", "planner", "submit --to coder --task build --goal 'Port the lexer'");
    let said = desk.run("side", "coder", "claim build");
    let expected = "2 uncommitted files of the sender are not here: a.txt, notes/new.txt";
    assert!(said.contains(expected), "{said}");
    assert!(desk.run("side", "coder", "resume build").contains(expected));
    let json: Value =
        serde_json::from_str(&desk.run("side", "coder", "resume build --json")).unwrap();
    assert_eq!(json["not_here"], serde_json::json!(["a.txt", "notes/new.txt"]));
    // The packet has none of it, and the document beside it has.
    let shown: Value =
        serde_json::from_str(&desk.run("side", "coder", "show build --json")).unwrap();
    assert_eq!(shown["packet"].get("work_tree"), None);
    assert_eq!(shown["work_tree"]["branch"], "main");
    assert_eq!(shown["work_tree"]["count"], 2);
    // Nothing is said where the tree matches.
    desk.write("side/a.txt", "changed\n");
    desk.write("side/notes/new.txt", "new\n");
    assert!(!desk.run("side", "coder", "resume build").contains("not here"));
}

#[test]
fn claim_and_resume_name_the_files_that_are_not_here() {
    check(&Desk::new());
}

#[test]
fn claim_and_resume_name_the_files_that_are_not_here_through_a_server() {
    check(&Desk::behind_server());
}

#[test]
fn checkpoints_passing_on_and_returning_record_the_work_tree() {
    let desk = Desk::new();
    let count = |who: &str, task: &str| {
        let shown: Value =
            serde_json::from_str(&desk.run("main", who, &format!("show {task} --json"))).unwrap();
        shown["work_tree"]["count"].as_u64().unwrap_or_default()
    };
    desk.run("main", "planner", "begin --task build --goal 'Port the lexer'");
    assert_eq!(count("planner", "build"), 0);
    desk.write("main/one.txt", "1\n");
    desk.run("main", "planner", "checkpoint build --completed 'Lexer ported'");
    assert_eq!(count("planner", "build"), 1);
    desk.write("main/two.txt", "2\n");
    desk.run("main", "planner", "pass-on build --to coder --goal 'Write the tests'");
    assert_eq!(count("planner", "build"), 2);
    desk.run("side", "coder", "claim build");
    desk.write("side/three.txt", "3\n");
    desk.run("side", "coder", "return build --summary 'All tests pass'");
    assert_eq!(count("planner", "build"), 1);
    assert!(desk.run("main", "planner", "log check").contains("✓"));
}
