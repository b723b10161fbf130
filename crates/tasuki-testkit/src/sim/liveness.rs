//! Liveness: once faults stop, everything due happens.

use std::time::Duration;

use jiff::SignedDuration;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::ports::{Clock as _, Store as _};
use tasuki_engine::steps::Halt;

use super::checks::history::{Checked, must};
use super::checks::invariants::StoreSnapshot;
use super::run::{Run, failed, operator};

/// The number of deadlines that are awaited one after the other.
const DEADLINES: usize = 3;

impl Run<'_> {
    /// Ends all faults and lets time pass: each deadline is applied when it comes.
    pub(super) async fn live_on(&mut self) -> Checked {
        self.engines.other_clock.set_error(SignedDuration::ZERO);
        if StoreSnapshot::new(&self.engines).await?.head.is_halted {
            self.transcript.push("halt lifted".to_owned());
            let command = Command::Halt(Halt { is_lift: true, reason: Some("over".to_owned()) });
            let (project, principal) = (self.engines.project, operator());
            let call = Call { project, principal, command, key: None };
            self.engines.call(0, call).await.map_err(failed)?;
        }
        self.works(1).await?;
        for _ in 0..DEADLINES {
            let next = self.engines.observer.next_due(self.engines.project).await;
            let Some(next) = next.map_err(|fault| failed(fault.into()))? else { return Ok(()) };
            let wait = next.duration_since(self.engines.clock.now());
            let wait = Duration::try_from(wait).unwrap_or_default();
            self.transcript.push(format!("{wait:?} later, everything works"));
            let leaves = self.history.leaves.len();
            self.engines.clock.advance(wait);
            self.works(0).await?;
            let after = self.engines.observer.next_due(self.engines.project).await;
            let after = after.map_err(|fault| failed(fault.into()))?;
            let has_happened = self.history.leaves.len() > leaves || after > Some(next);
            must(has_happened || after.is_none(), "what is due happens", || {
                format!("{next}, {after:?}")
            })?;
        }
        Ok(())
    }
}
