//! `tasuki answer`: say what the receiver wants to know. An answer makes a new revision.

use std::path::PathBuf;

use tasuki_engine::command::Command;
use tasuki_engine::steps::{Answer, SeenVersion};
use tasuki_packet::id::QuestionId;

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::command_result;
use crate::output::escape::excerpt;
use crate::output::printer::Printer;

/// Answer a question about a handoff, with a sentence or with a revised packet.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki answer 1a2b3c -m \"All that are two years old or younger\"\n  tasuki answer 1a2b3c --question qst_018f… -f revised.yaml\n\nQuestion and answer stand in the packet from then on: it is a new revision, and whoever approved the old one is asked again."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names the revision that you saw.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The question; not needed where only one is open.
    #[arg(long, value_name = "QUESTION")]
    question: Option<String>,
    /// The answer.
    #[arg(short, long, value_name = "TEXT", required_unless_present = "file")]
    message: Option<String>,
    /// The revised packet, if the answer is more than a sentence; `-` is stdin.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    // Whoever names a revision means that one; anybody else answers whatever is asked by now.
    let (handoff, seen) = if arguments.handoff.contains('@') {
        let (shown, seen) = exchange.resolve_with_version(&arguments.handoff)?;
        (parse_id(&shown)?, seen)
    } else {
        (exchange.resolve_own_id(&arguments.handoff)?, SeenVersion::default())
    };
    let request = Answer {
        handoff,
        question: arguments.question.as_deref().map(question).transpose()?,
        text: arguments.message.clone(),
        source: arguments.file.as_deref().map(file::bytes).transpose()?,
        seen,
    };
    let answer = exchange.run(Command::Answer(request), None)?;
    command_result::print("Answered", &answer, printer);
    Ok(Exit::Success)
}

fn question(written: &str) -> Result<QuestionId, Failure> {
    written.parse().map_err(|error| {
        Failure::usage(format!("`{}` is no question: {error}", excerpt(written)))
            .hint("`tasuki show` lists the open questions")
    })
}
