//! A backup is put back: what came after it is forgotten by the exchange, but not by its callers.

use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;

use crate::random::Random;
use crate::sim::checks::history::{Checked, History};
use crate::sim::checks::invariants;
use crate::sim::checks::ledger::Ledger;
use crate::sim::run::{Play, failed, operator};
use crate::sim::store_fixture::PutBack;

/// A copy of what is kept, and what was known then.
pub(crate) struct Backup<'g> {
    put_back: PutBack<'g>,
    history: History,
    ledger: Ledger,
}

impl Play<'_> {
    /// The last backup is put back, or a new one is made.
    pub(crate) async fn back_up_or_restore(&mut self, random: &mut Random) -> Checked {
        if let Some(backup) = self.backup.take().filter(|_| random.chance(70)) {
            return self.restore(backup).await;
        }
        self.story.push("a backup is made".to_owned());
        let (history, ledger) = (self.history.clone(), self.ledger.clone());
        self.backup = Some(Backup { put_back: self.stage.back_up(), history, ledger });
        Ok(())
    }

    async fn restore(&mut self, backup: Backup<'_>) -> Checked {
        self.story.push("the backup is put back".to_owned());
        self.stage.put_back(&backup.put_back);
        self.ledger.go_back_to(&backup.ledger);
        let command = Command::NoteRestore(self.history.go_back_to(&backup.history));
        let (project, principal) = (self.stage.project, operator());
        let call = Call { project, principal, command, key: None };
        self.stage.ask(0, call).await.map_err(failed)?;
        self.look().await?;
        invariants::whole_log(&self.stage, &self.history).await
    }
}
