//! The checks after every step, made by the log, the store and the answers alone.

pub(super) mod approvals;
pub(super) mod attributes;
pub(super) mod history;
pub(super) mod invariants;
pub(super) mod ledger;
