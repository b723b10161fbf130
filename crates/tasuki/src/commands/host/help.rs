//! `tasuki help`: the overview, all commands, one command, or a topic.
//!
//! Options that every command has are in `tasuki help options` only. The help of a command hides them
//! and ends with a line that points there.

use std::sync::LazyLock;

use clap::Args as _;
use tasuki_packet::violation::suggest;

use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::flags::OutputFlags;
use crate::output::printer::{Printer, STRONG};

/// Show help for a command or a topic.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki help submit\n  tasuki help --all\n  tasuki help exit-codes\n\nTopics: packet, options, exit-codes, environment, formats."
)]
pub(crate) struct Arguments {
    /// A command or a topic.
    #[arg(value_name = "COMMAND|TOPIC")]
    topic: Vec<String>,
    /// List every command with its summary.
    #[arg(long, conflicts_with = "topic")]
    all: bool,
}

/// Commands that the help lists together.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) commands: &'static [&'static str],
}

const PAGES: &[(&str, &str)] = &[
    ("exit-codes", include_str!("../../../../../docs/reference/exit-codes.md")),
    ("environment", include_str!("../../../../../docs/reference/environment.md")),
    ("formats", include_str!("../../../../../docs/reference/formats.md")),
    ("packet", include_str!("../../../../../docs/reference/packet.md")),
];

/// The topic with the options that every command has.
const OPTIONS: &str = "options";

/// LIMIT: the length of a line of help.
const LINE_CHARS_MAX: usize = 100;

const QUICK_START: &str = r#"  tasuki init
  tasuki submit --as planner --to coder --goal "Port the CSV exporter"
  tasuki claim --as coder
  tasuki checkpoint --as coder --completed "Wrote the writer" --remaining "Add tests"
  tasuki return --as coder --summary "All tests pass"
  tasuki status
"#;

pub(crate) fn run(
    arguments: &Arguments,
    command: &clap::Command,
    groups: &[Group],
    printer: &Printer,
) -> Result<Exit, Failure> {
    let text = match arguments.topic.as_slice() {
        [] if arguments.all => all_commands(command, groups),
        [] => overview(command, groups),
        [topic] if topic == OPTIONS => common_options(),
        topic => match topic_page(topic) {
            Some(text) => page(text),
            None => command_help(command, topic)?,
        },
    };
    printer.data(&text);
    Ok(Exit::Success)
}

fn topic_page(topic: &[String]) -> Option<&'static str> {
    let [topic] = topic else { return None };
    PAGES.iter().find(|(name, _)| name == topic).map(|(_, text)| *text)
}

/// Returns what `tasuki COMMAND --help` prints.
fn command_help(command: &clap::Command, names: &[String]) -> Result<String, Failure> {
    let mut found = command;
    for name in names {
        found = found.find_subcommand(name).ok_or_else(|| unknown(name, found))?;
    }
    let line = ["tasuki"].into_iter().chain(names.iter().map(String::as_str)).chain(["--help"]);
    let help = command.clone().try_get_matches_from(line).err();
    Ok(help.map(|help| help.render().ansi().to_string()).unwrap_or_default())
}

fn unknown(name: &str, command: &clap::Command) -> Failure {
    let topics = || PAGES.iter().map(|(name, _)| *name).chain([OPTIONS]);
    let names = command.get_subcommands().flat_map(clap::Command::get_name_and_visible_aliases);
    let hint = match suggest(name, names.chain(topics())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "`tasuki help --all` lists every command; the topics are {}",
            topics().collect::<Vec<_>>().join(", ")
        ),
    };
    Failure::usage(format!("unknown command or topic `{}`", excerpt(name))).hint(hint)
}

/// Returns the first page: a summary, the quick start, and the commands by group.
pub(crate) fn overview(command: &clap::Command, groups: &[Group]) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{about}.\n\n{STRONG}Quick start{STRONG:#}\n{QUICK_START}\n");
    for group in groups {
        let mut line = format!("{:<12}", group.title);
        let mut names = group.commands.iter().peekable();
        while let Some(name) = names.next() {
            // The mark of omission takes two columns.
            if line.len() + name.len() + 2 > LINE_CHARS_MAX && names.peek().is_some() {
                line.push_str("… ");
                break;
            }
            line.push_str(name);
            line.push(' ');
        }
        let (title, commands) = line.split_at(group.title.len());
        text.push_str(&format!("{STRONG}{title}{STRONG:#}{}\n", commands.trim_end()));
    }
    text.push_str(
        "\nRun `tasuki help COMMAND`, `tasuki help --all`, or `tasuki demo` to see it at work.\n",
    );
    text
}

/// Returns every command with its summary, by group.
fn all_commands(command: &clap::Command, groups: &[Group]) -> String {
    let mut blocks = Vec::new();
    for group in groups {
        let mut block = format!("{STRONG}{}{STRONG:#}\n", group.title);
        for name in group.commands {
            let Some(one) = command.find_subcommand(name) else { continue };
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            let aliases: Vec<&str> = one.get_visible_aliases().collect();
            let alias = match aliases.as_slice() {
                [] => String::new(),
                names => format!(" [alias: {}]", names.join(", ")),
            };
            block.push_str(&format!("  {name:<18}{about}{alias}\n"));
        }
        blocks.push(block);
    }
    blocks.join("\n")
}

/// Returns the help of the options that every command has.
fn common_options() -> String {
    let command = clap::Command::new("tasuki").disable_help_flag(true);
    let command = OutputFlags::augment_args(Flags::augment_args(command));
    command.help_template("{all-args}").render_long_help().ansi().to_string()
}

/// Hides the common options in the help of a command, and adds a line that points to them.
pub(crate) fn without_common_options(command: clap::Command) -> clap::Command {
    if command.has_subcommands() {
        return command.mut_subcommands(without_common_options);
    }
    let has_flags = command.get_arguments().any(is_exchange_option);
    let names = if has_flags { "`--as`, `--json`" } else { "`--json`, `--quiet`" };
    let pointer = format!("Common options ({names}, …): `tasuki help options`");
    let after = match command.get_after_help() {
        Some(text) => format!("{text}\n\n{pointer}"),
        None => pointer,
    };
    let hide = |argument: clap::Arg| {
        let is_hidden = argument.is_hide_set() || is_exchange_option(&argument);
        argument.hide(is_hidden)
    };
    command.mut_args(hide).after_help(after)
}

/// Hides the common options of a command that was built, for its manual page.
pub(super) fn hide_common_options(command: clap::Command) -> clap::Command {
    let output = OutputFlags::augment_args(clap::Command::new("tasuki"));
    let heading = output.get_arguments().next().and_then(clap::Arg::get_help_heading);
    let hide = |argument: clap::Arg| {
        let is_hidden = argument.is_hide_set()
            || is_exchange_option(&argument)
            || argument.get_help_heading().is_some() && argument.get_help_heading() == heading;
        argument.hide(is_hidden)
    };
    command.mut_args(hide).mut_subcommands(hide_common_options)
}

/// Returns whether an option is one of those that select the exchange and the caller.
fn is_exchange_option(argument: &clap::Arg) -> bool {
    static HEADING: LazyLock<Option<String>> = LazyLock::new(|| {
        let flags = Flags::augment_args(clap::Command::new("tasuki"));
        Some(flags.get_arguments().next()?.get_help_heading()?.to_owned())
    });
    let heading = argument.get_help_heading();
    heading.is_some() && heading == HEADING.as_deref()
}

/// Formats a page of the reference for a terminal: tables in columns, no line too long.
fn page(markdown: &str) -> String {
    let mut text = String::new();
    for block in markdown.trim_end().split("\n\n") {
        if !text.is_empty() {
            text.push('\n');
        }
        let title = block.strip_prefix("# ").or_else(|| block.strip_prefix("## "));
        if let Some(title) = title {
            text.push_str(&format!("{STRONG}{title}{STRONG:#}\n"));
        } else if block.starts_with("```") {
            let lines = block.lines().filter(|line| !line.starts_with("```"));
            text.extend(lines.map(|line| format!("  {line}\n")));
        } else if block.starts_with('|') {
            text.push_str(&table(block));
        } else {
            text.push_str(&wrapped(block, ""));
        }
    }
    text
}

/// Formats a table: the last column takes the rest of the line.
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

/// Wraps words behind a start; the lines that follow are indented to its width.
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
