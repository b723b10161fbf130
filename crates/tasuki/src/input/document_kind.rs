//! Recognizes the documents of a folder by their own keys, before any of them is read as a packet.
//!
//! Most files of a folder are something else. A file that is not recognized is not an invalid packet.

use std::path::Path;

use serde_json::Value;
use tasuki_packet::dialect;
use tasuki_packet::read::markdown::{self, Tag};
use tasuki_packet::read::{Source, wire};

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    Packet,
    Contract,
    Gate,
    Rules,
    Variant,
    Other,
}

/// The keys that identify a packet.
const PACKET_KEYS: [&str; 2] = ["handoff_version", "packet_type"];

impl DocumentKind {
    /// Recognizes a document by its content. The path only tells Markdown from other texts.
    pub(crate) fn of(path: Option<&Path>, bytes: &[u8]) -> Self {
        if path.is_some_and(is_markdown) {
            return if has_marked_block(bytes) { Self::Packet } else { Self::Other };
        }
        let document = Source::plain(bytes).and_then(|source| Ok(source.read_plain()?.to_value()));
        match document {
            Ok(document) => Self::of_value(&document),
            // A packet with a mistake in its syntax is still a packet.
            Err(_) if has_packet_key(&String::from_utf8_lossy(bytes)) => Self::Packet,
            Err(_) => Self::Other,
        }
    }

    fn of_value(document: &Value) -> Self {
        let Some(members) = document.as_object() else { return Self::Other };
        let has = |names: &[&str]| names.iter().all(|name| members.contains_key(*name));
        let is_packet = PACKET_KEYS.iter().any(|key| has(&[key]))
            || wire::is_wire(members)
            || dialect::detect(members).is_some();
        if is_packet {
            return Self::Packet;
        }
        if has(&["contract", "version", "from", "to"]) {
            return Self::Contract;
        }
        if has(&["gate", "version", "factors"]) {
            return Self::Gate;
        }
        if is_rules(members.get("rules")) {
            return Self::Rules;
        }
        let variant = ["variant", "extends", "require", "optional", "refuse", "filled", "unknown"];
        let is_variant = has(&["variant"]) && members.keys().all(|key| variant.contains(&&**key));
        if is_variant && members.len() > 1 { Self::Variant } else { Self::Other }
    }

    /// Returns the word for a document that is not a packet.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Packet => "packet",
            Self::Contract => "contract",
            Self::Gate => "gate",
            Self::Rules => "rules",
            Self::Variant => "variant",
            Self::Other => "other",
        }
    }
}

/// Returns `true` for a list of rules. Other tools have files with a member `rules`, too.
fn is_rules(rules: Option<&Value>) -> bool {
    let is_rule = |rule: &Value| {
        rule.get("name").is_some() && (rule.get("when").is_some() || rule.get("then").is_some())
    };
    let rules = rules.and_then(Value::as_array);
    rules.is_some_and(|rules| !rules.is_empty() && rules.iter().all(is_rule))
}

fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["md", "markdown"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Returns `true` if a Markdown text marks a packet as one. A block of YAML or JSON in a README is
/// an example.
fn has_marked_block(bytes: &[u8]) -> bool {
    match markdown::find(&String::from_utf8_lossy(bytes)) {
        Ok(Some(block)) => matches!(block.tag, Tag::Tasuki | Tag::AhpYaml | Tag::FrontMatter),
        Ok(None) => false,
        // The fence of a marked block is not closed.
        Err(_) => true,
    }
}

/// Returns `true` if a text that cannot be parsed has a key of a packet at its top level.
fn has_packet_key(text: &str) -> bool {
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    PACKET_KEYS.iter().any(|key| {
        if is_json {
            return text.find(&format!("\"{key}\"")).is_some_and(|at| depth(&text[..at]) == 1);
        }
        let is_key = |line: &str| {
            let line = line.trim_start_matches(['"', '\'']);
            let rest = line.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']));
            rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        text.lines().any(is_key)
    })
}

/// Returns the number of open braces and brackets, including those in texts: a guess is enough.
fn depth(text: &str) -> usize {
    text.bytes().fold(0, |depth: usize, byte| match byte {
        b'{' | b'[' => depth + 1,
        b'}' | b']' => depth.saturating_sub(1),
        _ => depth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: DocumentKind) {
        assert_eq!(DocumentKind::of(Some(Path::new(name)), text.as_bytes()), expected, "{text}");
    }

    #[test]
    fn a_packet_is_recognized_by_its_keys_even_if_it_is_broken() {
        use DocumentKind::{Other, Packet};
        check("a.yaml", "handoff_version: '1.0'\ngoal: g\n", Packet);
        check("a.yaml", "handoff_version: '1.0'\ngoal: [a\n", Packet);
        check("a.json", "{\"packet_type\": \"task\", \"goal\": }", Packet);
        check("a.json", "{\"sourceAgent\": \"a\", \"destinationAgent\": \"b\"}", Packet);
        check("a.yaml", "goal: g\nstatus: blocked\n", Other);
        check("a.yaml", "name: CI\non: [push\n", Other);
        check("a.json", "{\"properties\": {\"handoff_version\": }", Other);
        check("a.json", "{\"base\": {\"goal\": \"g\"}}", Other);
    }

    #[test]
    fn a_readme_with_an_example_is_no_packet() {
        let readme = |tag: &str| format!("# Title\n\n```{tag}\nhandoff_version: '1.0'\n```\n");
        check("README.md", &readme("yaml"), DocumentKind::Other);
        check("handoff.md", &readme("tasuki"), DocumentKind::Packet);
        check("README.md", "# Title\n\nstatus: fine\n", DocumentKind::Other);
    }

    #[test]
    fn contracts_gates_rules_and_variants_are_recognized() {
        use DocumentKind::{Contract, Gate, Other, Rules, Variant};
        check("a.yaml", "contract: c\nversion: '1.0'\nfrom: [a]\nto: [b]\n", Contract);
        check("a.yaml", "gate: g\nversion: '1.0'\nfactors: []\n", Gate);
        check("a.yaml", "rules:\n- name: money\n  then: sensitive_topic\n", Rules);
        check("a.yaml", "rules:\n- alert: HighLoad\n  expr: up == 0\n", Other);
        check("a.yaml", "variant: team\nextends: strict\n", Variant);
        check("a.yaml", "variant: blue\nsize: 7\n", Other);
    }
}
