//! Writes the rows of one commit: one statement per table, the head, and `COMMIT`, all sent at once.
//!
//! If the database refuses a statement, it refuses those behind it, and `COMMIT` ends the
//! transaction without an effect.

use futures_util::future::{join, join_all};
use tasuki_engine::error::Fault;
use tasuki_engine::model::Head;
use tasuki_engine::ports::HandoffRow;

use crate::batch::cache::{Cache, CachedHandoff};
use crate::batch::counters::Counters;
use crate::batch::{Batch, check_facts, wrong_flag};
use crate::postgres::connection::{Connection, Param, Query};
use crate::postgres::fault::{commit_fault, pipelined_fault};
use crate::postgres::statements::{self, Statement};
use crate::postgres::write::lists::{
    DirectoryLists, DocumentLists, FactsLists, HandoffLists, IdempotencyLists, LeafLists,
};
use crate::row::HandoffColumns;
use crate::row::integer;

/// LIMIT: expired keys deleted in one commit.
const EXPIRED_MAX: i64 = 256;

/// Expired keys are looked for once in this time.
const EXPIRY_INTERVAL_MICROSECONDS: i64 = 60_000_000;

/// Writes a batch and commits. `handoffs` is the number of handoffs of the project before it.
pub(super) async fn execute(
    connection: &Connection,
    project: &str,
    handoffs: i64,
    mut batch: Batch<'_>,
    cache: &mut Cache,
) -> Result<(), Fault> {
    let mut written = WrittenHandoffs::default();
    for row in std::mem::take(&mut batch.handoffs) {
        written.add(row, handoffs, cache)?;
    }
    let leaves = LeafLists::of(&batch.rest);
    let documents = DocumentLists::of(&batch.rest);
    let directory = DirectoryLists::of(&batch.rest)?;
    let keys = IdempotencyLists::of(&batch.rest, &batch.after.fingerprint_key)?;
    let head = HeadColumns::of(batch.after, written.counters);
    let now = batch.after.last_at.as_microsecond();

    let tables: [(&'static Statement, usize, Vec<Param<'_>>); 7] = [
        (&statements::HANDOFF_INSERT, written.new.len(), written.new.params()),
        (&statements::HANDOFF_UPDATE, written.changed.len(), written.changed.params()),
        (&statements::HANDOFF_FACTS_UPSERT, written.facts.len(), written.facts.params()),
        (&statements::LEAF_INSERT, leaves.len(), leaves.params()),
        (&statements::DOCUMENT_INSERT, documents.len(), documents.params()),
        (&statements::DIRECTORY_UPSERT, directory.len(), directory.params()),
        (&statements::IDEMPOTENCY_UPSERT, keys.len(), keys.params()),
    ];
    let tables = tables.into_iter().filter(|(_, rows, _)| *rows > 0);
    let mut queries: Vec<Query<'_>> =
        tables.map(|(statement, _, params)| of_project(&project, statement, params)).collect();
    if cache.next_expiry.is_none_or(|next| next <= now) {
        let params: Vec<Param<'_>> = vec![&now, &EXPIRED_MAX];
        queries.push(of_project(&project, &statements::IDEMPOTENCY_DELETE_EXPIRED, params));
        cache.next_expiry = Some(now.saturating_add(EXPIRY_INTERVAL_MICROSECONDS));
    }
    queries.push(of_project(&project, &statements::HEAD_UPDATE, head.params()));
    send(connection, &queries).await?;
    written.known.into_iter().for_each(|known| cache.put(known));
    Ok(())
}

/// Returns a statement with the project as its first parameter.
fn of_project<'a>(
    project: Param<'a>,
    statement: &'static Statement,
    params: Vec<Param<'a>>,
) -> Query<'a> {
    Query { statement, params: [vec![project], params].concat() }
}

/// Sends statements and `COMMIT` at once, and waits for all of them.
async fn send(connection: &Connection, queries: &[Query<'_>]) -> Result<(), Fault> {
    let prepared = connection.prepare_all(queries.iter().map(|query| query.statement)).await?;
    let client = connection.client();
    let _under_way = connection.watched();
    let each = queries.iter().zip(&prepared);
    let each = each.map(|(query, prepared)| client.execute(prepared, &query.params));
    // A future sends its message when it is polled first, and these are polled in their order.
    let (done, committed) = join(join_all(each), client.batch_execute("COMMIT")).await;
    for (done, query) in done.into_iter().zip(queries) {
        done.map_err(|error| pipelined_fault(&error, query.statement.name))?;
    }
    committed.map_err(|error| commit_fault(&error))
}

/// The handoffs of a batch, as rows and for the cache.
#[derive(Debug, Default)]
struct WrittenHandoffs {
    new: HandoffLists,
    changed: HandoffLists,
    facts: FactsLists,
    counters: Counters,
    known: Vec<CachedHandoff>,
}

impl WrittenHandoffs {
    fn add(&mut self, row: HandoffRow, handoffs: i64, cache: &Cache) -> Result<(), Fault> {
        let (facts, state) = (&row.handoff.facts, HandoffColumns::of(&row.handoff).state);
        let seq = if row.is_new {
            // The lock of the head makes the numbers unique.
            let seq = handoffs + 1 + integer(self.new.len() as u64);
            self.counters.add(state, facts.is_begun);
            self.new.push(seq, &row)?;
            seq
        } else {
            let CachedHandoff { seq, handoff } =
                cache.get(row.handoff.id).ok_or_else(|| wrong_flag(&row))?;
            check_facts(&handoff.facts, &row)?;
            self.counters.change_state(HandoffColumns::of(handoff).state, state);
            if row.has_new_facts {
                self.counters.change_facts(handoff.facts.is_begun, facts.is_begun);
            }
            self.changed.push(*seq, &row)?;
            *seq
        };
        if row.is_new || row.has_new_facts {
            self.facts.push(seq, facts)?;
        }
        self.known.push(CachedHandoff { seq, handoff: row.handoff });
        Ok(())
    }
}

/// The columns of the head.
struct HeadColumns<'h> {
    leaves: i64,
    last_hash: &'h [u8],
    last_at: i64,
    directory_version: i64,
    claim_epoch: i64,
    is_halted: i64,
    fence_floor: i64,
    fingerprint_key: &'h [u8],
    counters: Vec<i64>,
}

impl<'h> HeadColumns<'h> {
    fn of(head: &'h Head, counters: Counters) -> Self {
        Self {
            leaves: integer(head.leaves),
            last_hash: head.last_hash.as_bytes(),
            last_at: head.last_at.as_microsecond(),
            directory_version: integer(head.directory_version),
            claim_epoch: integer(head.claim_epoch),
            is_halted: i64::from(head.is_halted),
            fence_floor: integer(head.fence_floor),
            fingerprint_key: &head.fingerprint_key,
            counters: counters.0.to_vec(),
        }
    }

    fn params(&self) -> Vec<Param<'_>> {
        vec![
            &self.leaves,
            &self.last_hash,
            &self.last_at,
            &self.directory_version,
            &self.claim_epoch,
            &self.is_halted,
            &self.fence_floor,
            &self.fingerprint_key,
            &self.counters,
        ]
    }
}
