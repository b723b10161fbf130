//! `tasuki render`: a packet as a person or a model reads it.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;
use tasuki_packet::render::{self, CARD_WIDTH_DEFAULT, CardOptions, tokens};
use tasuki_packet::{Packet, Violation};

use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, Secrets};
use crate::output::printer::{Printer, counted};

/// Show a packet: a brief for people, a brief for a model, a card, an issue comment, HTML.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki render handoff.yaml --as brief\n  tasuki render handoff.yaml --as agent --budget 400\n  tasuki render return.yaml --as comment\n\nAn invalid packet is refused. What a model gets is fenced as data, with its origin named."
)]
pub(crate) struct Arguments {
    /// The packet: a file, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What to make of it.
    #[arg(long = "as", value_enum, default_value = "card")]
    kind: Rendering,
    #[command(flatten)]
    secrets: Secrets,
    /// The most tokens that an agent brief may have.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

/// What to make of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rendering {
    /// Markdown for a person.
    Brief,
    /// Bounded text for a model, fenced as data.
    Agent,
    /// The shipping manifest, for a terminal.
    Card,
    /// An issue comment that holds the packet.
    Comment,
    /// A web page of its own.
    Html,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.budget.is_some() && arguments.kind != Rendering::Agent {
        return Err(Failure::usage("`--budget` bounds an agent brief; add `--as agent`"));
    }
    let packet = packet_file::load_valid(&arguments.file, &arguments.secrets)?.opened.packet;
    let text = match arguments.kind {
        Rendering::Brief => render::human_brief(&packet),
        Rendering::Html => render::html_document(&packet),
        Rendering::Comment => render::comment(&packet),
        Rendering::Card => render::card(&packet, card_options(printer)),
        Rendering::Agent => return agent(&packet, arguments.budget, printer),
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
            "text": brief.text, "tokens": brief.tokens, "left_out": brief.left_out,
        }));
        return Ok(Exit::Success);
    }
    printer.data(&brief.text);
    let left = match brief.left_out.len() {
        0 => String::new(),
        count => format!(", {} left out", counted(count, "place")),
    };
    printer.remark(&format!("{} tokens ({}){left}", brief.tokens, tokens::LABEL));
    Ok(Exit::Success)
}

fn card_options(printer: &Printer) -> CardOptions {
    let colour = printer.is_coloured() && !printer.is_json();
    CardOptions { width: CARD_WIDTH_DEFAULT, colour }
}
