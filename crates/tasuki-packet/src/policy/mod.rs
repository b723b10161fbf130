//! Policy documents: contracts, gates and rules, and what they decide by.
//!
//! All three are read the same way: every violation at once, each with its pointer (`place`).

pub mod contract;
pub mod gate;
mod name;
pub(crate) mod place;
pub mod risk;
pub mod rules;
pub mod trigger;
