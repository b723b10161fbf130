//! Writes a packet that was opened in another form or dialect, and reads the result again.
//!
//! A document keeps its dialect unless the caller names another one. The result reports what is
//! wrong with it when it is read, so that a caller never hands over a document that no reader
//! accepts.

use crate::dialect::{self, Dialect, Export, Lost};
use crate::open::{OpenOptions, OpenedPacket, open};
use crate::read::{Form, Source};
use crate::violation::{Code, Violation};
use crate::write::convert::to_form;

/// The format of a document to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The format in which the document was read: this one or a dialect.
    Same,
    /// A packet of this format.
    Packet,
    /// A document of another system.
    Dialect(Dialect),
}

/// A document that was written and read again.
#[derive(Debug, Clone)]
pub struct Saved {
    /// The text of the document.
    pub text: String,
    /// The parts of the packet that the document does not have.
    pub lost: Vec<Lost>,
    /// Everything that is wrong with the document when it is read; empty if it is valid.
    pub violations: Vec<Violation>,
}

/// Writes a packet in a format and a form. In Markdown, `brief` comes before the packet.
///
/// ```
/// use tasuki_packet::open::{OpenOptions, open};
/// use tasuki_packet::read::{Form, Source};
/// use tasuki_packet::save::{Format, save};
///
/// let card = br#"{"sourceAgent": "a", "destinationAgent": "b", "goal": "g", "summary": "s"}"#;
/// let card = open(&Source::packet(card)?, OpenOptions::default())?;
/// let same = save(&card, Format::Same, Form::Yaml, "", OpenOptions::default())?;
/// assert!(same.violations.is_empty());
///
/// let packet = save(&card, Format::Packet, Form::Yaml, "", OpenOptions::default())?;
/// assert_eq!(packet.violations[0].pointer, "/task_id");
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Errors
///
/// Returns a violation if the form cannot represent a value, or the dialect has no document for
/// this kind of packet.
pub fn save(
    opened: &OpenedPacket,
    format: Format,
    form: Form,
    brief: &str,
    options: OpenOptions<'_>,
) -> Result<Saved, Violation> {
    let kept = |document| Export { document, lost: Vec::new() };
    let Export { document, lost } = match format {
        Format::Same => kept(opened.sent().clone()),
        Format::Packet => kept(opened.packet.members().clone()),
        Format::Dialect(dialect) => dialect::export(dialect, opened.packet.members())?,
    };
    let text = to_form(&document, form, brief)?;
    let read = Source::packet(text.as_bytes()).and_then(|source| open(&source, options));
    let violations = match read {
        Ok(read) => found_in(&read, opened, format),
        Err(violation) => match format {
            Format::Dialect(dialect) => vec![not_recognized(dialect)],
            Format::Same | Format::Packet => vec![violation],
        },
    };
    Ok(Saved { text, lost, violations })
}

/// Returns what is wrong with a document that was read again.
fn found_in(read: &OpenedPacket, opened: &OpenedPacket, format: Format) -> Vec<Violation> {
    let mut violations = read.violations.clone();
    match format {
        Format::Same if read.packet.digest() != opened.packet.digest() => {
            violations.push(unlike("the written document reads as another packet"));
        }
        Format::Dialect(dialect) if !is_of(read, dialect) => {
            // What is missing from another format says nothing about this one.
            violations = vec![not_recognized(dialect)];
        }
        Format::Same | Format::Packet | Format::Dialect(_) => {}
    }
    violations
}

/// Returns `true` if a document was read in this dialect. A document of the two dialects that only
/// add members to this format may have none of them.
fn is_of(read: &OpenedPacket, dialect: Dialect) -> bool {
    let is_superset = matches!(dialect, Dialect::HandoffProtocol | Dialect::Fastio);
    read.dialect == Some(dialect) || is_superset && read.dialect.is_none()
}

fn not_recognized(dialect: Dialect) -> Violation {
    let hint = format!("the packet lacks fields by which readers of `{dialect}` recognize it");
    unlike(&format!("the document is not recognized as `{dialect}`")).hint(hint)
}

fn unlike(message: &str) -> Violation {
    Violation::new(Code::ConvertLossy, "", message)
}
