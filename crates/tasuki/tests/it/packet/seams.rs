//! The packet's seams: what one command writes, another one reads.

use crate::support::fixture::Fixture;
use crate::support::folder::{Folder, repository};
use crate::support::samples::{HANDOFF, RETURN, with_handoff};

const AHP: &str = "packet_type: task\ngoal: Port it\nconstraints:\n- Keep the API\nacceptance:\n- It builds\n\
                   failure_boundary:\n- Stop before release\nreturn_required:\n- status\n";

const VARIANT: &str = "variant: our-team\nextends: baseline\nrequire: [ticket]\nunknown: refuse\n";

/// A packet whose brief does not fit the default budget.
fn long_packet() -> String {
    let steps: Vec<_> = (0..300).map(|n| format!("- Step {n} of the long migration\n")).collect();
    HANDOFF.replace("completed: [Scaffolded it]\n", &format!("completed:\n{}", steps.concat()))
}

#[test]
fn a_document_of_a_dialect_stays_valid_in_every_form_and_as_a_comment() {
    let folder = Folder::new().with("task.yaml", AHP);
    let digest = |file: &str| {
        let report = folder.stdout(&["validate", file, "--json"]);
        serde_json::from_str::<serde_json::Value>(&report).unwrap()["digest"].clone()
    };
    let original = digest("task.yaml");
    assert!(original.is_string());
    for form in ["json", "yaml", "markdown", "wire"] {
        let out = format!("out.{form}");
        folder.stdout(&["convert", "task.yaml", "--to", form, "--out", &out]);
        assert_eq!(digest(&out), original, "{form}");
    }
    let comment = folder.stdout(&["render", "task.yaml", "--as", "comment"]);
    let folder = folder.with("comment.md", comment);
    assert_eq!(folder.exit(&["validate", "comment.md"]), 0);
}

#[test]
fn a_conversion_that_no_reader_accepts_is_refused_and_says_why() {
    let folder = Folder::new().with("task.yaml", AHP);
    let refused = folder.run(&["convert", "task.yaml", "--to", "json", "--dialect", "packet"]);
    assert!(refused.starts_with("exit 3\n"), "{refused}");
    assert!(refused.contains("missing required field `task_id`"), "{refused}");
    let forced =
        folder.stdout(&["convert", "task.yaml", "--to", "json", "--dialect", "packet", "--force"]);
    assert!(forced.contains("\"handoff_version\": \"1.0\""), "{forced}");
    let card =
        with_handoff().run(&["convert", "handoff.yaml", "--to", "json", "--dialect", "card"]);
    assert!(card.contains("missing required field `summary`"), "{card}");
}

#[test]
fn a_patch_rewrites_the_text_that_was_generated_around_the_packet() {
    let folder = with_handoff();
    let comment = folder.stdout(&["render", "handoff.yaml", "--as", "comment"]);
    let folder = folder.with("issue.md", format!("Hello.\n\n{comment}\nBye.\n"));
    folder.stdout(&["patch", "--in-place", "issue.md", "{\"goal\": \"Stop it\"}"]);
    let patched = folder.read("issue.md");
    assert!(patched.starts_with("Hello.\n\n# Handoff build-42\n"), "{patched}");
    assert!(patched.contains("**Request:** Stop it\n"), "{patched}");
    assert!(!patched.contains("Ship the web part"), "{patched}");
    assert!(patched.ends_with("```\n\nBye.\n"), "{patched}");
}

#[test]
fn a_variant_file_is_understood_by_every_command() {
    let packet = format!("{HANDOFF}ticket: 7\nprofile: our-team\n");
    let folder = Folder::new()
        .with("ours.yaml", VARIANT)
        .with("good.yaml", &packet)
        .with("bad.yaml", format!("{HANDOFF}profile: our-team\n"));
    for command in [
        &["render", "good.yaml"][..],
        &["patch", "good.yaml", "{\"status\": \"blocked\"}"],
        &["convert", "good.yaml", "--to", "json"],
        &["lint", "good.yaml"],
        &["validate", "good.yaml"],
    ] {
        let with = [command, &["--variant", "ours.yaml"]].concat();
        let shown = folder.run(&with);
        assert!(!shown.contains("TK-FIELD"), "{command:?}: {shown}");
        let bad: Vec<&str> =
            with.iter().map(|word| if *word == "good.yaml" { "bad.yaml" } else { word }).collect();
        let shown = folder.run(&bad);
        assert!(shown.contains("missing required field `ticket`"), "{bad:?}: {shown}");
        let unknown = folder.run(&[command, &["--variant", "ourz"]].concat());
        assert!(unknown.contains("unknown variant `ourz`"), "{command:?}: {unknown}");
        let alone = folder.run(command);
        assert!(alone.contains("unknown variant `our-team`"), "{command:?}: {alone}");
    }
    let exchange = Fixture::new();
    exchange.write("ours.yaml", VARIANT);
    exchange.write("good.yaml", &packet);
    let alone = exchange.says("submit good.yaml --as planner");
    assert!(alone.contains("unknown variant `our-team`"), "{alone}");
    exchange.run("submit good.yaml --variant ours.yaml --as planner");
}

#[test]
fn a_contract_may_have_a_variant_file_as_its_profile() {
    let exchange = Fixture::new();
    let contract = "contract: work\nversion: '1.0'\nfrom: [planner]\nto: [coder]\n\
                    payload_schema: { type: object, additionalProperties: false }\n\
                    scope: { is: work }\nconfidence: { required: false }\nprovenance: { require: [] }\n\
                    fallback: [{ to: dead_letter }]\nprofile: ours.yaml\n";
    exchange.write("work.yaml", contract);
    let missing = exchange.says("contract check work.yaml");
    assert!(missing.contains("the variant file `ours.yaml` was not found"), "{missing}");
    exchange.write("ours.yaml", VARIANT);
    exchange.run("contract publish work.yaml");
    exchange.write("bad.yaml", &format!("{HANDOFF}contract: work@1.0\n"));
    exchange
        .write("good.yaml", &format!("{HANDOFF}contract: work@1.0\nticket: 7\npayload: {{}}\n"));
    let refused = exchange.says("submit bad.yaml --as planner");
    assert!(refused.contains("missing required field `ticket`"), "{refused}");
    exchange.run("submit good.yaml --as planner");
}

#[test]
fn a_sender_checks_its_own_variant_before_it_submits() {
    let exchange = Fixture::new();
    exchange.write("ours.yaml", VARIANT);
    exchange.write("bad.yaml", HANDOFF);
    let refused = exchange.says("submit bad.yaml --variant ours.yaml --as planner");
    assert!(refused.contains("missing required field `ticket`"), "{refused}");
    exchange.write("unknown.yaml", &format!("{HANDOFF}profile: stritc\n"));
    let refused = exchange.says("submit unknown.yaml --as planner");
    assert!(refused.contains("unknown variant `stritc`"), "{refused}");
}

#[test]
fn this_repository_and_ordinary_readmes_have_nothing_wrong() {
    let root = repository("").canonicalize().unwrap();
    let folder = Folder::new();
    let scanned = folder.run(&["validate", root.to_str().unwrap(), "--quiet"]);
    assert_eq!(scanned, "exit 0\n");
    let readme = "# Title\n\nstatus: fine\n\n```yaml\nhandoff_version: '1.0'\nstatus: done\n```\n";
    let folder = Folder::new()
        .with("README.md", readme)
        .with("ci.yaml", "name: CI\non: [push\n")
        .with("package.json", "{\"name\": \"x\", \"version\": \"1\"}");
    let scanned = folder.run(&["validate", "."]);
    assert_eq!(scanned, "exit 0\n--- stderr\n0 valid, 0 invalid, 3 skipped (not a packet)\n");
}

#[test]
fn a_scan_checks_contracts_gates_and_rules_and_honours_the_ignore_file() {
    let folder = Folder::new()
        .with("policy/gate.yaml", "gate: release\nversion: '1.0'\nfactors: []\n")
        .with("policy/rules.yaml", "rules:\n- name: money\n  then: nonsense\n")
        .with("policy/good.yaml", "variant: ours\nextends: strict\n")
        .with("bad/packet.yaml", "handoff_version: '1.0'\nstatus: done\n")
        .with(".tasukiignore", "# deliberately wrong\nbad/\n");
    let scanned = folder.run(&["validate", "."]);
    assert!(scanned.starts_with("exit 1\n"), "{scanned}");
    assert!(scanned.contains("valid    ./policy/good.yaml  variant\n"), "{scanned}");
    assert!(scanned.contains("./policy/gate.yaml"), "{scanned}");
    assert!(scanned.contains("./policy/rules.yaml"), "{scanned}");
    assert!(!scanned.contains("bad/packet.yaml"), "{scanned}");
    assert!(scanned.contains("1 valid, 2 invalid"), "{scanned}");
}

#[test]
fn quiet_is_quiet_but_never_hides_a_loss() {
    let folder = with_handoff().with("wrong.yaml", HANDOFF.replace("in_progress", "done"));
    assert_eq!(folder.run(&["-q", "validate", "handoff.yaml"]), "exit 0\n");
    let folder = folder.with("long.yaml", long_packet());
    for command in ["validate", "lint"] {
        let long = folder.run(&["-q", command, "long.yaml"]);
        assert!(long.contains("the receiver's brief leaves out "), "{long}");
        assert!(!long.contains("valid    long.yaml"), "{long}");
    }
    assert!(folder.run(&["-q", "validate", "wrong.yaml"]).contains("TK-FIELD-VALUE"));
    let lint = folder.run(&["-q", "lint", "handoff.yaml"]);
    assert!(!lint.contains("ownership") && !lint.contains("confidence"), "{lint}");
    let summary = format!("{HANDOFF}summary: So far so good.\n");
    let folder = folder.with("card.yaml", summary);
    let card = folder.run(&["-q", "convert", "card.yaml", "--to", "json", "--dialect", "card"]);
    assert!(card.contains("lost: /task_id"), "{card}");
}

#[test]
fn every_command_says_what_the_brief_leaves_out() {
    let folder = Folder::new().with("long.yaml", long_packet());
    for command in [&["validate", "long.yaml"][..], &["lint", "long.yaml"]] {
        let shown = folder.run(command);
        assert!(shown.contains("the receiver's brief leaves out "), "{shown}");
        assert!(shown.contains(" entries of /completed; it has "), "{shown}");
        assert!(shown.contains(" for everything"), "{shown}");
    }
    let tokens = folder.run(&["tokens", "long.yaml"]);
    assert!(tokens.contains("the agent brief is cut: it leaves out "), "{tokens}");
    assert!(tokens.contains(" entries of /completed; it has "), "{tokens}");
    let exchange = Fixture::new();
    exchange.write("long.yaml", &long_packet());
    let sends = |line: &str| {
        let sent = exchange.says(line);
        assert!(sent.contains("note: the receiver's brief leaves out "), "{sent}");
        assert!(!sent.contains("Next:") && !sent.contains("read-only"), "{sent}");
    };
    sends("submit long.yaml --as planner -q");
    exchange.run("claim --as coder --no-drift -q");
    sends("pass-on --to ben --as coder -q");
    assert!(!with_handoff().run(&["validate", "handoff.yaml"]).contains("brief"));
}

#[test]
fn the_artifacts_of_a_return_are_compared_where_they_are_in_reach() {
    let artifacts = "artifacts:\n- { kind: output, path: out.txt, bytes: 5 }\n\
                     - { kind: output, path: elsewhere/x.bin, bytes: 1 }\n\
                     - { kind: output, path: gone.txt }\n";
    let folder = with_handoff().with("return.yaml", format!("{RETURN}{artifacts}"));
    let folder = folder.with("out.txt", "four");
    let shown = folder.run(&["validate", "--against", "handoff.yaml", "return.yaml"]);
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert!(shown.contains("✗ artifact `out.txt`: 4 bytes, expected 5 bytes"), "{shown}");
    assert!(
        shown.contains("– artifact `elsewhere/x.bin`: not checked: its folder is not here"),
        "{shown}"
    );
    assert!(shown.contains("✗ artifact `gone.txt`: missing"), "{shown}");
    let folder = folder.with("out.txt", "fours").with("gone.txt", "");
    assert_eq!(folder.exit(&["validate", "--against", "handoff.yaml", "return.yaml"]), 0);
}

/// An exchange in which `coder` holds a task, with a return that names these artifacts.
fn holding(artifacts: &str) -> Fixture {
    let exchange = Fixture::new();
    exchange.write("handoff.yaml", HANDOFF);
    exchange.write("out.txt", "four");
    exchange.write("return.yaml", &format!("{RETURN}artifacts:\n{artifacts}"));
    exchange.run("submit handoff.yaml --as planner");
    exchange.run("claim build-42 --as coder --no-drift");
    exchange
}

#[test]
fn a_return_with_artifacts_that_are_not_as_it_states_is_refused() {
    let zeros = "0".repeat(64);
    for (artifact, expected) in [
        ("bytes: 5".to_owned(), "artifact `out.txt`: 4 bytes, expected 5 bytes".to_owned()),
        (
            format!("digest: 'sha256:{zeros}'"),
            format!(
                "artifact `out.txt`: sha256:04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00, \
                 expected sha256:{zeros}"
            ),
        ),
    ] {
        let exchange = holding(&format!("- {{ kind: output, path: out.txt, {artifact} }}\n"));
        let said = |line: &str| {
            let output = exchange.command(line).output().unwrap();
            (output.status.code(), String::from_utf8(output.stderr).unwrap())
        };
        let (code, refused) = said("return build-42 -f return.yaml --as coder");
        assert_eq!(code, Some(3), "{refused}");
        assert!(refused.contains(&expected), "{refused}");
        assert!(refused.contains("update `artifacts` in the packet"), "{refused}");
        let (code, forced) = said("return build-42 -f return.yaml --as coder --force");
        assert_eq!(code, Some(0), "the claim is kept: {forced}");
        assert!(forced.contains(&format!("warning: {expected}")), "{forced}");
    }
    let exchange = holding("- { kind: output, path: gone.txt }\n");
    let refused = exchange.says("return build-42 -f return.yaml --as coder");
    assert!(refused.contains("artifact `gone.txt`: missing"), "{refused}");
}

#[test]
fn a_return_marks_the_artifacts_that_it_could_not_check() {
    let artifacts = "- { kind: output, path: out.txt, bytes: 4 }\n\
                     - { kind: output, path: elsewhere/x.bin, bytes: 1 }\n";
    let warning = "warning: artifact `elsewhere/x.bin`: not checked: its folder is not here";
    let said = holding(artifacts).says("return build-42 -f return.yaml --as coder");
    assert!(said.contains(warning), "{said}");
    let json = holding(artifacts).stdout("return build-42 -f return.yaml --as coder --json");
    let json: serde_json::Value = serde_json::from_str(json.trim()).unwrap();
    let outcomes = ["/artifacts/0/outcome", "/artifacts/1/outcome"];
    let outcomes = outcomes.map(|place| json.pointer(place).and_then(serde_json::Value::as_str));
    assert_eq!(outcomes, [Some("same"), Some("not_looked")], "{json}");
}

#[test]
fn a_child_that_validates_against_its_parent_can_be_passed_on() {
    let parent = format!("{HANDOFF}constraints: [Keep the API]\nreturn_required: [summary]\n");
    let folder = with_handoff().with("parent.yaml", parent);
    let shown = folder.run(&["validate", "--parent", "parent.yaml", "handoff.yaml"]);
    assert!(shown.contains("TK-OWED-DROPPED `constraints` drops `Keep the API`"), "{shown}");
    assert!(shown.contains("TK-OWED-DROPPED `return_required` drops `summary`"), "{shown}");
}

#[test]
fn the_packet_is_explained_on_one_page() {
    let page = Folder::new().stdout(&["help", "packet"]);
    for part in ["pinned: true", "return_required", "sign_offs_due", "1,500 tokens"] {
        assert!(page.contains(part), "{page}");
    }
    assert!(page.lines().count() < 120 && page.lines().all(|line| line.chars().count() <= 100));
}

const RULES: &str = "rules:\n- name: patient-data\n  when: { classification: [SECRET] }\n  variant: regulated\n\
                     - name: clinic\n  when: { edge: [{ to: 'role:clinic' }] }\n  variant: coding\n";

#[test]
fn a_rule_of_a_file_chooses_the_variant_and_the_report_names_it() {
    let folder = with_handoff()
        .with("rules.yaml", RULES)
        .with("secret.yaml", format!("{HANDOFF}classification: SECRET\n"));
    let validate = |file: &str| folder.run(&["validate", "--rules", "rules.yaml", file]);
    assert!(validate("handoff.yaml").contains("baseline, yaml"));
    let shown = validate("secret.yaml");
    assert!(shown.contains("violations of regulated, chosen by rule `patient-data`"), "{shown}");
    let missing = "missing required field `retention` (variant `regulated`)";
    assert!(shown.contains(missing), "{shown}");
    let json = folder.run(&["validate", "--rules", "rules.yaml", "secret.yaml", "--json"]);
    assert!(json.contains(r#""variant":"regulated","variant_rule":"patient-data""#), "{json}");
    let named = ["validate", "--rules", "rules.yaml", "--variant", "baseline", "secret.yaml"];
    assert_eq!(folder.exit(&named), 0);
    let folder = folder.with("rules.yaml", RULES.replace("regulated", "regulatd"));
    let refused = folder.run(&["validate", "--rules", "rules.yaml", "secret.yaml"]);
    assert!(refused.contains("did you mean `regulated`?"), "{refused}");
    let checked = folder.run(&["validate", "rules.yaml"]);
    assert!(checked.contains("did you mean `regulated`?"), "{checked}");
}

#[test]
fn the_rules_of_an_exchange_choose_the_variant_in_validate_and_submit() {
    let exchange = Fixture::new();
    exchange.write("rules.yaml", RULES);
    exchange.write("secret.yaml", &format!("{HANDOFF}classification: SECRET\n"));
    let clinic = HANDOFF.replace("to_agent: coder", "to_agent: dora");
    exchange.write("clinic.yaml", &clinic);
    let broken = RULES.replace("regulated", "regulatd");
    exchange.write("broken.yaml", &broken);
    let refused = exchange.says("rules set broken.yaml");
    assert!(refused.contains("did you mean `regulated`?"), "{refused}");
    exchange.run("party add dora");
    exchange.run("party add role:clinic --member dora");
    exchange.run("rules set rules.yaml");
    let shown = exchange.says("validate secret.yaml");
    assert!(shown.contains("chosen by rule `patient-data`"), "{shown}");
    let refused = exchange.says("submit secret.yaml --as planner");
    assert!(refused.contains("rule `patient-data` chose the variant `regulated`"), "{refused}");
    // Roles are those of the exchange.
    let shown = exchange.says("validate clinic.yaml");
    assert!(shown.contains("violation of coding, chosen by rule `clinic`"), "{shown}");
    exchange.write("clinic.yaml", &format!("{clinic}failed_approaches: []\n"));
    let shown = exchange.says("validate clinic.yaml");
    assert!(shown.contains("coding (chosen by rule `clinic`), yaml"), "{shown}");
    exchange.run("submit clinic.yaml --as planner");
}

#[test]
fn a_sign_off_that_is_due_before_the_return_is_asked_for_and_given() {
    let exchange = Fixture::new();
    let due = "sign_offs_due:\n- { text: Legal approves it, before: return, by: ana }\n";
    exchange.write("handoff.yaml", &format!("{HANDOFF}{due}"));
    exchange.write("return.yaml", RETURN);
    exchange.run("party add ana --human");
    exchange.run("submit handoff.yaml --as planner");
    exchange.run("claim build-42 --as coder --no-drift");
    let refused = exchange.says("return build-42 -f return.yaml --as coder");
    assert!(refused.contains("[TK-SIGN-OFF-DUE]"), "{refused}");
    assert!(refused.contains("`Legal approves it` by `ana` is due before `return`"), "{refused}");
    let asked = "request-approval --sign-off 'Legal approves it' --as coder --timeout 1ms --leave";
    let asked = exchange.says(asked);
    assert!(asked.contains("[exit 20]"), "{asked}");
    exchange.run("approve build-42@seen --as ana");
    let shown = exchange.says("show build-42 --as coder");
    assert!(shown.contains("Signed off  Legal approves it"), "{shown}");
    exchange.run("return build-42 -f return.yaml --as coder");
}

#[test]
fn every_report_names_the_field_that_chose_the_variant() {
    let gated = format!("{HANDOFF}sign_off_gates: [release]\n");
    let folder = Folder::new().with("gated.yaml", &gated);
    for command in ["validate", "lint"] {
        let shown = folder.run(&[command, "gated.yaml"]);
        let expected = "violations of regulated, chosen by `sign_off_gates`";
        assert!(shown.contains(expected), "{shown}");
    }
    let json = folder.run(&["lint", "gated.yaml", "--json"]);
    let expected = r#""variant":"regulated","variant_field":"sign_off_gates""#;
    assert!(json.contains(expected), "{json}");
    let exchange = Fixture::new();
    exchange.write("gated.yaml", &gated);
    let refused = exchange.says("submit gated.yaml --as planner");
    assert!(refused.contains("`sign_off_gates` chose the variant `regulated`; fix"), "{refused}");
}
