//! What the programs that make a load for the power cut have in common: their command line, and the
//! ledger.
//!
//! The ledger is outside the file system that loses power. A step is in it only after its answer, so
//! whatever the ledger holds at the cut must be in the store afterwards. See `bench/powercut`.

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

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Hand over without end.
    Load,
    /// Print every step that is in the store.
    List,
    /// Look whether the store is whole.
    Check,
}

/// The command line.
#[derive(Debug)]
pub struct Options {
    /// What is to be done.
    pub task: Task,
    /// Where the store is.
    pub data: PathBuf,
    /// Where the ledger is, for a load.
    pub ledger: Option<PathBuf>,
    /// How long the load runs.
    pub time: Duration,
    /// How many hand over at the same time.
    pub callers: usize,
    /// Whether an answer waits for the disk. Only a control does not.
    pub is_synchronous: bool,
}

impl Options {
    /// Reads the command line.
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
                        other => anyhow::bail!("`{other}` is neither `full` nor `normal`"),
                    };
                }
                _ => return Err(argument.unexpected().into()),
            }
        }
        let data = data.context("`--data` is missing")?;
        Ok(Self { task, data, ledger, time, callers, is_synchronous })
    }

    /// The ledger of a load, new and empty.
    pub fn ledger(&self) -> anyhow::Result<Ledger> {
        Ledger::create(self.ledger.as_ref().context("`--ledger` is missing")?)
    }
}

/// Every answered step, a line each.
#[derive(Debug)]
pub struct Ledger(Mutex<File>);

impl Ledger {
    fn create(path: &Path) -> anyhow::Result<Self> {
        Ok(Self(Mutex::new(File::create(path)?)))
    }

    /// One write for one line, so that nobody ever reads half of one as a whole.
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
