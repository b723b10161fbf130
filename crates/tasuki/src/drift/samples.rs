//! Sample directories and repositories for tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tasuki_packet::Packet;

use super::{Drift, Options, Outcome, check};

/// A commit that does not exist.
pub(crate) const FIRST: &str = "1111111111111111111111111111111111111111";
/// Another commit that does not exist.
pub(crate) const SECOND: &str = "2222222222222222222222222222222222222222";

/// A folder that is removed at the end of the test.
#[derive(Debug)]
pub(crate) struct TestRepository(PathBuf);

impl TestRepository {
    pub(crate) fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("tasuki-drift-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    /// Adds a file, with its parent folders.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.0.clone() } else { self.0.join(name) }
    }

    /// Makes the folder a repository with all its files in the first commit.
    pub(crate) fn committed(self) -> Self {
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self.commit("begin");
        self
    }

    /// Commits all files.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// Runs git in the folder, with no configuration but the repository's.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let author = ["-c", "user.name=ana", "-c", "user.email=ana@example.com"];
        let output = Command::new("git")
            .args(author)
            .args(arguments)
            .current_dir(&self.0)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Compares a packet of these members with the folder, without running its checks.
    pub(super) fn drift(&self, members: Value) -> Drift {
        drift(&self.0, members, &options())
    }

    /// Returns one line per finding.
    pub(super) fn lines(&self, members: Value) -> Vec<String> {
        self.drift(members).findings.iter().map(line).collect()
    }
}

/// Returns options that run no checks, with the `PATH` of the tests.
pub(super) fn options() -> Options {
    let search_path = std::env::var_os("PATH");
    Options { run_checks: false, check_timeout: Duration::from_secs(30), search_path }
}

pub(super) fn drift(directory: &Path, members: Value, options: &Options) -> Drift {
    check(&Packet::from_value(members).unwrap(), directory, options)
}

fn line(finding: &super::Finding) -> String {
    let (what, name, outcome) = (finding.what.as_str(), &finding.name, finding.outcome.as_str());
    let detail = match &finding.outcome {
        Outcome::NotLooked(reason) => reason.clone(),
        _ => finding.found.clone().unwrap_or_default(),
    };
    format!("{outcome} {what} {name}: {detail}").trim_end_matches([' ', ':']).to_owned()
}

impl Drop for TestRepository {
    fn drop(&mut self) {
        // A leftover folder does no harm.
        let _stays = std::fs::remove_dir_all(&self.0).is_err();
    }
}
