//! A small exchange on a counting store, and helpers to send commands.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use tasuki_api::CommandResponse;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::Error;
use tasuki_engine::model::{PartyKind, Principal, Settings, State};
use tasuki_engine::ports::{LeafRow, Query, Store as _};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{AddParty, ApplyDue, claim, submit};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId, ReturnId};
use tasuki_packet::leaf::{ActorKind, Leaf, check_chain};
use tasuki_testkit::clock::{ManualClock, SeededEntropy};

use crate::counting_store::CountingStore;

/// An exchange with `ana`, `ben` and the person `pia`.
pub(crate) struct Exchange {
    pub(crate) store: CountingStore,
    pub(crate) clock: ManualClock,
    pub(crate) engine: Engine,
    pub(crate) project: ProjectId,
    pub(crate) parties: BTreeMap<&'static str, Principal>,
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

impl Exchange {
    pub(crate) fn new() -> Self {
        Self::with_idle(Duration::from_mins(1))
    }

    pub(crate) fn with_idle(idle: Duration) -> Self {
        let store = CountingStore::default();
        let clock = ManualClock::at("2026-11-15T10:00:00Z".parse().unwrap());
        let entropy = SeededEntropy::new(7);
        let shared = (Arc::new(store.clone()), Arc::new(clock.clone()), Arc::new(entropy));
        let engine = Engine::start_with_idle(shared.0, shared.1, shared.2, idle);
        let project = run(engine.create_project("default", Settings::default())).unwrap();
        let parties = BTreeMap::new();
        let mut exchange = Self { store, clock, engine, project, parties };
        for (name, kind) in
            [("ana", PartyKind::Agent), ("ben", PartyKind::Agent), ("pia", PartyKind::Human)]
        {
            exchange.add(name, kind);
        }
        exchange
    }

    pub(crate) fn add(&mut self, name: &'static str, kind: PartyKind) {
        let operator = Principal::local(PartyId::new(1, [1; 10]), ActorKind::Agent);
        let party = AddParty { name: name.to_owned(), kind: Some(kind), ..AddParty::default() };
        let call = Call {
            project: self.project,
            principal: operator,
            command: Command::AddParty(party),
            key: None,
        };
        let answer = run(self.engine.run(call)).unwrap();
        let id = answer.party.unwrap().id.parse().unwrap();
        self.parties.insert(name, Principal::local(id, kind.actor()));
    }

    /// Returns the return packet that waits for a verdict.
    pub(crate) fn waiting_return(&self, handoff: HandoffId) -> Option<ReturnId> {
        let found = run(self.store.handoff(self.project, handoff)).unwrap()?;
        let State::Returned(returned) = &found.progress.state else { return None };
        Some(returned.return_packet)
    }

    pub(crate) fn call(&self, name: &str, command: Command, key: Option<&str>) -> Call {
        let key = key.map(|key| key.to_owned().into());
        Call { project: self.project, principal: self.parties[name].clone(), command, key }
    }

    pub(crate) fn run(&self, name: &str, command: Command) -> Result<CommandResponse, Error> {
        run(self.engine.run(self.call(name, command, None)))
    }

    pub(crate) fn keyed(
        &self,
        name: &str,
        command: Command,
        key: &str,
    ) -> Result<CommandResponse, Error> {
        run(self.engine.run(self.call(name, command, Some(key))))
    }

    /// Queues these calls behind one that waits for the store, then runs all of them.
    pub(crate) fn run_as_batch(&self, calls: Vec<Call>) -> Vec<Result<CommandResponse, Error>> {
        run(async {
            let gate = self.store.memory.open(self.project).await.unwrap();
            let opened = self.store.probe.opened.load(Ordering::SeqCst);
            let mut first = vec![self.waiting(self.call("pia", Command::ApplyDue(ApplyDue), None))];
            begin_all(&mut first).await;
            while self.store.probe.opened.load(Ordering::SeqCst) == opened {
                std::thread::yield_now();
            }
            let mut waiting: Vec<_> = calls.into_iter().map(|call| self.waiting(call)).collect();
            begin_all(&mut waiting).await;
            drop(gate);
            let mut answers = Vec::new();
            for one in waiting {
                answers.push(one.end().await);
            }
            answers
        })
    }

    pub(crate) fn waiting(&self, call: Call) -> Waiting {
        let engine = self.engine.clone();
        Waiting::Running(Box::pin(async move { engine.run(call).await }))
    }

    pub(crate) fn leaves(&self) -> Vec<LeafRow> {
        run(self.store.leaves(self.project, 0, u32::MAX)).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<&'static str> {
        self.leaves().into_iter().map(|row| row.kind.name()).collect()
    }

    /// Checks that the log has no gap and that no leaf is earlier than the one before.
    pub(crate) fn check_log(&self) {
        let leaves = self.leaves();
        let last = check_chain(leaves.iter().map(|row| row.leaf.as_bytes())).unwrap();
        let head = run(self.store.head(self.project)).unwrap().unwrap();
        assert_eq!((head.leaves, head.last_hash), (leaves.len() as u64, last));
        for row in &leaves {
            let leaf = Leaf::read(row.leaf.as_bytes()).unwrap();
            assert_eq!((leaf.number, leaf.time, leaf.event), (row.n, row.at, row.kind));
        }
    }

    pub(crate) fn open_of(&self, task: &str) -> usize {
        let query = Query { task: Some(task.to_owned()), limit: 100, ..Query::default() };
        run(self.store.handoffs(self.project, query)).unwrap().len()
    }
}

/// A pending call.
pub(crate) enum Waiting {
    Running(Pin<Box<dyn Future<Output = Result<CommandResponse, Error>>>>),
    Answered(Box<Result<CommandResponse, Error>>),
}

impl Waiting {
    pub(crate) async fn end(self) -> Result<CommandResponse, Error> {
        match self {
            Self::Running(future) => future.await,
            Self::Answered(answer) => *answer,
        }
    }
}

/// Polls each call until it waits for its response, in this order.
pub(crate) async fn begin_all(waiting: &mut [Waiting]) {
    std::future::poll_fn(|context| {
        for one in waiting.iter_mut() {
            if let Waiting::Running(future) = one
                && let Poll::Ready(answer) = future.as_mut().poll(context)
            {
                *one = Waiting::Answered(Box::new(answer));
            }
        }
        Poll::Ready(())
    })
    .await;
}

pub(crate) fn submit_of(task: &str, more: &Value) -> Command {
    let mut packet = json!({
        "handoff_version": "1.0", "task_id": task, "to_agent": "ben", "status": "in_progress",
        "goal": "Ship the part", "completed": ["Scaffold"], "remaining": ["Tests"],
    });
    packet.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let source = packet.to_string().into_bytes();
    Command::Submit(submit::Submit { source, ..Default::default() })
}

pub(crate) fn plain(task: &str) -> Command {
    submit_of(task, &json!({}))
}

pub(crate) fn claim_of(handoff: Option<HandoffId>, key: Option<&str>) -> Command {
    let key = key.map(str::to_owned);
    Command::Claim(claim::Claim { handoff, key, ..Default::default() })
}

pub(crate) fn id_of(answer: &CommandResponse) -> HandoffId {
    answer.handoff.as_ref().unwrap().id.parse().unwrap()
}

pub(crate) fn shown(answer: &CommandResponse) -> ClaimProof {
    let claim = answer.claim.as_ref().unwrap();
    ClaimProof { handoff: claim.handoff.parse().unwrap(), fence: claim.fence }
}

pub(crate) fn packet_of(kind: &str, task: &str) -> Vec<u8> {
    json!({
        "handoff_version": "1.0", "packet_type": kind, "task_id": task, "status": "completed",
        "summary": "done",
    })
    .to_string()
    .into_bytes()
}

pub(crate) fn code(answer: &Result<CommandResponse, Error>) -> &'static str {
    match answer {
        Ok(answer) if answer.repeated => "repeated",
        Ok(_) => "done",
        Err(Error::Refused(refusal)) => refusal.code.as_str(),
        Err(Error::Failed(fault)) => fault.code(),
    }
}
