//! `tasuki drift`: what people and scripts see of it, and that a packet runs nothing.

use insta::assert_snapshot;

use crate::support::folder::Folder;
use crate::support::samples::{HANDOFF, token};

const COMMIT: &str = "9f2c1e0000000000000000000000000000000000";
const HELLO: &str = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// A repository made by hand, on branch `main` at one commit, and a packet that was written in it.
fn directory() -> Folder {
    let packet = format!(
        r#"{HANDOFF}context: {{ branch: main, commit: 9f2c1e0, node_version: "22.11.0", spfx_version: "1.22.2", config_file: config/sass.json }}
inputs: [plan.md, The talk of Monday, ../outside.md]
evidence_refs: ["commit:9f2c1e0"]
artifacts: [{{ kind: output, path: dist/bundle.js, digest: "{HELLO}", bytes: 5 }}]
acceptance: [{{ id: tests, text: tests pass, run: touch trace }}, It is small]
"#
    );
    Folder::new()
        .with("handoff.yaml", packet)
        .with(".git/HEAD", "ref: refs/heads/main\n")
        .with(".git/refs/heads/main", COMMIT)
        .with("config/sass.json", "{}")
        .with("plan.md", "")
        .with("dist/bundle.js", "hello")
}

#[test]
fn where_nothing_has_changed_only_checks_are_shown() {
    let place = directory();
    assert_snapshot!(place.run(&["drift", "handoff.yaml"]), @"
    exit 0
    --- stdout
    skipped   check       tests  touch trace (not run; use `--run-checks` to run it)
    --- stderr
    6 unchanged, 4 skipped
    ");
    assert!(!place.path("trace").exists());
}

#[test]
fn everything_is_shown_on_request() {
    assert_snapshot!(directory().run(&["drift", "handoff.yaml", "--all"]), @"
    exit 0
    --- stdout
    same      branch      branch            main
    same      commit      commit            9f2c1e0
    same      commit      commit:9f2c1e0    in the history of `HEAD` → `HEAD`
    skipped   tool        node              22.11.0 (`node` is not on PATH)
    skipped   tool        spfx              1.22.2 (not a supported tool)
    same      path        config/sass.json  exists → a file
    same      artifact    dist/bundle.js    5 bytes, sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa… → same digest
    same      input       plan.md           exists → a file
    skipped   input       ../outside.md     exists (paths with `..` are not opened)
    skipped   check       tests             touch trace (not run; use `--run-checks` to run it)
    --- stderr
    6 unchanged, 4 skipped
    ");
}

#[test]
fn what_has_changed_has_a_line_each() {
    let place = directory()
        .with(".git/HEAD", "ref: refs/heads/work\n")
        .with(".git/refs/heads/work", COMMIT.replace("9f2c", "77aa"))
        .with("dist/bundle.js", "jello");
    std::fs::remove_file(place.path("plan.md")).unwrap();
    assert_snapshot!(place.run(&["drift", "handoff.yaml"]), @"
    exit 1
    --- stdout
    changed   branch      branch          main → work
    changed   commit      commit          9f2c1e0 → 77aa1e000000
    changed   artifact    dist/bundle.js  5 bytes, sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa… → different digest
    missing   input       plan.md
    skipped   check       tests           touch trace (not run; use `--run-checks` to run it)
    --- stderr
    1 unchanged, 3 changed, 1 missing, 5 skipped
    ");
    assert_snapshot!(place.run(&["drift", "handoff.yaml", "--json"]), @r#"
    exit 1
    --- stdout
    {"directory":".","findings":[{"what":"branch","name":"branch","expected":"main","found":"work","outcome":"differs"},{"what":"commit","name":"commit","expected":"9f2c1e0","found":"77aa1e000000","outcome":"differs"},{"what":"commit","name":"commit:9f2c1e0","expected":"in the history of `HEAD`","outcome":"not_looked","reason":"`git` is not on PATH"},{"what":"tool","name":"node","expected":"22.11.0","outcome":"not_looked","reason":"`node` is not on PATH"},{"what":"tool","name":"spfx","expected":"1.22.2","outcome":"not_looked","reason":"not a supported tool"},{"what":"path","name":"config/sass.json","expected":"exists","found":"a file","outcome":"same"},{"what":"artifact","name":"dist/bundle.js","expected":"5 bytes, sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","found":"different digest","outcome":"differs"},{"what":"input","name":"plan.md","expected":"exists","outcome":"missing"},{"what":"input","name":"../outside.md","expected":"exists","outcome":"not_looked","reason":"paths with `..` are not opened"},{"what":"check","name":"tests","expected":"touch trace","outcome":"not_looked","reason":"not run; use `--run-checks` to run it"}],"counts":{"same":1,"differs":3,"missing":1,"not_looked":5},"left_out":0}
    "#);
}

#[test]
fn checks_run_only_if_asked_for() {
    let place = directory().with(
        "checks.yaml",
        HANDOFF.to_owned()
            + "acceptance:\n\
               - { id: good, text: a, run: touch trace }\n\
               - { id: bad, text: b, run: \"printf 'one\\\\n\\\\033[2Jtwo\\\\n'; exit 3\" }\n\
               - { id: slow, text: c, run: sleep 60 }\n",
    );
    assert_snapshot!(place.run(&["drift", "checks.yaml", "--run-checks", "--timeout", "2s"]), @r#"
    exit 1
    --- stdout
    same      check       good  touch trace → pass
    changed   check       bad   printf 'one\n\033[2Jtwo\n'; exit 3 → fail, exit 3
        | one
        | <U+001B>[2Jtwo
    changed   check       slow  sleep 60 → timeout after 2s
    --- stderr
    Running 3 checks, at most 2s each
    1 unchanged, 2 changed
    "#);
    assert!(place.path("trace").exists());
}

#[test]
fn a_command_is_shown_whole_and_with_nothing_hidden() {
    let tail = "x".repeat(300);
    let packet = HANDOFF.to_owned()
        + &format!("acceptance: [{{ text: a, run: \"true; \\e[8m {tail} rm all\\n\" }}]\n");
    let place = Folder::new().with("handoff.yaml", packet);
    let shown = place.run(&["drift", "handoff.yaml"]);
    let expected = format!("true; <U+001B>[8m {tail} rm all↵ (not run");
    assert!(shown.contains(&expected), "{shown}");
}

#[test]
fn a_secret_is_not_shown_and_no_command_with_one_is_run() {
    let packet = HANDOFF.to_owned()
        + &format!("acceptance: [{{ text: a, run: \"touch trace; echo {}\" }}]\n", token());
    let place = Folder::new().with("handoff.yaml", packet);
    let shown = place.run(&["drift", "handoff.yaml"]);
    assert!(shown.starts_with("exit 0") && !shown.contains(&token()), "{shown}");
    assert_snapshot!(place.run(&["drift", "handoff.yaml", "--run-checks"]), @"
    exit 3
    --- stderr
    error: handoff.yaml contains a secret, so its checks cannot run
      hint: `tasuki validate` shows where; run the checks by hand if they need it
    ");
    assert!(!place.path("trace").exists());
}

#[test]
fn what_a_check_prints_is_shown_without_secrets() {
    let packet = HANDOFF.to_owned() + "acceptance: [{ text: a, run: \"cat token; exit 1\" }]\n";
    let place = Folder::new().with("handoff.yaml", packet).with("fence", token());
    let shown = place.run(&["drift", "handoff.yaml", "--run-checks"]);
    assert!(shown.contains("fail, exit 1") && !shown.contains(&token()), "{shown}");
}

#[test]
fn a_flood_of_facts_is_cut() {
    let artifacts = "{ kind: log, path: gone.txt }, ".repeat(3_000);
    let packet = HANDOFF.to_owned() + &format!("artifacts: [{artifacts}]\n");
    let place = Folder::new().with("handoff.yaml", packet);
    let shown = place.run(&["drift", "handoff.yaml"]);
    assert_eq!(shown.matches("missing ").count(), 200);
    assert!(shown.ends_with("0 unchanged, 200 missing, 2800 more not listed\n"));
}

#[test]
fn what_cannot_be_read_has_no_facts() {
    let place = Folder::new().with("torn.json", "{");
    assert_snapshot!(place.run(&["drift", "gone.yaml"]), @"
    exit 2
    --- stderr
    error: cannot read gone.yaml: no such file or directory
    ");
    assert_eq!(place.exit(&["drift", "torn.json"]), 3);
    assert_eq!(place.exit(&["drift", "torn.json", "--timeout", "5s"]), 2);
    assert_eq!(place.run_with(&["drift", "-q", "-"], HANDOFF), "exit 0\n");
}
