//! The one open transaction of a project: lock, load, write and commit.
//!
//! Nothing is written before `commit`, so dropping a transaction only releases the lock. It loads
//! the state of the last commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join;
use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::model::{Handoff, Head, LoadSet, Record};
use tasuki_engine::ports::{Loaded, Pending, Transaction, WriteSet};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tokio_postgres::Row;

use crate::batch::Batch;
use crate::batch::cache::{Cache, CachedHandoff};
use crate::postgres::connection::pool::OpenTransaction;
use crate::postgres::connection::{Param, Query};
use crate::postgres::fault::{fault, unknown_project};
use crate::postgres::read::{self, KeyLists};
use crate::postgres::statements::{self, Statement};
use crate::postgres::store::Shared;
use crate::postgres::write::batch::execute;
use crate::postgres::write::caches::{CacheVersion, TakenCache};
use crate::row::integer;
use crate::row::{self, LockedHead};

/// The open transaction.
pub(crate) struct PostgresTransaction {
    open: OpenTransaction,
    shared: Arc<Shared>,
    /// The id of the project, as stored.
    project: String,
    head: Head,
    /// The number of handoffs of the project.
    handoffs: i64,
    cache: TakenCache,
    written: Vec<WriteSet>,
}

impl PostgresTransaction {
    /// Locks a project, after other processes that have locked it.
    pub(crate) async fn open(shared: &Arc<Shared>, id: ProjectId) -> Result<Self, Fault> {
        let project = id.to_string();
        let connection = shared.writers.get().await?;
        let lock = connection.prepare(&statements::HEAD_LOCK).await?;
        let open = OpenTransaction::new(connection);
        let params: [Param<'_>; 1] = [&project];
        let client = open.client();
        let under_way = open.watched();
        let (begun, locked) =
            join(client.batch_execute("BEGIN"), client.query_opt(&lock, &params)).await;
        drop(under_way);
        begun.map_err(|error| fault(&error, "begin"))?;
        let locked = locked.map_err(|error| fault(&error, statements::HEAD_LOCK.name))?;
        let locked = locked.ok_or_else(|| unknown_project(&project))?;
        let LockedHead { head, handoffs, commits, now } = row::locked_head(&locked)?;
        shared.clock.set(now);
        let cache = shared.caches.take(id, CacheVersion { commits, last_hash: head.last_hash });
        let shared = Arc::clone(shared);
        Ok(Self { open, shared, project, head, handoffs, cache, written: Vec::new() })
    }

    async fn commit_now(mut self, head: Head) -> Result<(), Fault> {
        let written = std::mem::take(&mut self.written);
        let known: Vec<HandoffId> = written
            .iter()
            .flat_map(|written| &written.handoffs)
            .filter(|row| !row.is_new)
            .map(|row| row.handoff.id)
            .collect();
        self.load_ids(&known).await?;
        let Self { open, shared, project, head: before, handoffs, mut cache, .. } = self;
        let batch = Batch::new(written, &before, &head)?;
        let committed = execute(&open, &project, handoffs, batch, &mut cache).await;
        if committed.is_ok() {
            cache.committed(head.last_hash);
        } else {
            cache.discard();
        }
        shared.announce(&open, head.project, committed.is_ok()).await;
        open.close(committed)
    }

    /// Loads handoffs that the cache does not have.
    async fn load_ids(&mut self, ids: &[HandoffId]) -> Result<(), Fault> {
        let missing: Vec<String> = ids
            .iter()
            .filter(|id| self.cache.get(**id).is_none())
            .map(ToString::to_string)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let rows = self.open.rows(&statements::HANDOFF_LOAD, &[&self.project, &missing]).await?;
        for row in &rows {
            self.cache_row(row)?;
        }
        Ok(())
    }

    /// Returns the handoff of a row, decoded unless the cache has it.
    fn cache_row(&mut self, row: &Row) -> Result<Arc<Handoff>, Fault> {
        let id = row::handoff_id(row)?;
        if let Some(known) = self.cache.get(id) {
            return Ok(Arc::clone(&known.handoff));
        }
        let (seq, handoff) = row::handoff(row)?;
        let handoff = Arc::new(handoff);
        self.cache.put(CachedHandoff { seq, handoff: Arc::clone(&handoff) });
        Ok(handoff)
    }

    async fn load_now(&mut self, touched: &LoadSet) -> Result<Loaded, Fault> {
        let lookups = Lookups::of(touched, &self.cache);
        let keys: Vec<_> = touched.keys.iter().collect();
        let key_lists = KeyLists::of(&self.head.fingerprint_key, touched.keys.iter());
        let mut queries = lookups.queries(&self.project);
        let handoff_queries = queries.len();
        if !keys.is_empty() {
            let KeyLists { parties, commands, hashes } = &key_lists;
            let params: Vec<Param<'_>> = vec![&self.project, parties, commands, hashes];
            queries.push(Query { statement: &statements::IDEMPOTENCY_LOAD, params });
        }
        let mut found = self.open.pipelined(&queries).await?;
        let key_rows = found.split_off(handoff_queries).into_iter().flatten();
        let mut remembered = Vec::new();
        for row in key_rows {
            remembered.extend(key_lists.matched(keys.iter().copied(), &row)?);
        }
        let mut loaded = BTreeMap::new();
        for row in found.iter().flatten() {
            let handoff = self.cache_row(row)?;
            loaded.insert(handoff.id, handoff);
        }
        self.add_cached(&mut loaded, touched.handoffs.iter().copied());
        self.load_relatives(&mut loaded).await?;
        let open = if touched.open_count {
            Some(read::counts(&self.open, &self.project).await?.open())
        } else {
            None
        };
        Ok(Loaded { handoffs: loaded.into_values().collect(), remembered, open })
    }

    /// Adds the parents and children of loaded handoffs.
    async fn load_relatives(
        &mut self,
        loaded: &mut BTreeMap<HandoffId, Arc<Handoff>>,
    ) -> Result<(), Fault> {
        let relatives = |one: &Arc<Handoff>| [one.facts.parent, one.progress.child];
        let relatives: Vec<HandoffId> = loaded.values().flat_map(relatives).flatten().collect();
        self.load_ids(&relatives).await?;
        self.add_cached(loaded, relatives.into_iter());
        Ok(())
    }

    fn add_cached(
        &self,
        loaded: &mut BTreeMap<HandoffId, Arc<Handoff>>,
        ids: impl Iterator<Item = HandoffId>,
    ) {
        for id in ids {
            if let Some(known) = self.cache.get(id) {
                loaded.insert(id, Arc::clone(&known.handoff));
            }
        }
    }
}

/// The parameters of the queries that load the handoffs of a batch.
struct Lookups {
    ids: Vec<String>,
    tasks: Vec<String>,
    open_of_tasks: Vec<String>,
    reviewed_of_tasks: Vec<String>,
    fingerprints: Vec<String>,
    /// Parties, the time at which offers to them can be claimed, and the number of offers.
    offers: Vec<(Vec<String>, Option<i64>, i64)>,
    stale_before: Option<i64>,
}

impl Lookups {
    fn of(touched: &LoadSet, cache: &Cache) -> Self {
        let texts = |texts: &std::collections::BTreeSet<String>| texts.iter().cloned().collect();
        let names = |parties: &[PartyId]| parties.iter().map(ToString::to_string).collect();
        let claimable_at = touched.claimable_at.map(Timestamp::as_microsecond);
        let mut offers: Vec<(Vec<String>, Option<i64>, i64)> = Vec::new();
        for (parties, count) in &touched.offers {
            offers.push((names(parties), claimable_at, i64::try_from(*count).unwrap_or(i64::MAX)));
        }
        offers.extend(touched.offers_of.iter().map(|one| (names(&[*one]), None, i64::MAX)));
        let ids = touched.handoffs.iter().filter(|id| cache.get(**id).is_none());
        Self {
            ids: ids.map(ToString::to_string).collect(),
            tasks: texts(&touched.tasks),
            open_of_tasks: texts(&touched.open_of_tasks),
            reviewed_of_tasks: texts(&touched.reviewed_of_tasks),
            fingerprints: texts(&touched.fingerprints),
            offers,
            stale_before: touched.claims_before_epoch.map(integer),
        }
    }

    fn queries<'a>(&'a self, project: &'a String) -> Vec<Query<'a>> {
        let lists: [(&'static Statement, &Vec<String>); 5] = [
            (&statements::HANDOFF_LOAD, &self.ids),
            (&statements::HANDOFF_LOAD_LIVE, &self.tasks),
            (&statements::HANDOFF_LOAD_OPEN, &self.open_of_tasks),
            (&statements::HANDOFF_LOAD_REVIEWED, &self.reviewed_of_tasks),
            (&statements::HANDOFF_LOAD_BY_FINGERPRINT, &self.fingerprints),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let lists = lists.map(|(statement, list)| Query { statement, params: vec![project, list] });
        let offers = self.offers.iter().map(|(parties, claimable_at, count)| Query {
            statement: &statements::HANDOFF_LOAD_OFFERS,
            params: vec![project, parties, claimable_at, count],
        });
        let stale = self.stale_before.iter().map(|epoch| Query {
            statement: &statements::HANDOFF_LOAD_STALE_CLAIMS,
            params: vec![project, epoch],
        });
        lists.chain(offers).chain(stale).collect()
    }
}

impl Transaction for PostgresTransaction {
    fn head(&self) -> &Head {
        &self.head
    }

    fn directory(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(async move { read::directory(&self.open, &self.project).await })
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>> {
        Box::pin(async move {
            let (now, limit) = (now.as_microsecond(), i64::try_from(limit).unwrap_or(i64::MAX));
            let params: [Param<'_>; 3] = [&self.project, &now, &limit];
            self.open.all(&statements::HANDOFF_LIST_DUE, &params, row::handoff_id).await
        })
    }

    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded> {
        Box::pin(self.load_now(touched))
    }

    fn write(&mut self, written: WriteSet) {
        self.written.push(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        Box::pin(self.commit_now(head))
    }
}
