//! Medians over rounds, as a table and as JSON.
//!
//! A ratio is the median over rounds of two adjacent turns, not the ratio of two medians: a
//! temporary slowdown of the machine then affects both.

use bench_store::measured::{count, median};
use serde_json::{Value, json};

use crate::contender::Measured;
use crate::options::Options;

/// The contender that all others are compared with.
const OURS: &str = "tasuki";

/// Contenders that are compared with each other, below the table.
const PAIRS: [(&str, &str); 2] = [("3-servers", OURS), ("3-on-12", "12-projects")];

/// LIMIT: if a single client thread is busier than this, it may be the bottleneck.
const CLIENT_CORES_MAX: f64 = 0.9;

/// LIMIT: with more load from other programs, the numbers are not meaningful. The kernel's own
/// writer threads take about half of it.
const CORES_OF_OTHERS_MAX: f64 = 0.4;

/// One turn of every contender, in their order.
pub type Round = Vec<Measured>;

/// All measurements.
#[derive(Debug)]
pub struct Report {
    names: Vec<&'static str>,
    rounds: usize,
    seconds: f64,
    runs: Vec<(usize, Vec<Round>)>,
}

/// The machine.
#[derive(Debug)]
pub struct Place {
    pub file_system: String,
    pub cores: usize,
    /// The number of cores that were busy with other programs.
    pub cores_of_others: f64,
}

impl Report {
    /// Creates an empty report.
    pub fn new(names: Vec<&'static str>, options: &Options) -> Self {
        let runs = options.clients.iter().map(|&clients| (clients, Vec::new())).collect();
        Self { names, rounds: options.rounds, seconds: options.time.as_secs_f64(), runs }
    }

    /// Adds one turn of every contender with this many clients.
    pub fn add(&mut self, clients: usize, round: Round) {
        if let Some((_, rounds)) = self.runs.iter_mut().find(|(of, _)| *of == clients) {
            rounds.push(round);
        }
    }

    /// Returns the table.
    pub fn table(&self, place: &Place) -> String {
        let mut text = self.heading(place);
        text += &format!(
            "{:>7}  {:<12} {:>10} {:>10} {:>17} {:>10} {:>8} {:>7}\n",
            "clients", "", "handoffs/s", "tasuki is", "handoff ms", "server us", "clients", "MiB",
        );
        for row in self.rows() {
            text += &row.line();
        }
        text += &self.pairs();
        text += "\ntasuki is: handoffs per second of tasuki, relative to this contender. handoff ms: p50 / p99 of submit, claim and return together.\n";
        text += "server us: processor time of the server per handoff. clients: cores that the clients kept busy, at most one.\n";
        text += "Differences under 15 % are ties; only ratios are comparable between machines.\n";
        text
    }

    fn heading(&self, place: &Place) -> String {
        let Place { file_system, cores, cores_of_others } = place;
        let (rounds, seconds) = (self.rounds, self.seconds);
        let mut text = format!("{file_system}, {cores} cores, {rounds} rounds of {seconds} s\n");
        if *cores_of_others > CORES_OF_OTHERS_MAX {
            text +=
                &format!("BUSY: other programs used {cores_of_others:.1} cores; measure again\n");
        }
        text + "\n"
    }

    /// Returns the results as JSON lines.
    pub fn json(&self, place: &Place) -> String {
        let heading = json!({
            "file_system": place.file_system,
            "cores": place.cores,
            "cores_of_others": place.cores_of_others,
            "seconds": self.seconds,
        });
        let rows = self.rows().map(|row| row.json());
        [heading].into_iter().chain(rows).map(|line| format!("{line}\n")).collect()
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.runs.iter().flat_map(move |(clients, rounds)| {
            let row = move |(index, name): (usize, &&'static str)| Row {
                name,
                clients: *clients,
                rounds: rounds.iter().map(|round| &round[index]).collect(),
                ratio: self.ratio(rounds, OURS, name),
            };
            self.names.iter().enumerate().map(row)
        })
    }

    /// Returns the ratio of one contender to another, if both took part.
    fn ratio(&self, rounds: &[Round], one: &str, other: &str) -> Option<f64> {
        let index = |name: &str| self.names.iter().position(|&known| known == name);
        let (one, other) = (index(one)?, index(other)?);
        let ratio = |round: &Round| round[one].rate() / round[other].rate();
        Some(median(rounds.iter().map(ratio).collect()))
    }

    /// Returns a line for each compared pair that took part.
    fn pairs(&self) -> String {
        let lines = self.runs.iter().flat_map(|(clients, rounds)| {
            PAIRS.iter().filter_map(move |(one, other)| {
                let ratio = self.ratio(rounds, one, other)?;
                Some(format!("{clients:>7}  {one} / {other}: {ratio:.2}\n"))
            })
        });
        lines.collect()
    }
}

/// One contender with one number of clients, over all rounds.
struct Row<'a> {
    name: &'static str,
    clients: usize,
    rounds: Vec<&'a Measured>,
    ratio: Option<f64>,
}

impl Row<'_> {
    fn median(&self, value: impl Fn(&Measured) -> f64) -> f64 {
        median(self.rounds.iter().map(|measured| value(measured)).collect())
    }

    /// Returns the median of a value that not every contender has.
    fn median_if_any(&self, value: impl Fn(&Measured) -> Option<f64>) -> Option<f64> {
        let values: Option<Vec<f64>> = self.rounds.iter().map(|measured| value(measured)).collect();
        values.map(median)
    }

    fn milliseconds(&self) -> (f64, f64) {
        let of = |micros: fn(&Measured) -> u128| {
            self.median(|measured| count(u64::try_from(micros(measured)).unwrap_or(u64::MAX)) / 1e3)
        };
        (of(|one| one.whole.p50.as_micros()), of(|one| one.whole.p99.as_micros()))
    }

    fn mebibytes(&self) -> Option<f64> {
        self.median_if_any(|measured| Some(count(measured.memory?) / 1024.0 / 1024.0))
    }

    fn line(&self) -> String {
        let (p50, p99) = self.milliseconds();
        let client_cores = self.median_if_any(Measured::client_cores);
        let is_limit = client_cores.is_some_and(|cores| cores > CLIENT_CORES_MAX);
        format!(
            "{:>7}  {:<12} {:>10.0} {:>10} {:>17} {:>10.0} {:>8} {:>7}{}\n",
            self.clients,
            self.name,
            self.median(Measured::rate),
            or_dash(self.ratio, |ratio| format!("{ratio:.2} x")),
            format!("{p50:.2} / {p99:.2}"),
            self.median(Measured::server_micros),
            or_dash(client_cores, |cores| format!("{cores:.2}")),
            or_dash(self.mebibytes(), |mebibytes| format!("{mebibytes:.0}")),
            if is_limit { "  the clients are the bottleneck" } else { "" },
        )
    }

    fn json(&self) -> Value {
        let (p50, p99) = self.milliseconds();
        json!({
            "contender": self.name,
            "clients": self.clients,
            "handoffs_per_second": self.median(Measured::rate),
            "tasuki_is": self.ratio,
            "p50_ms": p50,
            "p99_ms": p99,
            "server_us_per_handoff": self.median(Measured::server_micros),
            "client_cores": self.median_if_any(Measured::client_cores),
            "memory_mib": self.mebibytes(),
            "rounds": self.rounds.iter().map(|measured| measured.rate()).collect::<Vec<_>>(),
        })
    }
}

fn or_dash(value: Option<f64>, print: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), print)
}
