//! A restored backup: the exchange forgets what came after it, its callers do not.

use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::{Error, FaultKind};
use tasuki_engine::steps::ResetClock;

use crate::random::Random;
use crate::sim::checks::history::{Checked, History};
use crate::sim::checks::invariants;
use crate::sim::checks::ledger::Ledger;
use crate::sim::run::{Run, failed, operator};
use crate::sim::store_fixture::PutBack;

/// A copy of the store, and the state derived from it.
pub(crate) struct Backup<'g> {
    put_back: PutBack<'g>,
    history: History,
    ledger: Ledger,
}

impl Run<'_> {
    /// Restores the last backup, or makes a new one.
    pub(crate) async fn back_up_or_restore(&mut self, random: &mut Random) -> Checked {
        if let Some(backup) = self.backup.take().filter(|_| random.chance(70)) {
            return self.restore(backup).await;
        }
        self.transcript.push("backup made".to_owned());
        let (history, ledger) = (self.history.clone(), self.ledger.clone());
        self.backup = Some(Backup { put_back: self.engines.back_up(), history, ledger });
        Ok(())
    }

    async fn restore(&mut self, backup: Backup<'_>) -> Checked {
        self.transcript.push("backup restored".to_owned());
        self.engines.put_back(&backup.put_back);
        self.ledger.roll_back_to(&backup.ledger);
        let command = Command::RecordRestore(self.history.roll_back_to(&backup.history));
        let (project, principal) = (self.engines.project, operator());
        let call = Call { project, principal, command, key: None };
        let response = self.engines.call(0, call.clone()).await;
        if matches!(&response, Err(Error::Failed(fault)) if fault.kind == FaultKind::ClockOff) {
            // The backup has a reading of a clock that was set back since.
            self.transcript.push("operator: reset_clock".to_owned());
            let reset = Call { command: Command::ResetClock(ResetClock), ..call.clone() };
            self.engines.call(0, reset).await.map_err(failed)?;
            self.engines.call(0, call).await.map_err(failed)?;
        } else {
            response.map_err(failed)?;
        }
        self.check_all().await?;
        invariants::whole_log(&self.engines, &self.history).await
    }
}
