//! The one open transaction of a project: begin, load, write and commit.
//!
//! Nothing is written before `commit`, so dropping a transaction only releases the lock. It loads
//! the state of the last commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::error::Fault;
use tasuki_engine::model::{Handoff, Head, IdempotencyKey, IdempotencyRecord, LoadSet, Record};
use tasuki_engine::ports::{Loaded, Pending, Transaction, WriteSet};
use tasuki_packet::id::{HandoffId, PartyId};

use crate::batch::Batch;
use crate::batch::cache::{Cache, CachedHandoff};
use crate::row;
use crate::sqlite::bind::IdText;
use crate::sqlite::project::{Project, data_version, load_head};
use crate::sqlite::statements::{self, Kind};
use crate::sqlite::write::batch::execute;
use crate::sqlite::write::writer_lock::{Writer, WriterGuard, WriterLock};
use crate::sqlite::{migrate, read};

/// The open transaction.
#[derive(Debug)]
pub(crate) struct SqliteTransaction {
    /// `None` once it is committed or rolled back.
    guard: Option<WriterGuard>,
    head: Head,
    written: Vec<WriteSet>,
}

impl SqliteTransaction {
    pub(crate) fn open(project: &Arc<Project>) -> Result<Self, Fault> {
        let mut guard = WriterLock::acquire(project)?;
        let begun = guard.writer().begin();
        match begun {
            Ok(head) => Ok(Self { guard: Some(guard), head, written: Vec::new() }),
            Err(fault) => {
                guard.discard();
                Err(fault)
            }
        }
    }

    fn writer(&mut self) -> &mut Writer {
        self.guard.as_mut().expect("open until committed").writer()
    }

    fn commit_now(mut self, head: &Head) -> Result<(), Fault> {
        let before = self.head.clone();
        let batch = Batch::new(std::mem::take(&mut self.written), &before, head)?;
        // If a statement fails, dropping `self` rolls the others back.
        let writer = self.writer();
        let update = execute(batch, writer)?;
        let committed = writer.database.commit();
        let mut guard = self.guard.take().expect("open until committed");
        match committed {
            Ok(()) => {
                guard.writer().cache.apply(head.clone(), update);
                let project = Arc::clone(guard.project());
                project.head_file.record(head.leaves);
                project.after_commit(&guard.writer().database);
                Ok(())
            }
            Err(fault) => {
                guard.discard();
                Err(fault)
            }
        }
    }
}

impl Drop for SqliteTransaction {
    fn drop(&mut self) {
        let Some(mut guard) = self.guard.take() else { return };
        if guard.writer().database.roll_back().is_err() {
            // Closing the connection rolls it back as well.
            guard.discard();
        }
    }
}

impl Transaction for SqliteTransaction {
    fn head(&self) -> &Head {
        &self.head
    }

    fn directory(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(
            async move { self.writer().database.all(&statements::DIRECTORY_LIST, [], row::record) },
        )
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Pending<'_, Vec<HandoffId>> {
        Box::pin(async move { self.writer().due(now, limit) })
    }

    fn load<'a>(&'a mut self, touched: &'a LoadSet) -> Pending<'a, Loaded> {
        Box::pin(async move { self.writer().load(touched) })
    }

    fn write(&mut self, written: WriteSet) {
        self.written.push(written);
    }

    fn commit(self: Box<Self>, head: Head) -> Pending<'static, ()> {
        Box::pin(async move { self.commit_now(&head) })
    }
}

impl Writer {
    /// Begins a transaction. Returns the end of the log.
    pub(crate) fn begin(&mut self) -> Result<Head, Fault> {
        self.database.begin()?;
        let version = data_version(&self.database)?;
        if version != self.data_version {
            // Another connection has written, possibly of a newer program.
            migrate::check(&self.database, Kind::Project)?;
            self.cache = Cache::default();
            self.data_version = version;
        }
        if let Some(head) = &self.cache.head {
            return Ok(head.clone());
        }
        let (head, _) = load_head(&self.database)?;
        self.cache.head = Some(head.clone());
        Ok(head)
    }

    /// Returns the handoff with this id, and the number of its row.
    pub(crate) fn cached_handoff(
        &mut self,
        id: HandoffId,
    ) -> Result<Option<&CachedHandoff>, Fault> {
        if self.cache.get(id).is_none() {
            let found =
                self.database.first(&statements::HANDOFF_LOAD, [IdText::from(id)], row::handoff)?;
            let Some((seq, handoff)) = found else { return Ok(None) };
            self.cache.put(CachedHandoff { seq, handoff: Arc::new(handoff) });
        }
        Ok(self.cache.get(id))
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<HandoffId>, Fault> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let params = params![now.as_microsecond(), limit];
        let ids = self.database.all(&statements::HANDOFF_LIST_DUE, params, row::handoff_id)?;
        Ok(ids)
    }

    fn load(&mut self, touched: &LoadSet) -> Result<Loaded, Fault> {
        let mut loaded = BTreeMap::new();
        for id in self.touched_ids(touched)? {
            self.load_into(&mut loaded, id)?;
        }
        let relatives = |one: &Arc<Handoff>| [one.facts.parent, one.progress.child];
        let relatives: Vec<HandoffId> = loaded.values().flat_map(relatives).flatten().collect();
        for id in relatives {
            self.load_into(&mut loaded, id)?;
        }
        let mut remembered = Vec::new();
        for key in &touched.keys {
            remembered.extend(self.remembered(key)?.map(|found| (key.clone(), found)));
        }
        let counts = touched.open_count.then(|| read::counts(&self.database)).transpose()?;
        let open = counts.map(|counts| counts.open());
        Ok(Loaded { handoffs: loaded.into_values().collect(), remembered, open })
    }

    fn load_into(
        &mut self,
        loaded: &mut BTreeMap<HandoffId, Arc<Handoff>>,
        id: HandoffId,
    ) -> Result<(), Fault> {
        if !loaded.contains_key(&id)
            && let Some(known) = self.cached_handoff(id)?
        {
            loaded.insert(id, Arc::clone(&known.handoff));
        }
        Ok(())
    }

    fn touched_ids(&self, touched: &LoadSet) -> Result<Vec<HandoffId>, Fault> {
        let database = &self.database;
        let mut ids: Vec<HandoffId> = touched.handoffs.iter().copied().collect();
        for task in &touched.tasks {
            ids.extend(database.first(&statements::HANDOFF_FIND_LIVE, [task], row::handoff_id)?);
        }
        for task in &touched.open_of_tasks {
            ids.extend(database.all(
                &statements::HANDOFF_LIST_OPEN_OF_TASK,
                [task],
                row::handoff_id,
            )?);
        }
        for task in &touched.reviewed_of_tasks {
            let found = database.first(&statements::HANDOFF_FIND_REVIEWED, [task], row::handoff_id);
            ids.extend(found?);
        }
        for fingerprint in &touched.fingerprints {
            ids.extend(database.all(
                &statements::HANDOFF_FIND_BY_FINGERPRINT,
                [fingerprint],
                row::handoff_id,
            )?);
        }
        for (parties, count) in &touched.offers {
            ids.extend(self.offers(parties, *count, touched.claimable_at)?);
        }
        for party in &touched.offers_of {
            ids.extend(self.offers(&[*party], usize::MAX, None)?);
        }
        if let Some(epoch) = touched.claims_before_epoch {
            let epoch = i64::try_from(epoch).unwrap_or(i64::MAX);
            ids.extend(database.all(
                &statements::HANDOFF_LIST_STALE_CLAIMS,
                [epoch],
                row::handoff_id,
            )?);
        }
        Ok(ids)
    }

    /// Returns the first offers to any of these parties.
    fn offers(
        &self,
        parties: &[PartyId],
        count: usize,
        claimable_at: Option<Timestamp>,
    ) -> Result<Vec<HandoffId>, Fault> {
        let limit = i64::try_from(count).unwrap_or(i64::MAX);
        let claimable_at = claimable_at.map(Timestamp::as_microsecond);
        let mut offers = Vec::new();
        for party in parties {
            let params = params![IdText::from(*party), claimable_at, limit];
            offers.extend(self.database.all(
                &statements::HANDOFF_LIST_OFFERS,
                params,
                row::urgent_id,
            )?);
        }
        offers.sort_unstable();
        offers.dedup();
        offers.truncate(count);
        Ok(offers.into_iter().map(|(_, _, id)| id).collect())
    }

    fn remembered(&self, key: &IdempotencyKey) -> Result<Option<IdempotencyRecord>, Fault> {
        let secret = match &self.cache.head {
            Some(head) => head.fingerprint_key,
            None => load_head(&self.database)?.0.fingerprint_key,
        };
        read::remembered(&self.database, &secret, key)
    }
}

#[cfg(test)]
mod tests {
    use tasuki_engine::error::FaultKind;
    use tasuki_engine::model::{DocumentKind, State, StateWord};
    use tasuki_engine::ports::Store as _;
    use tasuki_packet::leaf::EventType;
    use tasuki_testkit::samples;

    use super::*;
    use crate::testing::Case;

    /// Lets the database grow by at most this many pages, on the writing connection.
    fn leave_room(case: &Case, pages: i64) {
        let mut guard = WriterLock::acquire(&case.project()).unwrap();
        let database = &guard.writer().database;
        let count: i64 = database.pragma("page_count").unwrap();
        let limit = format!("PRAGMA max_page_count = {};", count + pages);
        database.script("max_page_count", &limit).unwrap();
    }

    #[test]
    fn a_full_disk_refuses_and_works_again_when_there_is_space() {
        let mut case = Case::new();
        case.submit(samples::handoff_numbered(1, StateWord::Offered)).unwrap();
        let big = |number| {
            let mut handoff = samples::handoff_numbered(number, StateWord::Offered);
            handoff.facts_mut().summary.title = "long ".repeat(10_000);
            handoff
        };
        for _ in 0..3 {
            // A fault may have closed the connection, and with it the limit.
            leave_room(&case, 2);
            let fault = case.submit(big(2)).unwrap_err();
            assert_eq!(fault.kind, FaultKind::DiskFull, "{fault}");
            assert!(fault.hint.is_some());
            assert_eq!(case.head().leaves, 1, "nothing was written");
        }
        leave_room(&case, 1_000);
        case.submit(big(2)).unwrap();
        assert_eq!(case.head().leaves, 2);
    }

    #[test]
    fn an_invalid_batch_is_a_bug_and_writes_nothing() {
        let check = |spoil: fn(&mut WriteSet), table: &str| {
            let mut case = Case::new();
            let handoff = samples::handoff(StateWord::Offered);
            let packet = samples::packet("x");
            let document = samples::document(handoff.id, DocumentKind::Packet, "1", &packet);
            let before = case.log.clone();
            let mut written = case.log.submitted(handoff.clone());
            written.documents.push((0, document));
            let good = written.clone();
            spoil(&mut written);
            let fault = case.commit(written).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Bug, "{fault}");
            assert!(fault.message.contains(table), "{fault}");
            assert_eq!(case.head(), before.head);
            case.commit(good).unwrap();
        };
        check(|written| written.leaves[0].n = 1, "leaf");
        check(|written| written.leaves.clear(), "head");
        check(|written| written.handoffs[0].is_new = false, "handoff");
        check(|written| written.handoffs.push(written.handoffs[0].clone()), "handoff");
        check(|written| written.documents.push(written.documents[0].clone()), "document");
        check(|written| written.documents[0].0 = 7, "document");
        check(
            |written| {
                let mut other = written.handoffs[0].clone();
                (other.is_new, other.has_new_facts) = (false, false);
                Arc::make_mut(&mut other.handoff).facts_mut().revision += 1;
                written.handoffs.push(other);
            },
            "facts",
        );
    }

    #[test]
    fn two_handoffs_may_exchange_their_tasks_in_one_batch() {
        let mut case = Case::new();
        let mut one = samples::handoff_numbered(1, StateWord::Offered);
        let mut other = samples::handoff_numbered(2, StateWord::Offered);
        case.submit(one.clone()).unwrap();
        case.submit(other.clone()).unwrap();
        std::mem::swap(&mut one.facts_mut().task, &mut other.facts_mut().task);
        let mut written = case.log.changed(one, EventType::Revised);
        let second = case.log.changed(other, EventType::Revised);
        written.handoffs.extend(second.handoffs);
        written.leaves.extend(second.leaves);
        case.commit(written).unwrap();
        assert_eq!(case.head().leaves, 4);
    }

    #[test]
    fn a_handoff_is_written_once_for_a_batch_as_the_last_change_left_it() {
        let mut case = Case::new();
        let mut handoff = samples::handoff(StateWord::Offered);
        let mut transaction = SqliteTransaction::open(&case.project()).unwrap();
        transaction.write(case.log.submitted(handoff.clone()));
        for word in [StateWord::Claimed, StateWord::Returned, StateWord::Done] {
            handoff.progress.state = samples::state(1, word);
            transaction.write(case.log.changed(handoff.clone(), EventType::Started));
        }
        transaction.commit_now(&case.log.head.clone()).unwrap();

        let project = case.log.head.project;
        let mut pending = case.store.counts(project);
        let waker = std::task::Waker::noop();
        let counts = match pending.as_mut().poll(&mut std::task::Context::from_waker(waker)) {
            std::task::Poll::Ready(counts) => counts.unwrap(),
            std::task::Poll::Pending => panic!("the store completes its work in the call"),
        };
        let expected = StateWord::ALL.map(|word| (word, u64::from(word == StateWord::Done)));
        assert_eq!((counts.submitted, counts.states), (1, expected.to_vec()));
        let known = WriterLock::acquire(&case.project())
            .unwrap()
            .writer()
            .cached_handoff(handoff.id)
            .unwrap()
            .cloned();
        assert_eq!(known.unwrap().handoff.progress.state, State::Done);
    }
}
