//! Engines on one store: they are asked, they crash, they are started again.
//!
//! Two engines share the store, as a server and a command line do. Everything here is driven from
//! one task, so that the same calls give the same log.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::clock::Clock as _;
use tasuki_engine::command::Command;
use tasuki_engine::directory::{Directory, Settings};
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::principal::Principal;
use tasuki_engine::store::Store;
use tasuki_packet::api::Answer;
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::leaf::ActorKind;

use super::faults::barrier::Door;
use super::faults::faulty_store::{Rigged, Sabotage};
use super::faults::faulty_transaction::Faults;
use super::store_fixture::{DueTimes, Ground, PutBack};
use crate::clock::{ManualClock, SeededEntropy};
use crate::memory::{FaultPoint, MemoryStore};
use crate::samples;

/// What a caller hears.
pub(super) type Heard = Result<Answer, Error>;

type Running = Pin<Box<dyn Future<Output = Heard>>>;

/// The engines, the store and the clock.
pub(super) struct Stage<'g> {
    pub project: ProjectId,
    pub clock: ManualClock,
    ground: &'g dyn Ground,
    faults: Faults,
    entropy: SeededEntropy,
    sabotage: Option<Sabotage>,
    engines: Vec<(Engine, Arc<Door>)>,
    directory: RefCell<Option<Arc<Directory>>>,
    /// By which the checks look at the store; no engine has it.
    pub eyes: Rigged,
}

impl<'g> Stage<'g> {
    pub(super) async fn new(
        seed: u64,
        ground: &'g dyn Ground,
        settings: Settings,
        sabotage: Option<Sabotage>,
    ) -> Result<Self, Error> {
        let faults = Faults::default();
        let eyes = Rigged::new(ground.open(), Faults::default(), sabotage);
        let clock = ManualClock::at(samples::at(0));
        let entropy = SeededEntropy::new(seed);
        let project = samples::project("nowhere");
        let mut stage = Self {
            project,
            clock,
            ground,
            faults,
            entropy,
            sabotage,
            engines: Vec::new(),
            directory: RefCell::new(None),
            eyes,
        };
        stage.start();
        stage.project = stage.engines[0].0.create_project("simulated", settings).await?;
        Ok(stage)
    }

    fn start(&mut self) {
        for _ in 0..2 {
            let rigged = Rigged::new(self.ground.open(), self.faults.clone(), self.sabotage);
            let door = rigged.door();
            let (clock, entropy) = (Arc::new(self.clock.clone()), Arc::new(self.entropy.clone()));
            let engine = Engine::start(Arc::new(rigged) as Arc<dyn Store>, clock, entropy);
            self.engines.push((engine, door));
        }
    }

    /// The engines are gone, with whatever only they knew; what their lines had taken is decided.
    pub(super) fn crash(&mut self) {
        self.end();
        self.start();
    }

    fn end(&mut self) {
        for (engine, door) in self.engines.drain(..) {
            drop(engine);
            door.wait_until_gone();
        }
        self.faults.end();
    }

    /// Copies what is kept.
    pub(super) fn back_up(&self) -> PutBack<'g> {
        self.ground.back_up(self.project)
    }

    /// Puts a copy back, while nobody has the store open.
    pub(super) fn put_back(&mut self, put_back: &PutBack<'_>) {
        self.end();
        self.eyes = Rigged::new(Arc::new(MemoryStore::new()), Faults::default(), None);
        put_back();
        self.eyes = Rigged::new(self.ground.open(), Faults::default(), self.sabotage);
        // Another directory may have the same version now.
        self.directory.replace(None);
        self.start();
    }

    /// What is noted as due, if anybody can see it.
    pub(super) fn due_times(&self) -> DueTimes {
        let mut times = self.ground.due_times(self.project).unwrap_or_default();
        if self.sabotage == Some(Sabotage::DueLate) {
            for (_, at) in &mut times {
                *at = at.map(|at| at + SignedDuration::from_secs(1));
            }
        }
        times
    }

    pub(super) fn engine(&self, number: usize) -> &Engine {
        &self.engines[number % 2].0
    }

    /// The directory of this version, as the store has it; reading it anew each time takes long.
    pub(super) async fn directory(&self, version: u64) -> Result<Arc<Directory>, Fault> {
        let known = self.directory.borrow().clone();
        if let Some(known) = known.filter(|known| known.version == version) {
            return Ok(known);
        }
        let records = self.eyes.directory(self.project).await?;
        let directory = Arc::new(Directory::of(self.project, version, records)?);
        self.directory.replace(Some(Arc::clone(&directory)));
        Ok(directory)
    }

    /// The project's clock if it were asked now.
    pub(super) fn now(&self, last_at: Timestamp) -> Timestamp {
        self.clock.now().max(last_at)
    }

    pub(super) async fn ask(&self, number: usize, call: Call) -> Heard {
        self.engine(number).run(call).await
    }

    /// Asks while these faults are due.
    pub(super) async fn ask_with(&self, call: Call, faults: &[FaultPoint]) -> Heard {
        self.faults.come(faults);
        let heard = self.ask(0, call).await;
        self.faults.end();
        heard
    }

    /// Asks and crashes before the answer is heard. The faults decide what became of it.
    ///
    /// The door is shut until the caller is gone: one that hears that its directory is too old would
    /// ask again, and whether it hears that must not depend on which thread is faster.
    pub(super) async fn ask_and_crash(&mut self, call: Call, faults: &[FaultPoint]) {
        self.faults.come(faults);
        let door = Arc::clone(&self.engines[0].1);
        door.shut();
        let mut running = self.running(call);
        drop(poll_once(&mut running).await);
        drop(running);
        door.open(Vec::new());
        self.crash();
    }

    fn running(&self, call: Call) -> Running {
        let engine = self.engine(0).clone();
        Box::pin(async move { engine.run(call).await })
    }

    /// Asks all of these in one batch, which meets these faults.
    ///
    /// The line is kept busy with a command of its own until all of them stand in it.
    pub(super) async fn ask_together(
        &mut self,
        calls: Vec<Call>,
        faults: Vec<FaultPoint>,
    ) -> Vec<Heard> {
        let door = Arc::clone(&self.engines[0].1);
        let (before, running) = self.stand_in_line(calls, &door).await;
        door.open(faults);
        drop(before);
        let mut heard = Vec::with_capacity(running.len());
        for one in running {
            heard.push(match one {
                Ok(early) => early,
                Err(running) => running.await,
            });
        }
        door.forget_faults();
        self.faults.end();
        heard
    }

    /// The same, but nobody hears an answer.
    pub(super) async fn ask_together_and_crash(
        &mut self,
        calls: Vec<Call>,
        faults: Vec<FaultPoint>,
    ) {
        let door = Arc::clone(&self.engines[0].1);
        let (before, running) = self.stand_in_line(calls, &door).await;
        door.open(faults);
        drop((before, running));
        self.crash();
    }

    async fn stand_in_line(
        &self,
        calls: Vec<Call>,
        door: &Door,
    ) -> (Running, Vec<Result<Heard, Running>>) {
        door.shut();
        let principal = Principal::local(PartyId::new(0, [0; 10]), ActorKind::Agent);
        let settle = Call { project: self.project, principal, command: Command::Settle, key: None };
        let mut before = self.running(settle);
        drop(poll_once(&mut before).await);
        door.wait_for_somebody();
        let mut running = Vec::with_capacity(calls.len());
        for call in calls {
            let mut one = self.running(call);
            running.push(poll_once(&mut one).await.ok_or(one));
        }
        (before, running)
    }
}

/// Lets a future come as far as it can by itself.
async fn poll_once(running: &mut Running) -> Option<Heard> {
    std::future::poll_fn(|context| {
        Poll::Ready(match running.as_mut().poll(context) {
            Poll::Ready(heard) => Some(heard),
            Poll::Pending => None,
        })
    })
    .await
}
