//! `tasuki resume`: what somebody is given to go on from.

use tasuki_packet::read::Form;
use tasuki_packet::render::tokens;
use tasuki_packet::write::convert;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::packet_file;
use crate::output::printer::{Printer, counted};

/// LIMIT: what a brief has unless the caller says otherwise: all of a good packet, little of a long one.
const BUDGET_TOKENS: usize = 1_500;

/// Print what is needed to go on with a task: packet, checkpoints and decisions in one brief.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki resume build-42 --as hermes-worker-3\n  tasuki resume 1a2b3c --budget 800\n  tasuki resume build-42 --as-packet > continuation.yaml\n\nThe brief is fenced as data of another party. Goal, constraints, acceptance, failure boundary, return fields and pinned items are always in it; what the budget does not hold is named by its place. A packet of the regulated variant is printed with its `audit_trail`, which `tasuki log check --trail` compares with the log."
)]
pub(crate) struct Arguments {
    /// The task, or the handoff by id or ending.
    #[arg(value_name = "TASK")]
    handoff: String,
    /// The most tokens that the brief may have.
    #[arg(long, value_name = "TOKENS", default_value_t = BUDGET_TOKENS)]
    budget: usize,
    /// Print the composed packet as YAML instead.
    #[arg(long, conflicts_with = "budget")]
    as_packet: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    exchange.apply_due()?;
    if arguments.as_packet {
        let packet = exchange.export_packet(&arguments.handoff)?;
        if printer.is_json() {
            printer.json(&packet.to_value());
        } else {
            let text = convert::to_form(packet.members(), Form::Yaml, "")
                .map_err(|violation| packet_file::violation_failure(&violation))?;
            printer.data(&text);
        }
        return Ok(Exit::Success);
    }
    let continuation = exchange.continuation(&arguments.handoff, arguments.budget)?;
    if printer.is_json() {
        printer.json(&continuation);
    } else {
        printer.data(&continuation.text);
        let left = match continuation.left_out.len() {
            0 => String::new(),
            count => format!(", {} left out", counted(count, "place")),
        };
        printer.remark(&format!("{} tokens ({}){left}", continuation.tokens, tokens::LABEL));
    }
    Ok(Exit::Success)
}
