//! Compares the versions of tools that the context names, such as `node_version`.
//!
//! Only tools of a closed list are run, each with one harmless argument. They are found on `PATH`
//! and run outside the directory: version managers and toolchains obey files in the current folder,
//! which another party may have written.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use tasuki_packet::Packet;

use super::check::context_texts;
use super::finding::{Drift, Finding, What};
use super::process::{Bounds, End, Keep, guarded, run};
use crate::git::find;

/// The name before `_version`, the program, and its argument.
const TOOLS: &[(&str, &str, &str)] = &[
    ("node", "node", "--version"),
    ("npm", "npm", "--version"),
    ("python", "python", "--version"),
    ("python3", "python3", "--version"),
    ("rust", "rustc", "--version"),
    ("rustc", "rustc", "--version"),
    ("cargo", "cargo", "--version"),
    ("go", "go", "version"),
    ("java", "java", "--version"),
    ("git", "git", "--version"),
    ("docker", "docker", "--version"),
];

/// The time limit of a tool.
const TIMEOUT: Duration = Duration::from_secs(5);

/// LIMIT: bytes of its output.
const ANSWER_BYTES_MAX: usize = 4_096;

/// Compares the versions that the context names. No program below the `foreign` folders is run.
pub(super) fn compare(
    packet: &Packet,
    search_path: Option<&OsStr>,
    foreign: &[&Path],
    drift: &mut Drift,
) {
    let versions = context_texts(packet)
        .filter_map(|(name, version)| Some((name.strip_suffix("_version")?, version)));
    drift.compare_all(versions, |(name, expected)| {
        let finding = Finding::new(What::Tool, name, expected.clone());
        let Some((_, program, question)) = TOOLS.iter().find(|(known, ..)| *known == name) else {
            return finding.not_looked("not a supported tool");
        };
        let Some(expected) = plain_version(&expected) else {
            return finding.not_looked("not a plain version");
        };
        let answer = find::program(program, search_path, foreign)
            .and_then(|program| query(&program, question, TIMEOUT));
        match answer {
            Ok(found) if is_release_of(&found, expected) => finding.same(found),
            Ok(found) => finding.differs(found),
            Err(reason) => finding.not_looked(reason),
        }
    });
}

fn query(program: &Path, question: &str, timeout: Duration) -> Result<String, String> {
    let mut command = guarded(program);
    command.arg(question).current_dir("/");
    let bounds = Bounds { timeout, keep: Keep::First(ANSWER_BYTES_MAX), with_errors: false };
    let answer = run(command, bounds).map_err(|error| format!("cannot run it: {error}"))?;
    match answer.end {
        End::Code(0) => {}
        End::Timeout => return Err(format!("timeout after {timeout:?}")),
        End::Code(_) | End::Signal => return Err("no version in its output".to_owned()),
    }
    let text = String::from_utf8_lossy(&answer.output);
    version_in(&text).map(str::to_owned).ok_or("no version in its output".to_owned())
}

/// Returns the version in a text, unless it is a range.
fn plain_version(text: &str) -> Option<&str> {
    let is_range = text.contains(['<', '>', '=', '^', '~', '*', '|']);
    if is_range { None } else { version_in(text) }
}

/// Returns the first word that is a version, such as `go1.25.1`, `v22.11.0` or `(1.2.3)`.
fn version_in(text: &str) -> Option<&str> {
    text.split(|character: char| character.is_whitespace() || "(),\"".contains(character)).find_map(
        |word| {
            let start = word.find(|character: char| character.is_ascii_digit())?;
            matches!(&word[..start], "" | "v" | "go").then_some(&word[start..])
        },
    )
}

/// Returns `true` if a version is the expected one or, if that is shorter, a release of it.
fn is_release_of(found: &str, expected: &str) -> bool {
    match found.strip_prefix(expected) {
        Some(rest) => rest.is_empty() || rest.starts_with('.'),
        None => false,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::fs::PermissionsExt as _;

    use serde_json::{Value, json};

    use super::*;
    use crate::drift::Options;
    use crate::drift::samples::{TestRepository, drift, options};

    /// Returns a folder with programs that print one text each.
    fn tools(programs: &[(&str, &str)]) -> TestRepository {
        programs.iter().fold(TestRepository::new(), |repo, (name, script)| {
            let repo = repo.with(name, format!("#!/bin/sh\n{script}\n"));
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(repo.path(name), mode).unwrap();
            repo
        })
    }

    fn lines(search_path: OsString, directory: &TestRepository, context: &Value) -> Vec<String> {
        let options = Options { search_path: Some(search_path), ..options() };
        let found = drift(&directory.path(""), json!({ "context": context }), &options);
        let line = |finding: &Finding| {
            let seen = finding.found.clone().unwrap_or_else(|| format!("{:?}", finding.outcome));
            format!("{} {}: {seen}", finding.outcome.as_str(), finding.name)
        };
        found.findings.iter().map(line).collect()
    }

    #[test]
    fn versions_are_compared_with_the_output_of_tools() {
        let tools = tools(&[
            ("node", "echo v22.11.0"),
            ("rustc", "echo 'rustc 1.95.0 (59807616e 2026-04-14)'"),
            ("python3", "echo Python 3.12.1"),
            ("go", "test \"$1\" = version && echo go version go1.25.1 linux/amd64"),
            ("docker", "echo 'Docker version 28.0.1, build 068a01e'"),
            ("npm", "exit 1"),
        ]);
        let context = json!({
            "node_version": "22.11.0", "rustc_version": "1.95", "python3_version": "v3.1",
            "go_version": "go1.25.1", "docker_version": 28, "npm_version": "10",
            "java_version": "21", "spfx_version": "1.22.2", "rust_version": ">=1.80",
        });
        insta::assert_snapshot!(lines(tools.path("").into(), &TestRepository::new(), &context).join("\n"), @r#"
        same node: 22.11.0
        same rustc: 1.95.0
        differs python3: 3.12.1
        same go: 1.25.1
        same docker: 28.0.1
        not_looked npm: NotLooked("no version in its output")
        not_looked java: NotLooked("`java` is not on PATH")
        not_looked spfx: NotLooked("not a supported tool")
        not_looked rust: NotLooked("not a plain version")
        "#);
    }

    #[test]
    fn a_name_that_is_not_in_the_list_is_never_run() {
        let tools = tools(&[("evil", "touch trace"), ("sh", "touch trace")]);
        let context = json!({"evil_version": "1", "sh_version": "1", "../evil_version": "1"});
        let lines = lines(tools.path("").into(), &TestRepository::new(), &context);
        assert!(lines.iter().all(|line| line.contains("not a supported tool")), "{lines:?}");
    }

    #[test]
    fn a_program_in_the_directory_is_not_run() {
        let directory = tools(&[("node", "echo v1.0.0")]);
        let linked = TestRepository::new();
        std::os::unix::fs::symlink(directory.path("node"), linked.path("node")).unwrap();
        let context = json!({"node_version": "1.0.0"});
        for folder in [&directory, &linked] {
            let found = lines(folder.path("").into(), &directory, &context);
            assert!(found[0].contains("is in the directory"), "{found:?}");
        }
        for folder in ["", "."] {
            let found = lines(folder.into(), &directory, &context);
            assert!(found[0].contains("not on PATH"), "{found:?}");
        }
        // Elsewhere it is run like any other tool.
        assert_eq!(
            lines(linked.path("").into(), &TestRepository::new(), &context),
            ["same node: 1.0.0"]
        );
    }

    #[test]
    fn a_tool_does_not_see_the_directory() {
        let tools = tools(&[("node", "test \"$PWD\" = / && echo v1.0.0")]);
        let context = json!({"node_version": "1.0.0"});
        assert_eq!(
            lines(tools.path("").into(), &TestRepository::new(), &context),
            ["same node: 1.0.0"]
        );
    }

    #[test]
    fn a_tool_that_hangs_times_out() {
        let tools = tools(&[("node", "while :; do :; done")]);
        let answer = query(&tools.path("node"), "--version", Duration::from_millis(300));
        assert_eq!(answer, Err("timeout after 300ms".to_owned()));
    }

    #[test]
    fn a_shorter_version_matches_its_releases() {
        for (found, expected, is_release) in [
            ("22.11.0", "22", true),
            ("22.11.0", "22.11", true),
            ("22.11.0", "22.1", false),
            ("22.11.0", "22.11.0", true),
            ("22.11", "22.11.0", false),
        ] {
            assert_eq!(is_release_of(found, expected), is_release, "{found} {expected}");
        }
        assert_eq!(plain_version("^22.1"), None);
        assert_eq!(plain_version("latest"), None);
        assert_eq!(plain_version("Python 3.12.1"), Some("3.12.1"));
    }
}
