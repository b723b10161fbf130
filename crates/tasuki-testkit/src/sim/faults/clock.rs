//! Wrong clocks: of one process, of the whole machine, and after the machine was started again.
//!
//! A process with a wrong clock is refused itself and changes nothing, while others work on. After
//! a start only the direction is known: a step forward is recorded once, and going back is refused
//! until the clock is right or the operator takes it as right.

use std::time::Duration;

use jiff::SignedDuration;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::error::{Error, FaultKind};
use tasuki_engine::ports::Clock as _;
use tasuki_engine::steps::{ApplyDue, ResetClock};
use tasuki_packet::leaf::EventType;

use crate::random::Random;
use crate::sim::checks::history::{Checked, must};
use crate::sim::checks::invariants::{self, StoreSnapshot};
use crate::sim::engines::Response;
use crate::sim::run::{Run, failed, operator};
use crate::sim::transcript;

const RULE: &str = "a process with a wrong clock changes nothing";

/// The clocks of two processes differ by twice this at most, and one more step of the machine by
/// twice this keeps them within the 10 minutes that the exchange tolerates.
const SMALL_SECONDS: u64 = 120;

/// A difference that no process may have.
fn wrong(random: &mut Random) -> SignedDuration {
    SignedDuration::from_mins(*random.pick(&[25, 300, 3 * 1_440, 40 * 1_440]))
}

impl Run<'_> {
    /// Lets a clock be wrong for a while.
    pub(crate) async fn clock_fault(&mut self, random: &mut Random) -> Checked {
        match random.below(5) {
            0 => self.wrong_process(random).await,
            1 => self.wrong_machine(random).await,
            2 => self.restarted(random).await,
            3 => self.restarted_in_the_past(random).await,
            _ => self.restarted_in_the_future(random).await,
        }
    }

    /// Sets the clock of the machine forward or back a little, or lets its processes differ a
    /// little, which is no fault.
    pub(crate) async fn small_step(&mut self, random: &mut Random) -> Checked {
        let seconds = i64::try_from(random.below(4 * SMALL_SECONDS)).expect("a few minutes");
        let by = SignedDuration::from_secs(seconds)
            - SignedDuration::from_secs(2 * SMALL_SECONDS.cast_signed());
        if random.chance(30) {
            self.engines.other_clock.set_error(by / 2);
            self.transcript.push(format!("the second process differs by {:#}", by / 2));
        } else {
            self.engines.clock.step(by);
            self.transcript.push(format!("clock set by {by:#}"));
        }
        self.works(0).await
    }

    async fn wrong_process(&mut self, random: &mut Random) -> Checked {
        // Without a clock of the machine, only time that goes back can be told.
        let is_behind = random.chance(50) || !self.engines.clock.has_boot_clock();
        let by = if is_behind { -wrong(random) } else { wrong(random) };
        self.works(0).await?;
        self.engines.other_clock.set_error(by);
        self.transcript.push(format!("the second process is wrong by {by:#}"));
        if random.chance(30) {
            self.engines.crash();
        }
        for _ in 0..=random.below(2) {
            self.refused_for_clock(1, random).await?;
        }
        self.works(0).await?;
        self.engines.other_clock.set_error(SignedDuration::ZERO);
        self.works(1).await
    }

    async fn wrong_machine(&mut self, random: &mut Random) -> Checked {
        let is_behind = random.chance(50) || !self.engines.clock.has_boot_clock();
        let by = if is_behind { -wrong(random) } else { wrong(random) };
        self.works(0).await?;
        self.engines.clock.step(by);
        self.transcript.push(format!("clock wrong by {by:#}"));
        for number in 0..2 {
            self.refused_for_clock(number, random).await?;
        }
        self.engines.clock.step(-by);
        self.transcript.push("clock right again".to_owned());
        self.works(0).await
    }

    /// Starts the machine again after a while.
    async fn restarted(&mut self, random: &mut Random) -> Checked {
        let seconds: i64 = *random.pick(&[0, 30, 300, 3_600, 3 * 86_400]);
        self.works(0).await?;
        let before = StoreSnapshot::new(&self.engines).await?;
        let is_ahead = before.head.last_at > self.engines.clock.now();
        self.start_machine(SignedDuration::from_secs(seconds));
        let leaves = self.history.leaves.len();
        self.works(0).await?;
        self.works(1).await?;
        let new = &self.history.leaves[leaves..];
        let count = new.iter().filter(|row| row.kind == EventType::ClockStepped).count();
        // A step is recorded once; none if the log was ahead, or the time may have just passed.
        let is_expected = seconds > 1_200 && !is_ahead && self.engines.clock.has_boot_clock();
        let is_right = count <= 1 && (count == 1 || !is_expected);
        must(is_right, "a step of the clock is recorded once", || format!("{count} times"))
    }

    /// Starts the machine with a clock that went back. It is refused until it is right again, or
    /// the operator takes it as right.
    async fn restarted_in_the_past(&mut self, random: &mut Random) -> Checked {
        let by = wrong(random);
        self.works(0).await?;
        self.start_machine(-by);
        for number in 0..2 {
            self.refused_for_clock(number, random).await?;
        }
        if random.chance(50) {
            self.engines.clock.step(by);
            self.transcript.push("clock right again".to_owned());
            return self.works(1).await;
        }
        self.reset_clock().await
    }

    /// Starts the machine with a clock that is ahead, which is taken, and sets it right later.
    async fn restarted_in_the_future(&mut self, random: &mut Random) -> Checked {
        if !self.engines.clock.has_boot_clock() {
            return self.restarted(random).await;
        }
        let by = wrong(random);
        self.start_machine(by);
        self.works(0).await?;
        self.single_call_by(0, random).await?;
        self.engines.clock.step(-by);
        self.transcript.push("clock right again".to_owned());
        self.refused_for_clock(1, random).await?;
        self.reset_clock().await
    }

    fn start_machine(&mut self, by: SignedDuration) {
        self.engines.crash();
        self.engines.clock.restart();
        self.engines.clock.step(by);
        self.engines.clock.advance(Duration::from_secs(1));
        self.transcript.push(format!("machine started again, {by:#} later"));
        self.occurred("machine started");
    }

    /// Lets the operator take the clock as right. The log goes on from there.
    pub(crate) async fn reset_clock(&mut self) -> Checked {
        self.transcript.push("operator: reset_clock".to_owned());
        let response = self.command(0, Command::ResetClock(ResetClock)).await;
        response.map_err(failed)?;
        self.check_all().await?;
        let found = StoreSnapshot::new(&self.engines).await?;
        let (last_at, now) = (found.head.last_at, self.engines.clock.now());
        must(last_at <= now, "the log goes on from the clock", || format!("{last_at}, {now}"))?;
        self.occurred("clock reset");
        self.works(0).await?;
        self.works(1).await
    }

    /// Checks that an engine applies what is due.
    pub(crate) async fn works(&mut self, number: usize) -> Checked {
        self.command(number, Command::ApplyDue(ApplyDue)).await.map_err(failed)?;
        let (engine, project) = (self.engines.engine(number), self.engines.project);
        engine.apply_due(project, &operator()).await.map_err(failed)?;
        self.check_all().await?;
        invariants::nothing_is_due(&self.engines).await
    }

    /// Checks that an engine with a wrong clock is refused, whatever it is asked.
    async fn refused_for_clock(&mut self, number: usize, random: &mut Random) -> Checked {
        let before = StoreSnapshot::new(&self.engines).await?;
        let call = self.call(random, &before).await?;
        let due = self.command(number, Command::ApplyDue(ApplyDue)).await;
        must(is_clock_off(&due), RULE, || transcript::response(&due))?;
        let response = self.engines.call(number, call.clone()).await;
        self.record(&call, &response, &[], &before);
        // A request that is refused before it is queued does not ask for the time.
        let is_refused = is_clock_off(&response) || matches!(response, Err(Error::Refused(_)));
        must(is_refused, RULE, || transcript::response(&response))?;
        let after = StoreSnapshot::new(&self.engines).await?;
        let is_same = after.head == before.head && after.handoffs == before.handoffs;
        must(is_same, RULE, || format!("{:?}", after.head))?;
        self.occurred("clock refused");
        Ok(())
    }

    /// Sends a command of the operator.
    async fn command(&self, number: usize, command: Command) -> Response {
        let (project, principal) = (self.engines.project, operator());
        self.engines.call(number, Call { project, principal, command, key: None }).await
    }
}

fn is_clock_off(response: &Response) -> bool {
    matches!(response, Err(Error::Failed(fault)) if fault.kind == FaultKind::ClockOff)
}
