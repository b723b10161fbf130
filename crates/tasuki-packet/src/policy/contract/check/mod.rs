//! Checks contracts, one at a time and as a set.
//!
//! Errors are defects that would lose or break work: a missing part, a ladder without an end, a
//! loop, a version that breaks an older one. Warnings mark weaknesses. `Contract::read` checks the
//! form of a document; whether the named gates exist is not checked here.
//!
//! ```
//! use serde_json::json;
//! use tasuki_packet::policy::contract::check::{Entry, contracts};
//! use tasuki_packet::policy::contract::{CompiledContract, Contract};
//!
//! let contract = Contract::read(&json!({
//!     "contract": "review", "version": "1.0", "from": ["coder"], "to": ["role:reviewer"],
//! }))
//! .unwrap();
//! let compiled = CompiledContract::new(&contract, &());
//! let report = contracts(&[Entry { source: "review.yaml".to_owned(), contract, compiled }]);
//! assert!(report.has_errors());
//! assert_eq!(report.findings[0].violation.code.as_str(), "TK-CONTRACT-PART");
//! ```

mod report;
mod set;
mod single;

pub use report::{Entry, Finding, Report, Severity, Summary};
pub use set::{addition, contracts};
pub use single::contract;
