//! A case: a note, a packet, and where the two agree.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value;
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::Source;
use tasuki_packet::{Packet, Variant};

/// One handoff, written twice.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) area: String,
    pub(crate) length: String,
    pub(crate) variant: Variant,
    pub(crate) prose: String,
    pub(crate) packet: Packet,
    /// Members that no note would state.
    pub(crate) unstated: Vec<String>,
    /// The words of the note for each unit of the packet.
    pub(crate) stated: Vec<Stated>,
    pub(crate) facts: Vec<Fact>,
}

/// A unit of the packet, with the words of the note that say the same.
#[derive(Debug)]
pub(crate) struct Stated {
    pub(crate) pointer: String,
    pub(crate) words: Vec<String>,
}

/// A detail that a receiver needs and that is easily lost.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) id: String,
    pub(crate) pointer: String,
    pub(crate) question: String,
    pub(crate) answer: String,
    pattern: Regex,
}

impl Case {
    /// Reads a case from the content of its three files. An error says what is wrong and where.
    pub(crate) fn read(prose: &str, packet: &[u8], facts: &[u8]) -> Result<Self, String> {
        let facts = Source::plain(facts)
            .and_then(|source| Ok(source.read_plain()?.to_value()))
            .map_err(|violation| format!("facts.yaml: {violation}"))?;
        let text = |name: &str| text(&facts, name).map_err(|error| format!("facts.yaml: {error}"));
        let variant = text("variant")?;
        let variant = Variant::named(&variant)
            .ok_or_else(|| format!("facts.yaml: unknown variant `{variant}`"))?;
        let packet = read_packet(packet, &variant)?;
        let list = |name: &str| facts[name].as_array().map_or(&[][..], Vec::as_slice);
        let in_facts = |error: String| format!("facts.yaml: {error}");
        Ok(Self {
            name: text("case")?,
            area: text("area")?,
            length: text("length")?,
            variant,
            prose: prose.to_owned(),
            packet,
            unstated: list("unstated")
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            stated: list("stated")
                .iter()
                .map(Stated::read)
                .collect::<Result<_, _>>()
                .map_err(in_facts)?,
            facts: list("facts")
                .iter()
                .map(Fact::read)
                .collect::<Result<_, _>>()
                .map_err(in_facts)?,
        })
    }

    /// Returns the fields of the packet that the note states, in the order of the packet.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let stated: BTreeSet<&str> = self.stated.iter().map(Stated::field).collect();
        let members = self.packet.members().keys().map(String::as_str);
        members.filter(|name| stated.contains(name)).collect()
    }

    /// Returns the number of facts that a text keeps.
    pub(crate) fn facts_kept(&self, text: &str) -> usize {
        self.facts.iter().filter(|fact| fact.is_kept(text)).count()
    }
}

fn read_packet(bytes: &[u8], variant: &Variant) -> Result<Packet, String> {
    let options = OpenOptions { variant: Some(variant), ..OpenOptions::default() };
    let opened = Source::packet(bytes).and_then(|source| open(&source, options));
    let opened = opened.map_err(|violation| format!("packet.yaml: {violation}"))?;
    match opened.violations.first() {
        Some(violation) => Err(format!("packet.yaml: {violation}")),
        None => Ok(opened.packet),
    }
}

fn text(members: &Value, name: &str) -> Result<String, String> {
    let stated = members[name].as_str().map(str::to_owned);
    stated.ok_or_else(|| format!("`{name}` must be a text"))
}

impl Stated {
    fn read(entry: &Value) -> Result<Self, String> {
        let words = entry["words"].as_array().into_iter().flatten();
        let words: Vec<_> = words.filter_map(Value::as_str).map(str::to_owned).collect();
        let pointer = text(entry, "field")?;
        if words.is_empty() {
            return Err(format!("{pointer} has no `words`"));
        }
        Ok(Self { pointer, words })
    }

    /// Returns the field of the packet that the unit belongs to.
    pub(crate) fn field(&self) -> &str {
        self.pointer.split('/').nth(1).unwrap_or_default()
    }
}

impl Fact {
    fn read(entry: &Value) -> Result<Self, String> {
        let (id, pattern) = (text(entry, "id")?, text(entry, "pattern")?);
        let pattern = Regex::new(&format!("(?i){pattern}"))
            .map_err(|error| format!("the pattern of `{id}` is invalid: {error}"))?;
        Ok(Self {
            pointer: text(entry, "field")?,
            question: text(entry, "question")?,
            answer: text(entry, "answer")?,
            id,
            pattern,
        })
    }

    /// Returns `true` if the text keeps the fact. White space is folded first.
    pub(crate) fn is_kept(&self, text: &str) -> bool {
        self.pattern.is_match(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const PROSE: &str = "Hi Ben, EXP-7 is yours. I have written the parser. \
        Please don't touch the schema. It is done when all 41 tests pass. Ana\n";
    const PACKET: &str = "handoff_version: \"1.0\"\ntask_id: EXP-7\nfrom_agent: Ana\nto_agent: Ben\n\
        status: in_progress\ncompleted: [Wrote the parser]\nconstraints: [Do not touch the schema]\n\
        acceptance: [All 41 tests pass]\n";
    const FACTS: &str = "case: coding-parser\narea: coding\nlength: short\nstyle: mail\nvariant: baseline\n\
        unstated: [handoff_version]\nstated:\n\
        \x20 - { field: /task_id, words: [EXP-7] }\n  - { field: /from_agent, words: [Ana] }\n\
        \x20 - { field: /to_agent, words: [Hi Ben] }\n  - { field: /status, words: [is yours] }\n\
        \x20 - { field: /completed/0, words: [I have written the parser] }\n\
        \x20 - { field: /constraints/0, words: [\"don't touch the schema\"] }\n\
        \x20 - { field: /acceptance/0, words: [done when all 41 tests pass] }\n\
        facts:\n  - { id: tests, field: /acceptance/0, question: How many tests must pass?, answer: all 41, pattern: '\\b41\\b' }\n\
        \x20 - { id: schema, field: /constraints/0, question: What must not change?, answer: the schema, pattern: 'the schema' }\n";

    pub(crate) fn sample() -> Case {
        Case::read(PROSE, PACKET.as_bytes(), FACTS.as_bytes()).unwrap()
    }

    #[test]
    fn a_case_has_its_fields_and_facts() {
        let case = sample();
        assert_eq!(
            case.fields(),
            [
                "task_id",
                "from_agent",
                "to_agent",
                "status",
                "completed",
                "constraints",
                "acceptance"
            ]
        );
        assert_eq!(case.facts_kept(PROSE), 2);
        assert_eq!(case.facts_kept("THE\n  Schema stays"), 1);
        assert_eq!(case.facts_kept("412 tests"), 0);
    }

    #[test]
    fn an_error_names_the_file_and_the_member() {
        let check = |packet: &str, facts: &str, expected: &str| {
            let error = Case::read(PROSE, packet.as_bytes(), facts.as_bytes()).unwrap_err();
            assert_eq!(error, expected);
        };
        check(
            "status: done\n",
            FACTS,
            "packet.yaml: 1:9: TK-FIELD-VALUE: `status` must be one of `in_progress`, `blocked`, `failed`, `completed`",
        );
        check(PACKET, "case: a\n", "facts.yaml: `variant` must be a text");
        check(PACKET, &FACTS.replace("baseline", "plain"), "facts.yaml: unknown variant `plain`");
        check(
            PACKET,
            &FACTS.replace("words: [EXP-7]", "words: []"),
            "facts.yaml: /task_id has no `words`",
        );
        let torn = FACTS.replace("\\b41\\b", "(41");
        assert!(
            Case::read(PROSE, PACKET.as_bytes(), torn.as_bytes())
                .unwrap_err()
                .starts_with("facts.yaml: the pattern of `tests` is invalid")
        );
    }
}
