//! Walks a packet, passes every text to the recognizers, and reports or redacts their hits.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Number, Value};

use super::allow::Allow;
use super::hit::{Hit, merged};
use super::names::{self, Name};
use super::prefilter::TextFeatures;
use super::{address, entropy, phrases, shapes};
use crate::document::Members;
use crate::document::path::Path;
use crate::violation::{Code, Violation};

/// A secret in a packet: its location and kind, never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SecretFinding {
    /// The RFC 6901 pointer to the text. A member name that is itself a secret is redacted.
    pub pointer: String,
    /// The kind of secret, such as `GitHub token` or `password`.
    pub kind: &'static str,
    /// The first byte in that text.
    pub start: usize,
    /// The byte after the last one in that text.
    pub end: usize,
    /// `true` if the secret is in the name of the member at `pointer`, not in its value.
    pub in_name: bool,
}

/// Returns every secret in a value.
pub fn scan(value: &Value) -> Vec<SecretFinding> {
    scan_with(value, &Allow::nothing())
}

/// Returns every secret in a value that `allow` does not suppress.
pub fn scan_with(value: &Value, allow: &Allow) -> Vec<SecretFinding> {
    let mut scanner = Scanner::new(allow);
    scanner.walk(value, None, &Path::Root);
    scanner.findings
}

/// Returns every secret in the members of a packet that `allow` does not suppress.
pub fn scan_members(members: &Members, allow: &Allow) -> Vec<SecretFinding> {
    let mut scanner = Scanner::new(allow);
    scanner.walk_members(members, None, &Path::Root);
    scanner.findings
}

/// Replaces every secret by `[redacted: <kind>]` and keeps the rest of the text.
pub fn redact(value: &mut Value) -> Vec<SecretFinding> {
    redact_with(value, &Allow::nothing())
}

/// Replaces every secret that `allow` does not suppress.
pub fn redact_with(value: &mut Value, allow: &Allow) -> Vec<SecretFinding> {
    // Secrets are rare, and scanning is cheaper than rebuilding every object.
    if scan_with(value, allow).is_empty() {
        return Vec::new();
    }
    let mut scanner = Scanner::new(allow);
    scanner.redact(value, None, &Path::Root);
    scanner.findings
}

impl std::fmt::Display for SecretFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.in_name { "the member name at" } else { "the text at" };
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{place} `{pointer}` contains a secret: {}", self.kind)
    }
}

impl From<&SecretFinding> for Violation {
    fn from(finding: &SecretFinding) -> Self {
        Self::new(Code::SecretFound, finding.pointer.clone(), finding.to_string())
            .found(format!("{}, {} bytes", finding.kind, finding.end - finding.start))
            .hint(
                "pass a reference (`secret_ref`) instead, and rotate the secret if it was exposed",
            )
    }
}

struct Scanner<'a> {
    allow: &'a Allow,
    findings: Vec<SecretFinding>,
}

impl<'a> Scanner<'a> {
    fn new(allow: &'a Allow) -> Self {
        Self { allow, findings: Vec::new() }
    }

    /// Scans a value. In `path`, secret member names are already redacted.
    fn walk(&mut self, value: &Value, name: Option<Name<'_>>, path: &Path<'_>) {
        match value {
            Value::String(text) => {
                self.text(text, name, path);
            }
            Value::Number(number) => {
                self.number(number, name, path);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.walk(item, name, &Path::Index(path, index));
                }
            }
            Value::Object(members) => self.walk_members(members, name, path),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn walk_members(&mut self, members: &Members, name: Option<Name<'_>>, path: &Path<'_>) {
        let label = label_of(members);
        for (member, value) in members {
            let renamed = self.member(member, path);
            let path = Path::Name(path, renamed.as_deref().unwrap_or(member));
            self.walk(value, Some(name_for(member, label, name)), &path);
        }
    }

    fn redact(&mut self, value: &mut Value, name: Option<Name<'_>>, path: &Path<'_>) {
        match value {
            Value::String(text) => {
                let hits = self.text(text, name, path);
                if !hits.is_empty() {
                    *text = replaced(text, &hits);
                }
            }
            Value::Number(number) => {
                if let Some(redacted) = self.number(number, name, path) {
                    *value = Value::String(redacted);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.redact(item, name, &Path::Index(path, index));
                }
            }
            Value::Object(members) => self.redact_members(members, name, path),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn redact_members(&mut self, members: &mut Members, name: Option<Name<'_>>, path: &Path<'_>) {
        let label = label_of(members).map(str::to_owned);
        let mut kept = Members::with_capacity(members.len());
        let mut counts = HashMap::new();
        for (member, mut value) in std::mem::take(members) {
            let renamed = self.member(&member, path);
            let inner = Path::Name(path, renamed.as_deref().unwrap_or(&member));
            self.redact(&mut value, Some(name_for(&member, label.as_deref(), name)), &inner);
            kept.insert(unused(&kept, &mut counts, renamed.unwrap_or(member)), value);
        }
        *members = kept;
    }

    /// Reports a member name that is a secret, and returns it redacted.
    fn member(&mut self, member: &str, path: &Path<'_>) -> Option<String> {
        if member.len() < shapes::BYTES_MIN {
            return None;
        }
        // Names are only compared with token formats: digests and long words are common keys.
        let found = shapes::find(member, TextFeatures::of(member));
        if found.is_empty() {
            return None;
        }
        let hits = self.not_permitted(found, member, path);
        if hits.is_empty() {
            return None;
        }
        let renamed = replaced(member, &hits);
        self.report(&hits, true, &Path::Name(path, &renamed));
        Some(renamed)
    }

    fn text(&mut self, text: &str, name: Option<Name<'_>>, path: &Path<'_>) -> Vec<Hit> {
        let found = find(text, name);
        if found.is_empty() {
            return found;
        }
        let hits = self.not_permitted(found, text, path);
        self.report(&hits, false, path);
        hits
    }

    /// Reports a number that is a secret, and returns it redacted.
    fn number(
        &mut self,
        number: &Number,
        name: Option<Name<'_>>,
        path: &Path<'_>,
    ) -> Option<String> {
        let name = name.filter(|name| name.is_for_secret_numbers())?;
        let printed = number.to_string();
        let found = name.number_under(&printed).into_iter().collect();
        let hits = self.not_permitted(found, &printed, path);
        self.report(&hits, false, path);
        (!hits.is_empty()).then(|| replaced(&printed, &hits))
    }

    fn not_permitted(&self, mut hits: Vec<Hit>, text: &str, path: &Path<'_>) -> Vec<Hit> {
        let pointer = path.pointer();
        hits.retain(|hit| !self.allow.permits(&pointer, &text[hit.start..hit.end]));
        hits
    }

    fn report(&mut self, hits: &[Hit], in_name: bool, path: &Path<'_>) {
        self.findings.extend(hits.iter().map(|hit| SecretFinding {
            pointer: path.pointer(),
            kind: hit.kind,
            start: hit.start,
            end: hit.end,
            in_name,
        }));
    }
}

/// Returns all hits in a text, sorted and disjoint. More reliable recognizers come first.
fn find(text: &str, name: Option<Name<'_>>) -> Vec<Hit> {
    let traits = TextFeatures::of(text);
    // Most texts that are not prose are digests and similar values, which contain no secrets.
    let is_harmless = traits.has_none() || traits.has_solid_run() && entropy::is_public(text);
    if is_harmless && !name.is_some_and(Name::is_for_secrets) {
        return Vec::new();
    }
    let mut hits = shapes::find(text, traits);
    if traits.has_colon() {
        hits.extend(address::find(text));
    }
    if traits.can_assign() {
        hits.extend(names::find(text));
    }
    if traits.can_be_phrase() {
        hits.extend(phrases::find(text));
    }
    if let Some(hit) = name.and_then(|name| name.value_under(text)) {
        hits.push(hit);
    }
    if !hits.is_empty() {
        hits = merged(hits);
    }
    if !traits.has_solid_run() {
        return hits;
    }
    // Randomness is considered last, and only where no other recognizer has a hit.
    let random = entropy::find(text, name, &hits);
    if !random.is_empty() {
        hits.extend(random);
        hits.sort_by_key(|hit| hit.start);
    }
    hits
}

fn replaced(text: &str, hits: &[Hit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for hit in hits {
        result.push_str(&text[done..hit.start]);
        result.push_str("[redacted: ");
        result.push_str(hit.kind);
        result.push(']');
        done = hit.end;
    }
    result.push_str(&text[done..]);
    result
}

/// Returns the label of the `value` in `{ label, value }`, `{ name, value }` and `{ key, value }`.
fn label_of(members: &Members) -> Option<&str> {
    // Comparing a few short names is cheaper than a hash table lookup.
    members.keys().find(|name| *name == "value")?;
    ["label", "name", "key"].iter().find_map(|name| members.get(*name)?.as_str())
}

fn name_for<'n>(member: &'n str, label: Option<&'n str>, above: Option<Name<'n>>) -> Name<'n> {
    match (label, above) {
        (Some(label), _) if member == "value" => Name::of(label),
        (None, Some(above)) if member == "value" => above,
        _ => Name::of(member),
    }
}

/// Returns `name`, or `name 2` and so on if it is in use: two redacted names must not replace each
/// other. `counts` caches the last suffix of each name, so that thousands of them do not all start
/// at 2.
fn unused(members: &Members, counts: &mut HashMap<String, usize>, name: String) -> String {
    if !members.contains_key(&name) {
        return name;
    }
    let count = counts.entry(name.clone()).or_insert(1);
    loop {
        *count += 1;
        let numbered = format!("{name} {count}");
        if !members.contains_key(&numbered) {
            return numbered;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a token of the right format, assembled here so that no scanner flags this file.
    fn github_token() -> String {
        ["gh", "p_", "k3Jx9QmT7vLz2RbN", "8wYc4HdF6sGp1KaE5uXo"].concat()
    }

    #[test]
    fn every_text_of_a_packet_is_scanned() {
        let token = github_token();
        for (packet, pointer) in [
            (json!({"summary": format!("use {token} to push")}), "/summary"),
            (json!({"payload": [{"label": "Note", "value": token}]}), "/payload/0/value"),
            (json!({"extensions": {"x": {"deep": [[token]]}}}), "/extensions/x/deep/0/0"),
            (json!({"unknown": {"a/b": token}}), "/unknown/a~1b"),
        ] {
            let findings = scan(&packet);
            assert_eq!(findings.len(), 1, "{pointer}");
            assert_eq!(findings[0].pointer, pointer);
            assert_eq!(findings[0].kind, "GitHub token");
        }
    }

    #[test]
    fn redaction_keeps_the_rest_of_the_text_and_the_order_of_members() {
        let mut packet = json!({
            "b": format!("first {} then ü", github_token()),
            "a": {"password": "hunter2"},
            "pin": {"password": 481_516},
        });
        let findings = redact(&mut packet);
        assert_eq!(
            serde_json::to_string(&packet).unwrap(),
            r#"{"b":"first [redacted: GitHub token] then ü","a":{"password":"[redacted: password]"},"pin":{"password":"[redacted: password]"}}"#
        );
        assert_eq!(findings.len(), 3);
        assert_eq!((findings[0].start, findings[0].end), (6, 46));
        assert_eq!(scan(&packet), [], "redacted text is not found again");
    }

    #[test]
    fn a_label_names_its_value() {
        let packet = json!({"payload": [
            {"label": "Database password", "value": "blue-horse"},
            {"label": "Cost incurred", "value": "$0.45"},
        ]});
        let findings = scan(&packet);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].pointer, "/payload/0/value");
    }

    #[test]
    fn a_finding_never_carries_the_secret() {
        let token = github_token();
        let mut packet = json!({"context": {token.clone(): {"password": "hunter2"}}});
        let findings = scan(&packet);
        assert_eq!(findings.len(), 2);
        assert!(findings[0].in_name);
        assert_eq!(findings[1].pointer, "/context/[redacted: GitHub token]/password");
        for finding in &findings {
            let printed = format!(
                "{finding:?} {finding} {:?} {}",
                Violation::from(finding),
                serde_json::to_string(finding).unwrap()
            );
            assert!(!printed.contains(&token[4..]) && !printed.contains("hunter2"), "{printed}");
        }
        assert_eq!(redact(&mut packet), findings);
        assert!(!packet.to_string().contains(&token));
    }

    #[test]
    fn two_secret_names_remain_two_members() {
        let second = github_token().replace("gh", "gi").replace("gip", "gho");
        let third = second.replace("gho", "ghu");
        let taken = "[redacted: GitHub token] 2";
        let mut packet = json!({taken: 0, github_token(): 1, second: 2, third: 3});
        redact(&mut packet);
        assert_eq!(
            packet.to_string(),
            r#"{"[redacted: GitHub token] 2":0,"[redacted: GitHub token]":1,"[redacted: GitHub token] 3":2,"[redacted: GitHub token] 4":3}"#
        );
    }

    #[test]
    fn the_violation_names_kind_and_pointer() {
        let findings = scan(&json!({"notes": [format!("token {}", github_token())]}));
        let violation = Violation::from(&findings[0]);
        insta::assert_snapshot!(violation, @"TK-SECRET-FOUND: the text at `/notes/0` contains a secret: GitHub token");
        assert_eq!(violation.pointer, "/notes/0");
        assert!(violation.hint.unwrap().contains("secret_ref"));
    }
}
