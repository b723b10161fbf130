//! Walks a packet, hands every text to the recognisers and reports or replaces what they find.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use super::allow::Allow;
use super::hit::{Hit, merged};
use super::names::{self, Name};
use super::{address, entropy, shapes};
use crate::packet::Members;
use crate::pointer;
use crate::violation::{Code, Violation};

/// A secret in a packet: where and what kind, never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SecretFinding {
    /// RFC 6901 pointer to the text. A member name that is itself a secret is written as redacted.
    pub pointer: String,
    /// What it is taken for: `GitHub token`, `password`.
    pub kind: &'static str,
    /// First byte in that text.
    pub start: usize,
    /// One past the last byte in that text.
    pub end: usize,
    /// Whether the text is the name of the member at `pointer`, not its value.
    pub in_name: bool,
}

/// Finds every secret in a value.
pub fn scan(value: &Value) -> Vec<SecretFinding> {
    scan_with(value, &Allow::nothing())
}

/// Finds every secret in a value but what `allow` lets pass.
pub fn scan_with(value: &Value, allow: &Allow) -> Vec<SecretFinding> {
    let mut scanner = Scanner::new(allow);
    scanner.walk(value, None);
    scanner.findings
}

/// The same for the members of a packet.
pub fn scan_members(members: &Members, allow: &Allow) -> Vec<SecretFinding> {
    let mut scanner = Scanner::new(allow);
    scanner.walk_members(members, None);
    scanner.findings
}

/// Replaces every secret by `[redacted: <kind>]` and keeps the rest of the text.
pub fn redact(value: &mut Value) -> Vec<SecretFinding> {
    redact_with(value, &Allow::nothing())
}

/// Replaces every secret but what `allow` lets pass.
pub fn redact_with(value: &mut Value, allow: &Allow) -> Vec<SecretFinding> {
    // Nearly nothing has a secret, and looking is cheaper than putting every object together anew.
    if scan_with(value, allow).is_empty() {
        return Vec::new();
    }
    let mut scanner = Scanner::new(allow);
    scanner.redact(value, None);
    scanner.findings
}

impl std::fmt::Display for SecretFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.in_name { "the member name at" } else { "the text at" };
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{place} `{pointer}` holds a secret: {}", self.kind)
    }
}

impl From<&SecretFinding> for Violation {
    fn from(finding: &SecretFinding) -> Self {
        Self::new(Code::SecretFound, finding.pointer.clone(), finding.to_string())
            .found(format!("{}, {} bytes", finding.kind, finding.end - finding.start))
            .hint("pass a reference (`secret_ref`) instead, and replace the secret if it left you")
    }
}

/// One walk over one value.
struct Scanner<'a> {
    allow: &'a Allow,
    /// Where the walk is, with the names that are secrets already redacted.
    pointer: String,
    findings: Vec<SecretFinding>,
}

impl<'a> Scanner<'a> {
    fn new(allow: &'a Allow) -> Self {
        Self { allow, pointer: String::new(), findings: Vec::new() }
    }

    fn walk(&mut self, value: &Value, name: Option<Name<'_>>) {
        match value {
            Value::String(text) => {
                self.text(text, name);
            }
            Value::Number(number) => {
                self.number(&number.to_string(), name);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let length = self.enter(&index.to_string());
                    self.walk(item, name);
                    self.pointer.truncate(length);
                }
            }
            Value::Object(members) => self.walk_members(members, name),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn walk_members(&mut self, members: &Members, name: Option<Name<'_>>) {
        let label = label_of(members);
        for (member, value) in members {
            let length = self.enter_member(member).0;
            self.walk(value, Some(name_for(member, label, name)));
            self.pointer.truncate(length);
        }
    }

    fn redact(&mut self, value: &mut Value, name: Option<Name<'_>>) {
        match value {
            Value::String(text) => {
                let hits = self.text(text, name);
                if !hits.is_empty() {
                    *text = replaced(text, &hits);
                }
            }
            Value::Number(number) => {
                let printed = number.to_string();
                let hits = self.number(&printed, name);
                if !hits.is_empty() {
                    *value = Value::String(replaced(&printed, &hits));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let length = self.enter(&index.to_string());
                    self.redact(item, name);
                    self.pointer.truncate(length);
                }
            }
            Value::Object(members) => self.redact_members(members, name),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn redact_members(&mut self, members: &mut Members, name: Option<Name<'_>>) {
        let label = label_of(members).map(str::to_owned);
        let mut kept = Members::with_capacity(members.len());
        let mut counts = HashMap::new();
        for (member, mut value) in std::mem::take(members) {
            let (length, renamed) = self.enter_member(&member);
            self.redact(&mut value, Some(name_for(&member, label.as_deref(), name)));
            self.pointer.truncate(length);
            kept.insert(unused(&kept, &mut counts, renamed.unwrap_or(member)), value);
        }
        *members = kept;
    }

    /// Goes down by an index; gives the length of the pointer to come back to.
    fn enter(&mut self, token: &str) -> usize {
        let length = self.pointer.len();
        pointer::push(&mut self.pointer, token);
        length
    }

    /// Goes down by a member; a name that is a secret is reported and comes back redacted.
    fn enter_member(&mut self, member: &str) -> (usize, Option<String>) {
        if member.len() < shapes::BYTES_MIN {
            return (self.enter(member), None);
        }
        // A name is only compared with the shapes of tokens: digests and long words are common keys.
        let mut hits = merged(shapes::find(member));
        hits.retain(|hit| !self.allow.permits(&self.pointer, &member[hit.start..hit.end]));
        if hits.is_empty() {
            return (self.enter(member), None);
        }
        let renamed = replaced(member, &hits);
        let length = self.enter(&renamed);
        self.report(&hits, true);
        (length, Some(renamed))
    }

    fn text(&mut self, text: &str, name: Option<Name<'_>>) -> Vec<Hit> {
        let mut hits = find(text, name);
        hits.retain(|hit| !self.allow.permits(&self.pointer, &text[hit.start..hit.end]));
        self.report(&hits, false);
        hits
    }

    fn number(&mut self, printed: &str, name: Option<Name<'_>>) -> Vec<Hit> {
        let mut hits: Vec<Hit> =
            name.and_then(|name| name.number_under(printed)).into_iter().collect();
        hits.retain(|_| !self.allow.permits(&self.pointer, printed));
        self.report(&hits, false);
        hits
    }

    fn report(&mut self, hits: &[Hit], in_name: bool) {
        self.findings.extend(hits.iter().map(|hit| SecretFinding {
            pointer: self.pointer.clone(),
            kind: hit.kind,
            start: hit.start,
            end: hit.end,
            in_name,
        }));
    }
}

/// All hits of one text, sorted and apart. The order of the recognisers is the order of trust.
fn find(text: &str, name: Option<Name<'_>>) -> Vec<Hit> {
    let traits = Traits::of(text);
    let mut hits = shapes::find(text);
    if traits.has_colon {
        hits.extend(address::find(text));
    }
    if traits.has_colon || traits.has_equals || traits.has_dashes {
        hits.extend(names::find(text));
    }
    hits.extend(name.and_then(|name| name.value_under(text)));
    let mut hits = if hits.is_empty() { hits } else { merged(hits) };
    if traits.longest_run < entropy::RUN_MIN {
        return hits;
    }
    // Randomness speaks last and only of what nobody has recognised.
    let random = entropy::find(text, name, &hits);
    if !random.is_empty() {
        hits.extend(random);
        hits.sort_by_key(|hit| hit.start);
    }
    hits
}

/// What a text must have for a recogniser to find anything: most texts are prose and have none of it.
#[derive(Default)]
struct Traits {
    has_colon: bool,
    has_equals: bool,
    has_dashes: bool,
    longest_run: usize,
}

impl Traits {
    fn of(text: &str) -> Self {
        let mut traits = Self::default();
        let (mut run, mut last) = (0, 0);
        for byte in text.bytes() {
            traits.has_colon |= byte == b':';
            traits.has_equals |= byte == b'=';
            traits.has_dashes |= byte == b'-' && last == b'-';
            run = if entropy::is_run_byte(byte) { run + 1 } else { 0 };
            traits.longest_run = traits.longest_run.max(run);
            last = byte;
        }
        traits
    }
}

/// The text with each hit replaced.
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

/// What names the `value` of `{ label, value }`, `{ name, value }` and `{ key, value }`.
fn label_of(members: &Members) -> Option<&str> {
    members.get("value")?;
    ["label", "name", "key"].iter().find_map(|name| members.get(*name)?.as_str())
}

fn name_for<'n>(member: &'n str, label: Option<&'n str>, above: Option<Name<'n>>) -> Name<'n> {
    match (label, above) {
        (Some(label), _) if member == "value" => Name::of(label),
        (None, Some(above)) if member == "value" => above,
        _ => Name::of(member),
    }
}

/// `name`, or `name 2` and so on if it is taken: two redacted names must not swallow each other.
/// `counts` remembers how far a name got, so that thousands of them do not all start at 2.
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

    /// A token of the right shape, put together here so that no scanner flags this file.
    fn github_token() -> String {
        ["gh", "p_", "k3Jx9QmT7vLz2RbN", "8wYc4HdF6sGp1KaE5uXo"].concat()
    }

    #[test]
    fn any_text_of_a_packet_is_looked_at() {
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
        assert_eq!(scan(&packet), [], "what is redacted is not found again");
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
            let said = format!(
                "{finding:?} {finding} {:?} {}",
                Violation::from(finding),
                serde_json::to_string(finding).unwrap()
            );
            assert!(!said.contains(&token[4..]) && !said.contains("hunter2"), "{said}");
        }
        assert_eq!(redact(&mut packet), findings);
        assert!(!packet.to_string().contains(&token));
    }

    #[test]
    fn two_secret_names_stay_two_members() {
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
        insta::assert_snapshot!(violation, @"TK-SECRET-FOUND: the text at `/notes/0` holds a secret: GitHub token");
        assert_eq!(violation.pointer, "/notes/0");
        assert!(violation.hint.unwrap().contains("secret_ref"));
    }
}
