//! The simulation on this store: what holds in memory holds on the disk, and the log is the same.
//!
//! Every engine has a store of its own in the same directory, as processes have; one that crashes opens
//! it again.

use std::sync::Arc;

use tasuki_engine::store::Store;
use tasuki_packet::id::ProjectId;
use tasuki_testkit::sim::{DueTimes, Ground, Plan};

use crate::folder::{Folder, open};

const SEEDS: u64 = 20;

impl Ground for Folder {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(open(self.path()))
    }

    fn due_times(&self, _project: ProjectId) -> Option<DueTimes> {
        None
    }
}

#[test]
fn whatever_goes_wrong_the_log_is_the_one_that_memory_has() {
    for seed in 0..SEEDS {
        let plan = Plan::of(seed);
        let on_disk = plan.play_on(&Folder::new()).map(|report| report.log);
        assert!(on_disk.is_ok(), "{}", on_disk.unwrap_err());
        let in_memory = plan.play().map(|report| report.log);
        assert_eq!(on_disk, in_memory, "seed {seed}");
    }
}
