//! Every rule of the field table and of the variants has vectors, and the validator agrees with
//! them.
//!
//! Completeness is checked against the table: for each rule, a vector must break it and nothing
//! else. A valid vector must show each limit.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tasuki_packet::document::limits::LIST_ITEMS_MAX;
use tasuki_packet::document::pointer;
use tasuki_packet::schema::field::{FIELDS, Format, Object, Shape, Text};
use tasuki_packet::schema::variant::{Presence, Unknown};
use tasuki_packet::{Code, Kind, Variant};

use crate::cases::{Case, Expected, RuleFile, variant_packets, violations_of};
use crate::files::assert_none;

/// A rule that a vector must break, with its place, code and limit.
#[derive(Debug, Clone)]
struct Rule {
    pointer: String,
    code: Code,
    edge: Option<String>,
}

/// A fact about a value, as a short text: `/cost/tokens is number 0`.
type Fact = String;

/// The vectors that the table requires of one field.
#[derive(Default)]
struct Requirements {
    broken: Vec<Rule>,
    shown: Vec<Fact>,
}

impl Requirements {
    fn of(field: &str, shape: &'static Shape) -> Self {
        let mut requirements = Self::default();
        requirements.shape(shape, &pointer::join("", field), true);
        requirements
    }

    fn breaks(&mut self, pointer: &str, code: Code) {
        self.broken.push(Rule { pointer: pointer.to_owned(), code, edge: None });
    }

    fn breaks_at(&mut self, pointer: &str, code: Code, edge: &str) {
        let edge = Some(fact(pointer, edge));
        self.broken.push(Rule { pointer: pointer.to_owned(), code, edge });
    }

    fn shows(&mut self, pointer: &str, what: &str) {
        self.shown.push(fact(pointer, what));
    }

    /// `typed` is `true` if this shape alone decides the type.
    fn shape(&mut self, shape: &'static Shape, pointer: &str, typed: bool) {
        if let Shape::Named(_, inner) = shape {
            return self.shape(inner, pointer, typed);
        }
        if typed && !matches!(shape, Shape::Any) {
            self.breaks(pointer, Code::FieldType);
        }
        match shape {
            Shape::Text(rule) => self.text(*rule, pointer),
            Shape::Format(format) => {
                self.breaks(pointer, code_of(*format));
                self.shows(pointer, "text");
            }
            Shape::Word(words) => {
                self.breaks(pointer, Code::FieldValue);
                words.iter().for_each(|word| self.shows(pointer, &format!("word {word}")));
            }
            Shape::Integer { min } => {
                self.breaks_at(pointer, Code::FieldRange, &format!("number {}", below(*min)));
                self.shows(pointer, &format!("number {min}"));
            }
            Shape::Number { min, .. } if min.is_infinite() => self.shows(pointer, "number"),
            Shape::Number { min, max } => {
                self.breaks(pointer, Code::FieldRange);
                self.shows(pointer, &format!("number {min}"));
                self.shows(pointer, &format!("number {max}"));
            }
            Shape::Flag => ["true", "false"].iter().for_each(|flag| self.shows(pointer, flag)),
            Shape::List { item } => self.list(item, pointer),
            Shape::Object(object) => self.object(object, pointer),
            Shape::Map => self.shows(pointer, "object"),
            Shape::Either(shapes) => {
                shapes.iter().for_each(|shape| self.shape(shape, pointer, false));
            }
            Shape::Any | Shape::Named(..) => {}
        }
    }

    fn text(&mut self, rule: Text, pointer: &str) {
        let max = rule.chars_max;
        self.breaks_at(pointer, Code::FieldLength, &format!("text of {}", max + 1));
        self.shows(pointer, &format!("text of {max}"));
        if rule.non_blank {
            self.breaks(pointer, Code::FieldBlank);
        } else {
            self.shows(pointer, "text of 0");
        }
    }

    fn list(&mut self, item: &'static Shape, pointer: &str) {
        let too_many = format!("list of {}", LIST_ITEMS_MAX + 1);
        self.breaks_at(pointer, Code::ListLength, &too_many);
        self.shows(pointer, "list of 0");
        self.shows(pointer, &format!("list of {LIST_ITEMS_MAX}"));
        self.shape(item, &pointer::join(pointer, "*"), true);
    }

    fn object(&mut self, object: &'static Object, pointer: &str) {
        self.shows(pointer, "object");
        self.shows(&pointer::join(pointer, "x_note"), "text");
        for member in object.members {
            self.shape(member.shape, &pointer::join(pointer, member.name), true);
        }
        if object.member("pinned").is_none() {
            self.breaks(&pointer::join(pointer, "pinned"), Code::FieldUnknown);
        }
        for name in object.required {
            self.breaks(&pointer::join(pointer, name), Code::FieldMissing);
        }
        for name in object.together.iter().flat_map(|(left, right)| [left, right]) {
            self.breaks(&pointer::join(pointer, name), Code::FieldTogether);
        }
    }

    /// Returns the requirements that these vectors do not meet.
    fn unmet(&self, files: &[&RuleFile]) -> Vec<String> {
        let valid = files.iter().flat_map(|file| &file.valid);
        let shown: BTreeSet<Fact> = valid.flat_map(|case| facts_of(case, files)).collect();
        let broken: Vec<_> = files
            .iter()
            .flat_map(|file| &file.invalid)
            .filter(|case| case.expected.len() == 1)
            .map(|case| (general(&case.expected[0].pointer), case, facts_of(case, files)))
            .collect();
        let is_broken = |rule: &Rule| {
            broken.iter().any(|(pointer, case, facts)| {
                *pointer == rule.pointer
                    && case.expected[0].code == rule.code.as_str()
                    && rule.edge.as_ref().is_none_or(|edge| facts.contains(edge))
            })
        };
        let unbroken = self.broken.iter().filter(|rule| !is_broken(rule)).map(|rule| {
            let edge = rule.edge.as_deref().unwrap_or("anything");
            format!("no invalid vector for {} at {} where {edge}", rule.code, rule.pointer)
        });
        let unshown = self.shown.iter().filter(|fact| !shown.contains(*fact));
        unbroken.chain(unshown.map(|fact| format!("no valid vector where {fact}"))).collect()
    }
}

fn facts_of(case: &Case, files: &[&RuleFile]) -> BTreeSet<Fact> {
    let mut facts = BTreeSet::new();
    add_facts(&case.value, &pointer::join("", &files[0].field), &mut facts);
    facts
}

fn add_facts(value: &Value, pointer: &str, facts: &mut BTreeSet<Fact>) {
    let mut add = |what: &str| facts.insert(fact(pointer, what));
    match value {
        Value::Null => drop(add("null")),
        Value::Bool(flag) => drop(add(&flag.to_string())),
        Value::Number(number) => {
            add("number");
            add(&format!("number {number}"));
        }
        Value::String(text) => {
            add("text");
            add(&format!("text of {}", text.chars().count()));
            add(&format!("word {text}"));
        }
        Value::Array(items) => {
            add(&format!("list of {}", items.len()));
            for item in items {
                add_facts(item, &pointer::join(pointer, "*"), facts);
            }
        }
        Value::Object(members) => {
            add("object");
            for (name, member) in members {
                add_facts(member, &pointer::join(pointer, name), facts);
            }
        }
    }
}

fn fact_of_empty_list(field: &str) -> Fact {
    fact(&pointer::join("", field), "list of 0")
}

fn fact(pointer: &str, what: &str) -> Fact {
    format!("{pointer} is {what}")
}

fn code_of(format: Format) -> Code {
    match format {
        Format::Version => Code::VersionUnsupported,
        _ => Code::FieldFormat,
    }
}

fn below(min: u64) -> i64 {
    i64::try_from(min).unwrap() - 1
}

/// Replaces every index of a pointer with `*`.
fn general(pointer: &str) -> String {
    let is_index = |token: &str| token.bytes().all(|byte| byte.is_ascii_digit());
    let tokens = pointer::tokens(pointer).unwrap();
    tokens.iter().fold(String::new(), |general, token| {
        pointer::join(&general, if is_index(token) { "*" } else { token })
    })
}

#[test]
fn every_rule_of_the_field_table_has_vectors() {
    let all = RuleFile::all();
    let of = |field: &str, variant: Option<&str>| -> Vec<&RuleFile> {
        let is_it = |file: &&RuleFile| file.field == field && file.variant.as_deref() == variant;
        all.iter().filter(is_it).collect()
    };
    let mut wrong = Vec::new();
    let mut check = |name: &'static str, shape: &'static Shape, variant: Option<&str>| {
        let files = of(name, variant);
        if files.is_empty() {
            wrong.push(format!("{name}: no file in vectors/rules for variant {variant:?}"));
            return;
        }
        let mut requirements = Requirements::of(name, shape);
        let kinds = [Kind::Handoff, Kind::Return];
        let own = variant.and_then(Variant::named).zip(FIELDS.iter().find(|one| one.name == name));
        let is_filled = own.is_some_and(|(own, field)| {
            kinds.iter().all(|kind| own.presence(field, *kind) == Presence::Filled)
        });
        if is_filled {
            // `_variants.json` covers a list that must have items.
            requirements.shown.retain(|fact| *fact != fact_of_empty_list(name));
        }
        let unmet = requirements.unmet(&files);
        wrong.extend(unmet.into_iter().map(|each| format!("{}: {each}", files[0].name)));
    };
    for field in FIELDS {
        check(field.name, field.shape, None);
        for variant in Variant::names() {
            let shape = Variant::named(variant).unwrap().shape(field);
            if !std::ptr::eq(shape, field.shape) {
                check(field.name, shape, Some(variant));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn the_validator_agrees_with_the_vectors() {
    let mut wrong = Vec::new();
    for file in RuleFile::all() {
        assert!(FIELDS.iter().any(|field| field.name == file.field), "{} of no field", file.name);
        let variant = file.judge();
        for case in file.valid.iter().chain(&file.invalid) {
            let found = violations_of(&case.packet, &variant);
            if found != case.expected {
                let Case { why, expected, .. } = case;
                wrong.push(format!("{}, {why}: found {found:?}, expected {expected:?}", file.name));
            }
        }
        let accepted = file.invalid.iter().filter(|case| case.expected.is_empty());
        wrong.extend(accepted.map(|case| format!("{}, {}: no violations", file.name, case.why)));
    }
    assert_none(&wrong);
}

const KINDS: [(&str, Kind); 4] = [
    ("handoff", Kind::Handoff),
    ("checkpoint", Kind::Checkpoint),
    ("return", Kind::Return),
    ("decision", Kind::Decision),
];

/// Calls `visit` for each variant and each of its kinds, with the packet of `_variants.json`.
fn each_variant_packet(mut visit: impl FnMut(&Variant, Kind, &Value)) {
    let packets = variant_packets();
    for name in Variant::names() {
        let variant = Variant::named(name).unwrap();
        for (word, kind) in KINDS {
            let is_it = |entry: &&(String, String, Value)| entry.0 == name && entry.1 == word;
            let packet = packets.iter().find(is_it).map(|entry| &entry.2);
            match packet {
                Some(Value::Null) => {}
                Some(packet) => visit(&variant, kind, packet),
                None => panic!("_variants.json has no {word} of {name}"),
            }
        }
    }
}

fn expect(packet: &Value, variant: &Variant, expected: &[Expected], what: &str) {
    let found = violations_of(packet, variant);
    assert_eq!(found, expected, "{} {what}", variant.name());
}

fn without(packet: &Value, name: &str) -> Value {
    let mut packet = packet.clone();
    packet.as_object_mut().unwrap().shift_remove(name);
    packet
}

#[test]
fn every_variant_accepts_its_own_packets() {
    each_variant_packet(|variant, kind, packet| {
        let packet_type = packet.get("packet_type").and_then(Value::as_str);
        assert_eq!(Kind::of(packet_type), kind, "{}", variant.name());
        expect(packet, variant, &[], "accepts its packet");
    });
}

#[test]
fn every_missing_required_field_is_reported() {
    each_variant_packet(|variant, kind, packet| {
        let is_required = |name: &str, kind: Kind| {
            let field = FIELDS.iter().find(|field| field.name == name).unwrap();
            matches!(variant.presence(field, kind), Presence::Required | Presence::Filled)
        };
        for field in FIELDS.iter().filter(|field| is_required(field.name, kind)) {
            let packet = without(packet, field.name);
            // Without `packet_type` a packet is a handoff, with the required fields of one.
            let kind_read = if field.name == "packet_type" { Kind::Handoff } else { kind };
            let missing: Vec<_> = FIELDS
                .iter()
                .filter(|field| is_required(field.name, kind_read))
                .filter(|field| packet.get(field.name).is_none())
                .map(|field| Expected::new("TK-FIELD-MISSING", pointer::join("", field.name)))
                .collect();
            assert!(field.name == "packet_type" || missing.len() == 1, "{}", field.name);
            expect(&packet, variant, &missing, &format!("{kind:?} without {}", field.name));
        }
    });
}

#[test]
fn every_list_that_must_have_items_is_reported_if_empty() {
    each_variant_packet(|variant, kind, packet| {
        let is_filled = |field: &&tasuki_packet::schema::field::Field| {
            variant.presence(field, Kind::Handoff) == Presence::Filled
        };
        for field in FIELDS.iter().filter(is_filled) {
            let mut packet = packet.clone();
            packet[field.name] = json!([]);
            let empty = Expected::new("TK-LIST-EMPTY", pointer::join("", field.name));
            expect(&packet, variant, &[empty], &format!("{kind:?} with empty {}", field.name));
        }
    });
}

#[test]
fn unknown_fields_are_kept_or_refused() {
    let mut refusing = BTreeSet::new();
    each_variant_packet(|variant, kind, packet| {
        let mut packet = packet.clone();
        packet["x/ticket"] = json!("T-7");
        let unknown = Expected::new("TK-FIELD-UNKNOWN", "/x~1ticket");
        let expected = match variant.unknown() {
            Unknown::Keep => Vec::new(),
            Unknown::Refuse => vec![unknown],
        };
        refusing.extend((!expected.is_empty()).then(|| variant.name().to_owned()));
        expect(&packet, variant, &expected, &format!("{kind:?} with an unknown field"));
    });
    assert_eq!(refusing, BTreeSet::from(["strict".to_owned()]));
}

#[test]
fn a_variant_without_a_kind_refuses_its_packets() {
    let packets = variant_packets();
    let absent: Vec<_> = packets.iter().filter(|(_, _, packet)| packet.is_null()).collect();
    assert_eq!(absent.len(), 1);
    for (name, kind, _) in absent {
        let is_handoff =
            |entry: &&(String, String, Value)| entry.0 == *name && entry.1 == "handoff";
        let mut packet = packets.iter().find(is_handoff).unwrap().2.clone();
        packet["packet_type"] = Value::from(kind.as_str());
        let refused = Expected::new("TK-FIELD-VALUE", "/packet_type");
        expect(&packet, &Variant::named(name).unwrap(), &[refused], kind);
    }
}

#[test]
fn a_packet_of_another_major_version_has_no_other_violation() {
    let packet = json!({ "status": "handed over", "ticket": 7, "handoff_version": "2.0" });
    for name in Variant::names() {
        let unsupported = Expected::new("TK-VERSION-UNSUPPORTED", "/handoff_version");
        expect(&packet, &Variant::named(name).unwrap(), &[unsupported], name);
    }
}

#[test]
fn a_variant_that_refuses_the_version_does_not_check_it() {
    let own = json!({ "variant": "our-team", "extends": "ahp", "refuse": ["handoff_version"] });
    let own = Variant::from_document(&own).unwrap();
    let of_variant = variant_packets().into_iter().find(|entry| entry.0 == "ahp").unwrap();
    let mut packet = without(&of_variant.2, "goal");
    packet["handoff_version"] = json!("2.0");
    let refused = Expected::new("TK-FIELD-REFUSED", "/handoff_version");
    let missing = Expected::new("TK-FIELD-MISSING", "/goal");
    expect(&packet, &own, &[refused, missing], "of another version");
}
