//! The log of a server: one line of JSON on stderr for everything that is worth one.
//!
//! There is a line for every request, and a write of its own for each would cost as much as a good part
//! of the answer. They are gathered for a moment and written together by a thread that rests while nobody
//! says anything. A warning is written at once, with all that was said before it, and so is what is left
//! when the server ends. Only a process that is killed takes the last moment with it.

use std::io::{self, Stderr, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::request_line;

/// How long lines are gathered.
const MOMENT: Duration = Duration::from_millis(50);

/// LIMIT: bytes that wait. Whoever says more writes them itself, and waits if nobody reads.
const BYTES_MAX: usize = 256 * 1024;

/// As long as this lives, lines are gathered; then what is left is written.
#[derive(Debug)]
pub(crate) struct Gathering(Arc<Lines<Stderr>>);

/// Begins to log what the filter wants.
pub(crate) fn begin(filter: EnvFilter) -> Gathering {
    let lines = Arc::new(Lines::to(io::stderr()));
    let gathered = Arc::clone(&lines);
    lines.lock().is_gathered = true;
    let started = std::thread::Builder::new().name("log".to_owned()).spawn(move || gathered.run());
    if started.is_err() {
        // Without a thread every line is written at once.
        lines.end();
    }
    let subscriber = tracing_subscriber::fmt()
        .json()
        .event_format(request_line::Lines::new())
        .with_env_filter(filter)
        .with_writer(Log(Arc::clone(&lines)));
    // A second one in the same process would be a test's.
    drop(subscriber.try_init());
    Gathering(lines)
}

impl Drop for Gathering {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// What lines are said to.
struct Log(Arc<Lines<Stderr>>);

/// One line.
struct Line<'a> {
    lines: &'a Lines<Stderr>,
    is_urgent: bool,
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { lines: &self.0, is_urgent: true }
    }

    fn make_writer_for(&'a self, of: &Metadata<'_>) -> Line<'a> {
        Line { lines: &self.0, is_urgent: *of.level() <= Level::WARN }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.say(line, self.is_urgent);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lines that wait to be written.
#[derive(Debug)]
struct Lines<W> {
    waiting: Mutex<Waiting>,
    news: Condvar,
    /// INVARIANT: whoever takes from those that wait has this first, so that none overtakes another.
    out: Mutex<W>,
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Whether somebody writes what waits.
    is_gathered: bool,
}

impl<W: Write> Lines<W> {
    fn to(out: W) -> Self {
        Self { waiting: Mutex::default(), news: Condvar::new(), out: Mutex::new(out) }
    }

    fn say(&self, line: &[u8], is_urgent: bool) {
        let mut waiting = self.lock();
        let is_first = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(line);
        let is_due = is_urgent || !waiting.is_gathered || waiting.bytes.len() >= BYTES_MAX;
        drop(waiting);
        if is_due {
            self.write();
        } else if is_first {
            self.news.notify_one();
        }
    }

    fn write(&self) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = std::mem::take(&mut self.lock().bytes);
        // Nobody can be told that the log cannot be written.
        drop(out.write_all(&bytes));
    }

    /// Writes again and again what was gathered, until it is over.
    fn run(&self) {
        loop {
            let waiting = self.lock();
            let rests = |waiting: &mut Waiting| waiting.is_gathered && waiting.bytes.is_empty();
            let waiting = self.news.wait_while(waiting, rests);
            let is_gathered = waiting.unwrap_or_else(PoisonError::into_inner).is_gathered;
            if !is_gathered {
                return;
            }
            std::thread::sleep(MOMENT);
            self.write();
        }
    }

    /// Writes what is left, and from now on every line at once.
    fn end(&self) {
        self.lock().is_gathered = false;
        self.news.notify_one();
        self.write();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathering() -> Lines<Vec<u8>> {
        let lines = Lines::to(Vec::new());
        lines.lock().is_gathered = true;
        lines
    }

    fn written(lines: &Lines<Vec<u8>>) -> String {
        String::from_utf8(lines.out.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn lines_wait_and_a_warning_brings_all_that_was_said_before_it() {
        let lines = gathering();
        lines.say(b"one\n", false);
        assert_eq!(written(&lines), "");
        lines.say(b"warning\n", true);
        assert_eq!(written(&lines), "one\nwarning\n");
    }

    #[test]
    fn nothing_is_lost_at_the_end_and_nothing_waits_after_it() {
        let lines = gathering();
        lines.say(b"one\n", false);
        lines.end();
        assert_eq!(written(&lines), "one\n");
        lines.say(b"two\n", false);
        assert_eq!(written(&lines), "one\ntwo\n");
    }

    #[test]
    fn what_waits_has_a_limit() {
        let lines = gathering();
        lines.say(&vec![b'x'; BYTES_MAX - 1], false);
        assert_eq!(written(&lines).len(), 0);
        lines.say(b"x", false);
        assert_eq!(written(&lines).len(), BYTES_MAX);
    }

    #[test]
    fn somebody_writes_what_was_gathered_until_it_is_over() {
        let lines = gathering();
        std::thread::scope(|scope| {
            scope.spawn(|| lines.run());
            lines.say(b"one\n", false);
            while written(&lines).is_empty() {
                std::thread::yield_now();
            }
            lines.end();
        });
        assert_eq!(written(&lines), "one\n");
    }
}
