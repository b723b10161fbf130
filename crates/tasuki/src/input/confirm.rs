//! Asks for confirmation on the terminal.

use super::line::ask;
use crate::exit::Failure;
use crate::output::printer::Printer;

/// Asks a yes/no question. Where no one can be asked, `--yes` is required.
pub(crate) fn confirm(question: &str, printer: &Printer) -> Result<bool, Failure> {
    if !printer.may_prompt() {
        return Err(Failure::usage("cannot ask for confirmation: stdin is not a terminal")
            .hint("add `--yes` to send it without confirmation"));
    }
    let answer = ask(&format!("{question} [y/N] "), printer)?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}
