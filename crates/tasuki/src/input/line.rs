//! Asks for one line on the terminal.

use std::io::BufRead as _;

use crate::exit::{Failure, reason};
use crate::output::printer::Printer;

/// Asks a question and returns the trimmed answer.
pub(crate) fn ask(question: &str, printer: &Printer) -> Result<String, Failure> {
    printer.show(question);
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {}", reason(&error))))?;
    Ok(line.trim().to_owned())
}
