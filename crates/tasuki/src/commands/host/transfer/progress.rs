//! The progress bar of a move, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::printer::Printer;

/// Returns a counter for a file of unknown length.
pub(super) fn counter(what: &'static str, printer: &Printer) -> ProgressBar {
    styled(None, &format!("{what} {{pos}} rows ({{per_sec}})"), printer)
}

/// Returns a bar for a known length, in bytes or events.
pub(super) fn bar(what: &'static str, length: u64, printer: &Printer) -> ProgressBar {
    styled(Some(length), &format!("{what} {{bar:30}} {{percent}} % ({{eta}})"), printer)
}

fn styled(length: Option<u64>, template: &str, printer: &Printer) -> ProgressBar {
    if printer.is_quiet() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).expect("the template is a constant");
    ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr()).with_style(style)
}
