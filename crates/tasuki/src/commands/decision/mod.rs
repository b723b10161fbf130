//! Commands with which people decide about handoffs.

pub(crate) mod approve;
pub(crate) mod decisions;
pub(crate) mod edit;
pub(crate) mod intercept;
pub(crate) mod reference;
pub(crate) mod reject;
pub(crate) mod reroute;
pub(crate) mod sign_off;
