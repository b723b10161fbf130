//! `tasuki help`: a command's help, or one of the topics that belong to no command.

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Print help for a command or a topic: formats, exit-codes, environment.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A command or a topic.
    topic: Vec<String>,
}

const TOPICS: &[(&str, &str)] = &[
    ("exit-codes", include_str!("../../../../docs/reference/exit-codes.md")),
    ("environment", include_str!("../../../../docs/reference/environment.md")),
    ("formats", include_str!("../../../../docs/reference/formats.md")),
];

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if let [topic] = arguments.topic.as_slice()
        && let Some((_, text)) = TOPICS.iter().find(|(name, _)| name == topic)
    {
        printer.data(text);
        return Ok(Exit::Success);
    }
    let mut command = Cli::command();
    command.build();
    let mut found = &mut command;
    for name in &arguments.topic {
        found = found.find_subcommand_mut(name).ok_or_else(|| {
            let topics: Vec<_> = TOPICS.iter().map(|(name, _)| *name).collect();
            Failure::usage(format!("there is no command or topic `{name}`")).hint(format!(
                "topics are {}; `tasuki --help` lists the commands",
                topics.join(", ")
            ))
        })?;
    }
    printer.data(&found.render_long_help().ansi().to_string());
    Ok(Exit::Success)
}
