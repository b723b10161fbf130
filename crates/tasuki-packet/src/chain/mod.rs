//! What must hold from one packet of a chain to the next.
//!
//! Authority only narrows, pinned items are carried verbatim, and what the hops cost is added up.
//! Each function looks at the packets it is given and nothing else.
//!
//! Not here: who is an ancestor of whom, hop limits and budgets that are refused; the engine knows.

mod amount;
mod authority;
pub mod continuation;
mod cost;
mod labels;
mod obligations;
mod pinned;

pub use amount::{Amount, AmountError};
pub use authority::{covers, limit, widened, widened_along};
pub use cost::{ChainTotals, TotalsError, totals};
pub use obligations::dropped_obligations;
pub use pinned::{carry, dropped};
