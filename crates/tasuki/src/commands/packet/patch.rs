//! `tasuki patch`: applies a patch to a packet.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tasuki_packet::check::secrets::{self, Allow};
use tasuki_packet::open::{OpenOptions, OpenedPacket, open};
use tasuki_packet::read::markdown::{self, Block};
use tasuki_packet::read::{Form, Source};
use tasuki_packet::render::{self, Written};
use tasuki_packet::write::{self, convert};
use tasuki_packet::{Code, Packet, patch};

use crate::exit::{Exit, Failure};
use crate::input::file::{Content, Input};
use crate::input::packet_file::{self, LoadedPacket, Secrets, VariantFlag};
use crate::output::printer::Printer;
use crate::output::{diagnostics, file};

/// Apply a patch to a packet.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki patch handoff.yaml '{\"status\": \"blocked\"}'\n  tasuki patch handoff.yaml '[{\"op\": \"remove\", \"path\": \"/remaining/0\"}]' --in-place\n  tasuki patch issue.md change.json --in-place\n\nA patch is a JSON object (merge patch, RFC 7396) or a list of operations (JSON Patch, RFC 6902). In Markdown the block of the packet changes, and the text before it if tasuki generated it. An invalid result is refused."
)]
pub(crate) struct Arguments {
    /// The packet, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The patch as JSON, or a file with it.
    #[arg(value_name = "PATCH")]
    patch: String,
    #[command(flatten)]
    variant: VariantFlag,
    #[command(flatten)]
    secrets: Secrets,
    /// Overwrite the file instead of writing to stdout.
    #[arg(long, short)]
    in_place: bool,
    /// Write the result even if it is invalid.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let variant = arguments.variant.read()?;
    let read = packet_file::load_as(&arguments.file, &arguments.secrets, variant.as_ref())?;
    // A document in another dialect keeps its own field names.
    let mut value = Value::Object(read.opened.sent().clone());
    apply(&mut value, &arguments.patch)?;
    let allow = Allow::new(&arguments.secrets.allow);
    if arguments.secrets.redact {
        secrets::redact_with(&mut value, &allow);
    }
    let Ok(packet) = Packet::from_value(value) else {
        return Err(Failure::refused("the result of the patch is not an object"));
    };
    let terms =
        OpenOptions { variant: variant.as_ref(), allow: Some(&allow), ..OpenOptions::default() };
    let text = rewritten(&read, &packet)?;
    let changed = validate(&text, terms, arguments.force)?;
    // The text before the block is rewritten last, because it is made from the new packet.
    let regenerated = changed.and_then(|changed| regenerated(&read, &changed, &packet));
    let (losses, note) = (read.lost_comments(), note_on_text(&read, regenerated.is_some()));
    let text = regenerated.unwrap_or(text);
    if arguments.in_place {
        let path = read
            .input
            .path()
            .ok_or_else(|| Failure::usage("`--in-place` cannot be used with stdin"))?;
        file::replace(path, &text)?;
    }
    if printer.is_json() {
        let text = (!arguments.in_place).then_some(&text);
        let notes: Vec<&str> = losses.iter().map(String::as_str).chain(note).collect();
        printer.json(&json!({ "form": read.opened.form.name(), "text": text, "notes": notes }));
        return Ok(Exit::Success);
    }
    for loss in &losses {
        printer.loss(&format!("note: {loss}"));
    }
    if let Some(note) = note {
        printer.remark(&format!("note: {note}"));
    }
    if arguments.in_place {
        printer.remark(&format!("Patched {}", read.input.name));
    } else {
        printer.data(&text);
    }
    Ok(Exit::Success)
}

fn apply(value: &mut Value, argument: &str) -> Result<(), Failure> {
    let bytes = if argument.trim_start().starts_with(['{', '[']) {
        argument.as_bytes().to_vec()
    } else {
        match Input::new(Path::new(argument)).read()? {
            Content::Bytes(bytes) => bytes,
            Content::TooLarge(size) => {
                return Err(Failure::usage(format!("the patch is too large ({size} bytes)")));
            }
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let shown = |violation| {
        Failure::refused(format!(
            "the patch cannot be applied\n\n{}",
            diagnostics::only_violation("<patch>", &text, &violation).trim_end()
        ))
    };
    let source = Source::plain(&bytes).map_err(shown)?;
    let document = source.read_plain().map_err(shown)?;
    patch::apply_either(value, &document.to_value()).map_err(|violation| {
        let mut violations = [violation];
        source.locate(&document, &mut violations);
        let [violation] = violations;
        shown(violation)
    })?;
    Ok(())
}

/// Writes the packet in its original form; in Markdown every other byte of the text stays.
fn rewritten(read: &LoadedPacket, packet: &Packet) -> Result<String, Failure> {
    let members = packet.members();
    if let Some(block) = &read.block {
        let is_json = read.text[block.range.clone()].trim_start().starts_with('{');
        let content = if is_json { write::json(members) } else { write::yaml(members) };
        let mark = if read.has_byte_order_mark { "\u{feff}" } else { "" };
        return Ok(mark.to_owned() + &markdown::replace(&read.text, block, &content));
    }
    let form = if read.opened.form == Form::Markdown { Form::Yaml } else { read.opened.form };
    convert::to_form(members, form, "")
        .map_err(|violation| packet_file::violation_failure(&violation))
}

/// Describes what became of the Markdown text around the packet, if there is any. Text that its
/// author changed stays, and may be about the packet as it was.
fn note_on_text(read: &LoadedPacket, is_regenerated: bool) -> Option<&'static str> {
    let has_text = |block: &Block| block.prose(&read.text).iter().any(|part| !part.is_empty());
    match &read.block {
        Some(_) if is_regenerated => Some("the generated text before the packet was rewritten"),
        Some(block) if has_text(block) => Some("the text around the packet was left as it is"),
        _ => None,
    }
}

/// Returns the Markdown with new text before the packet, if the old text was generated from it.
fn regenerated(read: &LoadedPacket, changed: &OpenedPacket, document: &Packet) -> Option<String> {
    let block = read.block.as_ref().filter(|_| !read.has_byte_order_mark)?;
    let old = Written { packet: &read.opened.packet, document: read.opened.sent() };
    let new = Written { packet: &changed.packet, document: document.members() };
    render::regenerated(&read.text, block, old, new)
}

/// Refuses an invalid result. `--force` permits it, except for secrets. Returns the packet, if it
/// can be read.
fn validate(
    text: &str,
    terms: OpenOptions<'_>,
    is_forced: bool,
) -> Result<Option<OpenedPacket>, Failure> {
    let opened = Source::packet(text.as_bytes()).and_then(|source| open(&source, terms));
    let (opened, violations) = match opened {
        Ok(mut opened) => {
            let violations = std::mem::take(&mut opened.violations);
            (Some(opened), violations)
        }
        Err(violation) => (None, vec![violation]),
    };
    let has_secret = violations.iter().any(|violation| violation.code == Code::SecretFound);
    if violations.is_empty() || is_forced && !has_secret {
        return Ok(opened);
    }
    let mut message = "the result is not a valid packet; nothing was written".to_owned();
    for shown in diagnostics::violations("<result>", text, &violations) {
        message.push_str("\n\n");
        message.push_str(shown.trim_end());
    }
    Err(Failure::refused(message).hint(if has_secret {
        packet_file::SECRETS_HINT
    } else {
        "use `--force` to write it anyway"
    }))
}
