//! `tasuki watch`: prints events as they happen, or runs a command for each.
//!
//! This is a stream client on the caller's own machine. A server never runs commands. The command
//! gets an event as JSON on stdin, and nothing of it in its arguments: event text belongs to other
//! parties.

use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};

use tasuki_api as api;

use super::event_filter::EventFilterFlags;
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::value_parsers::limit;
use crate::output::escape::excerpt;
use crate::output::event::live_line;
use crate::output::printer::{BAD, Printer};

/// Watch events live, or run a command for each.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki watch\n  tasuki watch --type held --exec notify-send-handoff\n  tasuki watch --receiver ana --exec ./on-event.sh -- --sound 'two tones'\n\nWithout `--exec`, prints new events until Ctrl-C. With it, runs the command once for each event, one after the other, with the event as one line of JSON on stdin. No shell is involved: the command is split at spaces, and arguments after `--` are passed as they are. A command that fails is reported, and the next event follows. After a lost connection it continues with the next event."
)]
pub(crate) struct Arguments {
    /// Run this command for each event, with the event as JSON on stdin.
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,
    /// Begin after this event; by default with the next one.
    #[arg(long, value_name = "NUMBER")]
    since: Option<u64>,
    /// Stop after this many events.
    #[arg(long, value_name = "COUNT", value_parser = limit::<usize>)]
    limit: Option<usize>,
    #[command(flatten)]
    filter_flags: EventFilterFlags,
    #[command(flatten)]
    flags: Flags,
    /// Arguments of the command.
    #[arg(last = true, value_name = "ARG", requires = "exec")]
    more: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    exchange.apply_due()?;
    let exec = arguments.exec.as_deref().map(|line| Exec::parse(line, &arguments.more));
    let exec = exec.transpose()?;
    let filter = arguments.filter_flags.filter(&*exchange)?;
    let from = match arguments.since {
        Some(seen) => seen.saturating_add(1),
        None => exchange.next_event_number()?,
    };
    let mut follower = exchange.follow_events(from, &filter, printer)?;
    if !printer.is_json() {
        let project = exchange.settings().project.value.as_str();
        printer.remark(&format!("Watching project {project}. Ctrl-C to stop."));
    }
    let mut left = arguments.limit.unwrap_or(usize::MAX);
    while left > 0 && !printer.is_reader_gone() {
        let mut events = follower.next(None)?;
        events.truncate(left);
        left -= events.len();
        match &exec {
            Some(exec) => events.iter().try_for_each(|event| exec.run(event, printer))?,
            None => print(&*exchange, &events, printer)?,
        }
    }
    Ok(Exit::Success)
}

fn print(exchange: &dyn Backend, events: &[api::Event], printer: &Printer) -> Result<(), Failure> {
    if printer.is_json() {
        for event in events {
            printer.json(event);
        }
        return Ok(());
    }
    let (times, names) = (exchange.time_formatter(), exchange.event_context(events)?);
    for event in events {
        printer.data(&live_line(event, &names, times));
    }
    Ok(())
}

/// A command that runs for each event.
#[derive(Debug, PartialEq, Eq)]
struct Exec {
    program: String,
    arguments: Vec<String>,
}

impl Exec {
    /// Splits a command at spaces, and appends arguments.
    fn parse(line: &str, more: &[String]) -> Result<Self, Failure> {
        let mut words = line.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or_else(|| {
            Failure::usage("`--exec` names no command")
                .hint("use the form `tasuki watch --exec ./on-event.sh`")
        })?;
        Ok(Self { program, arguments: words.chain(more.iter().cloned()).collect() })
    }

    /// Runs the command with an event on stdin, and waits for it.
    fn run(&self, event: &api::Event, printer: &Printer) -> Result<(), Failure> {
        let program = excerpt(&self.program);
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Failure::usage(format!("cannot run `{program}`: {error}"))
                    .hint("name a program; shell syntax such as pipes needs a script")
            })?;
        let mut line = serde_json::to_vec(event).unwrap_or_default();
        line.push(b'\n');
        // Dropping stdin closes it, so that the command sees the end of its input.
        let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(&line));
        let status = child.wait().map_err(|error| lost(&program, &error))?;
        match written {
            // A command may end without reading its input.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(lost(&program, &error)),
            _ if !status.success() => {
                let n = event.n;
                printer
                    .remark(&format!("{BAD}✗{BAD:#} `{program}` failed for event {n}: {status}"));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn lost(program: &str, error: &std::io::Error) -> Failure {
    Failure::usage(format!("lost the command `{program}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_at_spaces_and_never_by_a_shell() {
        let exec = Exec::parse("notify  --title $HOME; rm", &["two words".to_owned()]).unwrap();
        assert_eq!(exec.program, "notify");
        assert_eq!(exec.arguments, ["--title", "$HOME;", "rm", "two words"]);
        assert!(Exec::parse("  ", &[]).is_err());
    }
}
