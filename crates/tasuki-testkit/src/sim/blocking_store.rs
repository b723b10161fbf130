//! A store that completes every operation in its first poll, as the simulation needs it: a command
//! is in the queue after one poll, so that batches are the same in every run.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use jiff::Timestamp;
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, LoadSet, Record,
};
use tasuki_engine::ports::{
    ClockReference, Counts, Found, LeafRow, Loaded, Pending, Query, Store, Stored, Transaction,
    WriteSet,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};

/// A store whose futures block instead of waiting.
#[derive(Debug)]
pub struct BlockingStore<S>(pub S);

struct BlockingTransaction(Box<dyn Transaction>);

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Completes a future on this thread, also on a thread of a runtime.
fn complete<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(result) => return result,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn ready<'a, T: Send + 'a>(pending: Pending<'a, T>) -> Pending<'a, T> {
    Box::pin(async move { complete(pending) })
}

impl<S: Store> Store for BlockingStore<S> {
    fn open(&self, project: ProjectId) -> Pending<'_, Box<dyn Transaction>> {
        Box::pin(async move {
            let transaction = complete(self.0.open(project))?;
            Ok(Box::new(BlockingTransaction(transaction)) as Box<dyn Transaction>)
        })
    }

    fn head(&self, project: ProjectId) -> Pending<'_, Option<Head>> {
        ready(self.0.head(project))
    }

    fn create(&self, head: Head, name: String) -> Pending<'_, bool> {
        ready(self.0.create(head, name))
    }

    fn clock(&self) -> Pending<'_, Option<ClockReference>> {
        ready(self.0.clock())
    }

    fn put_clock(&self, reference: ClockReference) -> Pending<'_, ()> {
        ready(self.0.put_clock(reference))
    }

    fn is_read_only(&self) -> bool {
        self.0.is_read_only()
    }

    fn check_space(&self) -> Pending<'_, ()> {
        ready(self.0.check_space())
    }

    fn projects(&self) -> Pending<'_, Vec<(String, ProjectId)>> {
        ready(self.0.projects())
    }

    fn directory(&self, project: ProjectId) -> Pending<'_, Vec<Record>> {
        ready(self.0.directory(project))
    }

    fn handoff(&self, project: ProjectId, id: HandoffId) -> Pending<'_, Option<Handoff>> {
        ready(self.0.handoff(project, id))
    }

    fn handoffs(&self, project: ProjectId, query: Query) -> Pending<'_, Vec<Handoff>> {
        ready(self.0.handoffs(project, query))
    }

    fn handoff_at(
        &self,
        project: ProjectId,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Pending<'_, Option<HandoffId>> {
        ready(self.0.handoff_at(project, after, is_newest_first, places))
    }

    fn acknowledge(
        &self,
        project: ProjectId,
        party: PartyId,
        failures: Vec<(HandoffId, u64)>,
    ) -> Pending<'_, ()> {
        ready(self.0.acknowledge(project, party, failures))
    }

    fn documents(
        &self,
        project: ProjectId,
        handoff: HandoffId,
        kind: Option<DocumentKind>,
    ) -> Pending<'_, Vec<Stored>> {
        ready(self.0.documents(project, handoff, kind))
    }

    fn leaves(&self, project: ProjectId, from: u64, limit: u32) -> Pending<'_, Vec<LeafRow>> {
        ready(self.0.leaves(project, from, limit))
    }

    fn leaves_of(&self, project: ProjectId, handoff: HandoffId) -> Pending<'_, Vec<LeafRow>> {
        ready(self.0.leaves_of(project, handoff))
    }

    fn is_due(&self, project: ProjectId, now: Timestamp) -> Pending<'_, bool> {
        ready(self.0.is_due(project, now))
    }

    fn next_due(&self, project: ProjectId) -> Pending<'_, Option<Timestamp>> {
        ready(self.0.next_due(project))
    }

    fn counts(&self, project: ProjectId) -> Pending<'_, Counts> {
        ready(self.0.counts(project))
    }

    fn remembered(
        &self,
        project: ProjectId,
        keys: Vec<IdempotencyKey>,
    ) -> Pending<'_, Vec<(IdempotencyKey, IdempotencyRecord)>> {
        ready(self.0.remembered(project, keys))
    }

    fn search(
        &self,
        project: ProjectId,
        words: String,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Found>> {
        ready(self.0.search(project, words, before, limit))
    }
}

impl Transaction for BlockingTransaction {
    fn head(&self) -> &Head {
        self.0.head()
    }

    fn directory(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(async move { complete(self.0.directory()) })
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>> {
        Box::pin(async move { complete(self.0.due(now, limit)) })
    }

    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded> {
        Box::pin(async move { complete(self.0.load(touched)) })
    }

    fn write(&mut self, written: WriteSet) {
        self.0.write(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        Box::pin(async move { complete(self.0.commit(head)) })
    }
}
