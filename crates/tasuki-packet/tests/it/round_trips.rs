//! Whatever is written is read again as a valid packet, or the writer says why not.
//!
//! Every valid vector and every document of a dialect is written in every form, in every dialect,
//! and as a comment.

use std::collections::BTreeMap;

use tasuki_packet::dialect::Dialect;
use tasuki_packet::open::{OpenOptions, OpenedPacket, open};
use tasuki_packet::read::{Form, Source};
use tasuki_packet::render;
use tasuki_packet::save::{Format, save};

use crate::files::{self, assert_none};

/// Opens every valid packet of the repository.
fn packets() -> Vec<(String, OpenedPacket)> {
    let mut packets = Vec::new();
    for folder in ["vectors/valid", "vectors/dialects", "examples/02-dialects"] {
        for name in files::names_in(folder) {
            let file = format!("{folder}/{name}");
            let read = opened(&files::bytes(&file));
            packets.extend(read.filter(|read| read.violations.is_empty()).map(|read| (file, read)));
        }
    }
    assert!(packets.len() > 50, "{} packets", packets.len());
    packets
}

fn opened(bytes: &[u8]) -> Option<OpenedPacket> {
    open(&Source::packet(bytes).ok()?, OpenOptions::default()).ok()
}

#[test]
fn every_document_keeps_its_meaning_in_every_form() {
    let mut wrong = Vec::new();
    for (file, packet) in packets() {
        let brief = render::human_brief(&packet.packet);
        for form in Form::ALL {
            match save(&packet, Format::Same, *form, &brief, OpenOptions::default()) {
                Ok(saved) if saved.violations.is_empty() => {
                    let digest = opened(saved.text.as_bytes()).map(|read| read.packet.digest());
                    if digest != Some(packet.packet.digest()) {
                        wrong.push(format!("{file} as {}: another digest", form.name()));
                    }
                }
                Ok(saved) => {
                    wrong.push(format!("{file} as {}: {:?}", form.name(), saved.violations));
                }
                Err(violation) => wrong.push(format!("{file} as {}: {violation}", form.name())),
            }
        }
        let comment = render::comment_with(&packet.packet, packet.sent());
        let read = opened(comment.as_bytes());
        if read.is_none_or(|read| {
            !read.violations.is_empty() || read.packet.digest() != packet.packet.digest()
        }) {
            wrong.push(format!("{file} as a comment"));
        }
    }
    assert_none(&wrong);
}

#[test]
fn a_dialect_restores_the_packet_or_reports_what_it_lost() {
    let mut wrong = Vec::new();
    let mut restored: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, packet) in packets() {
        for dialect in Dialect::ALL {
            let format = Format::Dialect(*dialect);
            let saved = save(&packet, format, Form::Json, "", OpenOptions::default());
            let saved = saved.ok().filter(|saved| saved.violations.is_empty());
            let Some(saved) = saved.filter(|saved| saved.lost.is_empty()) else { continue };
            *restored.entry(dialect.name()).or_default() += 1;
            let read = opened(saved.text.as_bytes()).expect("what was valid can be read").packet;
            // A dialect may add what it always states, such as a kind.
            let members = packet.packet.members().iter();
            let changed = members.filter(|(name, value)| read.get(name) != Some(*value));
            wrong.extend(changed.map(|(name, _)| format!("{file} as {dialect}: `{name}`")));
        }
    }
    assert_none(&wrong);
    for dialect in [Dialect::HandoffProtocol, Dialect::WorksWithAgents, Dialect::Ahp] {
        let count = restored.get(dialect.name());
        assert!(count.is_some_and(|count| *count >= 4), "{dialect}: {restored:?}");
    }
}

/// Returns `true` if the text reads as valid.
fn is_valid(text: &str) -> bool {
    opened(text.as_bytes()).is_some_and(|read| read.violations.is_empty())
}

#[test]
fn every_dialect_is_read_again_or_refused() {
    let mut wrong = Vec::new();
    let mut written: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, packet) in packets() {
        let formats =
            Dialect::ALL.iter().map(|dialect| (dialect.name(), Format::Dialect(*dialect)));
        for (name, format) in formats.chain([("packet", Format::Packet)]) {
            for form in Form::ALL {
                let saved = save(&packet, format, *form, "", OpenOptions::default());
                let Some(saved) = saved.ok().filter(|saved| saved.violations.is_empty()) else {
                    continue;
                };
                *written.entry(name).or_default() += 1;
                if !is_valid(&saved.text) {
                    wrong.push(format!("{file} as {name}: {}", saved.text));
                }
            }
        }
    }
    assert_none(&wrong);
    // A dialect that refused everything would pass the rest of this test.
    for name in Dialect::ALL.iter().map(|dialect| dialect.name()).chain(["packet"]) {
        assert!(written.get(name).is_some_and(|count| *count >= 4), "{name}: {written:?}");
    }
}
