//! Measures handoffs over HTTP beside the engine in process and alternative queues. Prints a table,
//! or JSON lines.
//!
//! Contenders alternate in rounds, so that a busy machine affects all of them.

mod bare;
mod cluster;
mod contender;
mod figures;
mod link;
mod load;
mod options;
mod peers;
mod process;
mod report;
mod store;
mod tasuki;

use std::time::Instant;
use std::{fs, thread};

use anyhow::{Context, anyhow, bail};
use bench_store::usage;
use cluster::Cluster;
use contender::Contender;
use options::{Options, StoreKind, Task};
use report::{Place, Report};
use tasuki::{OnPostgres, SHAPES};

/// The allocator of the tool, for the engine in this process.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    let options = Options::from_arguments()?;
    fs::create_dir_all(&options.directory)?;
    match options.task {
        Task::Help => {
            print!("{}", options::HELP);
            Ok(())
        }
        Task::Rounds => rounds(&options),
        Task::Figures => figures::print(&options),
    }
}

fn rounds(options: &Options) -> anyhow::Result<()> {
    let contenders = chosen(options)?;
    let names = contenders.iter().map(|contender| contender.name()).collect();
    let mut report = Report::new(names, options);
    let (mut ours, mut all) = (0.0, 0.0);
    let (start, machine) = (Instant::now(), usage::machine_busy()?);
    for _ in 0..options.rounds {
        for &clients in &options.clients {
            let run = |contender: &Box<dyn Contender>| {
                let run = contender.run(clients, options.time);
                run.with_context(|| format!("contender `{}`", contender.name()))
            };
            let round = contenders.iter().map(run).collect::<anyhow::Result<Vec<_>>>()?;
            for one in &round {
                let used = one.server_cpu + one.client_cpu.unwrap_or_default();
                ours += used.as_secs_f64();
                all += one.elapsed.as_secs_f64();
            }
            report.add(clients, round);
        }
    }
    let busy = (usage::machine_busy()? - machine).as_secs_f64() / start.elapsed().as_secs_f64();
    let place = Place {
        file_system: usage::file_system(&options.directory)?,
        cores: thread::available_parallelism()?.get(),
        cores_of_others: busy - ours / all,
    };
    print!("{}", if options.is_json { report.json(&place) } else { report.table(&place) });
    Ok(())
}

/// Returns the chosen contenders, or all available ones. Reports a missing peer.
fn chosen(options: &Options) -> anyhow::Result<Vec<Box<dyn Contender>>> {
    let all = match options.store {
        StoreKind::Sqlite => on_sqlite(options)?,
        StoreKind::Postgres => on_postgres(options)?,
    };
    let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let mut only = options.only.iter().flatten();
    if let Some(unknown) = only.find(|one| !known.contains(&one.as_str())) {
        bail!("unknown contender `{unknown}`; known are {}", known.join(", "));
    }
    let is_wanted =
        |name: &str| options.only.as_ref().is_none_or(|only| only.iter().any(|one| one == name));
    let mut chosen = Vec::new();
    for (name, found) in all.into_iter().filter(|(name, _)| is_wanted(name)) {
        match found {
            Ok(contender) => chosen.push(contender),
            Err(why) => eprintln!("skipping {name}: {why}"),
        }
    }
    Ok(chosen)
}

/// A contender by its name, or the reason why it is not available.
type Named = (&'static str, peers::Found);

fn on_sqlite(options: &Options) -> anyhow::Result<Vec<Named>> {
    let directory = &options.directory;
    let ours: [Box<dyn Contender>; 3] = [
        Box::new(store::Store::new(directory)),
        Box::new(tasuki::Tasuki::new(&options.tool, directory)),
        Box::new(bare::Bare::new(directory)?),
    ];
    let ours = ours.into_iter().map(|contender| (contender.name(), Ok(contender)));
    Ok(ours.chain(peers::all(directory)).collect())
}

/// Returns one and three servers on a database, beside a queue on the same database.
fn on_postgres(options: &Options) -> anyhow::Result<Vec<Named>> {
    let cluster = Cluster::find().map_err(|why| anyhow!("PostgreSQL: {why}"))?;
    let ours = SHAPES.map(|shape| -> Named {
        let (tool, directory) = (options.tool.clone(), options.directory.clone());
        let contender = OnPostgres { tool, directory, cluster: cluster.clone(), shape };
        (shape.name, Ok(Box::new(contender)))
    });
    let peers = peers::all(&options.directory);
    let queue = peers.into_iter().filter(|(name, _)| *name == peers::POSTGRES);
    Ok(ours.into_iter().chain(queue).collect())
}
