//! Streams, colours and exit codes, which scripts rely on.

use std::process::Stdio;

use crate::support::folder::{Folder, repository};
use crate::support::samples::{RETURN, WRONG, token, with_handoff};

#[test]
fn exit_codes_are_the_documented_ones() {
    let secret = format!("goal: {}\n", token());
    let folder = with_handoff()
        .with("wrong.yaml", WRONG)
        .with("return.yaml", RETURN)
        .with("secret.yaml", secret)
        .with("torn.yaml", "goal: [\n");
    let page = std::fs::read_to_string(repository("docs/reference/exit-codes.md")).unwrap();
    for (code, command) in [
        (0, &["validate", "handoff.yaml"][..]),
        (0, &["validate", "--against", "handoff.yaml", "return.yaml"]),
        (0, &["diff", "handoff.yaml", "handoff.yaml"]),
        (0, &["--help"]),
        (0, &["--version"]),
        (1, &["validate", "wrong.yaml"]),
        (1, &["validate", "torn.yaml"]),
        (1, &["lint", "wrong.yaml"]),
        (1, &["diff", "handoff.yaml", "wrong.yaml"]),
        (1, &["contract", "check", "wrong.yaml"]),
        (2, &["validate", "gone.yaml"]),
        (2, &["render", "gone.yaml"]),
        (2, &["validate"]),
        (2, &["nothing"]),
        (2, &["validate", "handoff.yaml", "--variant", "nothing"]),
        (3, &["render", "wrong.yaml"]),
        (3, &["render", "torn.yaml"]),
        (3, &["convert", "secret.yaml", "--to", "json"]),
        (3, &["validate", "handoff.yaml", "--contract", "wrong.yaml"]),
        (3, &["validate", "--against", "handoff.yaml", "handoff.yaml"]),
        (3, &["patch", "handoff.yaml", "{\"status\": 5}"]),
    ] {
        assert_eq!(folder.exit(command), code, "{command:?}");
        assert!(page.contains(&format!("| {code} |")), "{code} is not documented");
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_failure() {
    let folder = with_handoff();
    for command in [
        &["validate", "handoff.yaml"][..],
        &["schema"],
        &["render", "handoff.yaml"],
        &["completions", "bash"],
        &["--help"],
        &["help", "formats"],
        &["--version"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = folder.command(command).stdout(writer).output().unwrap();
        assert_eq!(folder.shown(&output), "exit 0\n", "{command:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    let folder = with_handoff();
    for command in [&["schema"][..], &["validate", "handoff.yaml"], &["render", "handoff.yaml"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(command).stdout(full).output().unwrap();
        assert_eq!(
            folder.shown(&output),
            "exit 2\n--- stderr\nerror: cannot write to stdout: no space left on device\n",
            "{command:?}"
        );
    }
}

#[test]
fn colours_come_when_asked_for_and_not_into_a_pipe() {
    let folder = with_handoff().with("wrong.yaml", WRONG);
    for command in [
        &["validate", "handoff.yaml"][..],
        &["validate", "wrong.yaml"],
        &["lint", "handoff.yaml"],
        &["render", "handoff.yaml"],
        &["render", "wrong.yaml"],
        &["diff", "handoff.yaml", "wrong.yaml"],
        &["schema", "--list"],
    ] {
        let has_colour = |more: &[&str], variables: &[(&str, &str)]| {
            let mut tool = folder.command(&[command, more].concat());
            let output = tool.envs(variables.iter().copied()).output().unwrap();
            folder.shown(&output).contains('\u{1b}')
        };
        assert!(!has_colour(&[], &[]), "{command:?}");
        assert!(has_colour(&["--color", "always"], &[]), "{command:?}");
        assert!(has_colour(&[], &[("CLICOLOR_FORCE", "1")]), "{command:?}");
        assert!(!has_colour(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]), "{command:?}");
        assert!(has_colour(&["--color", "always"], &[("NO_COLOR", "1")]), "{command:?}");
        assert!(!has_colour(&["--json", "--color", "always"], &[]) || command[1] == "wrong.yaml");
    }
}

#[test]
fn remarks_go_to_stderr_and_data_to_stdout() {
    let folder = with_handoff().with("issue.md", "# Issue\n");
    for command in [
        &["diff", "handoff.yaml", "handoff.yaml"][..],
        &["tokens", "handoff.yaml", "--json"],
        &["render", "handoff.yaml", "--as", "agent"],
    ] {
        let mut tool = folder.command(command);
        let quiet = folder.command(&[command, &["--quiet"]].concat()).output().unwrap();
        let output = tool.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.stdout, quiet.stdout, "{command:?}");
        assert!(quiet.stderr.is_empty(), "{command:?}");
    }
}

#[test]
fn a_name_with_blanks_and_a_path_with_folders_are_named_as_given() {
    let folder = Folder::new().with("my packets/a b.yaml", WRONG);
    let said = folder.run(&["validate", "./my packets/a b.yaml"]);
    assert!(said.contains("./my packets/a b.yaml:5:9: TK-FIELD-VALUE"), "{said}");
}
