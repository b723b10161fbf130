//! `tasuki render`: renders a packet for a person or a model.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;
use tasuki_packet::render::{self, CARD_WIDTH_DEFAULT, CardOptions, tokens};
use tasuki_packet::{Packet, Violation};

use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, Secrets, VariantFlag};
use crate::output::left_out::LeftOut;
use crate::output::printer::Printer;

/// Render a packet for a person or a model.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki render handoff.yaml --as brief\n  tasuki render handoff.yaml --as agent --budget 400\n  tasuki render return.yaml --as comment\n\nAn invalid packet is refused. The brief for a model is marked as data, with its origin."
)]
pub(crate) struct Arguments {
    /// The packet, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The kind of output.
    #[arg(long = "as", value_enum, default_value = "card")]
    kind: Rendering,
    #[command(flatten)]
    variant: VariantFlag,
    #[command(flatten)]
    secrets: Secrets,
    /// The maximum number of tokens of an agent brief [default: 1500].
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

/// The kind of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rendering {
    /// Text for a person, with every value exactly as it was sent.
    Brief,
    /// Bounded text for a model, marked as data.
    #[value(alias = "model")]
    Agent,
    /// A card for a terminal.
    Card,
    /// An issue comment that contains the packet.
    Comment,
    /// A standalone web page.
    Html,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.budget.is_some() && arguments.kind != Rendering::Agent {
        return Err(Failure::usage("`--budget` needs `--as agent`"));
    }
    let variant = arguments.variant.read()?;
    let read = packet_file::load_valid(&arguments.file, &arguments.secrets, variant.as_ref())?;
    let (packet, document) = (&read.opened.packet, read.opened.sent());
    let text = match arguments.kind {
        Rendering::Brief => render::brief_text(packet),
        Rendering::Html => render::html_document(packet),
        Rendering::Comment => render::comment_with(packet, document),
        Rendering::Card => render::card(packet, card_options(printer)),
        Rendering::Agent => return agent(packet, arguments.budget, printer),
    };
    if printer.is_json() {
        printer.json(&json!({ "text": text, "tokens": tokens::count(&text) }));
    } else {
        printer.data(&text);
    }
    Ok(Exit::Success)
}

fn agent(packet: &Packet, budget: Option<usize>, printer: &Printer) -> Result<Exit, Failure> {
    let brief = render::agent_brief(packet, budget, &tokens::count)
        .map_err(|error| packet_file::violation_failure(&Violation::from(error)))?;
    if printer.is_json() {
        printer.json(&json!({
            "text": brief.text, "tokens": brief.tokens, "tokens_whole": brief.tokens_whole,
            "left_out": brief.left_out,
        }));
        return Ok(Exit::Success);
    }
    printer.data(&brief.text);
    printer.remark(&format!("{} tokens ({})", brief.tokens, tokens::LABEL));
    if let Some(notice) = LeftOut::of_brief(&brief) {
        printer.loss(&format!("note: the brief {notice}"));
    }
    Ok(Exit::Success)
}

fn card_options(printer: &Printer) -> CardOptions {
    let colour = printer.is_coloured() && !printer.is_json();
    CardOptions { width: CARD_WIDTH_DEFAULT, colour }
}
