//! The binary: parses the command line, runs one command, and exits with its code.

mod backend;
mod cli;
mod commands;
mod config;
mod data_dir;
mod drift;
mod evaluation;
mod exit;
mod git;
mod input;
mod output;
#[cfg(test)]
mod temp_dir;

use std::io::ErrorKind;
use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind as UsageError};

use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::Printer;

/// The system allocator is slow when one thread frees what another has allocated, as the engine does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(guarded(start))
}

/// Converts a panic, which is a bug, to its own exit code, so that no script takes it for a result.
fn guarded(run: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    catch_unwind(run).unwrap_or(Exit::Unknown as u8)
}

fn start() -> u8 {
    let cli = match Cli::parse_arguments() {
        Ok(cli) => cli,
        Err(error) => return explain(&error),
    };
    let mut printer = Printer::new(&cli.output);
    let ended = cli.command.run(&printer).and_then(|exit| printer.finish().map(|()| exit));
    let exit = ended.unwrap_or_else(|failure| {
        printer.failure(&failure);
        failure.exit
    });
    exit as u8
}

/// Prints help, the version, or an error of usage, and returns the exit code.
fn explain(error: &clap::Error) -> u8 {
    if let Some(failure) = unknown_command(error) {
        Printer::plain().failure(&failure);
        return failure.exit as u8;
    }
    let code = u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8);
    match error.print() {
        Err(lost) if lost.kind() != ErrorKind::BrokenPipe => Exit::Usage as u8,
        _ => code,
    }
}

/// Converts the error of a mistyped command, with the nearest command as a hint.
fn unknown_command(error: &clap::Error) -> Option<Failure> {
    if error.kind() != UsageError::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    // The suggestions are sorted by likeness, the best one last.
    let near = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.last().cloned(),
        Some(ContextValue::String(name)) => Some(name.clone()),
        _ => None,
    };
    let hint = near.map_or_else(
        || "`tasuki help --all` lists every command".to_owned(),
        |name| format!("did you mean `{name}`?"),
    );
    Some(Failure::usage(format!("unknown command `{}`", excerpt(typed))).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_with_the_code_of_a_bug() {
        assert_eq!(guarded(|| 0), 0);
        assert_eq!(guarded(|| panic!("as a test")), 70);
    }
}
