//! The checks after every step, based on the log, the store and the responses alone.

pub(super) mod absences;
pub(super) mod approvals;
pub(super) mod attributes;
pub(super) mod history;
pub(super) mod invariants;
pub(super) mod ledger;
pub(super) mod reviews;
