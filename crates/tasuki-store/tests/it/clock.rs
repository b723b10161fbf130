//! A process with a wrong clock, a restarted machine, and the way back.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use tasuki_engine::audit::log_check;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::Error;
use tasuki_engine::model::{Principal, Settings};
use tasuki_engine::ports::{BootTime, Clock, ClockReading, System};
use tasuki_engine::query::trail::Trail;
use tasuki_engine::steps::{AddParty, ResetClock};
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::leaf::ActorKind;

use crate::fixture::{Folder, open};
use crate::flip_matrix::wait;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// A wall clock and the clock of a machine, in seconds.
#[derive(Debug, Clone)]
struct TestClock {
    wall: Arc<AtomicI64>,
    boot: Arc<Mutex<(String, i64)>>,
}

impl TestClock {
    fn new() -> Self {
        let wall = Arc::new(AtomicI64::new(1_794_000_000));
        Self { wall, boot: Arc::new(Mutex::new(("first".to_owned(), 100))) }
    }

    /// Lets time pass for both clocks.
    fn pass(&self, seconds: i64) {
        self.step(seconds);
        self.boot.lock().unwrap().1 += seconds;
    }

    /// Sets the wall clock, which the clock of the machine does not follow.
    fn step(&self, seconds: i64) {
        self.wall.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Starts the machine again.
    fn restart(&self) {
        *self.boot.lock().unwrap() = ("second".to_owned(), 1);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.wall.load(Ordering::SeqCst)).unwrap()
    }

    fn reading(&self) -> Option<ClockReading> {
        let (id, seconds) = self.boot.lock().unwrap().clone();
        let elapsed = Duration::from_secs(u64::try_from(seconds).unwrap());
        Some(ClockReading { wall: self.now(), boot: Some(BootTime { id, elapsed }) })
    }
}

struct Machine {
    folder: Folder,
    clock: TestClock,
    project: ProjectId,
    sender: Principal,
}

impl Machine {
    fn new() -> Self {
        let (folder, clock) = (Folder::in_memory(), TestClock::new());
        let engine = engine(&folder, &clock);
        let project = wait(engine.create_project("default", Settings::default())).unwrap();
        let sender = Principal::local(PartyId::new(1, [1; 10]), ActorKind::Agent);
        Self { folder, clock, project, sender }
    }

    /// Runs a command in a process of its own, and returns the code of its error.
    fn run(&self, command: Command) -> &'static str {
        let engine = engine(&self.folder, &self.clock);
        let (project, principal) = (self.project, self.sender.clone());
        let call = Call { project, principal, command, key: None };
        let code = match wait(engine.run(call)) {
            Ok(_) => "done",
            Err(Error::Refused(refusal)) => refusal.code.as_str(),
            Err(Error::Failed(fault)) => fault.code(),
        };
        engine.close();
        code
    }

    /// Writes a leaf.
    fn add_party(&self, name: &str) -> &'static str {
        self.run(Command::AddParty(AddParty { name: name.to_owned(), ..AddParty::default() }))
    }

    /// Returns the names and times of the events, and checks the log.
    fn events(&self) -> Vec<(&'static str, Timestamp)> {
        let engine = engine(&self.folder, &self.clock);
        let store = engine.store().as_ref();
        let (trail, mut progress) = (Trail::default(), |_, _| ());
        let checked = wait(log_check::check(store, self.project, 0, &trail, &mut progress));
        assert_eq!(checked.unwrap().problem, None);
        let leaves = wait(store.leaves(self.project, 0, 500)).unwrap();
        leaves.iter().map(|row| (row.kind.name(), row.at)).collect()
    }

    fn steps(&self) -> usize {
        self.events().iter().filter(|(name, _)| *name == "clock.stepped").count()
    }
}

fn engine(folder: &Folder, clock: &TestClock) -> Engine {
    let store = open(folder.path());
    Engine::start(Arc::new(store), Arc::new(clock.clone()), Arc::new(System))
}

#[test]
fn a_process_with_a_wrong_clock_is_refused_itself_and_others_work_on() {
    let machine = Machine::new();
    assert_eq!(machine.add_party("one"), "done");
    for wrong in [40 * DAY, 11 * 60, -11 * 60, -40 * DAY] {
        machine.clock.step(wrong);
        assert_eq!(machine.add_party("wrong"), "TK-CLOCK-OFF", "{wrong}");
        machine.clock.step(-wrong);
        machine.clock.pass(HOUR);
        let name = format!("right-{}", wrong + 40 * DAY);
        assert_eq!(machine.add_party(&name), "done", "{wrong}");
    }
    machine.clock.step(9 * 60);
    assert_eq!(machine.add_party("nearly"), "done");
    assert_eq!(machine.steps(), 0);
}

#[test]
fn after_a_restart_a_step_forward_is_recorded_once_and_a_step_back_refused() {
    let machine = Machine::new();
    assert_eq!(machine.add_party("one"), "done");
    machine.clock.restart();
    machine.clock.step(-HOUR);
    assert_eq!(machine.add_party("two"), "TK-CLOCK-OFF");
    machine.clock.step(3 * HOUR);
    for name in ["three", "four"] {
        assert_eq!(machine.add_party(name), "done");
        machine.clock.pass(120);
    }
    assert_eq!(machine.steps(), 1);
}

#[test]
fn the_way_back_from_a_wrong_reference_is_recorded_and_the_log_still_checks() {
    let machine = Machine::new();
    // The first process of this machine had the wrong time.
    machine.clock.step(40 * DAY);
    assert_eq!(machine.add_party("one"), "done");
    machine.clock.step(-40 * DAY);
    machine.clock.pass(60);
    assert_eq!(machine.add_party("two"), "TK-CLOCK-OFF");
    assert_eq!(machine.run(Command::ResetClock(ResetClock)), "done");
    assert_eq!(machine.add_party("two"), "done");
    assert_eq!(machine.steps(), 1);
    assert_eq!(machine.events().last().unwrap().1, machine.clock.now());
    // A second time there is nothing to set back.
    assert_eq!(machine.run(Command::ResetClock(ResetClock)), "done");
    assert_eq!(machine.steps(), 1);
}
