//! Commands for coding agents: hooks of their hosts, and wrappers around them.

pub(crate) mod connect;
pub(crate) mod hook;
pub(crate) mod host;
