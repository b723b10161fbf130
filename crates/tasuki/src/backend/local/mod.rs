//! The exchange on this machine: the nearest `.tasuki/`, who asks, and what the engine answers.
//!
//! Every command of the exchange goes the same way: open, name the caller, run one command or one
//! read, print. The rules are in `tasuki-engine`; nothing is decided here.

mod backend;
mod backup;
mod caller;
mod exchange;
mod follow;
mod log_check;
mod password;
mod reader;
mod resolve;
mod subscriptions;

pub(crate) use backend::Here;
pub(crate) use backup::{Outcome, restore};
pub(crate) use exchange::{Exchange, create_project};
