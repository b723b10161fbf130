//! Ends connections to a database that has stopped answering.
//!
//! A database that is frozen, or behind a network that swallows packets, keeps its connections open.
//! The limits of a session are its own, so they do not help. Statements are awaited on runtimes
//! without timers, so the task that drives the connection looks at the time: when it ends, the
//! statements under way fail.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time between two looks.
const INTERVAL: Duration = Duration::from_millis(500);

/// The statements of a connection that have not been answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Watch {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    under_way: usize,
    /// The instant by which the statements under way must be answered. `None` if they may take any
    /// time.
    deadline: Option<Instant>,
}

impl Watch {
    /// Notes a statement that must be answered within a limit, until the guard is dropped. Of
    /// several at once, the limit of the first counts.
    pub(super) fn start(&self, limit: Option<Duration>) -> UnderWay {
        let mut state = self.lock();
        if state.under_way == 0 {
            state.deadline = limit.map(|limit| Instant::now() + limit);
        }
        state.under_way += 1;
        UnderWay(self.clone())
    }

    /// Waits until a statement is overdue.
    pub(super) async fn overdue(&self) {
        while !self.is_overdue() {
            tokio::time::sleep(INTERVAL).await;
        }
    }

    fn is_overdue(&self) -> bool {
        let state = self.lock();
        state.under_way > 0 && state.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A statement that has not been answered.
pub(crate) struct UnderWay(Watch);

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.under_way = state.under_way.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_statement_under_way_is_overdue() {
        let watch = Watch::default();
        assert!(!watch.is_overdue());
        let first = watch.start(Some(Duration::ZERO));
        let second = watch.start(Some(Duration::from_hours(1)));
        assert!(watch.is_overdue(), "the limit of the first counts");
        drop(first);
        assert!(watch.is_overdue());
        drop(second);
        assert!(!watch.is_overdue());
        let unlimited = watch.start(None);
        assert!(!watch.is_overdue());
        drop(unlimited);
    }
}
