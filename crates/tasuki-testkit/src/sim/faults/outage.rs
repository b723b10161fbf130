//! The whole exchange is away: nobody can renew or return, and the first server back says for how long.

use std::time::Duration;

use tasuki_engine::absence::Resume;
use tasuki_engine::clock::Clock as _;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_packet::leaf::EventType;

use crate::random::Random;
use crate::sim::checks::history::{Checked, must};
use crate::sim::checks::invariants;
use crate::sim::run::{Play, failed, operator};

impl Play<'_> {
    /// No server is there for a while. Two come back, and only the first has something to tell.
    pub(crate) async fn be_away(&mut self, random: &mut Random) -> Checked {
        let last_seen = self.stage.clock.now();
        let seconds = *random.pick(&[1, 60, 600, 3_600, 86_400]) * (1 + random.below(10));
        self.stage.crash();
        self.stage.clock.advance(Duration::from_secs(seconds));
        self.story.push(format!("nobody is there for {seconds} s"));
        let before = self.history.leaves.len();
        for server in 0..2 {
            let command = Command::Resume(Resume { last_seen });
            let (project, principal) = (self.stage.project, operator());
            let call = Call { project, principal, command, key: None };
            self.stage.ask(server, call).await.map_err(failed)?;
        }
        self.stage.engine(0).settle(self.stage.project, &operator()).await.map_err(failed)?;
        self.look().await?;
        let new = &self.history.leaves[before..];
        let told = new.iter().filter(|row| row.kind == EventType::ExchangeResumed).count();
        must(told <= 1, "an absence is told once", || format!("{told} times"))?;
        invariants::nothing_is_due(&self.stage).await
    }
}
