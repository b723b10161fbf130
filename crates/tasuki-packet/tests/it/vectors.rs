//! Whole files as people write them, in every form.
//!
//! - A file in `vectors/valid/` is a packet. Files with the same stem are the same packet.
//! - A file in `vectors/invalid/` has one error. The file next to it has the expected violations.
//! - `vectors/hostile.json` has recipes for files that are too large or too odd to keep.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::read::Source;
use tasuki_packet::{Code, Variant, Violation, canonical};

use crate::files::{self, assert_none};

/// The outcome of reading a file: the value, if it could be read, and its violations.
pub(crate) struct Outcome {
    pub(crate) value: Option<Value>,
    pub(crate) violations: Vec<Violation>,
}

/// Reads and validates a packet; the variant `auto` is detected.
pub(crate) fn judge(bytes: &[u8], variant: &str) -> Outcome {
    let variant = (variant != "auto").then(|| Variant::named(variant).unwrap());
    let terms = OpenOptions { variant: variant.as_ref(), ..OpenOptions::default() };
    let opened = Source::packet(bytes).and_then(|source| open(&source, terms));
    match opened {
        Ok(opened) => Outcome {
            value: Some(Value::Object(opened.sent().clone())),
            violations: opened.violations,
        },
        Err(violation) => Outcome { value: None, violations: vec![violation] },
    }
}

/// Returns the variant that a file's expectation names.
fn variant_of(expected: Option<&Value>) -> &str {
    expected.and_then(|expected| expected["variant"].as_str()).unwrap_or("auto")
}

fn shown(violation: &Violation) -> Value {
    let mut shown = json!({ "code": violation.code, "pointer": violation.pointer });
    if let Some(position) = violation.position {
        shown["line"] = Value::from(position.line);
        shown["column"] = Value::from(position.column);
    }
    shown
}

#[test]
fn valid_files_are_packets_with_the_expected_digest() {
    let mut wrong = Vec::new();
    let mut digests = serde_json::Map::new();
    for name in files::names_in("vectors/valid") {
        let file = format!("vectors/valid/{name}");
        let expected = files::optional_json(&format!("{file}.expect.json"));
        let outcome = judge(&files::bytes(&file), variant_of(expected.as_ref()));
        let found = outcome.violations.iter().map(|violation| format!("{file}: {violation}"));
        wrong.extend(found);
        if let Some(value) = outcome.value {
            digests.insert(name, Value::from(canonical::digest(&value)));
        }
    }
    wrong.extend(files::compare("vectors/valid/digests.json", &Value::Object(digests)).err());
    assert_none(&wrong);
}

#[test]
fn files_with_the_same_stem_are_the_same_packet() {
    let mut packets: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut pairs = 0;
    for name in files::names_in("vectors/valid") {
        let value = judge(&files::bytes(&format!("vectors/valid/{name}")), "auto").value;
        let printed = value.unwrap_or_else(|| panic!("{name} cannot be read")).to_string();
        let stem = name.split('.').next().unwrap_or_default().to_owned();
        if let Some((other, packet)) = packets.get(&stem) {
            assert_eq!(&printed, packet, "{name} and {other} differ");
            pairs += 1;
        }
        packets.insert(stem, (name, printed));
    }
    assert!(pairs > 0, "no packet has two forms");
}

#[test]
fn invalid_files_have_the_expected_violations() {
    let mut wrong = Vec::new();
    for name in files::names_in("vectors/invalid") {
        let file = format!("vectors/invalid/{name}");
        let sidecar = format!("{file}.expect.json");
        let expected = files::optional_json(&sidecar);
        let variant = variant_of(expected.as_ref());
        let outcome = judge(&files::bytes(&file), variant);
        if outcome.violations.is_empty() {
            wrong.push(format!("{file}: no violation"));
        }
        let violations: Vec<_> = outcome.violations.iter().map(shown).collect();
        let found = json!({ "variant": variant, "violations": violations });
        wrong.extend(files::compare(&sidecar, &found).err());
    }
    assert_none(&wrong);
}

/// A file of `vectors/hostile.json`.
struct Recipe {
    name: String,
    bytes: Vec<u8>,
    expected: Value,
}

fn recipes() -> Vec<Recipe> {
    let file = files::json("vectors/hostile.json");
    let recipes = file.as_array().unwrap().iter();
    let bytes = |recipe: &Value| {
        let parts: Vec<_> = recipe["parts"].as_array().unwrap().iter().map(part).collect();
        parts.concat()
    };
    recipes
        .map(|recipe| Recipe {
            name: recipe["name"].as_str().unwrap().to_owned(),
            bytes: bytes(recipe),
            expected: recipe.clone(),
        })
        .collect()
}

/// A part is a text, a repeated text, or bytes in hex. With `"counted": true`, `#` becomes the
/// number of the repetition.
fn part(part: &Value) -> Vec<u8> {
    if let Some(hex) = part["hex"].as_str() {
        return hex.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    }
    let Some(text) = part["repeat"].as_str() else {
        return part["text"].as_str().unwrap().as_bytes().to_vec();
    };
    let times = usize::try_from(part["times"].as_u64().unwrap()).unwrap();
    if part["counted"] == json!(true) {
        return (0..times).flat_map(|n| text.replace('#', &n.to_string()).into_bytes()).collect();
    }
    text.repeat(times).into_bytes()
}

#[test]
fn hostile_files_are_rejected_with_the_expected_code() {
    let mut wrong = Vec::new();
    for Recipe { name, bytes, expected } in recipes() {
        let outcome = judge(&bytes, "auto");
        let first = outcome.violations.first();
        let mut found = vec![("code", first.map_or(Value::Null, |each| json!(each.code)))];
        if let Some(position) = first.and_then(|violation| violation.position) {
            found.push(("line", Value::from(position.line)));
            found.push(("column", Value::from(position.column)));
        }
        for (member, found) in found {
            if expected.get(member).is_some_and(|expected| *expected != found) {
                wrong.push(format!("{name}: {member} {found}, expected {}", expected[member]));
            }
        }
        assert!(expected.get("code").is_some(), "{name} has no code");
    }
    assert_none(&wrong);
}

/// Returns the values of all readable files, for tests over all packets.
pub(crate) fn readable() -> Vec<(String, Value)> {
    let mut readable = Vec::new();
    for folder in ["vectors/valid", "vectors/invalid"] {
        for name in files::names_in(folder) {
            let file = format!("{folder}/{name}");
            readable.extend(judge(&files::bytes(&file), "auto").value.map(|value| (file, value)));
        }
    }
    let is_read = |recipe: &Recipe| !recipe.expected["code"].as_str().is_some_and(is_reader_code);
    let hostile = recipes().into_iter().filter(is_read);
    readable.extend(hostile.filter_map(|recipe| {
        let value = judge(&recipe.bytes, "auto").value?;
        Some((recipe.name, value))
    }));
    readable
}

/// Returns the codes of files that cannot be read.
fn reader_codes() -> impl Iterator<Item = &'static str> {
    const PREFIXES: [&str; 7] = [
        "TK-PACKET-",
        "TK-NUMBER-",
        "TK-TEXT-",
        "TK-JSON-",
        "TK-YAML-",
        "TK-MARKDOWN-",
        "TK-WIRE-",
    ];
    let is_it = |code: &&str| PREFIXES.iter().any(|prefix| code.starts_with(prefix));
    // A list is readable; validation reports that it is not a packet.
    let codes = Code::ALL.iter().filter(|code| **code != Code::PacketNotObject);
    codes.map(|code| code.as_str()).filter(is_it)
}

fn is_reader_code(code: &str) -> bool {
    reader_codes().any(|known| known == code)
}

#[test]
fn every_reader_code_has_a_file_or_a_recipe() {
    // Other tests check the codes; this one checks that none is missing.
    let mut seen: Vec<_> = recipes().iter().map(|recipe| recipe.expected["code"].clone()).collect();
    for name in files::names_in("vectors/invalid") {
        let expected = files::optional_json(&format!("vectors/invalid/{name}.expect.json"));
        seen.extend(expected.map(|expected| expected["violations"][0]["code"].clone()));
    }
    let unseen: Vec<_> = reader_codes().filter(|code| !seen.contains(&json!(code))).collect();
    assert_eq!(unseen, Vec::<&str>::new(), "codes without a vector");
}
