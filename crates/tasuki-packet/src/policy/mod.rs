//! Policy documents: contracts, gates and rules.
//!
//! - A [`contract`] states what may be handed over on an edge, what must come back, and by when.
//! - A [`gate`] states which people must sign a handoff off before it is released.
//! - [`rules`] state when a person must decide, independently of the sender.
//! - [`classification`], [`risk`] and [`trigger`] hold the levels and defaults that all three refer to.
//!
//! All documents are read the same way: every violation is reported at once, with its pointer.

pub mod classification;
pub mod contract;
pub mod decide;
pub mod gate;
pub(crate) mod located_value;
mod name;
pub mod risk;
pub mod rules;
pub mod trigger;
