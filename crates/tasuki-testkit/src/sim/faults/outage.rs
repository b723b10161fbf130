//! An outage of the whole exchange: no call is answered, and the first server to return records its
//! length.

use std::time::Duration;

use jiff::SignedDuration;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::ports::Clock as _;
use tasuki_engine::steps::RecordOutage;
use tasuki_packet::leaf::EventType;

use crate::random::Random;
use crate::sim::checks::history::{Checked, must};
use crate::sim::checks::invariants;
use crate::sim::run::{Run, failed, operator};

impl Run<'_> {
    /// Stops all servers for a while. Two return, and only the first records the outage.
    pub(crate) async fn outage(&mut self, random: &mut Random) -> Checked {
        let last_seen = self.engines.clock.now();
        let seconds = *random.pick(&[1, 60, 600, 3_600, 86_400]) * (1 + random.below(10));
        self.engines.crash();
        // Servers that differ by minutes record these minutes, too.
        self.engines.other_clock.set_error(SignedDuration::ZERO);
        self.engines.clock.advance(Duration::from_secs(seconds));
        self.transcript.push(format!("outage of {seconds} s"));
        let before = self.history.leaves.len();
        for server in 0..2 {
            let command = Command::RecordOutage(RecordOutage { last_seen });
            let (project, principal) = (self.engines.project, operator());
            let call = Call { project, principal, command, key: None };
            self.engines.call(server, call).await.map_err(failed)?;
        }
        self.engines
            .engine(0)
            .apply_due(self.engines.project, &operator())
            .await
            .map_err(failed)?;
        self.check_all().await?;
        let new = &self.history.leaves[before..];
        let recorded = new.iter().filter(|row| row.kind == EventType::OutageRecorded).count();
        must(recorded <= 1, "an outage is recorded once", || format!("{recorded} times"))?;
        invariants::nothing_is_due(&self.engines).await
    }
}
