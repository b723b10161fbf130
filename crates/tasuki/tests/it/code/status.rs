//! `tasuki status` lists the work trees of the repository with the work in them.

use serde_json::Value;

use super::support::Desk;

#[test]
fn status_lists_work_trees_with_branch_holder_task_and_whom_they_wait_for() {
    let desk = Desk::new();
    desk.run("main", "planner", "begin --task build --goal 'Port the lexer'");
    let rows = |who: &str| -> Vec<[String; 5]> {
        let status: Value = serde_json::from_str(&desk.run("main", who, "status --json")).unwrap();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
        let row = |row: &Value| {
            assert_eq!(row["task"].is_null(), row["last_sign_of_life"].is_null(), "{row}");
            let path = text(row, "path").rsplit('/').next().unwrap().to_owned();
            let [branch, task, holder, waits_for] =
                ["branch", "task", "holder", "waits_for"].map(|name| text(row, name));
            [path, branch, task, holder, waits_for]
        };
        status["work_trees"].as_array().unwrap().iter().map(row).collect()
    };
    let expect = |rows: Vec<[String; 5]>, expected: [&str; 2]| {
        let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, expected);
    };
    expect(rows("planner"), ["main main build planner -", "side side - - -"]);
    desk.run("main", "planner", "pass-on build --to coder --goal 'Write the tests'");
    expect(rows("planner"), ["main main build - coder", "side side - - -"]);
    // The work is where its holder claimed it.
    desk.run("side", "coder", "claim build");
    expect(rows("planner"), ["main main - - -", "side side build coder -"]);
    let said = desk.run("main", "planner", "status");
    assert!(said.contains("Work trees        2   "), "{said}");
    assert!(said.contains("side   build, held by coder, last seen "), "{said}");
}
