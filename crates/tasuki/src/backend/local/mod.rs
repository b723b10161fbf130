//! The exchange without a server: the engine on the store of the nearest `.tasuki/`, or on a
//! database.
//!
//! The rules are in `tasuki-engine`, not here.

mod backend;
mod backup;
mod caller;
mod exchange;
mod follow;
mod log_check;
mod password;
mod place;
mod proof;
mod reader;
mod resolve;
mod subscriptions;

pub(crate) use backend::LocalBackend;
pub(crate) use backup::{RestoreOutcome, restore};
pub(crate) use exchange::{Exchange, create_project, start};
pub(crate) use password::store_password;
pub(crate) use place::StorePlace;
