//! Contracts, gates, rules and project settings.

pub(crate) mod contracts;
pub(crate) mod gates;
pub(crate) mod project;
pub(crate) mod rules;
