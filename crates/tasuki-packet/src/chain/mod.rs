//! Invariants between consecutive packets of a chain.
//!
//! - Authority only narrows ([`widened_along`]).
//! - Pinned items are carried verbatim ([`dropped`], [`carry`]).
//! - Obligations and labels are preserved ([`dropped_obligations`]).
//! - Sign-offs stay due before the same step ([`DueSignOff`]).
//! - Costs are added up ([`totals`]).
//! - Checkpoints and decisions compose the packet for the next holder ([`continuation`]).
//! - Work that is passed on takes them along ([`next_packet`]), and [`passed_on`] checks it.
//!
//! Each function depends only on the packets it is given. The engine determines the ancestors of a
//! packet and enforces hop limits and budgets.

mod amount;
mod authority;
pub mod continuation;
mod cost;
mod labels;
mod next_packet;
mod obligations;
mod passed_on;
mod pinned;
mod sign_offs;

pub use amount::{Amount, AmountError};
pub use authority::{covers, limit, widened, widened_along};
pub use cost::{ChainTotals, TotalsError, totals};
pub use next_packet::next_packet;
pub use obligations::dropped_obligations;
pub use passed_on::passed_on;
pub use pinned::{carry, dropped};
pub use sign_offs::{DueSignOff, DueStep};
