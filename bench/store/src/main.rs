//! Measures handoffs in a store. Prints tables, or JSON lines.
//!
//! Contenders alternate in rounds, so that a busy machine affects all of them. The library drives
//! them; this file parses the options and prints the results.

mod million;
mod options;
mod report;

use std::time::Instant;
use std::{fs, thread};

use anyhow::Context;
use bench_store::measured::{Percentiles, percentiles};
use bench_store::{Contender, Measured, contenders, usage};
use cpu_time::ProcessTime;
use options::{Options, Task};
use report::{Place, Report};

/// Commands are allocated in one thread and freed in another, which is slow with the system's
/// allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    let options = Options::from_arguments()?;
    match &options.task {
        Task::Help => {
            print!("{}", options::HELP);
            Ok(())
        }
        Task::Rounds => rounds(&options),
        Task::Million(handoffs) => million::fill_and_look(&options, *handoffs),
        Task::Look(name, directory) => million::look(name, directory),
    }
}

fn rounds(options: &Options) -> anyhow::Result<()> {
    fs::create_dir_all(&options.directory)?;
    let contenders = chosen(options)?;
    let file_system = usage::file_system(&options.directory)?;
    let names = contenders.iter().map(|contender| contender.name()).collect();
    let mut report = Report::new(names, options);
    let (start, own, machine) = (Instant::now(), ProcessTime::now(), usage::machine_busy()?);
    for _ in 0..options.rounds {
        report.add_alone(each(&contenders, |contender| {
            Ok(percentiles(contender.submit_alone(options.time / 2)?))
        })?);
        for &callers in &options.callers {
            let run = |contender: &dyn Contender| contender.run(callers, options.time);
            report.add(callers, each(&contenders, run)?);
        }
    }
    let others = (usage::machine_busy()? - machine).saturating_sub(own.elapsed());
    let place = Place {
        file_system,
        cores: thread::available_parallelism()?.get(),
        cores_of_others: others.as_secs_f64() / start.elapsed().as_secs_f64(),
    };
    print!("{}", if options.is_json { report.json(&place) } else { report.table(&place) });
    Ok(())
}

/// Returns the chosen contenders, or all.
fn chosen(options: &Options) -> anyhow::Result<Vec<Box<dyn Contender>>> {
    let mut all = contenders(&options.directory);
    if let Some(names) = &options.only {
        for name in names {
            let is_known = all.iter().any(|contender| contender.name() == name);
            is_known.then_some(()).with_context(|| format!("unknown contender `{name}`"))?;
        }
        all.retain(|contender| names.iter().any(|name| name == contender.name()));
    }
    Ok(all)
}

fn each<T>(
    contenders: &[Box<dyn Contender>],
    measure: impl Fn(&dyn Contender) -> anyhow::Result<T>,
) -> anyhow::Result<Vec<T>> {
    let measure = |contender: &dyn Contender| {
        measure(contender).with_context(|| format!("contender `{}`", contender.name()))
    };
    contenders.iter().map(|contender| measure(contender.as_ref())).collect()
}

/// One turn of every contender, in order.
type Round = Vec<Measured>;
/// One turn of single submits of every contender.
type RoundAlone = Vec<Percentiles>;
