//! The binary: parse the command line, run one command, say how it ended.

mod cli;
mod command;
mod contract_file;
mod exit;
mod input;
mod output;
mod packet_file;
mod printer;
mod report;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::printer::Printer;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to stdout and are no failure; clap knows which is which.
            let code = error.exit_code();
            return match error.print() {
                Ok(()) => ExitCode::from(u8::try_from(code).unwrap_or(Exit::Usage as u8)),
                Err(_) => ExitCode::from(Exit::Usage as u8),
            };
        }
    };
    let printer = Printer::new(&cli.global);
    let exit = command::run(cli.command, &printer).unwrap_or_else(|failure| {
        printer.failure(&failure);
        failure.exit
    });
    ExitCode::from(exit as u8)
}
