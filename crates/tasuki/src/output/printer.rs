//! The only way to stdout and stderr: data to the one, everything else to the other.

use std::cell::{Cell, OnceCell};
use std::io::{ErrorKind, Write as _};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::fields::Fields;
use super::flags::{ColorMode, OutputFlags};
use crate::exit::{Failure, reason};

/// Prints what a command has to say.
#[derive(Debug)]
pub(crate) struct Printer {
    json: bool,
    fields: Fields,
    /// The first failure of `--fields`: a name that no object has.
    unknown_field: OnceCell<Failure>,
    quiet: bool,
    /// The first error of writing to stdout.
    write_error: OnceCell<std::io::Error>,
    /// Set when the reader of stdout has closed it.
    is_reader_gone: Cell<bool>,
}

/// Headings and names that stand out.
pub(crate) const STRONG: Style = Style::new().bold();
/// What went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What deserves a look.
pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
/// What stays in the background.
pub(crate) const FAINT: Style = AnsiColor::BrightBlack.on_default();

impl Printer {
    pub(crate) fn new(flags: &OutputFlags) -> Self {
        match flags.color {
            ColorMode::Auto => {}
            ColorMode::Always => anstream::ColorChoice::Always.write_global(),
            ColorMode::Never => anstream::ColorChoice::Never.write_global(),
        }
        Self {
            json: flags.json || !flags.fields.is_empty(),
            fields: Fields::new(&flags.fields),
            unknown_field: OnceCell::new(),
            quiet: flags.quiet,
            write_error: OnceCell::new(),
            is_reader_gone: Cell::new(false),
        }
    }

    /// Whether the caller wants JSON on stdout.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether colours reach the reader of stdout: by flag, environment or terminal.
    #[expect(clippy::unused_self, reason = "a printer is the only way to a stream")]
    pub(crate) fn is_coloured(&self) -> bool {
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
    }

    /// Data, for the next program or the reader.
    pub(crate) fn data(&self, text: &str) {
        let mut stdout = anstream::stdout();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        match written {
            // A reader that has gone away (`| head`) is no failure of ours.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.is_reader_gone.set(true),
            Err(error) => {
                self.write_error.get_or_init(|| error);
            }
            Ok(()) => {}
        }
    }

    /// Returns whether printing has become useless.
    pub(crate) fn is_reader_gone(&self) -> bool {
        self.is_reader_gone.get()
            || self.write_error.get().is_some()
            || self.unknown_field.get().is_some()
    }

    /// Says whether all data has reached stdout; a full disk must not look like success, and neither
    /// must a field that there is not.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        if let Some(unknown_field) = self.unknown_field.take() {
            return Err(unknown_field);
        }
        match self.write_error.get() {
            None => Ok(()),
            Some(error) => {
                Err(Failure::usage(format!("cannot write to stdout: {}", reason(error))))
            }
        }
    }

    /// One JSON object on a line of its own.
    pub(crate) fn json(&self, value: &impl Serialize) {
        match self.fields.of(value) {
            Ok(text) => self.data(&format!("{text}\n")),
            Err(unknown_field) => {
                self.unknown_field.get_or_init(|| unknown_field);
            }
        }
    }

    /// Prints one JSON object that holds a list; with `--fields`, those fields of each item, one per line.
    pub(crate) fn json_list<T: Serialize>(&self, whole: &impl Serialize, things: &[T]) {
        if self.fields.is_all() {
            return self.json(whole);
        }
        for thing in things {
            self.json(thing);
        }
    }

    /// A remark for the person at the keyboard.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet {
            let _gone = anstream::stderr().write_all(format!("{text}\n").as_bytes()).is_err();
        }
    }

    /// What a person must see before they answer a question, whatever else is printed.
    #[expect(clippy::unused_self, reason = "a printer is the only way to a stream")]
    pub(crate) fn show(&self, text: &str) {
        let mut stderr = anstream::stderr();
        let _gone = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()).is_err();
    }

    /// Why the command could not do what was asked.
    #[expect(clippy::unused_self, reason = "a printer is the only way to a stream")]
    pub(crate) fn failure(&self, failure: &Failure) {
        let mut text = format!("{BAD}error:{BAD:#} {}\n", failure.message);
        if let Some(hint) = &failure.hint {
            // Behind violations, which have hints of their own.
            if failure.message.contains('\n') {
                text.push('\n');
            }
            text.push_str(&format!("{STRONG} hint:{STRONG:#} {hint}\n"));
        }
        let _gone = anstream::stderr().write_all(text.as_bytes()).is_err();
    }
}

/// `1 violation`, `2 violations`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
