//! One trial: a chain of handovers, and the successor at its end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tasuki_packet::check::verify::{Verdict, judge};
use tasuki_packet::render::tokens;
use tasuki_packet::{Code, Packet};

use super::agent::{Step, StepEnd};
use super::document::{self, Handed};
use super::record::{Key, TrialResult, TrialTokens, failed};
use super::{Condition, keep, prompt};
use crate::evaluation::Case;
use crate::exit::Failure;
use crate::input::interrupt::Interrupt;

/// The settings of a run.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) agent: String,
    pub(super) hops: u32,
    pub(super) budget: Option<usize>,
    pub(super) kill: Option<Duration>,
    pub(super) rework: u32,
    pub(super) timeout: Duration,
}

/// The end of a trial.
#[derive(Debug)]
pub(super) enum Ended {
    Done(Box<TrialResult>),
    Interrupted,
}

impl Settings {
    pub(super) fn key(&self, case: &str, condition: Condition, repetition: u32) -> Key {
        let kill = self.kill.map(|kill| u64::try_from(kill.as_millis()).unwrap_or(u64::MAX));
        let (hops, budget) = (self.hops, self.budget);
        Key { case: case.to_owned(), condition, hops, budget, kill, repetition }
    }
}

/// A trial that is under way.
struct Trial<'t> {
    case: &'t Case,
    key: &'t Key,
    settings: &'t Settings,
    folder: &'t Path,
    interrupt: &'t Interrupt,
    result: TrialResult,
}

/// Stops a trial: a failure of the run, or a signal.
enum Stop {
    Failure(Failure),
    Interrupted,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Runs a trial in its own folder. Files of an earlier attempt are removed.
pub(super) fn run(
    case: &Case,
    key: &Key,
    settings: &Settings,
    folder: &Path,
    interrupt: &Interrupt,
) -> Result<Ended, Failure> {
    let _absent = std::fs::remove_dir_all(folder).is_err();
    let repository = folder.join("repository");
    std::fs::create_dir_all(&repository).map_err(|error| failed(&repository, &error))?;
    keep(
        &repository.join("README.md"),
        &format!("# {}\n", case.packet.text("task_id").unwrap_or(&case.name)),
    )?;
    let result = TrialResult {
        key: key.clone(),
        facts: case.facts.len(),
        facts_handed: Vec::new(),
        facts_kept: 0,
        fields_missing: 0,
        clarifications: 0,
        rework: 0,
        repairs: 0,
        killed: 0,
        failed_steps: 0,
        seconds: 0.0,
        tokens: TrialTokens::default(),
        verified: false,
    };
    let start = Instant::now();
    let mut trial = Trial { case, key, settings, folder, interrupt, result };
    match trial.chain().and_then(|document| trial.finish(&document)) {
        Ok(()) => {
            trial.result.seconds = start.elapsed().as_secs_f64();
            Ok(Ended::Done(Box::new(trial.result)))
        }
        Err(Stop::Interrupted) => Ok(Ended::Interrupted),
        Err(Stop::Failure(failure)) => Err(failure),
    }
}

impl Trial<'_> {
    /// Runs the predecessors, and returns the text that the successor sees.
    fn chain(&mut self) -> Result<String, Stop> {
        let mut handed = Handed { text: self.case.prose.clone(), packet: None };
        for hop in 1..=self.settings.hops {
            let out = self.out(&format!("hop-{hop}"))?;
            let options = (hop == 1, self.settings.budget, self.settings.kill.is_some());
            let words = prompt::hand_over(self.case, self.key.condition, &handed.text, options);
            self.step("hand-over", hop, &words, &out)?;
            handed = self.handed(hop, &out, handed.packet.as_ref())?;
            keep(&out.join("handed.md"), &handed.text)?;
            self.result.tokens.handed.push(tokens::count(&handed.text));
            self.result.facts_handed.push(self.case.facts_kept(&handed.text));
        }
        Ok(handed.text)
    }

    /// Returns what a predecessor left under the condition of the trial.
    fn handed(&mut self, hop: u32, out: &Path, before: Option<&Packet>) -> Result<Handed, Stop> {
        let budget = self.settings.budget;
        match (self.key.condition, self.settings.kill) {
            (Condition::None, _) | (Condition::Prose, Some(_)) => Ok(Handed::default()),
            (Condition::Prose, None) => Ok(document::note(&out.join("note.md"), budget)),
            (Condition::Packet, Some(_)) => {
                let packet = document::continuation(self.case, before, out);
                Ok(packet.map_or_else(Handed::default, |packet| document::brief(packet, budget)))
            }
            (Condition::Packet, None) => {
                let path = out.join("packet.yaml");
                let mut packet = document::packet(&path, before);
                if let Err(violations) = &packet {
                    self.result.repairs += 1;
                    self.step("repair", hop, &prompt::repair(violations), out)?;
                    packet = document::packet(&path, before);
                }
                let brief = |packet| document::brief(packet, budget);
                Ok(packet.map_or_else(|_| Handed::default(), brief))
            }
        }
    }

    /// Runs the successor, and judges what it returns.
    fn finish(&mut self, document: &str) -> Result<(), Stop> {
        let out = self.out("finish")?;
        let hop = self.settings.hops + 1;
        self.step("finish", hop, &prompt::finish(self.case, document), &out)?;
        self.result.facts_kept = self.answered(&out);
        let mut verdict = self.verdict(&out);
        let is_missing = |code: Code| code == Code::ReturnMissing;
        let missing = verdict.missing.iter().filter(|violation| is_missing(violation.code)).count();
        self.result.fields_missing = missing;
        while !verdict.done && self.result.rework < self.settings.rework {
            self.result.rework += 1;
            let violations = document::listed(&verdict.missing);
            self.step("rework", hop, &prompt::rework(&violations), &out)?;
            verdict = self.verdict(&out);
        }
        self.result.verified = verdict.done;
        let questions = document::read_text(&out.join("questions.md"));
        self.result.clarifications =
            questions.lines().filter(|line| !line.trim().is_empty()).count();
        for name in ["answers.json", "return.yaml", "questions.md"] {
            self.result.tokens.written += tokens::count(&document::read_text(&out.join(name)));
        }
        Ok(())
    }

    fn answered(&self, out: &Path) -> usize {
        let text = document::read_text(&out.join("answers.json"));
        let answers: Value = serde_json::from_str(&text).unwrap_or_default();
        let is_kept = |id: &str| answers[id].as_str().map(str::to_owned);
        let facts = self.case.facts.iter();
        facts.filter(|fact| is_kept(&fact.id).is_some_and(|answer| fact.is_kept(&answer))).count()
    }

    /// Judges the return packet against the handoff of the case. An absent or invalid one is empty.
    fn verdict(&self, out: &Path) -> Verdict {
        let empty = || Packet::new(json!({}).as_object().cloned().unwrap_or_default());
        let returned = document::packet(&out.join("return.yaml"), None).unwrap_or_else(|_| empty());
        judge(&self.case.packet, &returned, &())
    }

    fn out(&self, name: &str) -> Result<PathBuf, Failure> {
        let out = self.folder.join(name);
        std::fs::create_dir_all(&out).map_err(|error| failed(&out, &error))?;
        Ok(out)
    }

    /// Starts the agent once.
    fn step(&mut self, name: &'static str, hop: u32, words: &str, out: &Path) -> Result<(), Stop> {
        keep(&out.join(format!("{name}.prompt.md")), words)?;
        let is_predecessor = name == "hand-over";
        let step = Step {
            command: &self.settings.agent,
            repository: &self.folder.join("repository"),
            out,
            prompt: words,
            variables: vec![
                ("TASUKI_EVAL_STEP", name.to_owned()),
                ("TASUKI_EVAL_HOP", hop.to_string()),
                ("TASUKI_EVAL_CASE", self.key.case.clone()),
                ("TASUKI_EVAL_CONDITION", self.key.condition.as_str().to_owned()),
            ],
            timeout: self.settings.timeout,
            kill: self.settings.kill.filter(|_| is_predecessor),
        };
        self.result.tokens.prompts += tokens::count(words);
        match step.run(self.interrupt)? {
            StepEnd::Interrupted => return Err(Stop::Interrupted),
            StepEnd::Killed => self.result.killed += 1,
            StepEnd::Failed => self.result.failed_steps += 1,
            StepEnd::Succeeded => {}
        }
        self.add_usage(&out.join("usage.json"));
        Ok(())
    }

    /// Adds the tokens that the agent reports, and removes its report before the next step.
    fn add_usage(&mut self, path: &Path) {
        let usage: Value = serde_json::from_str(&document::read_text(path)).unwrap_or_default();
        let stated =
            ["input_tokens", "output_tokens"].iter().filter_map(|name| usage[name].as_u64());
        let stated: Vec<u64> = stated.collect();
        if !stated.is_empty() {
            *self.result.tokens.reported.get_or_insert(0) += stated.iter().sum::<u64>();
            let _absent = std::fs::remove_file(path).is_err();
        }
    }
}
