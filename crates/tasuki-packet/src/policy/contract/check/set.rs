//! Checks a set of contracts: duplicates, versions, breaking changes and loops.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Entry, Finding, Report, Severity, Summary};
use super::single::{contract, error};
use crate::document::pointer;
use crate::policy::contract::compatible;
use crate::policy::contract::edges::{Edge, edges, newest};
use crate::policy::contract::loops::loops;
use crate::policy::contract::schema::SchemaSource;
use crate::policy::name::{Identity, Version};
use crate::{Code, Violation, canonical};

/// Returns the errors that a new contract introduces into an existing set.
///
/// Existing errors are not reported: a defective older contract does not block a project from
/// adding new ones.
pub fn addition(existing: &[Entry], new: &Entry) -> Vec<Violation> {
    let known = contracts(existing).findings;
    let all: Vec<Entry> = existing.iter().chain([new]).cloned().collect();
    let identity = new.contract.identity().to_string();
    let found = contracts(&all).findings.into_iter();
    let found = found.filter(|one| one.severity == Severity::Error && !known.contains(one));
    found.map(|one| if one.contract == identity { one.violation } else { elsewhere(one) }).collect()
}

/// Rewrites a finding in an existing contract so that it makes sense for the new one.
fn elsewhere(finding: Finding) -> Violation {
    let message = format!("`{}`: {}", finding.contract, finding.violation.message);
    Violation { pointer: String::new(), message, ..finding.violation }
}

/// Checks a set of contracts: a folder, or all contracts of a project.
pub fn contracts(entries: &[Entry]) -> Report {
    let mut found: Vec<(usize, (Severity, Violation))> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let compiled = entry.compiled.as_ref().map_err(Vec::as_slice);
        found.extend(contract(&entry.contract, compiled).into_iter().map(|one| (index, one)));
    }
    found.extend(duplicates(entries).into_iter().map(|(at, violation)| (at, error(violation))));
    found.extend(versions(entries).into_iter().map(|(at, violation)| (at, error(violation))));
    found.extend(breaches(entries).into_iter().map(|(at, violation)| (at, error(violation))));
    found.extend(endless(entries).into_iter().map(|(at, violation)| (at, error(violation))));
    found.sort_by_key(|(index, _)| *index);
    let finding = |(index, (severity, violation)): (usize, _)| Finding {
        severity,
        contract: entries[index].contract.identity().to_string(),
        source: entries[index].source.clone(),
        violation,
    };
    Report { findings: found.into_iter().map(finding).collect(), summary: summary(entries) }
}

fn duplicates(entries: &[Entry]) -> Vec<(usize, Violation)> {
    let mut known: BTreeMap<Identity, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let identity = entry.contract.identity();
        if let Some(source) = known.get(&identity) {
            let message = format!("duplicate contract `{identity}`, also in `{source}`");
            let violation = Violation::new(Code::ContractDuplicate, "/version", message);
            found.push((index, violation.hint("versions are immutable; assign a new version")));
        } else {
            known.insert(identity, &entry.source);
        }
    }
    found
}

/// Checks that referenced versions exist and that conversions start from older versions.
fn versions(entries: &[Entry]) -> Vec<(usize, Violation)> {
    let known: BTreeSet<Identity> = entries.iter().map(|entry| entry.contract.identity()).collect();
    let mut found = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let contract = &entry.contract;
        let exists =
            |version: Version| known.contains(&Identity { name: contract.name.clone(), version });
        let mut refuse = |place: String, message: String| {
            found.push((index, Violation::new(Code::ContractVersion, place, message)));
        };
        for (at, version) in contract.compatible_with.iter().enumerate() {
            if !exists(*version) {
                let message = format!("unknown contract `{}@{version}`", contract.name);
                refuse(format!("/compatible_with/{at}"), message);
            }
        }
        for version in contract.convert_from.keys() {
            let place = pointer::join("/convert_from", &version.to_string());
            if *version >= contract.version {
                refuse(place, format!("`{version}` is not older than `{}`", contract.version));
            } else if !exists(*version) {
                refuse(place, format!("unknown contract `{}@{version}`", contract.name));
            }
        }
    }
    found
}

/// Compares each version with the previous one of the same major version.
fn breaches(entries: &[Entry]) -> Vec<(usize, Violation)> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|index| entries[*index].contract.identity());
    order.dedup_by_key(|index| entries[*index].contract.identity());
    let mut found = Vec::new();
    for pair in order.windows(2) {
        let (old, new) = (&entries[pair[0]], &entries[pair[1]]);
        let is_minor = old.contract.name == new.contract.name
            && old.contract.version.major == new.contract.version.major;
        if is_minor {
            found.extend(breach(old, new).into_iter().map(|violation| (pair[1], violation)));
        }
    }
    found
}

fn breach(old: &Entry, new: &Entry) -> Vec<Violation> {
    let mut found = compatible::terms(&old.contract, &new.contract);
    if let (Ok(old), Ok(new)) = (&old.compiled, &new.compiled) {
        found.extend(compatible::schemas(old, new));
    }
    for violation in &mut found {
        violation.message = format!("breaks `{}`: {}", old.contract.identity(), violation.message);
    }
    found
}

/// Returns the loops without a return contract, each reported at the contract that closes it.
fn endless(entries: &[Entry]) -> Vec<(usize, Violation)> {
    let newest = newest(entries.iter().map(|entry| &entry.contract));
    let edges = edges(&newest);
    let mut found = Vec::new();
    for endless in loops(&edges) {
        let under = |(from, to)| edges.iter().find(|edge| edge.from == from && edge.to == to);
        let closing: Vec<&Edge<'_>> = endless.pairs().filter_map(under).collect();
        let Some(last) = closing.last() else { continue };
        let is_it = |entry: &Entry| std::ptr::eq(&raw const entry.contract, last.contract);
        let Some(index) = entries.iter().position(is_it) else { continue };
        let names: Vec<String> =
            closing.iter().map(|edge| edge.contract.identity().to_string()).collect();
        let message = format!("{endless} is a loop without a return contract");
        let hint = format!(
            "remove an edge, or set `returns: {{ allowed: true }}` in a contract from `{}` to `{}`",
            last.to, last.from,
        );
        let violation = Violation::new(Code::ContractLoop, "/to", message);
        found.push((index, violation.found(names.join(", ")).hint(hint)));
    }
    found
}

fn summary(entries: &[Entry]) -> Summary {
    let newest = newest(entries.iter().map(|entry| &entry.contract));
    let in_use: BTreeSet<Identity> = newest.iter().map(|contract| contract.identity()).collect();
    let is_newest = |entry: &&Entry| in_use.contains(&entry.contract.identity());
    let schemas: BTreeSet<String> =
        entries.iter().filter(is_newest).filter_map(schema_key).collect();
    Summary {
        contracts: entries.len(),
        edges: edges(&newest).len(),
        payload_schemas: schemas.len(),
    }
}

/// Identifies a payload schema by its content, independently of its name.
fn schema_key(entry: &Entry) -> Option<String> {
    let compiled = entry.compiled.as_ref().ok().and_then(|compiled| compiled.payload.as_ref());
    match (compiled, entry.contract.payload_schema.as_ref()?) {
        (Some(schema), _) => Some(canonical::digest(&schema.value)),
        (None, SchemaSource::Inline(value)) => Some(canonical::digest(value)),
        (None, SchemaSource::Reference(path)) => Some(path.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::policy::contract::apply::CompiledContract;
    use crate::policy::contract::document::Contract;
    use crate::policy::contract::read::tests::incident_contract;
    use crate::policy::contract::shipped::shipped_schemas;

    fn entry(document: &Value) -> Entry {
        let contract = Contract::read(document).unwrap();
        let compiled = CompiledContract::new(&contract, &shipped_schemas());
        Entry { source: format!("{}.yaml", contract.identity()), contract, compiled }
    }

    fn small(name: &str, version: &str, from: &str, to: &str) -> Value {
        json!({
            "contract": name,
            "version": version,
            "from": [from],
            "to": [to],
            "payload_schema": {"type": "object", "additionalProperties": false},
            "scope": {"is": "a note"},
            "confidence": {"required": false},
            "provenance": {"require": []},
            "fallback": [{"to": "dead_letter"}],
        })
    }

    fn with(mut document: Value, name: &str, value: Value) -> Value {
        document[name] = value;
        document
    }

    #[track_caller]
    fn check(documents: &[Value], expected: &[&str]) -> Report {
        let entries: Vec<Entry> = documents.iter().map(entry).collect();
        let report = contracts(&entries);
        let line = |finding: &Finding| {
            let violation = &finding.violation;
            let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
            format!("{severity} {} {} {}", finding.contract, violation.pointer, violation)
        };
        let found: Vec<String> = report.findings.iter().map(line).collect();
        assert_eq!(found, expected);
        report
    }

    #[test]
    fn a_complete_contract_has_no_findings() {
        let report = check(&[small("a", "1.0", "x", "y")], &[]);
        assert!(!report.has_errors());
    }

    #[test]
    fn each_of_the_five_parts_is_required() {
        let document = json!({"contract": "a", "version": "1.0", "from": ["x"], "to": ["y"]});
        let parts = ["payload_schema", "scope", "confidence", "provenance", "fallback"];
        let expected = parts.map(|part| {
            format!("error a@1.0 /{part} TK-CONTRACT-PART: missing `{part}`, one of the five parts of a contract")
        });
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        assert!(check(&[document], &expected).has_errors());
    }

    #[test]
    fn a_ladder_ends_in_the_dead_letter() {
        let ladder = |rungs: Value| with(small("a", "1.0", "x", "y"), "fallback", rungs);
        check(&[ladder(json!([{"to": "role:oncall", "after": "5m"}, {"to": "dead_letter"}]))], &[]);
        check(
            &[ladder(json!([]))],
            &["error a@1.0 /fallback/0 TK-CONTRACT-LADDER: the ladder has no rungs"],
        );
        check(
            &[ladder(json!([{"to": "dead_letter"}, {"to": "role:oncall"}]))],
            &[
                "error a@1.0 /fallback/0 TK-CONTRACT-LADDER: rungs after the dead letter are unreachable",
                "error a@1.0 /fallback/1 TK-CONTRACT-LADDER: the last rung is `role:oncall`, not `dead_letter`",
            ],
        );
        check(
            &[ladder(json!([{"to": "dead_letter", "on": "declined"}]))],
            &[
                "error a@1.0 /fallback/0 TK-CONTRACT-LADDER: the last rung applies only to `declined`",
            ],
        );
    }

    #[test]
    fn terms_that_need_another_are_checked() {
        let document = with(small("a", "1.0", "x", "y"), "park", json!("other"));
        let report = check(
            &[with(document, "verify", json!("automatic"))],
            &[
                "error a@1.0 /park TK-CONTRACT-PARK: `park: other` has no rung for parked work",
                "warning a@1.0 /verify TK-CONTRACT-UNCHECKED: `verify: automatic` has nothing to check, so every return would be done",
            ],
        );
        assert!(report.has_errors());
    }

    #[test]
    fn an_open_schema_is_a_warning() {
        let schema = |schema: Value| with(small("a", "1.0", "x", "y"), "payload_schema", schema);
        let inner = json!({
            "additionalProperties": false, "properties": {"b": {"type": "object"}}
        });
        let report = check(
            &[schema(inner)],
            &[
                "warning a@1.0 /payload_schema/properties/b TK-SCHEMA-OPEN: the schema accepts undescribed members at `#/properties/b`",
            ],
        );
        assert!(!report.has_errors());
    }

    #[test]
    fn an_over_packed_schema_is_a_warning() {
        let schema = |count: usize| {
            let members: serde_json::Map<String, Value> =
                (0..count).map(|index| (format!("m{index}"), json!({"type": "string"}))).collect();
            let schema = json!({"additionalProperties": false, "properties": members});
            with(small("a", "1.0", "x", "y"), "payload_schema", schema)
        };
        check(&[schema(20)], &[]);
        check(
            &[schema(21)],
            &[
                "warning a@1.0 /payload_schema TK-SCHEMA-OVERPACKED: the schema describes 21 members; the limit is 20",
            ],
        );
    }

    #[test]
    fn unusable_schemas_are_errors() {
        let document =
            with(small("a", "1.0", "x", "y"), "payload_schema", json!({"$ref": "no.json"}));
        check(
            &[document],
            &[
                "error a@1.0 /payload_schema/$ref TK-SCHEMA-MISSING: schema file `no.json` not found",
            ],
        );
    }

    #[test]
    fn a_version_is_written_once() {
        check(
            &[
                small("a", "1.0", "x", "y"),
                small("a", "1.0", "x", "y"),
                small("b", "1.0", "x", "y"),
            ],
            &[
                "error a@1.0 /version TK-CONTRACT-DUPLICATE: duplicate contract `a@1.0`, also in `a@1.0.yaml`",
            ],
        );
    }

    #[test]
    fn referenced_versions_must_exist_and_be_older() {
        let first = small("a", "1.0", "x", "y");
        let second = with(small("a", "1.1", "x", "y"), "compatible_with", json!(["1.0"]));
        let second = with(second, "convert_from", json!({"1.0": []}));
        check(&[first.clone(), second], &[]);
        let second = with(small("a", "1.1", "x", "y"), "compatible_with", json!(["0.1"]));
        let second = with(second, "convert_from", json!({"0.2": [], "1.1": []}));
        check(
            &[first, second],
            &[
                "error a@1.1 /compatible_with/0 TK-CONTRACT-VERSION: unknown contract `a@0.1`",
                "error a@1.1 /convert_from/0.2 TK-CONTRACT-VERSION: unknown contract `a@0.2`",
                "error a@1.1 /convert_from/1.1 TK-CONTRACT-VERSION: `1.1` is not older than `1.1`",
            ],
        );
    }

    #[test]
    fn a_minor_version_only_adds() {
        let strict = json!({
            "type": "object", "additionalProperties": false, "required": ["b"], "properties": {"b": {}}
        });
        let changed =
            |version| with(small("a", version, "x", "y"), "payload_schema", strict.clone());
        check(
            &[changed("1.10"), small("a", "1.9", "x", "y")],
            &[
                "error a@1.10 /payload_schema TK-CONTRACT-BREAKING: breaks `a@1.9`: `/b` of the payload: now required",
            ],
        );
        check(&[small("a", "1.9", "x", "y"), changed("2.0")], &[]);
    }

    #[test]
    fn a_loop_needs_a_return_contract() {
        let there = small("there", "1.0", "x", "y");
        let back = small("back", "1.0", "y", "x");
        let report = check(
            &[there.clone(), back.clone()],
            &[
                "error back@1.0 /to TK-CONTRACT-LOOP: x -> y -> x is a loop without a return contract",
            ],
        );
        let violation = &report.findings[0].violation;
        assert_eq!(violation.found.as_deref(), Some("there@1.0, back@1.0"));
        let hint =
            "remove an edge, or set `returns: { allowed: true }` in a contract from `x` to `y`";
        assert_eq!(violation.hint.as_deref(), Some(hint));
        check(&[with(there, "returns", json!({"allowed": true})), back], &[]);
    }

    #[test]
    fn a_loop_of_an_older_version_is_ignored() {
        let old = small("back", "1.0", "y", "x");
        let new = small("back", "2.0", "y", "z");
        check(&[small("there", "1.0", "x", "y"), old, new], &[]);
    }

    #[test]
    fn a_new_contract_is_reported_with_the_errors_it_introduces() {
        let check = |existing: &[Value], new: Value, expected: &[&str]| {
            let existing: Vec<Entry> = existing.iter().map(entry).collect();
            let found = addition(&existing, &entry(&new));
            let line = |one: &Violation| format!("{} {one}", one.pointer);
            assert_eq!(found.iter().map(line).collect::<Vec<_>>(), expected);
        };
        let there = small("there", "1.0", "x", "y");
        let flawed = with(small("flawed", "1.0", "p", "q"), "fallback", json!([]));
        check(&[there.clone(), flawed], small("back", "1.0", "y", "z"), &[]);
        check(
            &[small("zurich", "1.0", "x", "y")],
            small("back", "1.0", "y", "x"),
            &["/to TK-CONTRACT-LOOP: x -> y -> x is a loop without a return contract"],
        );
        let open =
            with(small("there", "1.1", "x", "y"), "payload_schema", json!({"type": "object"}));
        let newest = small("there", "1.2", "x", "y");
        check(
            &[there, newest],
            open,
            &[
                " TK-CONTRACT-BREAKING: `there@1.2`: breaks `there@1.1`: `/*` of the payload: no value is accepted anymore",
            ],
        );
    }

    #[test]
    fn the_summary_counts_edges_and_their_schemas() {
        let first = with(small("a", "1.0", "x", "y"), "from", json!(["x", "w"]));
        let newer = with(small("a", "1.1", "x", "y"), "from", json!(["x", "w", "v"]));
        let report = check(&[first, newer, small("b", "1.0", "y", "z")], &[]);
        let expected = Summary { contracts: 3, edges: 4, payload_schemas: 1 };
        assert_eq!(report.summary, expected);
        assert_eq!(report.summary.to_string(), "3 contracts, 1 payload schema in use on 4 edges");
    }

    #[test]
    fn a_report_is_written_as_json() {
        let entries = [entry(&with(incident_contract(), "fallback", json!([])))];
        let report = serde_json::to_value(contracts(&entries)).unwrap();
        assert_eq!(report["findings"][0]["severity"], "error");
        assert_eq!(report["findings"][0]["contract"], "correlation-to-investigation@1.2");
        assert_eq!(report["findings"][0]["violation"]["code"], "TK-CONTRACT-LADDER");
        assert_eq!(report["summary"]["edges"], 1);
    }
}
