//! The commands that simulated parties send: usually valid, sometimes hostile.

pub(super) mod commands;
pub(super) mod documents;
pub(super) mod intents;
pub(super) mod parties;
pub(super) mod verbs;
