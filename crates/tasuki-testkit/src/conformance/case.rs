//! A new store with one project, and helpers for the cases.

use std::sync::Arc;
use std::time::Duration;

use tasuki_engine::error::Fault;
use tasuki_engine::model::{Handoff, LoadSet};
use tasuki_engine::ports::{Loaded, Query, Store, WriteSet};
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::samples::{self, Log};

/// How long a case waits for an expected event.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// A store with the empty project `default`, and its log.
pub(super) struct Case<S> {
    pub(super) store: Arc<S>,
    pub(super) log: Log,
}

/// Runs a case on a new store.
pub(super) fn on_a_fresh_store<S: Store, G>(
    make: impl Fn() -> (S, G),
    proof: impl AsyncFnOnce(Case<S>),
) {
    let (store, guard) = make();
    block_on(async {
        let log = Log::new(samples::project("default"));
        let created = store.create(log.head.clone(), "default".to_owned()).await;
        assert_eq!(created, Ok(true), "a new store accepts a project");
        proof(Case { store: Arc::new(store), log }).await;
    });
    drop(guard);
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime without drivers starts").block_on(future)
}

impl<S: Store> Case<S> {
    pub(super) fn project(&self) -> ProjectId {
        self.log.head.project
    }

    /// Commits write sets of this log.
    pub(super) async fn commit(&self, written: impl IntoIterator<Item = WriteSet>) {
        let committed = self.try_commit(written).await;
        committed.expect("a store accepts valid writes");
    }

    async fn try_commit(&self, written: impl IntoIterator<Item = WriteSet>) -> Result<(), Fault> {
        let mut transaction = self.store.open(self.project()).await?;
        for written in written {
            transaction.write(written);
        }
        transaction.commit(self.log.head.clone()).await
    }

    /// Commits new handoffs.
    pub(super) async fn submit(&mut self, handoffs: impl IntoIterator<Item = Handoff>) {
        let written: Vec<_> =
            handoffs.into_iter().map(|handoff| self.log.submitted(handoff)).collect();
        self.commit(written).await;
    }

    pub(super) async fn load(&self, touched: &LoadSet) -> Loaded {
        let mut transaction = self.store.open(self.project()).await.expect("the project opens");
        transaction.load(touched).await.expect("it loads")
    }

    /// Returns the loaded ids, sorted, because a store may return them in any order.
    pub(super) async fn load_ids(&self, touched: &LoadSet) -> Vec<HandoffId> {
        let loaded = self.load(touched).await;
        let mut ids: Vec<HandoffId> = loaded.handoffs.iter().map(|handoff| handoff.id).collect();
        ids.sort_unstable();
        ids
    }

    pub(super) async fn list(&self, query: Query) -> Vec<HandoffId> {
        ids(&self.store.handoffs(self.project(), query).await.expect("lists are answered"))
    }
}

pub(super) fn ids(handoffs: &[Handoff]) -> Vec<HandoffId> {
    handoffs.iter().map(|handoff| handoff.id).collect()
}

/// Returns the ids of handoffs by their numbers.
pub(super) fn numbered<const N: usize>(numbers: [u32; N]) -> Vec<HandoffId> {
    numbers.map(samples::handoff_id).to_vec()
}
