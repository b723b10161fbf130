//! Checks: the commands of `acceptance` that decide a criterion.
//!
//! `run` is written by another party. It is always shown, but executed only if the caller asks for
//! it, with the caller's rights.

use std::path::Path;

use tasuki_packet::{Item, Packet};

use super::check::Options;
use super::finding::{Drift, Finding, What};
use super::process::{Bounds, End, Keep, guarded, run};

/// LIMIT: bytes kept of the output of a check, from its end, where the reason usually is.
const OUTPUT_BYTES_MAX: usize = 2_048;

/// Lists the checks, and runs them if the options allow it.
pub(super) fn compare(packet: &Packet, directory: &Path, options: &Options, drift: &mut Drift) {
    drift.compare_all(declared(packet), |(name, script)| {
        let finding = Finding::new(What::Check, name, script);
        if options.run_checks {
            run_check(finding, script, directory, options)
        } else {
            finding.not_looked("not run; use `--run-checks` to run it")
        }
    });
}

/// Returns the name and command of every check.
pub(super) fn declared(packet: &Packet) -> impl Iterator<Item = (&str, &str)> {
    packet.items("acceptance").filter_map(|item: Item<'_>| {
        let script = item.member("run").filter(|script| !script.trim().is_empty())?;
        Some((item.member("id").unwrap_or(item.text), script))
    })
}

fn run_check(finding: Finding, script: &str, directory: &Path, options: &Options) -> Finding {
    // No program accepts an argument with a NUL character.
    if script.contains('\0') {
        return finding.not_looked("it contains a NUL character");
    }
    let mut command = guarded("/bin/sh");
    command.args(["-c", script]).current_dir(directory);
    let timeout = options.check_timeout;
    let bounds = Bounds { timeout, keep: Keep::Last(OUTPUT_BYTES_MAX), with_errors: true };
    let ended = match run(command, bounds) {
        Ok(ended) => ended,
        Err(error) => return finding.not_looked(format!("cannot run it: {error}")),
    };
    let output = Some(String::from_utf8_lossy(&ended.output).into_owned());
    let finding = match ended.end {
        End::Code(0) => finding.same("pass"),
        End::Code(code) => finding.differs(format!("fail, exit {code}")),
        End::Signal => finding.differs("fail, killed by a signal"),
        End::Timeout => finding.differs(format!("timeout after {timeout:?}")),
    };
    Finding { output, ..finding }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use crate::drift::samples::{TestRepository, drift, options};
    use crate::drift::{Finding, Options};

    fn ran(repo: &TestRepository, script: &str, timeout_ms: u64) -> Finding {
        let check_timeout = Duration::from_millis(timeout_ms);
        let options = Options { run_checks: true, check_timeout, ..options() };
        let acceptance = json!([{"id": "tests", "text": "it works", "run": script}]);
        drift(&repo.path(""), json!({ "acceptance": acceptance }), &options).findings.remove(0)
    }

    fn check(script: &str, timeout_ms: u64, expected: &str, output: &str) {
        let finding = ran(&TestRepository::new().with("a", "hello"), script, timeout_ms);
        let found = format!("{}, {}", finding.outcome.as_str(), finding.found.unwrap_or_default());
        assert_eq!((found.as_str(), finding.output.unwrap().as_str()), (expected, output));
    }

    #[test]
    fn checks_are_shown_and_not_run() {
        let repo = TestRepository::new();
        let acceptance = json!([
            {"id": "tests", "text": "it works", "run": "touch trace"},
            {"text": "it is fast", "run": "touch trace"},
            {"text": "it is nice"}, "it is small", {"text": "empty", "run": " "},
        ]);
        assert_eq!(
            repo.lines(json!({ "acceptance": acceptance })),
            [
                "not_looked check tests: not run; use `--run-checks` to run it",
                "not_looked check it is fast: not run; use `--run-checks` to run it",
            ]
        );
        assert!(!repo.path("trace").exists());
    }

    #[test]
    fn a_check_passes_fails_or_takes_too_long() {
        check("cat a", 30_000, "same, pass", "hello");
        check("echo no >&2; exit 3", 30_000, "differs, fail, exit 3", "no\n");
        check("echo begun; sleep 60", 500, "differs, timeout after 500ms", "begun\n");
        check("cat", 30_000, "same, pass", "");
    }

    #[test]
    fn the_end_of_long_output_is_kept() {
        let finding = ran(&TestRepository::new(), "yes | head -c 100000; echo end; exit 1", 30_000);
        let output = finding.output.unwrap();
        assert_eq!(output.len(), 2_048);
        assert!(output.ends_with("y\nend\n"), "{output}");
    }
}
