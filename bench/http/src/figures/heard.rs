//! The delay from an event to a stream and a webhook, while work is handed over at a steady rate.
//! It is measured from the time in the event, which is before its fsync.

use std::time::Duration;

use bench_store::measured::{Percentiles, count, percentiles};
use jiff::Timestamp;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::listener::Listener;
use super::{Figure, pace, receiver};
use crate::load;
use crate::options::Options;
use crate::tasuki::{Serving, Setup};

/// The duration of the run, including the warm-up, which is not counted.
const LENGTH: Duration = Duration::from_secs(12);
const BEGINNING: Duration = Duration::from_secs(2);

/// The number of streams; all of them count.
const STREAMS: usize = 10;

/// How long a slow receiver may take to catch up.
const CATCH_UP: Duration = Duration::from_secs(5);

/// The time of an event and the time it was received.
type Heard = (Timestamp, Timestamp);

/// Measures the delays.
pub fn heard(options: &Options) -> anyhow::Result<Vec<Figure>> {
    let runtime = load::runtime()?;
    let (to_hook, mut by_hook) = unbounded_channel();
    let webhook = runtime.block_on(receiver::listen(to_hook))?;
    let setup = Setup { open_handoffs: 0, webhook: Some(webhook) };
    let serving = Serving::start(&options.tool, &options.directory, &setup)?;
    runtime.block_on(async {
        let (to_stream, mut by_stream) = unbounded_channel();
        for _ in 0..STREAMS {
            let mut listener = Listener::connect(serving.address, &serving.tokens.sender).await?;
            let to_stream = to_stream.clone();
            tokio::spawn(async move {
                while let Ok(at) = listener.next().await {
                    if to_stream.send((at, Timestamp::now())).is_err() {
                        return;
                    }
                }
            });
        }
        let start = Timestamp::now();
        let handoffs = pace::hand_over(&serving, options.rate, LENGTH).await?;
        let reached = count(handoffs) / LENGTH.as_secs_f64();
        let events = usize::try_from(handoffs)? * 3;
        let from = start + BEGINNING;
        let mut figures = Vec::new();
        let stream = gathered(&mut by_stream, events * STREAMS, from).await?;
        figures.extend(figures_of("stream", reached, stream));
        let hook = gathered(&mut by_hook, events, from).await?;
        figures.extend(figures_of("webhook", reached, hook));
        Ok(figures)
    })
}

/// Collects all received events. A missing one counts as later than any other.
async fn gathered(
    heard: &mut UnboundedReceiver<Heard>,
    expected: usize,
    from: Timestamp,
) -> anyhow::Result<Percentiles> {
    let (mut all, mut count) = (Vec::new(), 0);
    while count < expected {
        let Ok(Some((at, now))) = tokio::time::timeout(CATCH_UP, heard.recv()).await else { break };
        // Parties and tokens were created before.
        count += usize::from(at >= from - BEGINNING);
        if at >= from {
            let late = now.duration_since(at);
            all.push(u32::try_from(late.as_micros().max(0)).unwrap_or(u32::MAX));
        }
    }
    let lost = expected - count;
    let never = u32::try_from((LENGTH + CATCH_UP).as_micros())?;
    all.extend(std::iter::repeat_n(never, lost));
    Ok(percentiles(all))
}

fn figures_of(whom: &str, rate: f64, heard: Percentiles) -> [Figure; 2] {
    let figure = |which: &str, time: Duration, asked: f64| Figure {
        name: format!("{rate:.0} handoffs/s: event to {whom}, {which}"),
        value: time.as_secs_f64() * 1e3,
        asked,
        unit: "ms",
    };
    [figure("median", heard.p50, 50.0), figure("p99", heard.p99, 500.0)]
}
