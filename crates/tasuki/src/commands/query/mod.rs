//! Commands that read the exchange and change nothing.

pub(crate) mod event_filter;
pub(crate) mod events;
pub(crate) mod inbox;
pub(crate) mod log;
pub(crate) mod ls;
pub(crate) mod returns;
pub(crate) mod search;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod timeline;
pub(crate) mod trail;
pub(crate) mod wait;
