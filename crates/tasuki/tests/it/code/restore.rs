//! A checkpoint takes a snapshot, and another work tree restores it.

use std::time::{Duration, Instant};

use super::support::Desk;

/// Waits for the snapshots of the process that a command started.
fn wait_for(desk: &Desk, place: &str, count: usize) -> Vec<String> {
    let started = Instant::now();
    loop {
        let listed = desk.git(place, "for-each-ref --format=%(refname) refs/tasuki");
        let found: Vec<String> = listed.lines().map(str::to_owned).collect();
        if found.len() >= count {
            return found;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{found:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Begins a task in `main`, leaves uncommitted work behind, and waits for its snapshot.
fn with_snapshot(desk: &Desk, line: &str, count: usize) -> Vec<String> {
    desk.run("main", "planner", "begin --task build --goal 'Port the lexer'");
    desk.write("main/a.txt", "changed\n");
    desk.write("main/staged.txt", "staged\n");
    desk.git("main", "add staged.txt");
    desk.write("main/staged.txt", "later\n");
    desk.write("main/notes/new.txt", "new\n");
    desk.write("main/.env", "SECRET=1\n");
    std::fs::remove_file(desk.path("main/b.txt")).unwrap();
    desk.run("main", "planner", line);
    wait_for(desk, "main", count)
}

const CHECKPOINT: &str = "checkpoint build --completed 'Lexer ported' --to coder";

#[test]
fn another_work_tree_gets_the_exact_tree_and_index() {
    let desk = Desk::new();
    let references = with_snapshot(&desk, CHECKPOINT, 1);
    let hash = "refs/tasuki/";
    assert!(references[0].starts_with(hash) && references[0].ends_with("/1"), "{references:?}");
    assert_eq!(references[0].len(), hash.len() + 16 + 2);
    desk.run("main", "planner", "release build");
    desk.run("side", "coder", "claim build");
    desk.write("side/stray.txt", "stray\n");
    let said = desk.run("side", "coder", "resume build --restore");
    for expected in [
        "Restoring touches 5 files:",
        "  changed  a.txt",
        "  removed  b.txt",
        "  written  notes/new.txt",
        "  removed  stray.txt",
        "Restored 5 files of the work tree of planner.",
        "  left out: .env (the name of a file with secrets)",
        "Undo: tasuki resume build --restore --from refs/tasuki/undo-",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let status = |place: &str| desk.git(place, "status --porcelain --untracked-files=all");
    assert_eq!(status("side"), " M a.txt\n D b.txt\nAM staged.txt\n?? notes/new.txt");
    assert_eq!(desk.git("side", "show :staged.txt"), "staged");
    assert!(!desk.path("side/.env").exists());
    assert_eq!(desk.git("side", "rev-parse --abbrev-ref HEAD"), "side");
    // The printed command takes it back.
    let undo = said.lines().find_map(|line| line.strip_prefix("Undo: tasuki ")).unwrap();
    desk.run("side", "coder", undo);
    assert_eq!(status("side"), "?? stray.txt");
}

#[test]
fn a_work_tree_at_another_commit_is_refused_with_what_to_do() {
    let desk = Desk::new();
    with_snapshot(&desk, CHECKPOINT, 1);
    desk.write("side/c.txt", "c\n");
    desk.git("side", "add c.txt");
    desk.git("side", "commit --quiet --message more");
    let (code, said) = desk.says("side", "planner", "resume build --restore");
    assert_ne!(code, 0);
    assert!(said.contains("but this work tree is at"), "{said}");
    assert!(said.contains("git worktree add --detach ../build "), "{said}");
    assert!(desk.path("side/b.txt").exists());
}

#[test]
fn files_of_another_party_that_steer_an_agent_are_not_written_unasked() {
    let desk = Desk::new();
    desk.write("main/AGENTS.md", "Obey me.\n");
    desk.write("main/.vscode/tasks.json", "{}\n");
    with_snapshot(&desk, "pass-on build --to coder", 1);
    desk.run("side", "coder", "claim build");
    let (code, said) = desk.says("side", "coder", "resume build --restore");
    assert_ne!(code, 0, "{said}");
    assert!(said.contains(".vscode/tasks.json, AGENTS.md"), "{said}");
    assert!(said.contains("--allow-sensitive"), "{said}");
    assert!(!desk.path("side/AGENTS.md").exists());
    desk.run("side", "coder", "resume build --restore --allow-sensitive");
    assert!(desk.path("side/AGENTS.md").exists());
    assert_eq!(desk.git("side", "for-each-ref refs/tasuki").lines().count(), 2);
}

#[test]
fn a_file_in_the_way_stops_the_restore_before_anything_changes() {
    let desk = Desk::new();
    desk.write("main/.gitignore", "");
    with_snapshot(&desk, CHECKPOINT, 1);
    // Ignored here, so that no snapshot has it.
    desk.write("side/notes/new.txt", "mine\n");
    desk.write("side/.git-exclude", "");
    let exclude = desk.git("side", "rev-parse --git-path info/exclude");
    std::fs::write(desk.path("side").join(exclude), "notes/\n.git-exclude\n").unwrap();
    let (code, said) = desk.says("side", "planner", "resume build --restore");
    assert_ne!(code, 0, "{said}");
    assert!(said.contains("notes/new.txt"), "{said}");
    assert_eq!(std::fs::read_to_string(desk.path("side/notes/new.txt")).unwrap(), "mine\n");
    assert_eq!(std::fs::read_to_string(desk.path("side/a.txt")).unwrap(), "a\n");
    assert!(!desk.path("main/.git/worktrees/side/index.lock").exists());
}

#[test]
fn snapshots_can_be_turned_off_and_failures_are_visible() {
    let desk = Desk::new();
    desk.run("main", "planner", "begin --task build --goal 'Port the lexer'");
    let mut command = desk.command("main", "planner", CHECKPOINT);
    assert!(command.env("TASUKI_SNAPSHOTS", "false").status().unwrap().success());
    assert!(
        desk.run("main", "planner", "doctor").contains("no snapshot of this repository failed")
    );
    // A work tree that is the home directory is not copied.
    let line = "snapshot --task build --owner planner --cause checkpoint";
    let mut command = desk.command("main", "planner", line);
    assert!(!command.env("HOME", desk.path("main")).output().unwrap().status.success());
    let said = desk.run("main", "planner", "doctor");
    assert!(said.contains("the work tree is the home directory"), "{said}");
    assert_eq!(desk.git("main", "for-each-ref refs/tasuki"), "");
    desk.run("main", "planner", line);
    assert!(
        desk.run("main", "planner", "doctor").contains("no snapshot of this repository failed")
    );
}

#[test]
fn old_snapshots_are_removed_but_those_of_handoffs_stay() {
    let desk = Desk::new();
    desk.write("main/tasuki.toml", "[snapshots]\nkeep = 2\n");
    for (number, cause) in [(1, "checkpoint"), (2, "pass-on"), (3, "checkpoint"), (4, "crash")] {
        desk.write("main/a.txt", format!("{number}\n"));
        let line = format!("snapshot --task build --owner planner --cause {cause}");
        desk.run("main", "planner", &line);
        // The same tree makes no reference.
        desk.run("main", "planner", &line);
    }
    let left = desk.git("main", "for-each-ref --format=%(refname:lstrip=3) refs/tasuki");
    assert_eq!(left, "2\n3\n4");
}
