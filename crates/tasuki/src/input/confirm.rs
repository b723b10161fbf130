//! Asking the person at the keyboard before something is sent.

use std::io::{BufRead as _, IsTerminal as _};

use crate::exit::{Failure, reason};
use crate::output::printer::Printer;

/// Asks a question that is answered with yes or no. Where nobody can answer, `--yes` has to.
pub(crate) fn confirm(question: &str, printer: &Printer) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("nobody is here to confirm it: stdin is no terminal")
            .hint("add `--yes` to send it without a question"));
    }
    printer.show(&format!("{question} [y/N] "));
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {}", reason(&error))))?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
