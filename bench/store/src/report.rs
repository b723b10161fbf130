//! Medians over rounds, as tables and as JSON.
//!
//! A ratio is the median over rounds of two adjacent turns, not the ratio of two medians: a
//! temporary slowdown of the machine then affects both.

use bench_store::measured::{Measured, Percentiles, count, median};
use bench_store::work::Step;
use serde_json::{Value, json};

use crate::options::Options;
use crate::{Round, RoundAlone};

/// All measurements.
#[derive(Debug)]
pub struct Report {
    names: Vec<&'static str>,
    rounds: usize,
    seconds: f64,
    runs: Vec<(usize, Vec<Round>)>,
    alone: Vec<RoundAlone>,
}

/// The machine.
#[derive(Debug)]
pub struct Place {
    pub file_system: String,
    pub cores: usize,
    /// The number of cores that were busy with other programs.
    pub cores_of_others: f64,
}

/// LIMIT: with more load from other programs, the numbers are not meaningful. The kernel's own
/// writer threads take about half of it.
const CORES_OF_OTHERS_MAX: f64 = 0.4;

/// The contenders that others are compared with.
const ANCHORS: [&str; 2] = ["disk", "bare"];

impl Report {
    /// Creates an empty report.
    pub fn new(names: Vec<&'static str>, options: &Options) -> Self {
        let runs = options.callers.iter().map(|&callers| (callers, Vec::new())).collect();
        let seconds = options.time.as_secs_f64();
        Self { names, rounds: options.rounds, seconds, runs, alone: Vec::new() }
    }

    /// Adds one turn of every contender with this many callers.
    pub fn add(&mut self, callers: usize, round: Round) {
        let rounds = self.runs.iter_mut().find(|(of, _)| *of == callers);
        if let Some((_, rounds)) = rounds {
            rounds.push(round);
        }
    }

    /// Adds one turn of single submits.
    pub fn add_alone(&mut self, round: RoundAlone) {
        self.alone.push(round);
    }

    /// Returns the tables.
    pub fn table(&self, place: &Place) -> String {
        let mut text = self.heading(place);
        text += &format!(
            "{:>7}  {:<8} {:>10} {:>8} {:>8} {:>15} {:>15} {:>15} {:>6} {:>8}\n",
            "callers",
            "",
            "handoffs/s",
            "of disk",
            "of bare",
            "submit ms",
            "claim ms",
            "return ms",
            "cores",
            "KiB each",
        );
        for row in self.rows() {
            text += &row.line();
        }
        text += "\ntime of the writer, in microseconds per handoff\n";
        for row in self.rows() {
            text += &row.writer_line();
        }
        text += "\nsubmit only, one caller\n";
        for row in self.rows_alone() {
            text += &format!(
                "         {:<8} {:>7.0} us p50 {:>7.0} us p99 {:>8} of disk {:>8} of bare\n",
                row.name,
                row.p50,
                row.p99,
                times(row.ratios[0]),
                times(row.ratios[1]),
            );
        }
        text += "\nms: p50 / p99 of one step, including its sync. KiB each: written to the disk per handoff.\n";
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
        let alone = self.rows_alone().map(|row| {
            json!({
                "submit_alone": row.name,
                "p50_us": row.p50,
                "p99_us": row.p99,
                "of_disk": row.ratios[0],
                "of_bare": row.ratios[1],
            })
        });
        [heading].into_iter().chain(rows).chain(alone).map(|line| format!("{line}\n")).collect()
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.runs.iter().flat_map(move |(callers, rounds)| {
            let row = move |(index, name): (usize, &&'static str)| Row {
                name,
                callers: *callers,
                rounds: rounds.iter().map(|round| &round[index]).collect(),
                ratios: self.ratios(rounds, index, Measured::rate),
            };
            self.names.iter().enumerate().map(row)
        })
    }

    fn rows_alone(&self) -> impl Iterator<Item = RowAlone> {
        self.names.iter().enumerate().map(|(index, name)| {
            let of = |value: fn(&Percentiles) -> f64| {
                median(self.alone.iter().map(|round| value(&round[index])).collect())
            };
            RowAlone {
                name,
                p50: of(|percentiles| microseconds(percentiles.p50)),
                p99: of(|percentiles| microseconds(percentiles.p99)),
                ratios: self
                    .ratios(&self.alone, index, |percentiles| microseconds(percentiles.p50)),
            }
        })
    }

    /// Returns the ratios of the contender at `index` to each anchor that took part.
    fn ratios<T>(
        &self,
        rounds: &[Vec<T>],
        index: usize,
        value: impl Fn(&T) -> f64,
    ) -> [Option<f64>; 2] {
        ANCHORS.map(|anchor| {
            let anchor = self.names.iter().position(|&name| name == anchor)?;
            let ratio = |round: &Vec<T>| value(&round[index]) / value(&round[anchor]);
            Some(median(rounds.iter().map(ratio).collect()))
        })
    }
}

/// One contender with one number of callers, over all rounds.
struct Row<'a> {
    name: &'static str,
    callers: usize,
    rounds: Vec<&'a Measured>,
    ratios: [Option<f64>; 2],
}

/// One contender with a single submitting caller.
struct RowAlone {
    name: &'static str,
    p50: f64,
    p99: f64,
    ratios: [Option<f64>; 2],
}

impl Row<'_> {
    fn median(&self, value: impl Fn(&Measured) -> f64) -> f64 {
        median(self.rounds.iter().map(|measured| value(measured)).collect())
    }

    /// Returns p50 and p99 of the three steps, in milliseconds.
    fn steps(&self) -> [(f64, f64); 3] {
        Step::ALL.map(|step| {
            let of = |value: fn(&Percentiles) -> f64| {
                self.median(|measured| value(&measured.steps[step as usize]))
            };
            (of(|step| microseconds(step.p50) / 1e3), of(|step| microseconds(step.p99) / 1e3))
        })
    }

    /// Returns the time of each phase of the writer, in microseconds per handoff.
    fn phases(&self) -> Vec<(&'static str, f64)> {
        let names = self.rounds.first().map_or(&[][..], |measured| &measured.writer.phases);
        let phase = |(index, (name, _)): (usize, &(&'static str, _))| {
            let each = |measured: &Measured| {
                let time = microseconds(measured.writer.phases[index].1);
                time / count(measured.handoffs.max(1))
            };
            (*name, self.median(each))
        };
        names.iter().enumerate().map(phase).collect()
    }

    fn line(&self) -> String {
        let steps = self.steps().map(|(p50, p99)| format!("{p50:.2} / {p99:.2}"));
        format!(
            "{:>7}  {:<8} {:>10.0} {:>8} {:>8} {:>15} {:>15} {:>15} {:>6.2} {:>8.1}\n",
            self.callers,
            self.name,
            self.median(Measured::rate),
            times(self.ratios[0]),
            times(self.ratios[1]),
            steps[0],
            steps[1],
            steps[2],
            self.median(Measured::cores),
            self.median(Measured::bytes_per_handoff) / 1024.0,
        )
    }

    fn writer_line(&self) -> String {
        let phases = self.phases().into_iter();
        let phases: String = phases.map(|(name, time)| format!("  {name} {time:>6.1}")).collect();
        let together = self.median(Measured::steps_per_commit);
        format!("{:>7}  {:<8}{phases}  ({together:.1} steps per sync)\n", self.callers, self.name)
    }

    fn json(&self) -> Value {
        let steps = Step::ALL.iter().zip(self.steps());
        let steps = steps.map(|(step, (p50, p99))| {
            (step.name().to_owned(), json!({ "p50_ms": p50, "p99_ms": p99 }))
        });
        let phases = self.phases().into_iter();
        let phases = phases.map(|(name, time)| (name.to_owned(), json!(time)));
        json!({
            "contender": self.name,
            "callers": self.callers,
            "handoffs_per_second": self.median(Measured::rate),
            "of_disk": self.ratios[0],
            "of_bare": self.ratios[1],
            "steps": steps.collect::<serde_json::Map<_, _>>(),
            "cores": self.median(Measured::cores),
            "written_bytes_per_handoff": self.median(Measured::bytes_per_handoff),
            "steps_per_sync": self.median(Measured::steps_per_commit),
            "writer_us_per_handoff": phases.collect::<serde_json::Map<_, _>>(),
            "rounds": self.rounds.iter().map(|measured| measured.rate()).collect::<Vec<_>>(),
        })
    }
}

fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2} x"))
}

fn microseconds(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
