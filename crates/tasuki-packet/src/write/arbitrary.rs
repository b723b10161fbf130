//! Values for property tests: nested, empty, ordered, and with texts that are easy to misread.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::Members;

/// Any text, often one that some form could misread.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let word = select(WORDS).prop_map(str::to_owned);
    let mixed = vec(select(CHARACTERS), 0..10).prop_map(|characters| characters.concat());
    let wild = vec(any::<char>(), 0..8).prop_map(String::from_iter);
    let lines = vec(select(LINES), 1..5).prop_map(|lines| lines.join("\n"));
    prop_oneof![word, mixed, wild, lines]
}

/// Any value of a few levels.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number(),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let members = vec((text(), inner.clone()), 0..6)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            members,
            (vec(text(), 1..4), vec(vec(inner, 3), 3..7)).prop_map(|(names, rows)| {
                rows.into_iter().map(|row| row_object(&names, row)).collect()
            }),
        ]
    })
}

/// The members of any packet.
pub(crate) fn members() -> impl Strategy<Value = Members> {
    let name = prop_oneof![text(), select(NAMES).prop_map(str::to_owned)];
    vec((name, value()), 0..6).prop_map(|members| members.into_iter().collect())
}

/// Values of few words and numbers, so that two of them have much in common.
pub(crate) fn alike() -> impl Strategy<Value = Value> {
    let leaf = select(vec![json!("a"), json!("b"), json!(1), json!(2.5), json!(true)]);
    leaf.prop_recursive(4, 40, 6, |inner| {
        let name = select(vec!["id", "text", "x", "y/~z"]).prop_map(str::to_owned);
        let members = vec((name, inner.clone()), 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        prop_oneof![vec(inner, 0..6).prop_map(Value::Array), members]
    })
}

/// Numbers whose Rust type is the one that their canonical text is read as.
fn number() -> impl Strategy<Value = Value> {
    let integers = (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from);
    let decimals = any::<i32>().prop_map(|count| json!((f64::from(count) + 0.5) / 8.0));
    let rare =
        select(vec![json!(0), json!(-1), json!(0.1), json!(1e21), json!(1e-7), json!(5e-324)]);
    prop_oneof![integers, decimals, rare]
}

fn row_object(names: &[String], row: Vec<Value>) -> Value {
    Value::Object(names.iter().cloned().zip(row).collect())
}

const NAMES: &[&str] = &["tasuki", "#tasuki", "##tasuki", "#", "##", "rows", "goal", "text"];

const WORDS: &[&str] = &[
    "",
    " ",
    "null",
    "~",
    "true",
    "False",
    "no",
    "y",
    "<<",
    "=",
    "22",
    "0.74",
    "1.10",
    "012",
    "1e3",
    "1e+21",
    "-0",
    ".inf",
    "0x1f",
    "1_000",
    "12:30",
    "2026-11-16",
    "2026-11-16T18:00:00Z",
    "---",
    "...",
    "#",
    "##",
    "rows",
    "tasuki",
    "- a",
    "a: b",
    "a:",
    "a #b",
    "k",
    "plain words",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "%YAML 1.2",
    "? a",
    "|",
    ">-",
    "\r\n",
    "a\n\n",
    "```",
    "~~~",
];

const CHARACTERS: &[&str] = &[
    "a",
    "0",
    " ",
    "  ",
    ":",
    "#",
    "-",
    "?",
    ",",
    "[",
    "]",
    "{",
    "}",
    "&",
    "*",
    "!",
    "|",
    ">",
    "'",
    "\"",
    "%",
    "@",
    "`",
    "\\",
    "\n",
    "\t",
    "\r",
    "~",
    ".",
    "é",
    "家",
    "👍",
    "\u{0}",
    "\u{1b}",
    "\u{7f}",
    "\u{a0}",
    "\u{200d}",
    "\u{202e}",
    "\u{2029}",
    "\u{fffe}",
    "\u{10ffff}",
];

const LINES: &[&str] = &[
    "",
    "",
    "First line.",
    "  indented",
    "\ttabbed",
    "trailing ",
    "# comment",
    "- item",
    "key: value",
    "---",
    "...",
    "```",
    "~~~ tasuki",
    "家",
    " ",
];
