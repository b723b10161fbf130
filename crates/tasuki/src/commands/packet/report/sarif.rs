//! Violations as a SARIF 2.1.0 log, for code scanning services and editors.
//!
//! One run with one rule per code that occurs. Columns count characters, and a file name is a
//! percent-encoded URI reference. Inputs that could not be read are notifications of the
//! invocation, so that a log of nothing is not taken for success.

use serde_json::{Map, Value, json};
use tasuki_packet::Code;

use super::{FileReport, Region, ReportEntry};
use crate::exit::Failure;
use crate::output::escape::escape;

/// The name by which services recognize the schema of the log. Nothing is fetched from it.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log under construction.
#[derive(Debug, Default)]
pub(crate) struct SarifLog {
    rules: Vec<Code>,
    results: Vec<Value>,
    notifications: Vec<Value>,
}

impl SarifLog {
    /// Adds the violations of a file.
    pub(crate) fn add(&mut self, report: &FileReport) {
        for entry in &report.entries {
            let index = self.rule_index(entry.violation.code);
            self.results.push(result(report.file.as_deref(), entry, index));
        }
    }

    /// Adds an input that could not be read.
    pub(crate) fn add_failure(&mut self, failure: &Failure) {
        self.notifications
            .push(json!({ "level": "error", "message": { "text": escape(&failure.message) } }));
    }

    /// Returns the log.
    pub(crate) fn to_value(&self) -> Value {
        let mut invocation = json!({ "executionSuccessful": self.notifications.is_empty() });
        if !self.notifications.is_empty() {
            invocation["toolExecutionNotifications"] = json!(self.notifications);
        }
        json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "tasuki",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules.iter().copied().map(rule).collect::<Vec<_>>(),
                } },
                "invocations": [invocation],
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        })
    }

    fn rule_index(&mut self, code: Code) -> usize {
        self.rules.iter().position(|known| *known == code).unwrap_or_else(|| {
            self.rules.push(code);
            self.rules.len() - 1
        })
    }
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.as_str(),
        "shortDescription": { "text": code.summary() },
        "help": { "text": format!("docs/errors/{code}.md explains the code and its repair.") },
    })
}

fn result(file: Option<&str>, entry: &ReportEntry, rule_index: usize) -> Value {
    let violation = &entry.violation;
    let artifact = file.map_or_else(
        || json!({ "description": { "text": "standard input" } }),
        |file| json!({ "uri": uri(file) }),
    );
    let mut physical = Map::from_iter([("artifactLocation".to_owned(), artifact)]);
    if let Some(region) = entry.region {
        physical.insert("region".to_owned(), region_value(region));
    }
    json!({
        "ruleId": violation.code.as_str(),
        "ruleIndex": rule_index,
        "level": entry.level.as_str(),
        "message": { "text": entry.text() },
        "locations": [{
            "physicalLocation": physical,
            "logicalLocations": [{ "fullyQualifiedName": violation.pointer, "kind": "member" }],
        }],
    })
}

fn region_value(Region { line, column, end }: Region) -> Value {
    let mut region = json!({ "startLine": line, "startColumn": column });
    if let Some((end_line, end_column)) = end {
        region["endLine"] = json!(end_line);
        region["endColumn"] = json!(end_column);
    }
    region
}

/// Returns a path as a URI reference: relative as it is, absolute with its scheme.
fn uri(path: &str) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~');
    let mut encoded = String::with_capacity(path.len());
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        if is_plain(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

#[cfg(test)]
mod tests {
    use tasuki_packet::Violation;

    use super::*;

    #[test]
    fn a_path_is_a_uri_reference() {
        let check = |path: &str, expected: &str| assert_eq!(uri(path), expected);
        check("packets/a b.yaml", "packets/a%20b.yaml");
        check("./a:b#c?.yaml", "a%3Ab%23c%3F.yaml");
        check("/srv/é.md", "file:///srv/%C3%A9.md");
    }

    #[test]
    fn each_code_is_one_rule() {
        let violations = [
            Violation::new(Code::FieldBlank, "/goal", "blank"),
            Violation::new(Code::FieldMissing, "/task_id", "missing"),
            Violation::new(Code::FieldBlank, "/task_id", "blank"),
        ];
        let mut log = SarifLog::default();
        log.add(&FileReport::new(None, "", &violations, &[]));
        let value = log.to_value();
        let run = &value["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(
            rules.iter().map(|rule| &rule["id"]).collect::<Vec<_>>(),
            ["TK-FIELD-BLANK", "TK-FIELD-MISSING"]
        );
        let results = run["results"].as_array().unwrap();
        assert_eq!(
            results.iter().map(|one| one["ruleIndex"].as_u64().unwrap()).collect::<Vec<_>>(),
            [0, 1, 0]
        );
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    }
}
