//! Policy documents: contracts, gates and rules, and what they decide by.
//!
//! All three are read the same way: every violation at once, each with its pointer (`located_value`).

pub mod contract;
pub mod gate;
pub(crate) mod located_value;
mod name;
pub mod risk;
pub mod rules;
pub mod trigger;
