//! The faults of a run: failing stores, wrong clocks, outages, restored backups.

pub(super) mod barrier;
pub(super) mod clock;
pub(super) mod faulty_store;
pub(super) mod faulty_transaction;
pub(super) mod outage;
pub(super) mod restore;
