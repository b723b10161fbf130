//! Writes the log of a server to stderr, one JSON object per line.
//!
//! Lines are formatted by the thread that logs them and written by a background thread, which takes all
//! queued lines in one write. A full queue blocks the threads that log; no line is dropped.

use std::io::{self, BufWriter, Write};

use tracing::Subscriber;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use super::log_line;

/// LIMIT: queued lines, about half a megabyte of requests.
const LINES_MAX: usize = 1024;

/// Starts logging what the filter lets through.
///
/// Dropping the guard writes all queued lines. It must outlive everything that logs.
pub(crate) fn start(filter: EnvFilter) -> WorkerGuard {
    let (subscriber, guard) = subscriber(filter, io::stderr());
    // Fails only if a test has installed another subscriber in this process.
    drop(tracing::subscriber::set_global_default(subscriber));
    guard
}

/// Returns a subscriber that writes to `out`, and the guard of its queue.
fn subscriber(
    filter: EnvFilter,
    out: impl Write + Send + 'static,
) -> (impl Subscriber + Send + Sync, WorkerGuard) {
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(false)
        .buffered_lines_limit(LINES_MAX)
        .thread_name("log")
        .finish(BufWriter::new(out));
    let subscriber = tracing_subscriber::fmt()
        .event_format(log_line::Format)
        .with_env_filter(filter)
        .with_writer(writer)
        .finish();
    (subscriber, guard)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::Value;

    use super::*;

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns what is written once the guard is dropped.
    fn logged(log: impl FnOnce()) -> String {
        let output = Output::default();
        let (subscriber, guard) = subscriber(EnvFilter::new("info"), output.clone());
        tracing::subscriber::with_default(subscriber, log);
        drop(guard);
        let bytes = output.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn an_event_is_one_flat_json_object_per_line() {
        let text = logged(|| {
            let (none, party) = (None::<String>, Some(tracing::field::display("pa_1")));
            tracing::info!(target: "tasuki::request", method = %"POST", status = 201, code = none, party);
            tracing::info!(target: "tasuki::request", text = "a \"quoted\" é\n", is_so = true, less = -1);
            tracing::warn!(target: "tasuki::other", n = 7, "another line");
            tracing::info!(target: "tasuki::other", level = 1, timestamp = 2, "names of the line");
            tracing::debug!("filtered out");
        });
        let lines = text.lines().map(|line| {
            let (time, rest) = line.split_at(r#"{"timestamp":"2026-11-15T10:00:00.000000Z""#.len());
            assert!(time.ends_with("Z\""), "{line}");
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
            rest
        });
        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
        ,"level":"INFO","method":"POST","status":201,"party":"pa_1","target":"tasuki::request"}
        ,"level":"INFO","text":"a \"quoted\" é\n","is_so":true,"less":-1,"target":"tasuki::request"}
        ,"level":"WARN","message":"another line","n":7,"target":"tasuki::other"}
        ,"level":"INFO","message":"names of the line","level_2":1,"timestamp_2":2,"target":"tasuki::other"}
        "#);
    }

    #[test]
    fn dropping_the_guard_writes_every_queued_line() {
        let count = LINES_MAX * 2;
        let text = logged(|| (0..count).for_each(|n| tracing::info!(n)));
        assert_eq!(text.lines().count(), count);
    }
}
