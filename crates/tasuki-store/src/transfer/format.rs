//! The lines of an export: what they say, and the digests that find a changed one.
//!
//! Every line is a JSON object whose last member is `check`: the first digits of the SHA-256 of all
//! bytes before that member, from the start of the file. A line that was changed, lost or moved is
//! therefore found at its own number. The last line has the whole digest of the lines before it.
//!
//! The digests find damage, not forgery. `tasuki log check` compares the rows with what the log
//! commits to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the format. A newer one is refused.
pub(super) const VERSION: u64 = 1;

/// The digits of the digest in `check`.
pub(super) const CHECK_DIGITS: usize = 16;

/// The text between the content of a line and its check.
pub(super) const BEFORE_CHECK: &str = ",\"check\":\"";

/// The text after the check.
pub(super) const AFTER_CHECK: &str = "\"}";

/// The origin of an export.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The version of the program.
    pub program: String,
    /// The time of the export.
    pub at: jiff::Timestamp,
}

/// The first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of the format.
    pub(super) tasuki_export: u64,
    /// The version of the program that wrote it.
    pub(super) program: String,
    /// The place of the store.
    pub(super) origin: String,
    /// The time of the export.
    pub(super) at: jiff::Timestamp,
}

/// The last line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct End {
    pub(super) end: Totals,
}

/// The content of the last line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Totals {
    /// The number of rows of each table.
    pub(super) rows: BTreeMap<String, u64>,
    /// The SHA-256 of all lines before.
    pub(super) sha256: String,
}

/// Returns bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
