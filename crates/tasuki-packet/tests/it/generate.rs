//! Generates packets from the field table: valid values for each shape, and values that break it.
//!
//! A list of numbers makes every choice, so that a failing packet shrinks with its list.

use serde_json::{Value, json};
use tasuki_packet::Variant;
use tasuki_packet::document::limits::{LIST_ITEMS_MAX, NAME_CHARS_MAX, TEXT_CHARS_MAX};
use tasuki_packet::schema::field::{FIELDS, Format, Object, Shape};

/// A generator of packets.
pub(crate) struct Generator {
    seeds: Vec<Value>,
    /// Each field with its shape, and again for each variant that defines its own.
    shapes: Vec<(&'static str, &'static Shape)>,
}

impl Generator {
    pub(crate) fn new(seeds: Vec<Value>) -> Self {
        let mut shapes: Vec<_> = FIELDS.iter().map(|field| (field.name, field.shape)).collect();
        for variant in Variant::names().map(|name| Variant::named(name).unwrap()) {
            let own = FIELDS.iter().map(|field| (field, variant.shape(field)));
            let own = own.filter(|(field, shape)| !std::ptr::eq(field.shape, *shape));
            // Weighted, because they are few and special.
            shapes.extend(own.flat_map(|(field, shape)| [(field.name, shape); 4]));
        }
        Self { seeds, shapes }
    }

    /// Returns a seed with more fields, some of them broken.
    pub(crate) fn packet(&self, numbers: &[u32]) -> Value {
        let mut choices = Choices { numbers: numbers.iter() };
        let mut packet = choices.one_of(&self.seeds).clone();
        for _ in 0..choices.below(4) {
            let (name, shape) = choices.one_of(&self.shapes);
            packet[name] = allowed(shape, &mut choices);
        }
        // Two of five packets stay unchanged.
        for _ in 0..choices.below(5).saturating_sub(1).min(2) {
            break_value(&mut packet, &mut choices);
        }
        packet
    }
}

/// The numbers that make the choices. After the last one, every choice is the first option.
struct Choices<'n> {
    numbers: std::slice::Iter<'n, u32>,
}

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.numbers.next().map_or(0, |number| *number as usize % count)
    }

    fn one_of<'a, T>(&mut self, options: &'a [T]) -> &'a T {
        &options[self.below(options.len())]
    }
}

/// Returns a valid value, usually at an edge of the shape.
fn allowed(shape: &'static Shape, choices: &mut Choices<'_>) -> Value {
    match shape {
        Shape::Named(_, inner) => allowed(inner, choices),
        Shape::Text(rule) => {
            let longest = "\u{e9}".repeat(rule.chars_max);
            json!(choices.one_of(&["x", "\u{a0}", "\u{feff}", "two\nlines", longest.as_str()]))
        }
        Shape::Format(format) => json!(choices.one_of(near(*format))),
        Shape::Word(words) => json!(choices.one_of(words)),
        Shape::Integer { min } => choices.one_of(&[json!(min), json!(7), json!(3.0)]).clone(),
        Shape::Number { .. } => choices.one_of(&[json!(0), json!(1), json!(0.74)]).clone(),
        Shape::Flag => json!(choices.below(2) == 0),
        Shape::List { item } => (0..choices.below(4)).map(|_| allowed(item, choices)).collect(),
        Shape::Object(object) => some_members(object, choices),
        Shape::Map => free_data(choices),
        Shape::Any => Value::Null,
        Shape::Either(shapes) => allowed(choices.one_of(shapes), choices),
    }
}

/// Returns an object of any data, with pins that are carried on or not.
fn free_data(choices: &mut Choices<'_>) -> Value {
    let pin = json!({ "text": "x", "pinned": true });
    let options = [
        json!({}),
        json!({ "a": [null, 1] }),
        json!({ "a": [pin, { "b": 1 }] }),
        json!({ "a": { "pinned": true } }),
        json!({ "a": { "b": [pin] } }),
        json!({ "a": [{ "b": pin }] }),
        pin,
    ];
    choices.one_of(&options).clone()
}

fn some_members(object: &'static Object, choices: &mut Choices<'_>) -> Value {
    let mut value = json!({});
    for member in object.members {
        // This sometimes breaks a pair of members that require each other, which is intended.
        if object.required.contains(&member.name) || choices.below(3) == 0 {
            value[member.name] = allowed(member.shape, choices);
        }
    }
    if choices.below(16) == 0 {
        value["pinned"] = json!(true);
    }
    value
}

/// Texts of a format, and close to it.
fn near(format: Format) -> &'static [&'static str] {
    match format {
        Format::Version => &["1.0", "1.9999", "2.0"],
        Format::TaskId => &[
            "build-42",
            "\u{437}/\u{4efb}#1",
            "cafe\u{301}",
            "caf\u{e9}",
            "a\u{3164}",
            "a b",
            "-a",
            "a\n",
            "",
        ],
        Format::HandoffId => {
            &["hof_0192f4c1a5b07e2d9c3b4a5968778695", "hof_0192F4C1A5B07E2D9C3B4A5968778695"]
        }
        Format::Digest => {
            &["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "sha256:"]
        }
        Format::Timestamp => TIMES,
        Format::Duration => &["300s", "0ms", "999999999999d", "5 s"],
        Format::Amount => &["0.45", "0", "999999999999999999.999999999", "1."],
        Format::Currency => &["USD", "usd"],
        Format::EvidenceRef => &["commit:9f2c1e0", "log:\u{a0}", "log:\u{feff}", "log: x", "log:"],
        Format::Authority => &["write:src/*", "*", "a\u{a0}b", "a\u{b}b", "a b", "**"],
        Format::ContractRef => &["a@0.0", "a.b-c_d@12.34", "a@1", "A@1.0"],
        Format::OneLineFallback => &[
            "escalate_to_oncall_if_not_progressed_within_300s",
            "escalate_to_a_if_not_progressed_within_1s_if_not_progressed_within_2s",
            "escalate_to_oncall_if_not_progressed_within_0s",
        ],
        Format::Period => &["P5Y", "P1Y6M15D", "P9999W", "P4Y", "P0D"],
        Format::PeriodOfFiveYears => &["P5Y", "P9999Y1M1D", "P4Y12M"],
        Format::Traceparent => &["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-"],
        Format::FieldName => {
            &["changed_paths", "Changed paths", "x.y-z", "All tests pass", "-a", "", "caf\u{e9}"]
        }
        Format::GovernmentTier => {
            &["OFFICIAL", "TOP SECRET X", "SECRET a\rb", "SECRET a\u{2028}b", "SECRET a\u{85}b"]
        }
    }
}

/// Times at the edges of the calendar, of the day and of the notation.
const TIMES: &[&str] = &[
    "2026-11-16T18:00:00Z",
    "2026-11-16T18:00:00.000000001-23:59",
    "0000-01-01T00:00:00+23:59",
    "0000-02-29T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "9999-12-31T23:59:59-23:59",
    "2024-02-29T00:00:00-00:00",
    "2023-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-06-31T00:00:00Z",
    "2026-11-16T24:00:00Z",
    "2016-12-31T23:59:60Z",
    "2016-12-31T15:59:60-08:00",
    "2026-11-16t18:00:00Z",
    "2026-11-16T18:00:00z",
    "2026-11-16T18:00:00.1234567890Z",
    "2026-11-16T18:00:00+24:00",
    "2026-11-16T18:00:00+00:60",
    "2026-11-16T180000.0Z",
    "2026-11-16T18:00:00 Z",
    "2026-11-16T18:00:00Z\n",
    "+002026-11-16T18:00:00Z",
];

/// Removes a value, or replaces it with one that hardly any place allows.
fn break_value(packet: &mut Value, choices: &mut Choices<'_>) {
    let mut places = Vec::new();
    collect(packet, String::new(), &mut places);
    let place = choices.one_of(&places).clone();
    let (parent, last) = place.rsplit_once('/').unwrap_or(("", ""));
    let is_removed = choices.below(4) == 0;
    match packet.pointer_mut(parent) {
        Some(Value::Object(members)) if is_removed => drop(members.shift_remove(last)),
        Some(Value::Array(items)) if is_removed => items.clear(),
        Some(Value::Object(members)) if choices.below(8) == 0 => {
            members.insert("x_unknown".to_owned(), Value::Null);
        }
        _ => {
            *packet.pointer_mut(&place).expect("the place was just collected") =
                unusual_value(choices);
        }
    }
}

fn collect(value: &Value, pointer: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, tasuki_packet::document::pointer::join(&pointer, name), places);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{pointer}/{index}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    if !pointer.is_empty() {
        places.push(pointer);
    }
}

fn unusual_value(choices: &mut Choices<'_>) -> Value {
    const TEXTS: &[&str] = &[
        "",
        " ",
        "\t\r\n",
        "\u{a0}",
        "\u{feff}",
        "\u{2003}",
        "\u{b}",
        "\u{c}",
        "\u{85}",
        "0",
        "null",
        "handoff",
        "checkpoint",
        "return",
        "verification_report",
        "decision",
        "reject",
        "reroute",
        "in_progress",
        "verified",
        "1.0",
        "1.00",
        "1.0\n",
        "*",
        "a b",
        "x:y",
        "x:\u{a0}",
        "P5Y",
        "P4Y",
    ];
    const NUMBERS: &[f64] = &[
        -0.0,
        0.0,
        1.0,
        -1.0,
        1.5,
        0.1,
        1.000_000_1,
        1e21,
        -1e300,
        5e-324,
        9_007_199_254_740_991.0,
    ];
    let long = |count: usize| json!("\u{1f91d}".repeat(count));
    match choices.below(10) {
        0..=2 => json!(choices.one_of(TEXTS)),
        3..=4 => json!(choices.one_of(TIMES)),
        5 => json!(choices.one_of(NUMBERS)),
        6 => choices.one_of(&[json!(null), json!(true), json!(false), json!(u64::MAX)]).clone(),
        7 => {
            choices.one_of(&[json!([]), json!([[]]), json!({}), json!([null]), json!([""])]).clone()
        }
        8 => long(*choices.one_of(&[
            NAME_CHARS_MAX,
            NAME_CHARS_MAX + 1,
            TEXT_CHARS_MAX,
            TEXT_CHARS_MAX + 1,
        ])),
        _ => json!(vec![json!("x"); *choices.one_of(&[1, LIST_ITEMS_MAX, LIST_ITEMS_MAX + 1])]),
    }
}
