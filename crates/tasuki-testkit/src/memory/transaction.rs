//! The one open transaction of a project: a copy of its tables, and pending writes.

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::model::{Head, LoadSet, Record};
use tasuki_engine::ports::{Loaded, Pending, Transaction, WriteSet};
use tasuki_packet::id::HandoffId;
use tokio::sync::OwnedMutexGuard;

use super::store::{FaultPoint, MemoryStore};
use super::tables::Tables;

/// A transaction. Dropping it changes nothing; only `commit` replaces the tables.
#[derive(Debug)]
pub(super) struct MemoryTransaction {
    store: MemoryStore,
    tables: Tables,
    written: Vec<WriteSet>,
    /// The write lock, released when dropped.
    _writer: OwnedMutexGuard<()>,
}

impl MemoryTransaction {
    pub(super) fn new(store: MemoryStore, tables: Tables, writer: OwnedMutexGuard<()>) -> Self {
        Self { store, tables, written: Vec::new(), _writer: writer }
    }

    fn put_back(self, head: Head) -> Result<(), Fault> {
        let mut shared = self.store.lock();
        shared.pass(FaultPoint::Commit)?;
        let mut tables = self.tables;
        for written in self.written {
            tables.write(written)?;
        }
        let project = head.project;
        tables.end(head)?;
        *shared.tables(project)? = tables;
        shared.pass(FaultPoint::AfterCommit)
    }
}

impl Transaction for MemoryTransaction {
    fn head(&self) -> &Head {
        &self.tables.head
    }

    fn directory(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(std::future::ready(Ok(self.tables.directory())))
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>> {
        Box::pin(std::future::ready(Ok(self.tables.due(now, limit))))
    }

    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded> {
        let passed = self.store.lock().pass(FaultPoint::Load);
        Box::pin(std::future::ready(passed.map(|()| self.tables.load(touched))))
    }

    fn write(&mut self, written: WriteSet) {
        self.written.push(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        Box::pin(async move { self.put_back(head) })
    }
}
