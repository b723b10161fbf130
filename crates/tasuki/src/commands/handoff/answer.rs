//! `tasuki answer`: answers a question of the receiver, which makes a new revision.

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
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Answer a question about a handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki answer build-42 -m \"All that are two years old or younger\"\n  tasuki answer build-42 --question qst_018f… -f revised.yaml\n\nThe answer becomes part of the packet as a new revision, so approvals of the old revision no longer count."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` names the revision that you saw.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The id of the question, if several are open.
    #[arg(long, value_name = "QUESTION")]
    question: Option<String>,
    /// The answer.
    #[arg(short, long, value_name = "TEXT", required_unless_present = "file")]
    message: Option<String>,
    /// A revised packet as the answer, or `-` for stdin.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    // Without a revision, the answer is for the current one.
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
    command_result::print(&answer, printer, |handoff| {
        let revision = handoff.revision;
        format!(
            "Answered: {} is now revision {revision}. {}",
            name(handoff),
            next_sentence(handoff)
        )
    });
    Ok(Exit::Success)
}

fn question(written: &str) -> Result<QuestionId, Failure> {
    written.parse().map_err(|error| {
        Failure::usage(format!("`{}` is not the id of a question: {error}", excerpt(written)))
            .hint("`tasuki show` lists the open questions")
    })
}
