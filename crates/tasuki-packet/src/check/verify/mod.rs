//! Does this return satisfy that packet: the verdict that a machine can give.
//!
//! Done means: status `completed`, every required field present, every acceptance criterion passed,
//! every named output there and fitting its schema. Each is one row of the verdict, and whatever
//! keeps the work from being done is a violation. INVARIANT: `done` is true exactly if there is none.
//!
//! Not here: whether the evidence is true, and the contract's own rules for returns.

pub(crate) mod requirements;

mod criteria;
mod judge;
mod outputs;
mod verdict;

pub use judge::judge;
pub use requirements::requirements;
pub use verdict::{
    CriterionCheck, CriterionResult, FieldCheck, OutputCheck, OutputResult, Row, Verdict,
};
