//! The simulation on this store: the same guarantees and the same log as in memory.
//!
//! Every engine has its own store on the same schema, as separate processes do; an engine that
//! crashes opens it again.

use std::collections::BTreeSet;
use std::sync::Arc;

use tasuki_engine::ports::Store;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::EventType;
use tasuki_testkit::sim::{BlockingStore, DueTimes, Plan, PutBack, StoreFixture};

use super::fixture::{Copy, Schema};

const SEEDS: u64 = 12;

impl StoreFixture for Schema {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(BlockingStore(Self::open(self)))
    }

    fn due_times(&self, _project: ProjectId) -> Option<DueTimes> {
        None
    }

    fn back_up(&self, _project: ProjectId) -> PutBack<'_> {
        let copy = Copy::of(self);
        Box::new(move || copy.put_back())
    }
}

#[test]
fn the_log_equals_that_of_the_memory_store_despite_faults() {
    let mut seen = BTreeSet::new();
    for seed in 0..SEEDS {
        let plan = Plan::of(seed);
        let on_postgres = plan.run_on(&Schema::new());
        assert!(on_postgres.is_ok(), "{}", on_postgres.unwrap_err());
        assert_eq!(on_postgres, plan.run(), "seed {seed}");
        seen.extend(on_postgres.unwrap().events);
    }
    assert!(seen.contains(&EventType::LogRestored), "no backup was restored");
}
