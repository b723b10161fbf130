//! The simulation on this store: the same guarantees and the same log as in memory.
//!
//! Every engine has its own store on the same directory, as separate processes do; an engine that
//! crashes opens it again.

use std::collections::BTreeSet;
use std::sync::Arc;

use tasuki_engine::ports::Store;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::EventType;
use tasuki_store::Overwrite;
use tasuki_testkit::sim::{DueTimes, Plan, PutBack, StoreFixture};

use crate::fixture::{Folder, open, restore};

const SEEDS: u64 = 20;

impl StoreFixture for Folder {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(open(self.path()))
    }

    fn due_times(&self, _project: ProjectId) -> Option<DueTimes> {
        None
    }

    fn back_up(&self, _project: ProjectId) -> PutBack<'_> {
        let copies = Self::new();
        let made = open(self.path()).backup(None, &copies.path().join("all"));
        made.expect("a backup is made while the store is in use");
        Box::new(move || {
            let all = copies.path().join("all");
            restore(&all, self.path(), Overwrite::Replace).expect("the store is closed");
        })
    }
}

#[test]
fn the_log_equals_that_of_the_memory_store_despite_faults() {
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let plan = Plan::of(seed);
        let on_disk = plan.run_on(&Folder::new());
        assert!(on_disk.is_ok(), "{}", on_disk.unwrap_err());
        assert_eq!(on_disk, plan.run(), "seed {seed}");
        seen.extend(on_disk.unwrap().events);
    }
    assert!(seen.contains(&EventType::LogRestored), "no backup was restored");
}
