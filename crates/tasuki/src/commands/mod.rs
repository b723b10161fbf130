//! The commands, one file each, in folders by topic.

pub(crate) mod admin;
pub(crate) mod agent;
pub(crate) mod decision;
pub(crate) mod eval;
pub(crate) mod handoff;
pub(crate) mod host;
pub(crate) mod packet;
pub(crate) mod query;
