//! The binary: parse the command line, run one command, say how it ended.

mod backend;
mod cli;
mod commands;
mod config;
mod data_dir;
mod drift;
mod exit;
mod input;
mod output;
#[cfg(test)]
mod temp_dir;

use std::io::ErrorKind;
use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::output::printer::Printer;

/// Commands are read in one thread and decided in another, which the system's allocator is slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(guarded(start))
}

/// A panic is a bug of ours; it ends with a code of its own, so that no script takes it for an answer.
fn guarded(run: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    catch_unwind(run).unwrap_or(Exit::Unknown as u8)
}

fn start() -> u8 {
    let cli = match Cli::try_parse() {
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

/// Help and version go to stdout and are no failure; clap knows which is which.
fn explain(error: &clap::Error) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8);
    match error.print() {
        Err(lost) if lost.kind() != ErrorKind::BrokenPipe => Exit::Usage as u8,
        _ => code,
    }
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
