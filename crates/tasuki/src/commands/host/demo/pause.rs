//! Pauses of the scripted agents, which end when the demo ends.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Waits that one call ends for every agent.
#[derive(Debug, Clone, Default)]
pub(super) struct Pause(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    has_ended: Mutex<bool>,
    changed: Condvar,
}

/// Marks the end of the demo.
#[derive(Debug)]
pub(super) struct DemoEnded;

impl Pause {
    /// Waits for a duration, or fails at the end of the demo.
    pub(super) fn wait(&self, duration: Duration) -> Result<(), DemoEnded> {
        let has_ended = self.0.has_ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.changed.wait_timeout_while(has_ended, duration, |ended| !*ended);
        let (has_ended, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *has_ended { Err(DemoEnded) } else { Ok(()) }
    }

    /// Ends every wait, now and later.
    pub(super) fn end(&self) {
        *self.0.has_ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_end_of_the_demo_ends_every_wait() {
        let pause = Pause::default();
        assert!(pause.wait(Duration::from_millis(1)).is_ok());
        let started = Instant::now();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| pause.wait(Duration::from_mins(1)));
            pause.end();
            assert!(waiting.join().unwrap().is_err());
        });
        assert!(pause.wait(Duration::from_mins(1)).is_err());
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}
