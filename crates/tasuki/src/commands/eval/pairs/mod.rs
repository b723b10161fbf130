//! `tasuki eval pairs`: runs an agent as predecessor and successor on each case, under several
//! conditions, and records what arrives.
//!
//! A trial is one chain: predecessors that hand over, and a successor that answers questions about
//! the planted facts and returns the work. `trial` runs one, `agent` starts the command, `prompt`
//! has the words that every agent gets, `record` keeps the results so that a run can be continued,
//! and `summary` compares the conditions.

mod agent;
mod document;
mod prompt;
mod record;
mod summary;
mod trial;

use std::path::PathBuf;
use std::time::Duration as StdDuration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use tasuki_packet::duration::Duration;

use super::cases::{self, shown};
use crate::exit::{Exit, Failure};
use crate::input::interrupt::Interrupt;
use crate::output::escape::escape;
use crate::output::file;
use crate::output::printer::{Printer, counted};
use record::{Key, Records};
use trial::{Ended, Settings};

/// Run an agent on paired cases.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki eval pairs --agent 'my-agent --print' --out runs/first\n  tasuki eval pairs --agent ./agent.sh --out runs/first --hops 5 --budget 400\n  tasuki eval pairs --agent ./agent.sh --out runs/first --kill 60s --condition none,packet\n\nThe command runs in the repository of the task. It gets its instructions on stdin and writes its files to the folder `$TASUKI_EVAL_OUT`. `docs/evaluation.md` describes them. Running the command again continues where it stopped.\n\nYour agent may cost money: a run has one trial for each case, condition and repetition, and each trial starts the command hops + 1 times."
)]
pub(crate) struct Arguments {
    /// The agent, as a shell command.
    #[arg(long, value_name = "COMMAND")]
    agent: String,
    /// The folder for results and transcripts. An existing run is continued.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The folder with the cases.
    #[arg(long, default_value = "evals/cases", value_name = "FOLDER")]
    cases: PathBuf,
    /// Run only this case; may be repeated.
    #[arg(long = "case", value_name = "NAME")]
    names: Vec<String>,
    /// The conditions to compare. The default is all of them, and with `--kill` none and packet.
    #[arg(long = "condition", value_enum, value_delimiter = ',', value_name = "NAME")]
    conditions: Vec<Condition>,
    /// The number of handovers. Facts are planted at the first and counted at the last.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=50), value_name = "N")]
    hops: u32,
    /// The limit for the note and for the brief, in o200k tokens.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Kill each predecessor after this time, without a chance to hand over.
    #[arg(long, value_name = "TIME")]
    kill: Option<Duration>,
    /// The number of trials of each case and condition.
    #[arg(long, default_value_t = 1, value_name = "N")]
    repeat: u32,
    /// The number of times that an incomplete return is sent back.
    #[arg(long, default_value_t = 1, value_name = "N")]
    rework: u32,
    /// The time after which a step of the agent is ended.
    #[arg(long, default_value = "15m", value_name = "TIME")]
    timeout: Duration,
}

/// The way in which work reaches the successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Condition {
    /// The repository only.
    None,
    /// A note in the predecessor's own words.
    Prose,
    /// A packet, shown to the successor as a brief.
    Packet,
}

impl Condition {
    const ALL: [Self; 3] = [Self::None, Self::Prose, Self::Packet];

    const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Prose => "prose",
            Self::Packet => "packet",
        }
    }
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut cases = cases::read_all(&arguments.cases)?;
    for name in &arguments.names {
        if !cases.iter().any(|case| case.name == *name) {
            return Err(Failure::usage(format!("unknown case `{}`", escape(name)))
                .hint(format!("the folders in {} are the cases", shown(&arguments.cases))));
        }
    }
    cases.retain(|case| arguments.names.is_empty() || arguments.names.contains(&case.name));
    let settings = arguments.settings();
    let mut records = Records::open(&arguments.out)?;
    let interrupt = Interrupt::listen()?;
    let plan: Vec<_> = (1..=arguments.repeat)
        .flat_map(|repetition| cases.iter().map(move |case| (case, repetition)))
        .flat_map(|(case, repetition)| {
            let key = |condition: &Condition| settings.key(&case.name, *condition, repetition);
            arguments.conditions().iter().map(key).map(move |key| (case, key)).collect::<Vec<_>>()
        })
        .collect();
    let open: Vec<_> = plan.iter().filter(|(_, key)| !records.has(key)).collect();
    if open.len() < plan.len() {
        let done = counted(plan.len() - open.len(), "trial");
        printer.remark(&format!("Continuing: {done} of {} already recorded", plan.len()));
    }
    for (number, (case, key)) in open.iter().enumerate() {
        match trial::run(case, key, &settings, &records.folder(key), &interrupt)? {
            Ended::Done(result) => {
                let place = format!("{}/{}", number + 1, open.len());
                printer.remark(&format!("{place}  {}", summary::line(&result)));
                records.add(*result)?;
            }
            Ended::Interrupted => {
                printer.remark("Stopped. Run the same command again to continue.");
                return Ok(Exit::Interrupted);
            }
        }
    }
    let keys: Vec<&Key> = plan.iter().map(|(_, key)| key).collect();
    let summary = summary::Summary::of(&records.of(&keys));
    if printer.is_json() {
        printer.json(&summary);
    } else {
        printer.data(&summary.to_markdown());
    }
    Ok(Exit::Success)
}

impl Arguments {
    fn conditions(&self) -> Vec<Condition> {
        let mut conditions = match (self.conditions.as_slice(), self.kill) {
            ([], Some(_)) => vec![Condition::None, Condition::Packet],
            ([], None) => Condition::ALL.to_vec(),
            (stated, _) => stated.to_vec(),
        };
        conditions.sort_unstable();
        conditions.dedup();
        conditions
    }

    fn settings(&self) -> Settings {
        let time = |duration: Duration| StdDuration::from_millis(duration.milliseconds());
        Settings {
            agent: self.agent.clone(),
            hops: self.hops,
            budget: self.budget,
            kill: self.kill.map(time),
            rework: self.rework,
            timeout: time(self.timeout),
        }
    }
}

/// Writes a file of a trial for the reader of the transcripts.
fn keep(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    let _absent = std::fs::remove_file(path).is_err();
    file::create(path, text)
}
