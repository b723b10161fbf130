//! The language of comments and documents, as far as a machine can check it.
//!
//! A doc summary starts with a third-person verb or is a noun phrase, so it never starts with one of
//! `OPENINGS`. Prose names the actor, so it never uses one of `VAGUE_ACTORS`. All findings are
//! reported at once.

use std::path::{Path, PathBuf};

use crate::repository::{files, files_where, read, root};

/// Words that must not start a doc summary.
const OPENINGS: &[&str] = &["What", "Whether", "Who", "Whose", "Whom", "Of"];

/// Words that hide the actor, in lower case.
const VAGUE_ACTORS: &[&str] = &["whoever", "somebody", "nobody"];

/// Folders of Rust sources.
const SOURCES: &[&str] = &["crates", "bench", "fuzz"];

/// Folders of Markdown documents, besides the root of the repository.
const DOCUMENTS: &[&str] = &["docs", "examples", "bench", "vectors"];

#[test]
fn summaries_and_prose_follow_the_style_guide() {
    let (sources, prose) = (sources(), prose());
    assert!(sources.len() > 300, "only {} sources were found", sources.len());
    assert!(prose.len() > 50, "only {} documents were found", prose.len());
    let mut findings = Vec::new();
    for file in &sources {
        let marker = if file.extension().is_some_and(|kind| kind == "sql") { "--" } else { "//" };
        report(file, &source_findings(&read(file), marker), &mut findings);
    }
    for file in &prose {
        report(file, &prose_findings(&read(file)), &mut findings);
    }
    assert!(
        findings.is_empty(),
        "summaries that start with {}, or {} in prose:\n{}",
        OPENINGS.join("/"),
        VAGUE_ACTORS.join("/"),
        findings.join("\n")
    );
}

fn sources() -> Vec<PathBuf> {
    let rust = SOURCES.iter().flat_map(|folder| files(&root().join(folder), "rs"));
    rust.chain(files(&root().join("crates"), "sql")).collect()
}

fn prose() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root()).expect("the root is readable");
    let mut found: Vec<_> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
        .collect();
    found.sort();
    found.extend(DOCUMENTS.iter().flat_map(|folder| files(&root().join(folder), "md")));
    found.extend(files_where(&root().join("deploy"), &|_| true));
    found
}

fn report(file: &Path, lines: &[(usize, &str)], findings: &mut Vec<String>) {
    let shown = file.strip_prefix(root()).expect("a file of the repository").display();
    findings.extend(lines.iter().map(|(number, line)| format!("{shown}:{number}: {line}")));
}

/// Returns the lines of a source file with a finding, with their numbers from 1.
fn source_findings<'t>(text: &'t str, marker: &str) -> Vec<(usize, &'t str)> {
    let mut found = Vec::new();
    let mut previous = None;
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        let doc = doc_marker(line);
        let is_summary = doc.is_some() && doc != previous;
        previous = doc;
        let comment = comment(line, marker).unwrap_or_default();
        if is_summary && has_bad_opening(&line[3..]) || has_vague_actor(comment) {
            found.push((number, line));
        }
    }
    found
}

/// Returns the lines of a document with a finding, with their numbers from 1.
fn prose_findings(text: &str) -> Vec<(usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| has_vague_actor(line)).collect()
}

/// Returns the marker of a line of documentation.
fn doc_marker(line: &str) -> Option<&'static str> {
    ["///", "//!"].into_iter().find(|marker| line.starts_with(marker))
}

/// Returns the comment of a line. A marker inside a string literal does not start one.
fn comment<'l>(line: &'l str, marker: &str) -> Option<&'l str> {
    let (mut is_string, mut is_escaped) = (false, false);
    for (at, character) in line.char_indices() {
        let rest = &line[at..];
        if !is_string && rest.starts_with(marker) {
            return Some(rest);
        }
        let is_character_literal = !is_string && line[..at].ends_with('\'') && rest.len() > 1;
        if character == '"' && !is_escaped && !(is_character_literal && rest[1..].starts_with('\''))
        {
            is_string = !is_string;
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    None
}

fn has_bad_opening(summary: &str) -> bool {
    words(summary).next().is_some_and(|word| OPENINGS.contains(&word))
}

fn has_vague_actor(text: &str) -> bool {
    words(text).any(|word| VAGUE_ACTORS.contains(&word.to_lowercase().as_str()))
}

/// Returns the words of a text. An identifier such as `nobody_signed` is one word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    text.split(move |character| !is_word(character)).filter(|word| !word.is_empty())
}

#[test]
fn summaries_and_comments_are_recognized() {
    let check = |text: &str, expected: &[usize]| {
        let numbers: Vec<_> = source_findings(text, "//").iter().map(|found| found.0).collect();
        assert_eq!(numbers, expected, "{text}");
    };
    for opening in OPENINGS {
        check(&format!("/// {opening} it is."), &[1]);
        check(&format!("//! {opening} it is."), &[1]);
        check(&format!("    /// {opening}, then"), &[1]);
        check(&format!("/// Returns it.\n///\n/// {opening} it is."), &[]);
        check(&format!("// {opening} it is."), &[]);
        check(&format!("/// {opening}x it is."), &[]);
        check(&format!("let text = \"/// {opening} it is.\";"), &[]);
    }
    check("//! A module.\n/// What it is.\nfn f() {}\n\n/// Who it is.\nfn g() {}", &[2, 5]);
    check("/// A type.\npub struct A {\n    /// Whether it is open.\n    is_open: bool,", &[3]);
    check("/// The offer.\n/// Returns it.\n/// what is lower case", &[]);
    for word in ["nobody", "Nobody", "somebody's", "WHOEVER", "(nobody)", "`somebody`"] {
        check(&format!("// {word} signed it"), &[1]);
        check(&format!("/// Returns it.\n/// It waits for {word}."), &[2]);
        check(&format!("let n = 1; // {word}"), &[1]);
        check(&format!("let n = '\"'; // {word}"), &[1]);
        check(&format!("let text = \"a\\\"b\"; // {word}"), &[1]);
        check(&format!("let text = \"http://{word}\";"), &[]);
        check(&format!("let text = \"{word}\";"), &[]);
    }
    check("// `nobody_signed` and whoevers are other words", &[]);
    check("fn nobody() {}", &[]);
    assert_eq!(source_findings("-- Somebody\nSELECT 'nobody' -- 1", "--"), [(1, "-- Somebody")]);
}

#[test]
fn words_in_prose_are_recognized() {
    let text =
        "# Title\n\nNobody signs.\nA person signs.\n- it waits for `somebody`\nnobody_signs\n";
    assert_eq!(prose_findings(text), [(3, "Nobody signs."), (5, "- it waits for `somebody`")]);
}
