//! The cost of hostile input: each is read, and validated if it can be read, as `tasuki validate`
//! does.
//!
//! Time is processor time and the best of several runs, which excludes other load on the machine.
//! Memory is counted by the allocator in a separate run.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Context;
use cpu_time::ThreadTime;
use serde_json::{Value, json};
use tasuki_packet::check::validate;
use tasuki_packet::document::limits::PACKET_BYTES_MAX;
use tasuki_packet::read::Source;
use tasuki_packet::{Code, Variant, Violation};

use crate::allocation::{self, Allocated};

/// LIMIT: time to refuse one input.
pub const TIME_MAX: Duration = Duration::from_millis(5);
/// LIMIT: memory held by the library while it refuses one input.
pub const BYTES_MAX: usize = 5_000_000;

const RUNS: usize = 7;

/// One input and its result.
#[derive(Debug)]
pub struct Refusal {
    name: String,
    input_bytes: usize,
    time: Duration,
    allocated: Allocated,
    /// The code of the first violation; `None` if the input was accepted as a packet.
    code: Option<Code>,
    violations: usize,
}

/// Refuses every input with `word` in its name, with the most lenient and the strictest variant.
pub fn run(word: &str) -> anyhow::Result<Vec<Refusal>> {
    let mut refusals = Vec::new();
    for (name, input) in inputs().into_iter().filter(|(name, _)| name.contains(word)) {
        for variant_name in ["baseline", "strict"] {
            let variant = Variant::named(variant_name).context("a variant is missing")?;
            let refusal = refuse(format!("{name}, {variant_name}"), input.as_bytes(), &variant);
            let is_read = refusal.violations != 1;
            refusals.push(refusal);
            // Unreadable input is refused before any variant applies.
            if !is_read {
                break;
            }
        }
    }
    Ok(refusals)
}

/// Refuses the hostile vectors of the repository, with automatic choice of the variant.
pub fn run_vectors() -> anyhow::Result<Vec<Refusal>> {
    let variant = Variant::named("baseline").context("a variant is missing")?;
    let vectors = crate::vectors::refused()?;
    Ok(vectors.into_iter().map(|(name, input)| refuse(name, &input, &variant)).collect())
}

fn refuse(name: String, input: &[u8], variant: &Variant) -> Refusal {
    let (violations, allocated) = allocation::measure(|| judge(input, variant));
    let time = (0..RUNS).map(|_| {
        let start = ThreadTime::now();
        std::hint::black_box(judge(input, variant));
        start.elapsed()
    });
    Refusal {
        name,
        input_bytes: input.len(),
        time: time.min().unwrap_or_default(),
        allocated,
        code: violations.first().map(|violation| violation.code),
        violations: violations.len(),
    }
}

/// Returns all violations, with positions.
fn judge(input: &[u8], variant: &Variant) -> Vec<Violation> {
    let source = match Source::packet(input) {
        Ok(source) => source,
        Err(violation) => return vec![violation],
    };
    let document = match source.read_packet() {
        Ok(document) => document,
        Err(violation) => return vec![violation],
    };
    let mut violations = validate::violations(&document, variant);
    source.locate(&document, &mut violations);
    violations
}

impl Refusal {
    /// Returns the exceeded limits: too slow, too large, or not refused.
    pub fn faults(&self) -> Vec<&'static str> {
        let mut faults = Vec::new();
        if self.time > TIME_MAX {
            faults.push("OVER 5 ms");
        }
        if self.allocated.peak > BYTES_MAX {
            faults.push("OVER 5 MB");
        }
        if self.code.is_none() {
            faults.push("NOT REFUSED");
        }
        faults
    }

    /// Returns one line of the table.
    pub fn line(&self) -> String {
        format!(
            "{:<44} {:>10} B {:>8.3} ms {:>8.2} MB {:>8.2} MB {:>5}  {:<22} {}",
            self.name,
            self.input_bytes,
            self.time.as_secs_f64() * 1e3,
            megabytes(self.allocated.peak),
            megabytes(self.allocated.total),
            self.violations,
            self.code.map_or("", Code::as_str),
            self.faults().join(", "),
        )
    }

    /// Returns the result as JSON.
    pub fn json(&self) -> Value {
        json!({
            "hostile": self.name,
            "input_bytes": self.input_bytes,
            "ms": self.time.as_secs_f64() * 1e3,
            "peak_bytes": self.allocated.peak,
            "total_bytes": self.allocated.total,
            "violations": self.violations,
            "code": self.code.map(Code::as_str),
            "faults": self.faults(),
        })
    }
}

/// Returns the heading of the table.
pub fn heading() -> String {
    format!(
        "{:<44} {:>12} {:>11} {:>11} {:>11} {:>5}  {:<22}",
        "hostile input", "size", "time", "peak", "in total", "found", "refused with"
    )
}

#[expect(clippy::cast_precision_loss, reason = "sizes of at most some megabytes")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn inputs() -> Vec<(&'static str, String)> {
    let mut inputs = nesting();
    inputs.extend(repeating());
    inputs.extend(many());
    inputs.extend(long());
    inputs.extend(wrong_everywhere());
    inputs
}

/// Returns the longest run of `unit` that a packet may hold.
fn filled(before: &str, unit: &str, after: &str) -> String {
    let count = (PACKET_BYTES_MAX - before.len() - after.len()) / unit.len();
    [before, &unit.repeat(count), after].concat()
}

fn nesting() -> Vec<(&'static str, String)> {
    let mut mappings = String::new();
    for depth in 0..1_400 {
        writeln!(mappings, "{:depth$}a:", "").expect("a string takes everything");
    }
    vec![
        ("json 200,000 open lists", "[".repeat(200_000)),
        ("json 200,000 open objects", r#"{"a":"#.repeat(200_000)),
        ("json 31 lists, all of them full", deep_lists()),
        ("yaml 200,000 open flow lists", format!("a: {}", "[".repeat(200_000))),
        ("yaml 200,000 open flow mappings", format!("a: {}", "{a: ".repeat(200_000))),
        ("yaml nested `- ` on one line", filled("", "- ", "a")),
        ("yaml nested `? ` on one line", filled("", "? ", "a")),
        ("yaml nested mappings, indented", mappings),
        ("yaml flow keys `? [`", filled("a: {", "? [", "")),
        ("yaml `a: ` on one line", filled("", "a: ", "b")),
    ]
}

/// Returns as many lists as the node limit allows, each as deep as allowed.
fn deep_lists() -> String {
    let one = format!("{}1{}", "[".repeat(30), "]".repeat(30));
    format!(r#"{{"context":[{}]}}"#, vec![one; 1_000].join(","))
}

fn repeating() -> Vec<(&'static str, String)> {
    let mut bomb = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..60 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{aliases}]").expect("a string takes everything");
    }
    let many = |prefix: &str, line: &str| {
        let lines = (0..15_000).map(|n| line.replace('#', &n.to_string()));
        format!("{prefix}{}", lines.collect::<String>())
    };
    vec![
        ("yaml alias bomb", bomb),
        (
            "yaml alias bomb below 1 MB of comments",
            filled("", "# lol\n", "a: &a [b]\nc: [*a, *a]\n"),
        ),
        ("yaml 15,000 anchors", many("", "k#: &a# v\n")),
        ("yaml 15,000 anchors in a flow list", format!("a: [{}]", many("", "&a# v, "))),
        ("yaml 15,000 aliases to nothing", many("a:\n", "- *a#\n")),
        ("yaml 15,000 merge keys", many("", "k#: {<<: {}}\n")),
        ("yaml 15,000 tags", many("a:\n", "- !t# v\n")),
        ("yaml 15,000 documents", many("", "--- {k: #}\n")),
        ("yaml tag directives", many("", "%TAG !t#! tag:example.com,2026:\n") + "---\na: 1\n"),
        ("json 100,000 times the same name", filled_object(r#""a":1,"#)),
        ("yaml 100,000 times the same key", filled("", "a: 1\n", "")),
    ]
}

fn filled_object(member: &str) -> String {
    filled("{", member, r#""z":1}"#)
}

fn many() -> Vec<(&'static str, String)> {
    let json_keys = |count: usize| {
        let members: Vec<_> = (0..count).map(|n| format!(r#""key{n}":{n}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let yaml_keys: String = (0..9_990).map(|n| format!("key{n}: {n}\n")).collect();
    let twice = json_keys(9_000).replace("key8999", "key4711");
    vec![
        ("json 9,990 unknown names", json_keys(9_990)),
        ("yaml 9,990 unknown keys", yaml_keys),
        ("json 20,000 names", json_keys(20_000)),
        ("json 9,000 names, one of them twice", twice),
        ("json 500,000 empty lists", filled("[", "[],", "[]]")),
        ("json 19,990 numbers", format!(r#"{{"completed":[{}]}}"#, ["1"; 19_990].join(","))),
        ("yaml a list of 500,000", filled("", "- \n", "")),
        ("yaml a flow list of 500,000", filled("a: [", "a,", "a]")),
        ("yaml 20,000 comment lines", filled("a: 1\n", &format!("#{}\n", "x".repeat(52)), "")),
        ("yaml comment lines", filled("a: 1\n", "#\n", "b: 1\n")),
        ("yaml one long comment", filled("a: 1 # ", "comment ", "\n")),
        ("yaml empty lines", filled("a: 1\n", "\n", "b: 1\n")),
        ("yaml spaces", filled("a: 1\n", " ", "")),
        ("yaml tabs", filled("a: 1\n", "\t", "")),
        ("json white space", filled("{", " \n\t\r", "")),
    ]
}

fn long() -> Vec<(&'static str, String)> {
    vec![
        ("10 MB of input", "x".repeat(10_000_000)),
        ("json a number of 1 MB", filled(r#"{"confidence":"#, "9", "}")),
        ("json a fraction of 1 MB", filled(r#"{"confidence":0."#, "9", "}")),
        ("json an exponent of 1 MB", filled(r#"{"confidence":1e"#, "9", "}")),
        (
            "json many long fractions",
            filled(r#"{"a":["#, "0.1000000000000000055511151231257827,", "1]}"),
        ),
        (
            "json 19,000 exact fractions",
            format!(r#"{{"a":[{}1]}}"#, "1.7976931348623157e308,".repeat(19_000)),
        ),
        (
            "yaml 19,000 exact fractions",
            format!("a: [{}1]", "1.7976931348623157e+308, ".repeat(19_000)),
        ),
        ("yaml a number of 1 MB", filled("confidence: ", "9", "\n")),
        ("yaml a fraction of 1 MB", filled("context: {a: 0.", "9", "}\n")),
        ("json a text of 1 MB", filled(r#"{"goal":""#, "x", r#""}"#)),
        ("json a text of escapes", filled(r#"{"goal":""#, r"\u00e9", r#""}"#)),
        ("json a text of white space", filled(r#"{"goal":""#, " ", r#""}"#)),
        ("json a name of 1 MB", filled(r#"{""#, "x", r#"":1}"#)),
        ("json a name of 1 MB slashes", filled(r#"{""#, "/", r#"":1}"#)),
        ("json a text without end", filled(r#"{"goal":""#, "x", "")),
        ("json a word of 1 MB", filled(r#"{"status":""#, "x", r#""}"#)),
        ("json hidden characters nearly", filled(r#"{"goal":""#, "\u{2010}", r#""}"#)),
        ("yaml a plain scalar of 1 MB", filled("goal: ", "x", "\n")),
        ("yaml a plain scalar of many lines", filled("goal: a\n", "  x\n", "")),
        ("yaml a quoted scalar of 1 MB", filled("goal: \"", "x", "\"\n")),
        ("yaml a quoted scalar of escapes", filled("goal: \"", r"\xe9", "\"\n")),
        ("yaml a quoted scalar of line ends", filled("goal: \"", "\n", "\"\n")),
        ("yaml a block scalar of 1 MB", filled("goal: |\n", "  x\n", "")),
        ("yaml a folded scalar of 1 MB", filled("goal: >\n", "  x\n\n", "")),
        (
            "yaml 20,000 lines of a block scalar",
            filled("goal: |\n", &format!("  {}\n", "x".repeat(51)), ""),
        ),
        (
            "yaml 20,000 lines of a quoted scalar",
            filled("goal: \"\n", &format!("  {}\n", "x y".repeat(17)), "\""),
        ),
        ("yaml a block scalar of empty lines", filled("goal: |\n", "\n", "  x\n")),
        ("yaml a key of 1 MB", filled("", "x", ": 1\n")),
        ("yaml a quoted key of 1 MB", filled("\"", "x", "\": 1\n")),
        ("yaml a quote without end", filled("goal: \"", "x", "")),
        ("yaml prose of 1 MB", filled("", "All is well. ", "")),
        ("bytes that are not text", filled("a: ", "\u{1}", "")),
    ]
}

/// Returns readable packets with as many violations as fit.
fn wrong_everywhere() -> Vec<(&'static str, String)> {
    let misspelt: Vec<_> = (0..9_990).map(|n| format!(r#""task_id{n}":1"#)).collect();
    let words: Vec<_> = (0..1_100).map(|n| format!(r#"{{"state":"no {n}"}}"#)).collect();
    let padding = " ".repeat(PACKET_BYTES_MAX - 200_000);
    let numbers = ["1"; 9_000].join(",");
    let objects = ["{}"; 9_000].join(",");
    let right = ["\"x\""; 9_000].join(",");
    vec![
        ("json 9,990 misspelt names", format!("{{{}}}", misspelt.join(","))),
        ("json 1,100 wrong words", format!(r#"{{"completed":[{}]}}"#, words.join(","))),
        ("json 9,000 wrong items, far down", format!("{{{padding}\"completed\":[{numbers}]}}")),
        ("yaml 9,000 wrong items, far down", format!("#{padding}\ncompleted: [{objects}]")),
        (
            "json wrong items at the end of a list",
            format!(r#"{{"completed":[{right},{numbers}]}}"#),
        ),
    ]
}
