//! Commands that only read from the exchange.

pub(crate) mod event_filter;
pub(crate) mod events;
pub(crate) mod inbox;
mod inbox_ack;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod returns;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod timeline;
pub(crate) mod trail;
pub(crate) mod wait;
pub(crate) mod waiter;
pub(crate) mod watch;
mod work_trees;
