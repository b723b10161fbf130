//! The command line and the ledger of the load programs for the power cut.
//!
//! The ledger is outside the file system that loses power. A step is recorded only after its
//! acknowledgement, so every step in the ledger must be in the store after the cut. See
//! `bench/powercut`.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use lexopt::prelude::{Long, ValueExt};

const HELP: &str = "\
PROGRAM --data DIRECTORY --ledger FILE [--seconds 60] [--callers 8] [--synchronous full|normal]
PROGRAM --data DIRECTORY --list     every step that is in the store, in the lines of the ledger
PROGRAM --data DIRECTORY --check    fails if anything in the store is not whole
";

/// The task to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Hand over endlessly.
    Load,
    /// Print every step in the store.
    List,
    /// Check the store.
    Check,
}

/// The command line.
#[derive(Debug)]
pub struct Options {
    /// The task.
    pub task: Task,
    /// The directory of the store.
    pub data: PathBuf,
    /// The file of the ledger, for a load.
    pub ledger: Option<PathBuf>,
    /// The duration of the load.
    pub time: Duration,
    /// The number of concurrent callers.
    pub callers: usize,
    /// `true` if an acknowledgement waits for the disk; `false` only for a control.
    pub is_synchronous: bool,
}

impl Options {
    /// Parses the command line.
    pub fn from_arguments() -> anyhow::Result<Self> {
        Self::read().context(HELP)
    }

    fn read() -> anyhow::Result<Self> {
        let (mut task, mut data, mut ledger) = (Task::Load, None, None);
        let (mut time, mut callers) = (Duration::from_secs(60), 8);
        let mut is_synchronous = true;
        let mut arguments = lexopt::Parser::from_env();
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("list") => task = Task::List,
                Long("check") => task = Task::Check,
                Long("data") => data = Some(arguments.value()?.into()),
                Long("ledger") => ledger = Some(arguments.value()?.into()),
                Long("seconds") => time = Duration::try_from_secs_f64(arguments.value()?.parse()?)?,
                Long("callers") => callers = arguments.value()?.parse()?,
                Long("synchronous") => {
                    is_synchronous = match arguments.value()?.string()?.as_str() {
                        "full" => true,
                        "normal" => false,
                        other => anyhow::bail!(
                            "`--synchronous` must be `full` or `normal`, not `{other}`"
                        ),
                    };
                }
                _ => return Err(argument.unexpected().into()),
            }
        }
        let data = data.context("`--data` is missing")?;
        Ok(Self { task, data, ledger, time, callers, is_synchronous })
    }

    /// Creates the ledger of a load.
    pub fn ledger(&self) -> anyhow::Result<Ledger> {
        Ledger::create(self.ledger.as_ref().context("`--ledger` is missing")?)
    }
}

/// All acknowledged steps, one per line.
#[derive(Debug)]
pub struct Ledger(Mutex<File>);

impl Ledger {
    fn create(path: &Path) -> anyhow::Result<Self> {
        Ok(Self(Mutex::new(File::create(path)?)))
    }

    /// Appends a line in one write, so that a reader never sees half of one as a whole.
    pub fn write_down(&self, line: &str) -> anyhow::Result<()> {
        let mut ledger = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.write_all(format!("{line}\n").as_bytes())?;
        Ok(ledger.sync_data()?)
    }
}

/// Prints lines of the ledger.
pub fn print(lines: &[String]) -> anyhow::Result<()> {
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    lines.iter().try_for_each(|line| writeln!(output, "{line}"))?;
    Ok(output.flush()?)
}
