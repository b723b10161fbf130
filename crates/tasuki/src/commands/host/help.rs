//! `tasuki help`: a command's help, or one of the topics that belong to no command.

use crate::exit::{Exit, Failure};
use crate::output::printer::{Printer, STRONG};

/// Print help for a command or a topic: formats, exit-codes, environment.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A command or a topic.
    topic: Vec<String>,
}

const TOPICS: &[(&str, &str)] = &[
    ("exit-codes", include_str!("../../../../../docs/reference/exit-codes.md")),
    ("environment", include_str!("../../../../../docs/reference/environment.md")),
    ("formats", include_str!("../../../../../docs/reference/formats.md")),
];

pub(crate) fn run(
    arguments: &Arguments,
    mut command: clap::Command,
    printer: &Printer,
) -> Result<Exit, Failure> {
    if let [topic] = arguments.topic.as_slice()
        && let Some((_, text)) = TOPICS.iter().find(|(name, _)| name == topic)
    {
        printer.data(&page(text));
        return Ok(Exit::Success);
    }
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

/// LIMIT: a line of a page is not longer, as in the help of commands.
const LINE_CHARS_MAX: usize = 100;

/// A page of the reference for a terminal: tables in columns, no line too long.
fn page(markdown: &str) -> String {
    let mut text = String::new();
    for block in markdown.trim_end().split("\n\n") {
        if !text.is_empty() {
            text.push('\n');
        }
        if let Some(title) = block.strip_prefix("# ") {
            text.push_str(&format!("{STRONG}{title}{STRONG:#}\n"));
        } else if block.starts_with('|') {
            text.push_str(&table(block));
        } else {
            text.push_str(&wrapped(block, ""));
        }
    }
    text
}

/// All columns but the last are as wide as they must be; the last takes what is left.
fn table(block: &str) -> String {
    let rows: Vec<Vec<&str>> = block
        .lines()
        .filter(|line| !line.starts_with("|---"))
        .map(|line| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.len()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in &rows {
        let mut start = "  ".to_owned();
        for (column, cell) in row.iter().enumerate().take(columns.saturating_sub(1)) {
            start.push_str(&format!("{cell:<width$}  ", width = width(column)));
        }
        text.push_str(&wrapped(row.last().unwrap_or(&""), &start));
    }
    text
}

/// Words behind a start; lines that follow are as far in as the first.
fn wrapped(words: &str, start: &str) -> String {
    let indent = " ".repeat(start.chars().count());
    let mut lines = vec![start.to_owned()];
    for word in words.split_whitespace() {
        let line = lines.last_mut().expect("it begins with one line");
        let is_first = line.chars().count() == indent.len();
        if is_first || line.chars().count() + 1 + word.chars().count() <= LINE_CHARS_MAX {
            line.push_str(if is_first { "" } else { " " });
            line.push_str(word);
        } else {
            lines.push(format!("{indent}{word}"));
        }
    }
    lines.join("\n") + "\n"
}
