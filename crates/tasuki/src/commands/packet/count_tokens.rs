//! `tasuki tokens`: counts the tokens of a packet in each form.

use std::path::PathBuf;

use serde_json::json;
use tasuki_packet::read::Form;
use tasuki_packet::render;
use tasuki_packet::render::tokens::Encoding;
use tasuki_packet::write::convert;

use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, Secrets};
use crate::output::left_out::LeftOut;
use crate::output::printer::{FAINT, Printer, STRONG};

/// Count the tokens of a packet.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki tokens handoff.yaml\n\nCounts every form with a real tokenizer. Other models use other vocabularies, so the count is an estimate for them."
)]
pub(crate) struct Arguments {
    /// The packet, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The vocabulary: `o200k_base` or `cl100k_base`.
    #[arg(long, default_value = "o200k_base", value_name = "NAME")]
    encoding: String,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let encoding = Encoding::from_name(&arguments.encoding).ok_or_else(|| {
        Failure::usage(format!("unknown encoding `{}`", arguments.encoding))
            .hint("use o200k_base or cl100k_base")
    })?;
    let packet = packet_file::load(&arguments.file, &Secrets::redacted())?.opened.packet;
    let count = |text: &str| encoding.count(text);
    let mut rows = Vec::new();
    for form in [Form::Json, Form::Yaml, Form::Wire] {
        let text = convert::to_form(packet.members(), form, "")
            .map_err(|violation| packet_file::violation_failure(&violation))?;
        rows.push((form.name(), count(&text)));
    }
    rows.push(("brief", count(&render::brief_text(&packet))));
    let brief = render::agent_brief(&packet, None, &count).ok();
    rows.extend(brief.as_ref().map(|brief| ("agent brief", brief.tokens)));
    let cut = brief.as_ref().and_then(LeftOut::of_brief);
    if printer.is_json() {
        let counts: serde_json::Map<_, _> =
            rows.iter().map(|(name, tokens)| (name.replace(' ', "_"), json!(tokens))).collect();
        printer.json(&json!({ "encoding": encoding.name(), "tokens": counts, "cut": cut }));
        return Ok(Exit::Success);
    }
    for (name, tokens) in rows {
        printer.data(&format!("{STRONG}{name:<12}{STRONG:#} {tokens:>7}\n"));
    }
    printer.remark(&format!("{FAINT}tokens, ≈ {}{FAINT:#}", encoding.name()));
    if let Some(cut) = cut {
        printer.loss(&format!("note: the agent brief is cut: it {cut}"));
    }
    Ok(Exit::Success)
}
