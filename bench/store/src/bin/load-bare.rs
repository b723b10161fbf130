//! Load for the power cut: hands over without end and writes down every answer it got.
//!
//! The ledger is outside the file system that loses power. A step is in it only after its answer, so
//! whatever the ledger holds at the cut must be in the store afterwards. The same program lists what
//! a store holds, in the lines of the ledger, and checks the store. See `bench/powercut`.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use bench_store::bare::{self, HandingOver, Store, Synchronous, Writer};
use bench_store::callers::Caller;
use bench_store::work::Step;
use lexopt::prelude::{Long, ValueExt};

const HELP: &str = "\
load-bare --data DIRECTORY --ledger FILE [--seconds 60] [--callers 8] [--synchronous full|normal]
load-bare --data DIRECTORY --list     every step that is in the store, in the lines of the ledger
load-bare --data DIRECTORY --check    fails if anything in the store is not whole
";

enum Task {
    Load,
    List,
    Check,
}

struct Options {
    task: Task,
    data: PathBuf,
    ledger: Option<PathBuf>,
    time: Duration,
    callers: usize,
    synchronous: Synchronous,
}

fn main() -> anyhow::Result<()> {
    let options = options().context(HELP)?;
    match options.task {
        Task::Load => load(&options),
        Task::Check => bare::check(&options.data),
        Task::List => {
            let lines = bare::list(&options.data)?;
            let mut output = std::io::stdout().lock();
            Ok(lines.iter().try_for_each(|line| writeln!(output, "{line}"))?)
        }
    }
}

fn options() -> anyhow::Result<Options> {
    let (mut task, mut data, mut ledger) = (Task::Load, None, None);
    let (mut time, mut callers) = (Duration::from_secs(60), 8);
    let mut synchronous = Synchronous::Full;
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
                synchronous = match arguments.value()?.string()?.as_str() {
                    "full" => Synchronous::Full,
                    "normal" => Synchronous::Normal,
                    other => anyhow::bail!("`{other}` is neither `full` nor `normal`"),
                };
            }
            _ => return Err(argument.unexpected().into()),
        }
    }
    let data = data.context("`--data` is missing")?;
    Ok(Options { task, data, ledger, time, callers, synchronous })
}

fn load(options: &Options) -> anyhow::Result<()> {
    let ledger = options.ledger.as_ref().context("`--ledger` is missing")?;
    let ledger = Arc::new(Mutex::new(File::create(ledger)?));
    let writer = Writer::start(Store::open(&options.data, options.synchronous)?);
    let numbers = Arc::new(AtomicU64::new(0));
    let end = Instant::now() + options.time;
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let start = |_| {
        let caller = HandingOver::new(writer.line(), Arc::clone(&numbers));
        runtime.spawn(hand_over(caller, Arc::clone(&ledger), end))
    };
    let tasks: Vec<_> = (0..options.callers).map(start).collect();
    let ended: Vec<_> = tasks.into_iter().map(|task| runtime.block_on(task)).collect();
    // If the writer failed, that is why the callers did.
    writer.stop()?;
    ended.into_iter().try_for_each(|ended| ended.context("a caller panicked")?)
}

async fn hand_over(
    mut caller: HandingOver,
    ledger: Arc<Mutex<File>>,
    end: Instant,
) -> anyhow::Result<()> {
    while Instant::now() < end {
        caller.prepare();
        for step in Step::ALL {
            caller.step(step).await?;
            write_down(&ledger, &bare::acknowledged(step, caller.number()))?;
        }
    }
    Ok(())
}

/// One write for one line, so that nobody ever reads half of one as a whole.
fn write_down(ledger: &Mutex<File>, line: &str) -> anyhow::Result<()> {
    let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
    ledger.write_all(format!("{line}\n").as_bytes())?;
    Ok(ledger.sync_data()?)
}
