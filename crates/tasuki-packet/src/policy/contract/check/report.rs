//! The input and the result of a check: entries, findings and the summary.

use serde::Serialize;

use crate::Violation;
use crate::policy::contract::{CompiledContract, Contract};

/// A contract with its compiled schemas, or the reasons why they do not compile.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The source of the contract, usually a file name.
    pub source: String,
    /// The contract.
    pub contract: Contract,
    /// The result of [`CompiledContract::new`].
    pub compiled: Result<CompiledContract, Vec<Violation>>,
}

/// The result of checking a set of contracts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Errors and warnings, in the order of the entries.
    pub findings: Vec<Finding>,
    /// The size of the set.
    pub summary: Summary,
}

/// An error or a warning about a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The severity; an error makes the check fail.
    pub severity: Severity,
    /// The contract, `name@version`.
    pub contract: String,
    /// The source of the contract, as in its entry.
    pub source: String,
    /// The defect and its location in that contract.
    pub violation: Violation,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The check fails.
    Error,
    /// The check passes.
    Warning,
}

/// The number of edges and of payload schemas. One schema used everywhere is the aim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The number of documents, including all versions.
    pub contracts: usize,
    /// The number of sender and receiver pairs under the newest version of each contract.
    pub edges: usize,
    /// The number of distinct payload schemas on those edges.
    pub payload_schemas: usize,
}

impl Report {
    /// Returns `true` if the check fails.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = |count: usize, noun: &str| {
            format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
        };
        write!(
            f,
            "{}, {} in use on {}",
            count(self.contracts, "contract"),
            count(self.payload_schemas, "payload schema"),
            count(self.edges, "edge"),
        )
    }
}
