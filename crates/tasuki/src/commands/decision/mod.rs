//! Decisions of people about handoffs.

pub(crate) mod accept;
pub(crate) mod decisions;
pub(crate) mod edit;
pub(crate) mod intercept;
pub(crate) mod reject;
pub(crate) mod reroute;
pub(crate) mod sign_off;
