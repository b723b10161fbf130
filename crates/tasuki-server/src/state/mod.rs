//! State that all requests and workers of one server share.

pub(crate) mod change_watch;
pub(crate) mod event_tail;
pub(crate) mod heartbeat;
pub(crate) mod limits;
pub(crate) mod policy_cache;
pub(crate) mod project_activity;
pub(crate) mod project_concurrency;
pub(crate) mod projects;
pub(crate) mod token_usage;
