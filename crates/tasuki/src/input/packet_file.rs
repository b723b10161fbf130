//! Loads a packet from an input.

use std::path::Path;

use serde_json::Value;
use tasuki_packet::check::secrets::{self, Allow};
use tasuki_packet::open::{OpenOptions, OpenedPacket, open};
use tasuki_packet::read::markdown::Block;
use tasuki_packet::read::{Source, too_large};
use tasuki_packet::{Code, Packet, Variant, Violation};

use super::document_kind::DocumentKind;
use super::file::{Content, Input};
use crate::exit::Failure;
use crate::output::diagnostics;
use crate::output::left_out::LeftOut;

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
    /// Describes what the import of a dialect moved, preserved or assumed.
    pub(crate) fn import_notes(&self) -> Vec<String> {
        let Some(dialect) = self.opened.dialect else { return Vec::new() };
        let notes = self.opened.notes.iter().map(|note| {
            let position = if note.pointer.is_empty() { "the packet" } else { &note.pointer };
            diagnostics::redacted_text(&format!("{position}: {}", note.message))
        });
        [format!("read as {dialect}")].into_iter().chain(notes).collect()
    }

    /// Describes the losses of a conversion to another form.
    pub(crate) fn rewrite_losses(&self) -> Vec<String> {
        let prose = self.block.as_ref().map_or(0, |block| {
            block.prose(&self.text).iter().map(|part| part.lines().count()).sum()
        });
        let mut remarks = self.lost_comments();
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
    Ok(inspect_content(&input.read()?, terms))
}

/// Validates the content of an input.
pub(crate) fn inspect_content(content: &Content, terms: OpenOptions<'_>) -> InspectedPacket {
    let bytes = match content {
        Content::Bytes(bytes) => bytes,
        Content::TooLarge(size) => {
            return InspectedPacket::unreadable(String::new(), too_large(*size));
        }
    };
    let source = match Source::packet(bytes) {
        Ok(source) => source,
        Err(violation) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            return InspectedPacket::unreadable(text, violation);
        }
    };
    let opened = open(&source, terms);
    let comments = if opened.is_ok() { source.comment_count() } else { 0 };
    InspectedPacket {
        text: source.text().to_owned(),
        block: source.block().cloned(),
        comments,
        has_byte_order_mark: bytes.starts_with("\u{feff}".as_bytes()),
        opened,
    }
}

/// Returns `true` if a file of a folder is not a packet, like most files of a folder. A file that
/// the caller names must be one.
pub(crate) fn is_no_packet(input: &Input, content: &Content) -> bool {
    input.is_discovered
        && match content {
            Content::Bytes(bytes) => DocumentKind::of(input.path(), bytes) != DocumentKind::Packet,
            Content::TooLarge(_) => true,
        }
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

/// The variant that packets of a command are checked against.
#[derive(Debug, clap::Args)]
pub(crate) struct VariantFlag {
    /// The variant: auto, a built-in name, or your own variant file.
    #[arg(long, default_value = "auto", value_name = "NAME|FILE")]
    variant: String,
}

impl VariantFlag {
    /// Returns the variant, or `None` to detect it.
    pub(crate) fn read(&self) -> Result<Option<Variant>, Failure> {
        variant(&self.variant)
    }

    /// Returns the document of your own variant file, for an exchange; `None` for other variants.
    pub(crate) fn document(&self) -> Result<Option<Value>, Failure> {
        if self.variant == "auto" || Variant::named(&self.variant).is_some() {
            return Ok(None);
        }
        variant_file(Path::new(&self.variant)).map(|(_, document)| Some(document))
    }
}

/// Loads a packet that must be valid.
pub(crate) fn load_valid(
    argument: &Path,
    secrets: &Secrets,
    variant: Option<&Variant>,
) -> Result<LoadedPacket, Failure> {
    let read = load_as(argument, secrets, variant)?;
    if read.opened.violations.is_empty() {
        return Ok(read);
    }
    Err(refused(&read.input.name, &read.text, &read.opened.violations))
}

/// Loads a packet that must be readable and free of secrets, but need not be valid.
pub(crate) fn load(argument: &Path, secrets: &Secrets) -> Result<LoadedPacket, Failure> {
    load_as(argument, secrets, None)
}

/// Loads a packet like [`load`], to be checked against a variant.
pub(crate) fn load_as(
    argument: &Path,
    secrets: &Secrets,
    variant: Option<&Variant>,
) -> Result<LoadedPacket, Failure> {
    let input = Input::new(argument);
    let allow = Allow::new(&secrets.allow);
    let terms = OpenOptions { variant, allow: Some(&allow), ..OpenOptions::default() };
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
        if let Some(Value::Object(sent)) = opened.foreign.take().map(|sent| {
            let mut sent = Value::Object(sent);
            secrets::redact_with(&mut sent, &allow);
            sent
        }) {
            opened.foreign = Some(sent);
        }
    } else if !found.is_empty() {
        return Err(refused(&input.name, &text, &found).hint(SECRETS_HINT));
    }
    Ok(LoadedPacket { input, text, block, has_byte_order_mark, opened, digest, comments })
}

fn refused(name: &str, text: &str, violations: &[Violation]) -> Failure {
    let headline = format!("{name} is not a valid packet");
    refused_with(headline, name, text, violations)
}

/// Returns the failure for a text with violations, below a headline.
pub(crate) fn refused_with(
    headline: String,
    name: &str,
    text: &str,
    violations: &[Violation],
) -> Failure {
    let mut message = headline;
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
    variant_file(path).map(|(variant, _)| Some(variant))
}

/// Reads a variant file. Returns the variant and its document.
fn variant_file(path: &Path) -> Result<(Variant, Value), Failure> {
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
    let value = document.to_value();
    let variant = Variant::from_document(&value).map_err(|mut violations| {
        source.locate(&document, &mut violations);
        shown(&violations)
    })?;
    Ok((variant, value))
}

/// Refuses a packet that its sender's own variant refuses. The exchange fills in parties and task.
pub(crate) fn require_variant(source: &[u8], variant: Option<&Variant>) -> Result<(), Failure> {
    let Some(variant) = variant else { return Ok(()) };
    let terms = OpenOptions { variant: Some(variant), ..OpenOptions::default() };
    let read = Source::packet(source).and_then(|source| open(&source, terms));
    let mut violations = read.map_or_else(|violation| vec![violation], |read| read.violations);
    let filled_in = ["/from_agent", "/to_agent", "/task_id"];
    violations.retain(|violation| {
        violation.code != Code::FieldMissing || !filled_in.contains(&violation.pointer.as_str())
    });
    if violations.is_empty() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(source);
    Err(refused_with("the packet is not valid".to_owned(), "<packet>", &text, &violations))
}

/// Returns a sentence about what the receiver of a packet will not see, if anything.
pub(crate) fn brief_notice(source: &[u8]) -> Option<String> {
    let read = open(&Source::packet(source).ok()?, OpenOptions::default()).ok()?;
    LeftOut::of(&read.packet).map(|notice| format!("the receiver's brief {notice}"))
}
