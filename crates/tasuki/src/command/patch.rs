//! `tasuki patch`: change one field of a packet and not the whole document.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tasuki_packet::open::{Terms, open};
use tasuki_packet::read::{Form, Source, markdown};
use tasuki_packet::{Packet, convert, patch, write};

use crate::exit::{Exit, Failure};
use crate::input::{Content, Input};
use crate::packet_file::{self, Read, Secrets};
use crate::printer::Printer;
use crate::{output, report};

/// Change a packet by a patch: RFC 7396 (an object) or RFC 6902 (a list of operations).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki patch handoff.yaml '{\"status\": \"blocked\"}'\n  tasuki patch --in-place handoff.yaml '[{\"op\": \"add\", \"path\": \"/completed/-\", \"value\": \"Wrote tests\"}]'\n  tasuki patch issue.md change.json --in-place\n\nIn Markdown only the packet's block is replaced. A result that is not valid is refused."
)]
pub(crate) struct Arguments {
    /// The packet: a file, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The patch itself as JSON, or a file with it.
    #[arg(value_name = "PATCH")]
    patch: String,
    #[command(flatten)]
    secrets: Secrets,
    /// Write the result over the file instead of to stdout.
    #[arg(long, short)]
    in_place: bool,
    /// Write the result even if it is not a valid packet.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let read = packet_file::readable(&arguments.file, &arguments.secrets)?;
    let mut value = read.opened.packet.to_value();
    apply(&mut value, &arguments.patch)?;
    let Ok(packet) = Packet::from_value(value) else {
        return Err(Failure::refused("the patch leaves something that is no object"));
    };
    let text = rewritten(&read, &packet)?;
    if !arguments.force {
        refuse_invalid(&text)?;
    }
    for remark in read.comments_left_behind() {
        printer.remark(&remark);
    }
    if !arguments.in_place {
        printer.data(&text);
        return Ok(Exit::Success);
    }
    let path = read.input.path().ok_or_else(|| Failure::usage("stdin has no place to write to"))?;
    output::replace(path, &text)?;
    printer.remark(&format!("Patched {}", read.input.name));
    Ok(Exit::Success)
}

fn apply(value: &mut Value, argument: &str) -> Result<(), Failure> {
    let bytes = if argument.trim_start().starts_with(['{', '[']) {
        argument.as_bytes().to_vec()
    } else {
        match Input::named(Path::new(argument)).read()? {
            Content::Bytes(bytes) => bytes,
            Content::TooLarge(size) => {
                return Err(Failure::usage(format!(
                    "the patch is {size} bytes, which is too large"
                )));
            }
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let shown = |violation| {
        Failure::refused(format!(
            "the patch cannot be applied\n\n{}",
            report::violation("<patch>", &text, &violation).trim_end()
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

/// The packet in the form it came in; in Markdown every other byte of the text stays.
fn rewritten(read: &Read, packet: &Packet) -> Result<String, Failure> {
    let members = packet.members();
    if let Some(block) = &read.block {
        let is_json = read.text[block.range.clone()].trim_start().starts_with('{');
        let content = if is_json { write::json(members) } else { write::yaml(members) };
        return Ok(markdown::replace(&read.text, block, &content));
    }
    let form = if read.opened.form == Form::Markdown { Form::Yaml } else { read.opened.form };
    convert::to_form(members, form, "").map_err(|violation| packet_file::failure(&violation))
}

fn refuse_invalid(text: &str) -> Result<(), Failure> {
    let opened = Source::packet(text.as_bytes()).and_then(|source| open(&source, Terms::default()));
    let violations = match opened {
        Ok(opened) => opened.violations,
        Err(violation) => vec![violation],
    };
    if violations.is_empty() {
        return Ok(());
    }
    let mut message = "the result is not a valid packet, so nothing was written".to_owned();
    for violation in &violations {
        message.push_str("\n\n");
        message.push_str(report::violation("<result>", text, violation).trim_end());
    }
    Err(Failure::refused(message).hint("`--force` writes it all the same"))
}
