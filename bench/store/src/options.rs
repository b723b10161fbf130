//! The command line options.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use lexopt::prelude::{Long, Short, ValueExt};

/// The text of `--help`.
pub const HELP: &str = "\
bench-store [OPTIONS]            measure every contender in rounds and print the medians
bench-store --million [N]        fill each store with N handoffs (1,000,000), then open it

  --callers 1,16,64,256          number of callers
  --seconds 3                    duration of each turn
  --rounds 3                     number of rounds
  --only disk,bare               only these contenders
  --dir DIRECTORY                directory for files; default: beside the program, in target/
  --json                         one JSON object per line
";

/// The task to run.
#[derive(Debug)]
pub enum Task {
    /// Measure in rounds.
    Rounds,
    /// Fill with this many handoffs and inspect.
    Million(u64),
    /// Inspect a store that another process has filled: the contender and the directory.
    Look(String, PathBuf),
    /// Print the help.
    Help,
}

/// The options.
#[derive(Debug)]
pub struct Options {
    pub task: Task,
    pub callers: Vec<usize>,
    pub time: Duration,
    pub rounds: usize,
    pub only: Option<Vec<String>>,
    pub directory: PathBuf,
    pub is_json: bool,
}

impl Options {
    /// Parses the arguments of the program.
    pub fn from_arguments() -> anyhow::Result<Self> {
        let executable = std::env::current_exe()?;
        let beside = executable.parent().context("the program is in no directory")?.join("data");
        Self::read(lexopt::Parser::from_env(), beside)
    }

    fn read(mut arguments: lexopt::Parser, directory: PathBuf) -> anyhow::Result<Self> {
        let mut options = Self {
            task: Task::Rounds,
            callers: vec![1, 16, 64, 256],
            time: Duration::from_secs(3),
            rounds: 3,
            only: None,
            directory,
            is_json: false,
        };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("help") | Short('h') => options.task = Task::Help,
                Long("json") => options.is_json = true,
                Long("callers") => options.callers = list(&arguments.value()?.string()?)?,
                Long("only") => options.only = Some(list(&arguments.value()?.string()?)?),
                Long("rounds") => options.rounds = arguments.value()?.parse()?,
                Long("dir") => options.directory = arguments.value()?.into(),
                Long("seconds") => {
                    options.time = Duration::try_from_secs_f64(arguments.value()?.parse()?)?;
                }
                Long("million") => {
                    let number = arguments.optional_value().or_else(|| next_number(&mut arguments));
                    options.task = Task::Million(match number {
                        Some(number) => number.parse()?,
                        None => 1_000_000,
                    });
                }
                Long("look") => {
                    let name = arguments.value()?.string()?;
                    options.task = Task::Look(name, arguments.value()?.into());
                }
                _ => return Err(argument.unexpected().into()),
            }
        }
        options.check()
    }

    fn check(self) -> anyhow::Result<Self> {
        ensure!(self.rounds > 0, "`--rounds` must be at least 1");
        ensure!(!self.time.is_zero(), "`--seconds` must not be 0");
        ensure!(!self.callers.contains(&0), "`--callers` must not contain 0");
        Ok(self)
    }
}

/// Returns the next argument, if it is a number.
fn next_number(arguments: &mut lexopt::Parser) -> Option<std::ffi::OsString> {
    let mut rest = arguments.try_raw_args()?;
    let is_number = |next: &std::ffi::OsStr| next.to_string_lossy().parse::<u64>().is_ok();
    rest.next_if(is_number)
}

fn list<T: std::str::FromStr>(text: &str) -> anyhow::Result<Vec<T>>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let item = |item: &str| item.parse().with_context(|| format!("`{item}` in `{text}`"));
    text.split(',').map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> anyhow::Result<Options> {
        Options::read(lexopt::Parser::from_args(arguments), PathBuf::from("data"))
    }

    #[test]
    fn defaults_are_as_documented() {
        let options = read(&[]).unwrap();
        assert_eq!(options.callers, [1, 16, 64, 256]);
        assert_eq!((options.rounds, options.time.as_secs()), (3, 3));
        assert!(matches!(options.task, Task::Rounds));
    }

    #[test]
    fn a_million_may_be_less() {
        assert!(matches!(read(&["--million", "--json"]).unwrap().task, Task::Million(1_000_000)));
        assert!(matches!(read(&["--million", "500"]).unwrap().task, Task::Million(500)));
    }

    #[test]
    fn invalid_arguments_are_refused() {
        for arguments in
            [&["--rounds", "0"][..], &["--callers", "1,x"], &["--seconds", "-1"], &["x"]]
        {
            assert!(read(arguments).is_err(), "{arguments:?}");
        }
    }
}
