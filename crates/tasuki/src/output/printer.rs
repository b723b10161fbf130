//! Writes to stdout and stderr: data to the one, everything else to the other.

use std::cell::{Cell, OnceCell, RefCell};
use std::io::{ErrorKind, IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::escape::guard;
use super::fields::Fields;
use super::flags::{ColorMode, OutputFlags};
use crate::exit::{Failure, reason};

/// The output of a command.
#[derive(Debug, Default)]
pub(crate) struct Printer {
    json: bool,
    fields: Fields,
    /// The first failure of `--fields`: a name that no object has.
    unknown_field: OnceCell<Failure>,
    quiet: bool,
    no_input: bool,
    /// The first error of writing to stdout.
    write_error: OnceCell<std::io::Error>,
    /// Set when the reader of stdout has closed it.
    is_reader_gone: Cell<bool>,
    /// Parties that were registered on first use and not reported yet.
    registered: RefCell<Vec<String>>,
}

/// The style of headings and names.
pub(crate) const STRONG: Style = Style::new().bold();
/// The style of success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// The style of failure.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// The style of warnings.
pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
/// The style of secondary text.
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
            quiet: flags.quiet,
            no_input: flags.no_input,
            ..Self::plain()
        }
    }

    /// Returns a printer for the time before flags are parsed.
    pub(crate) fn plain() -> Self {
        Self::default()
    }

    /// Returns a printer for a program that no one watches: it prints results only and never prompts.
    pub(crate) fn silent() -> Self {
        Self { quiet: true, no_input: true, ..Self::default() }
    }

    /// Returns whether the caller wants JSON on stdout.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Returns whether the caller wants results only.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns whether the command may prompt: stdin is a terminal, and neither `--json` nor
    /// `--no-input` is set.
    pub(crate) fn may_prompt(&self) -> bool {
        !self.json && !self.no_input && std::io::stdin().is_terminal()
    }

    /// Returns whether stdout shows colours, by flag, environment or terminal.
    #[expect(clippy::unused_self, reason = "a printer is the only way to a stream")]
    pub(crate) fn is_coloured(&self) -> bool {
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
    }

    /// Prints data to stdout.
    pub(crate) fn data(&self, text: &str) {
        self.report_registered();
        // One write, so that a reader never sees a part: a stream that strips styles writes in pieces.
        let text = guard(text);
        let text =
            if self.is_coloured() { text } else { anstream::adapter::strip_str(&text).to_string() };
        let mut stdout = std::io::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        match written {
            // A reader that has closed the pipe (`| head`) is not an error.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.is_reader_gone.set(true),
            Err(error) => {
                self.write_error.get_or_init(|| error);
            }
            Ok(()) => {}
        }
    }

    /// Returns whether further output would be lost.
    pub(crate) fn is_reader_gone(&self) -> bool {
        self.is_reader_gone.get()
            || self.write_error.get().is_some()
            || self.unknown_field.get().is_some()
    }

    /// Fails if data did not reach stdout, as on a full disk, or if `--fields` named an unknown field.
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

    /// Prints one JSON object on its own line.
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

    /// Prints a remark to stderr, unless `--quiet` is set.
    pub(crate) fn remark(&self, text: &str) {
        self.report_registered();
        if !self.quiet {
            let text = guard(&format!("{text}\n"));
            let _gone = anstream::stderr().write_all(text.as_bytes()).is_err();
        }
    }

    /// Prints a loss to stderr, even with `--quiet`: the result lacks something that the input had.
    pub(crate) fn loss(&self, text: &str) {
        self.report_registered();
        let text = guard(&format!("{text}\n"));
        let _gone = anstream::stderr().write_all(text.as_bytes()).is_err();
    }

    /// Notes a party that was registered on first use. All of them are reported in one line, before the
    /// next output.
    pub(crate) fn note_registered(&self, name: &str) {
        self.registered.borrow_mut().push(name.to_owned());
    }

    fn report_registered(&self) {
        let names = self.registered.take();
        let Some((last, others)) = names.split_last() else { return };
        let (list, kind) = match others {
            [] => (last.clone(), "an agent"),
            others => (format!("{} and {last}", others.join(", ")), "agents"),
        };
        self.remark(&format!(
            "Registered {list} as {kind} (use `tasuki party add NAME --human` for a person)."
        ));
    }

    /// Prints what a person must see before answering a prompt, even with `--quiet`.
    pub(crate) fn show(&self, text: &str) {
        self.report_registered();
        let mut stderr = anstream::stderr();
        let _gone = stderr.write_all(guard(text).as_bytes()).and_then(|()| stderr.flush()).is_err();
    }

    /// Prints an error with its hint.
    pub(crate) fn failure(&self, failure: &Failure) {
        self.report_registered();
        let mut text = format!("{BAD}error:{BAD:#} {}\n", failure.message);
        if let Some(hint) = &failure.hint {
            // Excerpts of a file are blocks with hints of their own.
            if failure.message.contains("\n\n") {
                text.push('\n');
            }
            text.push_str(&format!("{STRONG}  hint:{STRONG:#} {hint}\n"));
        }
        let _gone = anstream::stderr().write_all(guard(&text).as_bytes()).is_err();
    }
}

/// Formats a count with its noun: `1 violation`, `2 violations`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
