//! Verifies a return packet against its handoff, and returns a verdict.
//!
//! The work is done if all of these hold:
//!
//! - The status is `completed`.
//! - Every required field is present.
//! - Every acceptance criterion passed.
//! - Every named output is present and matches its schema.
//!
//! Each is one row of the verdict, and each defect is a violation. INVARIANT: `done` is `true`
//! exactly if there are no violations.
//!
//! The truth of the evidence is not verified here. `policy::contract` checks the contract's own
//! rules for returns.

pub(crate) mod requirements;

mod criteria;
mod judge;
mod outputs;
mod schemas;
mod verdict;

pub use judge::judge;
pub use requirements::requirements;
pub use schemas::schema_violations;
pub use verdict::{
    CriterionCheck, CriterionResult, FieldCheck, OutputCheck, OutputResult, Row, Verdict,
};
