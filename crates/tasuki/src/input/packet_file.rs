//! Loads a packet from an input.

use std::path::Path;

use tasuki_packet::check::secrets::{self, Allow};
use tasuki_packet::open::{OpenOptions, OpenedPacket, open};
use tasuki_packet::read::markdown::Block;
use tasuki_packet::read::{Source, too_large};
use tasuki_packet::{Code, Packet, Variant, Violation};

use super::file::{Content, Input};
use crate::exit::Failure;
use crate::output::diagnostics;

/// The content of a packet file, valid or not.
#[derive(Debug)]
pub(crate) struct InspectedPacket {
    /// The text that positions refer to; empty if the file is too large.
    pub(crate) text: String,
    pub(crate) block: Option<Block>,
    pub(crate) comments: usize,
    /// `true` if the file begins with a byte order mark, which the text does not contain.
    pub(crate) has_byte_order_mark: bool,
    pub(crate) opened: Result<OpenedPacket, Violation>,
}

impl InspectedPacket {
    /// Returns the result for a file that cannot be read.
    fn unreadable(text: String, violation: Violation) -> Self {
        let opened = Err(diagnostics::redacted(violation));
        Self { text, block: None, comments: 0, has_byte_order_mark: false, opened }
    }
}

/// A packet that was loaded.
#[derive(Debug)]
pub(crate) struct LoadedPacket {
    pub(crate) input: Input,
    pub(crate) text: String,
    pub(crate) block: Option<Block>,
    pub(crate) has_byte_order_mark: bool,
    pub(crate) opened: OpenedPacket,
    /// The digest of the packet before secrets were replaced.
    pub(crate) digest: String,
    comments: usize,
}

impl LoadedPacket {
    /// Describes the losses of a conversion.
    pub(crate) fn conversion_losses(&self) -> Vec<String> {
        let prose = self.block.as_ref().map_or(0, |block| {
            block.prose(&self.text).iter().map(|part| part.lines().count()).sum()
        });
        let mut remarks = self.lost_comments();
        if let Some(dialect) = self.opened.dialect {
            remarks.push(format!("read as {dialect}"));
            remarks.extend(self.opened.notes.iter().map(|note| {
                let position = if note.pointer.is_empty() { "the packet" } else { &note.pointer };
                diagnostics::redacted_text(&format!("{position}: {}", note.message))
            }));
        }
        match prose {
            0 => {}
            1 => remarks.push("1 line of text around the packet is dropped".to_owned()),
            _ => remarks.push(format!("{prose} lines of text around the packet are dropped")),
        }
        remarks
    }

    /// Describes the comments that a rewrite loses, because a packet has none.
    pub(crate) fn lost_comments(&self) -> Vec<String> {
        match self.comments {
            0 => Vec::new(),
            1 => vec!["1 comment is dropped".to_owned()],
            count => vec![format!("{count} comments are dropped")],
        }
    }
}

/// Reads and validates one input.
pub(crate) fn inspect(input: &Input, terms: OpenOptions<'_>) -> Result<InspectedPacket, Failure> {
    let bytes = match input.read()? {
        Content::Bytes(bytes) => bytes,
        Content::TooLarge(size) => {
            return Ok(InspectedPacket::unreadable(String::new(), too_large(size)));
        }
    };
    let source = match Source::packet(&bytes) {
        Ok(source) => source,
        Err(violation) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(InspectedPacket::unreadable(text, violation));
        }
    };
    let opened = open(&source, terms);
    let comments = if opened.is_ok() { source.comment_count() } else { 0 };
    Ok(InspectedPacket {
        text: source.text().to_owned(),
        block: source.block().cloned(),
        comments,
        has_byte_order_mark: bytes.starts_with("\u{feff}".as_bytes()),
        opened,
    })
}

/// Returns `true` if the document is not a packet, like most files of a folder.
pub(crate) fn is_not_a_packet(code: Code) -> bool {
    matches!(
        code,
        Code::PacketFreeText | Code::MarkdownNoPacket | Code::PacketEmpty | Code::PacketNotObject
    )
}

/// The hint for a packet that was refused because of a secret.
pub(crate) const SECRETS_HINT: &str =
    "use `--redact` to replace secrets, or `--allow TEXT` for a text that is not one";

/// The handling of secrets in a packet that is going to be written.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Secrets {
    /// Replace secrets in the packet instead of refusing it.
    #[arg(long)]
    pub(crate) redact: bool,
    /// Allow a text that looks like a secret, with `*` as wildcard; may be repeated.
    #[arg(long, value_name = "TEXT")]
    pub(crate) allow: Vec<String>,
}

impl Secrets {
    /// Returns the handling for output that is shown and not stored.
    pub(crate) fn redacted() -> Self {
        Self { redact: true, allow: Vec::new() }
    }
}

/// Loads a packet that must be valid.
pub(crate) fn load_valid(argument: &Path, secrets: &Secrets) -> Result<LoadedPacket, Failure> {
    let read = load(argument, secrets)?;
    if read.opened.violations.is_empty() {
        return Ok(read);
    }
    Err(refused(&read.input.name, &read.text, &read.opened.violations))
}

/// Loads a packet that must be readable and free of secrets, but need not be valid.
pub(crate) fn load(argument: &Path, secrets: &Secrets) -> Result<LoadedPacket, Failure> {
    let input = Input::new(argument);
    let allow = Allow::new(&secrets.allow);
    let terms = OpenOptions { allow: Some(&allow), ..OpenOptions::default() };
    let InspectedPacket { text, block, comments, has_byte_order_mark, opened } =
        inspect(&input, terms)?;
    let mut opened = opened.map_err(|violation| refused(&input.name, &text, &[violation]))?;
    let (found, others): (Vec<_>, Vec<_>) =
        opened.violations.into_iter().partition(|violation| violation.code == Code::SecretFound);
    opened.violations = others;
    let digest = opened.packet.digest();
    if secrets.redact {
        let mut value = opened.packet.to_value();
        secrets::redact_with(&mut value, &allow);
        opened.packet = Packet::from_value(value).unwrap_or(opened.packet);
    } else if !found.is_empty() {
        return Err(refused(&input.name, &text, &found).hint(SECRETS_HINT));
    }
    Ok(LoadedPacket { input, text, block, has_byte_order_mark, opened, digest, comments })
}

fn refused(name: &str, text: &str, violations: &[Violation]) -> Failure {
    let mut message = format!("{name} is not a valid packet");
    for shown in diagnostics::violations(name, text, violations) {
        message.push_str("\n\n");
        message.push_str(shown.trim_end());
    }
    Failure::refused(message)
}

/// Converts a violation without a source text.
pub(crate) fn violation_failure(violation: &Violation) -> Failure {
    let position = match violation.pointer.as_str() {
        "" => String::new(),
        pointer => format!(" at {pointer}"),
    };
    let failure = Failure::refused(format!("{}: {}{position}", violation.code, violation.message));
    match &violation.hint {
        Some(hint) => failure.hint(hint.clone()),
        None => failure,
    }
}

/// Returns the variant that `--variant` names: a built-in one, or a file.
pub(crate) fn variant(name: &str) -> Result<Option<Variant>, Failure> {
    if name == "auto" {
        return Ok(None);
    }
    if let Some(variant) = Variant::named(name) {
        return Ok(Some(variant));
    }
    let path = Path::new(name);
    if !path.is_file() {
        let names: Vec<_> = Variant::names().collect();
        return Err(Failure::usage(format!("unknown variant `{name}`"))
            .hint(format!("use auto, {}, or the path of a variant file", names.join(", "))));
    }
    variant_file(path).map(Some)
}

fn variant_file(path: &Path) -> Result<Variant, Failure> {
    let input = Input::new(path);
    let name = &input.name;
    let Content::Bytes(bytes) = input.read()? else {
        return Err(Failure::usage(format!("the variant file {name} is too large")));
    };
    let text = String::from_utf8_lossy(&bytes);
    let shown = |violations: &[Violation]| {
        let all = diagnostics::violations(name, &text, violations).join("\n");
        Failure::usage(format!("the variant file {name} is invalid\n\n{}", all.trim_end()))
    };
    let source = Source::plain(&bytes).map_err(|violation| shown(&[violation]))?;
    let document = source.read_plain().map_err(|violation| shown(&[violation]))?;
    Variant::from_document(&document.to_value()).map_err(|mut violations| {
        source.locate(&document, &mut violations);
        shown(&violations)
    })
}
