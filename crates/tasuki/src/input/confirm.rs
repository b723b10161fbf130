//! Asks for confirmation on the terminal.

use std::io::{BufRead as _, IsTerminal as _};

use crate::exit::{Failure, reason};
use crate::output::printer::Printer;

/// Returns whether a question can be asked: a person is at the terminal and wants text.
pub(crate) fn can_ask(printer: &Printer) -> bool {
    !printer.is_json() && std::io::stdin().is_terminal()
}

/// Asks a yes/no question. Without a terminal, `--yes` is required.
pub(crate) fn confirm(question: &str, printer: &Printer) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("cannot ask for confirmation: stdin is not a terminal")
            .hint("add `--yes` to send it without confirmation"));
    }
    printer.show(&format!("{question} [y/N] "));
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {}", reason(&error))))?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
