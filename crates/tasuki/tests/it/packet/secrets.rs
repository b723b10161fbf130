//! Secrets: refused, replaced when asked, and never printed by any command.

use insta::assert_snapshot;

use crate::support::folder::Folder;
use crate::support::samples::{HANDOFF, token, with_handoff};

fn with_secret() -> Folder {
    let secret = token();
    with_handoff().with("secret.yaml", format!("{HANDOFF}context: {{ token: {secret} }}\n"))
}

#[test]
fn a_packet_with_a_secret_is_not_valid_and_its_line_is_covered() {
    let folder = with_secret();
    assert_snapshot!(folder.run(&["validate", "secret.yaml"]), @"
    exit 1
    --- stdout
    invalid  secret.yaml  1 violation of baseline

    secret.yaml:9:19: TK-SECRET-FOUND the text at `/context/token` contains a secret: GitHub token
      |
    9 | context: { token: **************************************** }
      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = found: GitHub token, 40 bytes
      = hint: pass a reference (`secret_ref`) instead, and rotate the secret if it was exposed
    ");
    assert_snapshot!(folder.run(&["validate", "secret.yaml", "--json"]), @r#"
    exit 1
    --- stdout
    {"file":"secret.yaml","valid":false,"form":"yaml","variant":"baseline","violations":[{"code":"TK-SECRET-FOUND","pointer":"/context/token","line":9,"column":19,"message":"the text at `/context/token` holds a secret: GitHub token","found":"GitHub token, 40 bytes","hint":"pass a reference (`secret_ref`) instead, and replace the secret if it left you"}]}
    "#);
}

#[test]
fn what_writes_a_packet_refuses_a_secret_or_replaces_it() {
    let folder = with_secret();
    assert_snapshot!(folder.run(&["convert", "secret.yaml", "--to", "yaml"]), @"
    exit 3
    --- stderr
    error: secret.yaml is not a valid packet

    secret.yaml:9:19: TK-SECRET-FOUND the text at `/context/token` contains a secret: GitHub token
      |
    9 | context: { token: **************************************** }
      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = found: GitHub token, 40 bytes
      = hint: pass a reference (`secret_ref`) instead, and rotate the secret if it was exposed

      hint: use `--redact` to replace secrets, or `--allow TEXT` for a text that is not one
    ");
    assert_snapshot!(folder.run(&["convert", "secret.yaml", "--to", "yaml", "--redact"]), @r#"
    exit 0
    --- stdout
    handoff_version: "1.0"
    task_id: build-42
    from_agent: planner
    to_agent: coder
    status: in_progress
    goal: Ship the web part
    completed:
      - Scaffolded it
    remaining:
      - Write the component
    context:
      token: "[redacted: GitHub token]"
    "#);
    assert_snapshot!(folder.run(&["render", "secret.yaml"]), @"
    exit 3
    --- stderr
    error: secret.yaml cannot be used as it is

    secret.yaml:9:19: TK-SECRET-FOUND the text at `/context/token` holds a secret: GitHub token
      |
    9 | context: { token: **************************************** }
      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = found: GitHub token, 40 bytes
      = hint: pass a reference (`secret_ref`) instead, and replace the secret if it left you

      hint: `--redact` replaces secrets; `--allow TEXT` names what is none
    ");
    assert_eq!(folder.exit(&["render", "secret.yaml", "--redact"]), 0);
    assert_eq!(folder.exit(&["render", "secret.yaml", "--as", "agent", "--redact"]), 0);
}

#[test]
fn what_is_no_secret_can_be_named() {
    let folder = with_secret();
    let secret = token();
    for command in [
        &["validate", "secret.yaml"][..],
        &["render", "secret.yaml"],
        &["convert", "secret.yaml", "--to", "json"],
        &["patch", "secret.yaml", "{}"],
    ] {
        let allowed = [command, &["--allow", secret.as_str()]].concat();
        assert_eq!(folder.exit(&allowed), 0, "{command:?}");
        let by_pointer = [command, &["--allow", "/context/*"]].concat();
        assert_eq!(folder.exit(&by_pointer), 0, "{command:?}");
    }
}

#[test]
fn a_patch_brings_no_secret_in() {
    let folder = with_handoff();
    let patch = format!(r#"{{"summary": "use {}"}}"#, token());
    assert_snapshot!(folder.run(&["patch", "-i", "handoff.yaml", &patch]), @"
    exit 3
    --- stderr
    error: the result is not a valid packet; nothing was written

    <result>:11:10: TK-SECRET-FOUND the text at `/summary` contains a secret: GitHub token
       |
    11 | summary: ********************************************
       |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       = found: GitHub token, 40 bytes
       = hint: pass a reference (`secret_ref`) instead, and rotate the secret if it was exposed

      hint: use `--redact` to replace secrets, or `--allow TEXT` for a text that is not one
    ");
    assert_eq!(folder.exit(&["patch", "-i", "handoff.yaml", &patch, "--force"]), 3);
    assert_eq!(folder.read("handoff.yaml"), HANDOFF);
    assert_eq!(folder.exit(&["patch", "-i", "handoff.yaml", &patch, "--redact"]), 0);
    assert!(folder.read("handoff.yaml").contains("use [redacted: GitHub token]"));
}

#[test]
fn packets_that_differ_in_a_secret_differ() {
    let other = token().replace("k3J", "j4K");
    let folder =
        with_secret().with("other.yaml", format!("{HANDOFF}context: {{ token: {other} }}\n"));
    assert_snapshot!(folder.run(&["diff", "secret.yaml", "other.yaml"]), @"
    exit 1
    --- stderr
    The packets differ only in secrets, which are not shown.
    ");
    assert_snapshot!(folder.run(&["diff", "handoff.yaml", "secret.yaml"]), @r#"
    exit 1
    --- stdout
    + /context  {"token":"[redacted: GitHub token]"}
    "#);
}

/// Places where a secret can stand, in files that are valid, invalid, or no packets at all.
fn places(secret: &str) -> Vec<String> {
    let quoted = format!(
        "{{\"handoff_version\":\"1.0\",\"status\":\"{secret}\",\"goal\":5,\"x\":\"{secret}\"}}"
    );
    vec![
        format!("{HANDOFF}context: {{ token: {secret} }}\n"),
        format!("{HANDOFF}confidence: {secret}\n"),
        format!("{HANDOFF}notes: [{secret}, 5, {{ text: 5, evidence: {secret} }}]\n"),
        format!("{HANDOFF}acceptance: ['It works well with {secret}']\n"),
        format!("{HANDOFF}summary: |\n  First line.\n  Then {secret} again.\nconfidence: 7\n"),
        format!("{HANDOFF}{secret}: 5\ncontext: {{ {secret}: 1, {secret}: 2 }}\n"),
        format!("{HANDOFF}status: {secret}\n"),
        format!("{HANDOFF}notes: [{secret}, 'x\n"),
        format!("{HANDOFF}notes: *{secret}\n"),
        format!("{HANDOFF}handoff_version: {secret}\n"),
        format!("task_id: {secret}\nhandoff_version: {secret}\n"),
        format!("# Title\n\n```tasuki\n{HANDOFF}goal: {secret}\n```\n"),
        format!(
            "sourceAgent: {secret}\ndestinationAgent: b\ngoal: g\nsummary: {secret}\nextra: {secret}\n"
        ),
        quoted.clone(),
        quoted.replace(&secret[..2], &format!("\\u{:04x}{}", u32::from(b'g'), &secret[1..2])),
        format!("{{\"{secret}\": 1, \"{secret}\": 2}}"),
        format!("{{\"goal\": {secret}}}"),
        format!("{{\"tasuki\":\"wire/1\",\"{secret}\":1}}"),
        format!("Use {secret} to go on.\n"),
    ]
}

/// Every command that reads a file, short of those that count tokens.
const COMMANDS: &[&[&str]] = &[
    &["validate", "in.yaml"],
    &["validate", "in.yaml", "--json"],
    &["validate", "in.yaml", "--variant", "strict"],
    &["validate", "handoff.yaml", "--variant", "in.yaml"],
    &["validate", "handoff.yaml", "--contract", "contract.yaml"],
    &["validate", "--against", "handoff.yaml", "in.yaml"],
    &["validate", "--against", "in.yaml", "handoff.yaml"],
    &["validate", "."],
    &["lint", "in.yaml"],
    &["lint", "in.yaml", "--json"],
    &["render", "in.yaml"],
    &["render", "in.yaml", "--as", "brief", "--redact"],
    &["render", "in.yaml", "--as", "comment", "--redact"],
    &["render", "in.yaml", "--as", "html", "--redact"],
    &["convert", "in.yaml", "--to", "json"],
    &["convert", "in.yaml", "--to", "json", "--redact"],
    &["convert", "in.yaml", "--to", "json", "--dialect", "card", "--redact"],
    &["patch", "in.yaml", "{}"],
    &["patch", "in.yaml", "{}", "--redact", "--force"],
    &["patch", "handoff.yaml", "in.yaml"],
    &["patch", "handoff.yaml", "test.json"],
    &["patch", "handoff.yaml", "merge.json"],
    &["diff", "handoff.yaml", "in.yaml"],
    &["diff", "in.yaml", "handoff.yaml", "--patch"],
    &["contract", "check", "contract.yaml"],
    &["contract", "check", "contract.yaml", "--json"],
    &["contract", "graph", "contract.yaml"],
    &["schema", "in.yaml"],
];

/// Those that count tokens take a second each, so they see fewer files.
const COUNTING: &[&[&str]] = &[
    &["tokens", "in.yaml"],
    &["render", "in.yaml", "--as", "agent", "--redact"],
    &["render", "in.yaml", "--as", "card", "--redact", "--json"],
];

fn assert_silent(text: &str, commands: &[&[&str]]) {
    let secret = token();
    let test = format!(r#"[{{"op": "test", "path": "/goal", "value": "{secret}"}}]"#);
    let folder = with_handoff()
        .with("in.yaml", text)
        .with("contract.yaml", format!("contract: {secret}\n{text}"))
        .with("test.json", test)
        .with("merge.json", format!(r#"{{"status": "{secret}"}}"#));
    for command in commands {
        let said = folder.run(command);
        assert!(!said.contains(&secret[4..20]), "{command:?}\n{text}\n{said}");
    }
}

#[test]
fn no_command_prints_a_secret() {
    for text in places(&token()) {
        assert_silent(&text, COMMANDS);
    }
}

#[test]
fn no_count_prints_a_secret() {
    for text in places(&token()).into_iter().take(2) {
        assert_silent(&text, COUNTING);
    }
}
