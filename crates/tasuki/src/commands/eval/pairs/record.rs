//! The results of a run: one line of JSON for each finished trial, so that a run can be continued.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Condition;
use crate::exit::{Failure, reason};

/// Identifies a trial: what was run, and under which conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) case: String,
    pub(super) condition: Condition,
    pub(super) hops: u32,
    pub(super) budget: Option<usize>,
    /// Milliseconds after which each predecessor was killed.
    pub(super) kill: Option<u64>,
    pub(super) repetition: u32,
}

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TrialResult {
    #[serde(flatten)]
    pub(super) key: Key,
    /// The planted facts of the case.
    pub(super) facts: usize,
    /// Facts in the document of each handover.
    pub(super) facts_handed: Vec<usize>,
    /// Facts in the successor's answers.
    pub(super) facts_kept: usize,
    /// Required fields that the first return packet lacked.
    pub(super) fields_missing: usize,
    /// Questions that the successor asked.
    pub(super) clarifications: usize,
    /// Times that an incomplete return was sent back.
    pub(super) rework: u32,
    /// Packets that were invalid and had to be repaired.
    pub(super) repairs: u32,
    /// Predecessors that were killed.
    pub(super) killed: u32,
    /// Steps that ended with an error or were ended.
    pub(super) failed_steps: u32,
    pub(super) seconds: f64,
    pub(super) tokens: TrialTokens,
    /// `true` if the return packet satisfies the handoff.
    pub(super) verified: bool,
}

/// Tokens of a trial, in o200k.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct TrialTokens {
    /// The document of each handover.
    pub(super) handed: Vec<usize>,
    /// Everything that the agents were told.
    pub(super) prompts: usize,
    /// Everything that the agents wrote to their files.
    pub(super) written: usize,
    /// As the agent reports them in `usage.json`, if it does.
    pub(super) reported: Option<u64>,
}

/// The results in a folder.
#[derive(Debug)]
pub(super) struct Records {
    folder: PathBuf,
    results: Vec<TrialResult>,
}

const FILE: &str = "results.jsonl";

impl Records {
    /// Opens a folder with results, or creates it.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(&path, &error)),
        };
        let mut results = Vec::new();
        // A run that was killed may have left half a line, which is run again.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        for (number, line) in (1..).zip(whole.lines()) {
            let result = serde_json::from_str(line).map_err(|error| {
                Failure::refused(format!("{}:{number}: {error}", path.display()))
                    .hint("remove the line to run its trial again")
            })?;
            results.push(result);
        }
        if whole.len() < text.len() {
            std::fs::write(&path, whole).map_err(|error| failed(&path, &error))?;
        }
        // Agents run in folders of their own, and get absolute paths.
        let folder = folder.canonicalize().map_err(|error| failed(folder, &error))?;
        Ok(Self { folder, results })
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.results.iter().any(|result| result.key == *key)
    }

    /// Returns the results of these trials.
    pub(super) fn of(&self, keys: &[&Key]) -> Vec<&TrialResult> {
        self.results.iter().filter(|result| keys.contains(&&result.key)).collect()
    }

    pub(super) fn add(&mut self, result: TrialResult) -> Result<(), Failure> {
        let path = self.folder.join(FILE);
        let line = serde_json::to_string(&result).expect("a result has text keys only");
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .map_err(|error| failed(&path, &error))?;
        self.results.push(result);
        Ok(())
    }

    /// Returns the folder for the files of a trial.
    pub(super) fn folder(&self, key: &Key) -> PathBuf {
        let Key { case, condition, hops, budget, kill, repetition } = key;
        let budget = budget.map_or(String::new(), |tokens| format!("-budget{tokens}"));
        let kill = kill.map_or(String::new(), |time| format!("-kill{time}"));
        let name = format!("{}-hops{hops}{budget}{kill}-{repetition}", condition.as_str());
        self.folder.join(case).join(name)
    }
}

pub(super) fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::of_file(format!("cannot use {}", path.display()), error)
        .hint(format!("choose another folder with `--out` ({})", reason(error)))
}
