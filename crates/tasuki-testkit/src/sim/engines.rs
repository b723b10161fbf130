//! Engines on one store that are called, crash and restart.
//!
//! Two engines share the store, as a server and a command line do. One task drives everything, so
//! that the same calls give the same log.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use jiff::{SignedDuration, Timestamp};
use tasuki_api::CommandResponse;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::model::{Directory, Principal, Settings};
use tasuki_engine::ports::{Clock as _, Store};
use tasuki_engine::steps::ApplyDue;
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::leaf::ActorKind;

use super::faults::barrier::Barrier;
use super::faults::faulty_store::{FaultyStore, Sabotage};
use super::faults::faulty_transaction::Faults;
use super::store_fixture::{DueTimes, PutBack, StoreFixture};
use crate::clock::{ProcessClock, SeededEntropy};
use crate::memory::{FaultPoint, MemoryStore};
use crate::samples;

/// The result of a call, as its caller gets it.
pub(super) type Response = Result<CommandResponse, Error>;

type Running = Pin<Box<dyn Future<Output = Response>>>;

pub(super) struct Engines<'g> {
    pub project: ProjectId,
    /// The clock of the first engine.
    pub clock: ProcessClock,
    /// The clock of the second engine, on the same machine.
    pub other_clock: ProcessClock,
    ground: &'g dyn StoreFixture,
    faults: Faults,
    entropy: SeededEntropy,
    sabotage: Option<Sabotage>,
    instances: Vec<(Engine, Arc<Barrier>)>,
    directory: RefCell<Option<Arc<Directory>>>,
    /// The store for the checks; no engine uses it.
    pub observer: FaultyStore,
}

impl<'g> Engines<'g> {
    pub(super) async fn new(
        seed: u64,
        ground: &'g dyn StoreFixture,
        settings: Settings,
        sabotage: Option<Sabotage>,
    ) -> Result<Self, Error> {
        let faults = Faults::default();
        let observer = FaultyStore::new(ground.open(), Faults::default(), sabotage);
        // Some systems have no clock that counts the time since their start.
        let clock = ProcessClock::at(samples::at(0), seed % 8 != 5);
        let other_clock = clock.of_other_process();
        let entropy = SeededEntropy::new(seed);
        let project = samples::project("nowhere");
        let mut engines = Self {
            project,
            clock,
            other_clock,
            ground,
            faults,
            entropy,
            sabotage,
            instances: Vec::new(),
            directory: RefCell::new(None),
            observer,
        };
        engines.start();
        engines.project = engines.instances[0].0.create_project("simulated", settings).await?;
        Ok(engines)
    }

    fn start(&mut self) {
        for clock in [&self.clock, &self.other_clock] {
            let store = FaultyStore::new(self.ground.open(), self.faults.clone(), self.sabotage);
            let barrier = store.barrier();
            let (clock, entropy) = (Arc::new(clock.clone()), Arc::new(self.entropy.clone()));
            let engine = Engine::start(Arc::new(store) as Arc<dyn Store>, clock, entropy);
            self.instances.push((engine, barrier));
        }
    }

    /// Drops the engines with their memory and starts new ones. Commands taken from a queue are
    /// decided first.
    pub(super) fn crash(&mut self) {
        self.stop();
        self.start();
    }

    fn stop(&mut self) {
        for (engine, barrier) in self.instances.drain(..) {
            drop(engine);
            barrier.wait_until_dropped();
        }
        self.faults.clear();
    }

    pub(super) fn back_up(&self) -> PutBack<'g> {
        self.ground.back_up(self.project)
    }

    /// Restores a copy while no engine has the store open.
    pub(super) fn put_back(&mut self, put_back: &PutBack<'_>) {
        self.stop();
        self.observer = FaultyStore::new(Arc::new(MemoryStore::new()), Faults::default(), None);
        put_back();
        self.observer = FaultyStore::new(self.ground.open(), Faults::default(), self.sabotage);
        // Another directory may have the same version now.
        self.directory.replace(None);
        self.start();
    }

    /// Returns the stored due times, if the store provides them.
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
        &self.instances[number % 2].0
    }

    /// Returns the directory of this version, cached because reading it is slow.
    pub(super) async fn directory(&self, version: u64) -> Result<Arc<Directory>, Fault> {
        let known = self.directory.borrow().clone();
        if let Some(known) = known.filter(|known| known.version == version) {
            return Ok(known);
        }
        let records = self.observer.directory(self.project).await?;
        let directory = Arc::new(Directory::of(self.project, version, records)?);
        self.directory.replace(Some(Arc::clone(&directory)));
        Ok(directory)
    }

    /// Returns the current time of the project's clock.
    pub(super) fn now(&self, last_at: Timestamp) -> Timestamp {
        self.clock.now().max(last_at)
    }

    pub(super) async fn call(&self, number: usize, call: Call) -> Response {
        self.engine(number).run(call).await
    }

    /// Calls while these faults are scheduled.
    pub(super) async fn call_with_faults(&self, call: Call, faults: &[FaultPoint]) -> Response {
        self.faults.schedule(faults);
        let response = self.call(0, call).await;
        self.faults.clear();
        response
    }

    /// Calls and crashes before the response. The faults decide the outcome of the command.
    ///
    /// The barrier stays closed until the caller is gone. Otherwise a caller with an outdated
    /// directory might retry, depending on thread timing.
    pub(super) async fn call_and_crash(&mut self, call: Call, faults: &[FaultPoint]) {
        self.faults.schedule(faults);
        let barrier = Arc::clone(&self.instances[0].1);
        barrier.close();
        let mut running = self.running(call);
        drop(poll_once(&mut running).await);
        drop(running);
        barrier.open(Vec::new());
        self.crash();
    }

    fn running(&self, call: Call) -> Running {
        let engine = self.engine(0).clone();
        Box::pin(async move { engine.run(call).await })
    }

    /// Sends all of these calls in one batch, with these faults.
    ///
    /// A command of its own keeps the worker busy until all of them are queued.
    pub(super) async fn call_batch(
        &mut self,
        calls: Vec<Call>,
        faults: Vec<FaultPoint>,
    ) -> Vec<Response> {
        let barrier = Arc::clone(&self.instances[0].1);
        let (before, running) = self.enqueue(calls, &barrier).await;
        barrier.open(faults);
        drop(before);
        let mut response = Vec::with_capacity(running.len());
        for one in running {
            response.push(match one {
                Ok(early) => early,
                Err(running) => running.await,
            });
        }
        barrier.forget_faults();
        self.faults.clear();
        response
    }

    /// Sends a batch and crashes before any response.
    pub(super) async fn call_batch_and_crash(&mut self, calls: Vec<Call>, faults: Vec<FaultPoint>) {
        let barrier = Arc::clone(&self.instances[0].1);
        let (before, running) = self.enqueue(calls, &barrier).await;
        barrier.open(faults);
        drop((before, running));
        self.crash();
    }

    async fn enqueue(
        &self,
        calls: Vec<Call>,
        barrier: &Barrier,
    ) -> (Running, Vec<Result<Response, Running>>) {
        barrier.close();
        let principal = Principal::local(PartyId::new(0, [0; 10]), ActorKind::Agent);
        let settle = Call {
            project: self.project,
            principal,
            command: Command::ApplyDue(ApplyDue),
            key: None,
        };
        let mut before = self.running(settle);
        drop(poll_once(&mut before).await);
        barrier.wait_for_arrival();
        let mut running = Vec::with_capacity(calls.len());
        for call in calls {
            let mut one = self.running(call);
            running.push(poll_once(&mut one).await.ok_or(one));
        }
        (before, running)
    }
}

/// Polls a future once.
async fn poll_once(running: &mut Running) -> Option<Response> {
    std::future::poll_fn(|context| {
        Poll::Ready(match running.as_mut().poll(context) {
            Poll::Ready(response) => Some(response),
            Poll::Pending => None,
        })
    })
    .await
}
