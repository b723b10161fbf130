//! Refuses a process whose clock is wrong, before it writes anything.
//!
//! All workers of a process share one guard. It judges every batch against the last reading that it
//! knows, and reads and replaces the one in the store once a minute.

use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::error::{Fault, FaultKind};
use crate::limits::CLOCK_RECORDED;
use crate::ports::clock::{ClockReading, ClockReference};
use crate::ports::{Clock, Store};
use crate::worker::clock_verdict::{ClockVerdict, judge};

/// The last reading of the clock that this process knows.
#[derive(Debug, Default)]
pub(crate) struct ClockGuard {
    known: Mutex<Option<ClockReference>>,
}

impl ClockGuard {
    /// Judges the clock, and records it. Returns the last step forward that was taken.
    pub(crate) async fn check(
        &self,
        store: &dyn Store,
        clock: &dyn Clock,
    ) -> Result<Option<(Timestamp, Timestamp)>, Fault> {
        // A store that is only read has nothing to protect.
        let own = clock.reading().filter(|_| !store.is_read_only());
        let Some(own) = own else { return Ok(None) };
        let known = self.known().filter(|known| is_current(&known.reading, &own));
        let reference = match &known {
            Some(known) => Some(known.clone()),
            None => store.clock().await?,
        };
        let verdict = reference.as_ref().map(|reference| judge(&reference.reading, &own));
        let step = match verdict {
            Some(ClockVerdict::Off(by)) => return Err(off(by)),
            Some(ClockVerdict::Forward { from, until }) => Some((from, until)),
            Some(ClockVerdict::Right) | None => reference.and_then(|reference| reference.step),
        };
        if known.is_none() {
            self.record(store, ClockReference { reading: own, step }).await?;
        }
        Ok(step)
    }

    /// Takes the clock of this process as right, whatever was recorded before.
    pub(crate) async fn reset(&self, store: &dyn Store, clock: &dyn Clock) -> Result<(), Fault> {
        let Some(reading) = clock.reading() else { return Ok(()) };
        self.record(store, ClockReference { reading, step: None }).await
    }

    async fn record(&self, store: &dyn Store, reference: ClockReference) -> Result<(), Fault> {
        store.put_clock(reference.clone()).await?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(reference);
        Ok(())
    }

    fn known(&self) -> Option<ClockReference> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns `true` if a reading is from this start of the machine, and not older than a minute.
fn is_current(known: &ClockReading, own: &ClockReading) -> bool {
    let boot = |reading: &ClockReading| reading.boot.as_ref().map(|boot| boot.id.clone());
    boot(known) == boot(own) && own.wall.duration_since(known.wall).abs() < CLOCK_RECORDED
}

fn off(by: SignedDuration) -> Fault {
    let direction = if by.is_negative() { "behind" } else { "ahead of" };
    let by = SignedDuration::from_secs(by.abs().as_secs());
    let message = format!("the clock of this machine is {by:#} {direction} that of the exchange");
    Fault::new(FaultKind::ClockOff, message).hint(
        "compare `date` with the true time and correct the clock; \
         if it is right, `tasuki doctor --fix` sets the time of the exchange back",
    )
}
