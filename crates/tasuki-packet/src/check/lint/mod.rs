//! Lint: finds weaknesses in a valid packet. Lint never refuses a packet.
//!
//! The score is the completeness of a packet from 0 to 100, and does not measure its truth. It is a
//! plain sum. Each kind of packet has four parts whose weights add up to 100. Each part has
//! questions whose points add up to its weight, and a question scores all of its points or none. A
//! handoff:
//!
//! | part | weight | questions (points) |
//! |---|---|---|
//! | context | 25 | goal (8), summary (7), decisions or pitfalls or failed approaches (5), constraints, assumptions or context (5) |
//! | ownership | 20 | task id (6), sender (7), receiver (7) |
//! | next action | 30 | next request (10), remaining work or expected outputs (5), acceptance (10), required return fields (5) |
//! | reproducibility | 25 | evidence (15), artifacts or inputs (10) |
//!
//! `score` has the tables for the other kinds. [`Score`] returns every part with its reason.

mod finding;
mod names;
mod prose;
mod score;
mod shape;

pub use finding::{Finding, LintReport, Severity, lint};
pub use names::misspelt;
pub use score::{Score, ScorePart};
