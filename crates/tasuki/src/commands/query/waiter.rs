//! Waits for something to happen: polls after every event, until a timeout or a signal.

use std::time::{Duration, Instant};

use crate::backend::{Backend, EventFollower};
use crate::exit::{Exit, Failure};
use crate::input::interrupt::Interrupt;

/// The delay before a server that was unavailable is polled again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The longest time until a signal is noticed.
const INTERRUPT_DELAY: Duration = Duration::from_millis(200);

/// The longest time without a poll while a signal may arrive: events trigger most of them.
const POLL_DELAY: Duration = Duration::from_secs(15);

/// Polls after every event until the timeout.
pub(crate) struct Waiter<'a> {
    pub(crate) exchange: &'a dyn Backend,
    pub(crate) began: Instant,
    pub(crate) timeout: Option<Duration>,
    /// The signals that end the wait; without it they end the process.
    pub(crate) interrupt: Option<&'a Interrupt>,
}

/// The result of one poll.
pub(crate) enum Poll<T> {
    Ready(T),
    /// Nothing yet; without an event, poll again at this instant.
    Pending(Option<Instant>),
}

impl Waiter<'_> {
    /// Polls until there is a result; returns none if the time is up or a signal has arrived. Events
    /// trigger the next poll.
    pub(crate) fn wait_until<T>(
        &self,
        mut follower: Box<dyn EventFollower + '_>,
        mut poll: impl FnMut() -> Result<Poll<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        self.exchange.apply_due()?;
        let end = self.timeout.and_then(|timeout| self.began.checked_add(timeout));
        let mut polled = poll()?;
        loop {
            let again_at = match polled {
                Poll::Ready(result) => return Ok(Some(result)),
                Poll::Pending(again_at) => again_at,
            };
            if self.is_interrupted() || end.is_some_and(|end| Instant::now() >= end) {
                return Ok(None);
            }
            self.follow(&mut *follower, again_at.into_iter().chain(end).min())?;
            polled = match poll() {
                Err(failure) if self.is_temporary(&failure) => {
                    Poll::Pending(Some(Instant::now() + RETRY_DELAY))
                }
                looked => looked?,
            };
        }
    }

    /// Returns whether a signal has arrived.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_raised)
    }

    /// Waits until there may be something new, the time is up, or a signal has arrived.
    fn follow(
        &self,
        follower: &mut (dyn EventFollower + '_),
        until: Option<Instant>,
    ) -> Result<(), Failure> {
        if self.interrupt.is_none() {
            return follower.next(until).map(drop);
        }
        // Without the right to read events, only a poll finds something new.
        let delay = if self.exchange.can_read()? { POLL_DELAY } else { RETRY_DELAY };
        let until = until.into_iter().chain(Instant::now().checked_add(delay)).min();
        loop {
            let now = Instant::now();
            if self.is_interrupted() || until.is_some_and(|until| now >= until) {
                return Ok(());
            }
            let soon = now.checked_add(INTERRUPT_DELAY).into_iter().chain(until).min();
            if !follower.next(soon)?.is_empty() {
                return Ok(());
            }
        }
    }

    /// Returns whether a server is temporarily unavailable.
    fn is_temporary(&self, failure: &Failure) -> bool {
        failure.exit == Exit::Unavailable && self.exchange.settings().url.is_some()
    }
}
