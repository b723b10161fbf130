//! The packet as an Internet-Draft: RFCXML that is generated from `internet-draft.source.md`, the
//! field table and the vectors.
//!
//! `source` reads the text, `xml` writes it, `references` has the documents that it cites.

mod references;
mod source;
mod xml;

use tasuki_packet::Variant;
use tasuki_packet::schema::field::FIELDS;

use crate::files::{self, assert_none};
use source::Block;

const SOURCE: &str = "docs/spec/internet-draft.source.md";
const TARGET: &str = "docs/spec/draft-tasuki-handoff-packet-00.xml";

fn blocks() -> Vec<Block> {
    source::read(&files::text(SOURCE), &include)
}

/// Returns the content of a placeholder that is a block of its own.
fn include(name: &str) -> Option<Block> {
    match name.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["bcp14"] => Some(Block::Bcp14),
        ["fields"] => Some(Block::Definitions(
            FIELDS
                .iter()
                .map(|field| {
                    (
                        format!("`{}`", field.name),
                        format!("{} Value: {}.", field.purpose, field.shape.describe()),
                    )
                })
                .collect(),
        )),
        ["variants"] => Some(Block::Definitions(
            Variant::names()
                .map(|name| {
                    (
                        format!("`{name}`"),
                        format!("{}.", Variant::purpose(name).unwrap_or_default()),
                    )
                })
                .collect(),
        )),
        ["vector", form, path] => {
            Some(Block::Code((*form).to_owned(), files::text(&format!("vectors/{path}"))))
        }
        _ => None,
    }
}

#[test]
fn generated_internet_draft_is_current() {
    let document = xml::document(&blocks());
    assert_none(&Vec::from_iter(files::compare_text(TARGET, &document).err()));
}

#[test]
fn every_reference_is_cited_and_defined() {
    let document = xml::document(&blocks());
    for anchor in references::anchors() {
        assert!(
            document.contains(&format!("<xref target=\"{anchor}\"/>")),
            "{anchor} is not cited"
        );
    }
    for cited in document.split("<xref target=\"").skip(1) {
        let anchor = cited.split('"').next().unwrap();
        assert!(references::anchors().any(|known| known == anchor), "{anchor} is not defined");
    }
}

#[test]
fn the_draft_has_the_sections_that_the_form_asks_for() {
    let document = xml::document(&blocks());
    for part in [
        "<abstract>",
        "<name>Security Considerations</name>",
        "<name>IANA Considerations</name>",
        "<name>Normative References</name>",
        "<bcp14>MUST NOT</bcp14>",
        "vnd.tasuki.packet+json",
        "category=\"info\"",
        "submissionType=\"IETF\"",
        "ipr=\"trust200902\"",
    ] {
        assert!(document.contains(part), "{part}");
    }
    assert!(document.lines().all(|line| !line.ends_with(' ')), "no line ends with a space");
}

/// LIMIT: lines of a page of an Internet-Draft, and its columns for text.
const PAGE_LINES: usize = 58;
const PAGE_COLUMNS: usize = 69;

#[test]
fn the_core_fits_on_two_pages() {
    let all = blocks();
    let start =
        all.iter().position(|block| *block == Block::Heading(1, "The Core".to_owned())).unwrap();
    let rest = &all[start + 1..];
    let end = rest.iter().position(|block| matches!(block, Block::Heading(1, _))).unwrap();
    let lines: usize = rest[..end].iter().map(|block| block.lines(PAGE_COLUMNS)).sum::<usize>() + 2;
    assert!(lines <= 2 * PAGE_LINES, "the core has {lines} lines");
}
