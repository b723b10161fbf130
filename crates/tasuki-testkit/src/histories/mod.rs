//! Checks recorded histories of claims for linearizability, task by task.
//!
//! A history is what clients saw: when each called, what, and what came back. It is linearizable if
//! every call can be given one instant between its call and its answer, so that the answers are those
//! of one party at a time (`TaskState`). A call without an answer, because the server was killed,
//! may have happened at any later instant, or not at all.

mod linearizability;
mod task;

pub use linearizability::{Operation, Violation, check};
pub use task::{Call, Outcome, TaskState};
