//! The command line options.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use lexopt::prelude::{Long, Short, ValueExt};

/// The text of `--help`.
pub const HELP: &str = "\
bench-http --tool TASUKI [OPTIONS]             measure every contender in rounds and print the medians
bench-http --tool TASUKI --figures [OPTIONS]   measure an idle server, and the delays of streams and webhooks

  --tool FILE                    the tool whose `serve` is measured
  --clients 1,16,64,256          number of clients
  --seconds 3                    duration of each turn
  --rounds 3                     number of rounds
  --store sqlite                 the store of the server: sqlite, or postgres for one and three servers on a database
  --only tasuki,redis            only these contenders: store, tasuki, bare, redis, postgres, nats;
                                 with --store postgres: tasuki, 3-servers, 12-projects, 3-on-12, postgres
  --idle-seconds 30              figures: how long to measure an idle server
  --streams 1000                 figures: number of streams
  --open 10000                   figures: number of open handoffs
  --rate 500                     figures: handoffs per second while delays are measured
  --dir DIRECTORY                directory for files; default: beside the program, in target/
  --json                         one JSON object per line
";

/// The task to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Measure in rounds.
    Rounds,
    /// Measure an idle server.
    Figures,
    /// Print the help.
    Help,
}

/// The store behind the measured servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    Sqlite,
    Postgres,
}

/// The options.
#[derive(Debug)]
pub struct Options {
    pub task: Task,
    pub store: StoreKind,
    pub tool: PathBuf,
    pub clients: Vec<usize>,
    pub time: Duration,
    pub rounds: usize,
    pub only: Option<Vec<String>>,
    pub idle: Duration,
    pub streams: usize,
    pub open_handoffs: u64,
    pub rate: u32,
    pub directory: PathBuf,
    pub is_json: bool,
}

impl Options {
    /// Parses the arguments of the program.
    pub fn from_arguments() -> anyhow::Result<Self> {
        let executable = std::env::current_exe()?;
        let beside = executable.parent().context("the program is in no directory")?.join("data");
        let options = Self::read(lexopt::Parser::from_env(), beside)?;
        if options.task != Task::Help && !options.tool.is_file() {
            bail!("`--tool` is missing; bench/http/run builds `tasuki` and passes it");
        }
        Ok(options)
    }

    fn read(mut arguments: lexopt::Parser, directory: PathBuf) -> anyhow::Result<Self> {
        let mut options = Self {
            task: Task::Rounds,
            store: StoreKind::Sqlite,
            tool: PathBuf::new(),
            clients: vec![1, 16, 64, 256],
            time: Duration::from_secs(3),
            rounds: 3,
            only: None,
            idle: Duration::from_secs(30),
            streams: 1_000,
            open_handoffs: 10_000,
            rate: 500,
            directory,
            is_json: false,
        };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("help") | Short('h') => options.task = Task::Help,
                Long("figures") => options.task = Task::Figures,
                Long("json") => options.is_json = true,
                Long("store") => options.store = store_kind(&arguments.value()?.string()?)?,
                Long("tool") => options.tool = arguments.value()?.into(),
                Long("clients") => options.clients = list(&arguments.value()?.string()?)?,
                Long("only") => options.only = Some(list(&arguments.value()?.string()?)?),
                Long("rounds") => options.rounds = arguments.value()?.parse()?,
                Long("seconds") => options.time = seconds(&mut arguments)?,
                Long("idle-seconds") => options.idle = seconds(&mut arguments)?,
                Long("streams") => options.streams = arguments.value()?.parse()?,
                Long("open") => options.open_handoffs = arguments.value()?.parse()?,
                Long("rate") => options.rate = arguments.value()?.parse()?,
                Long("dir") => options.directory = arguments.value()?.into(),
                _ => return Err(argument.unexpected().into()),
            }
        }
        Ok(options)
    }
}

fn store_kind(name: &str) -> anyhow::Result<StoreKind> {
    match name {
        "sqlite" => Ok(StoreKind::Sqlite),
        "postgres" => Ok(StoreKind::Postgres),
        _ => bail!("unknown store `{name}`; known are sqlite and postgres"),
    }
}

fn seconds(arguments: &mut lexopt::Parser) -> anyhow::Result<Duration> {
    Ok(Duration::try_from_secs_f64(arguments.value()?.parse()?)?)
}

fn list<T>(text: &str) -> anyhow::Result<Vec<T>>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let one = |part: &str| part.trim().parse().with_context(|| format!("`{part}`"));
    text.split(',').map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> anyhow::Result<Options> {
        let all = std::iter::once("bench-http").chain(arguments.iter().copied());
        Options::read(lexopt::Parser::from_iter(all), PathBuf::from("data"))
    }

    #[test]
    fn clients_are_a_list_with_commas() {
        assert_eq!(read(&["--clients", "1, 8"]).unwrap().clients, [1, 8]);
        assert!(read(&["--clients", "1,x"]).is_err());
    }

    #[test]
    fn an_unknown_option_or_store_is_refused() {
        assert!(read(&["--fast"]).is_err());
        assert!(read(&["--store", "oracle"]).is_err());
        assert_eq!(read(&["--store", "postgres"]).unwrap().store, StoreKind::Postgres);
    }
}
