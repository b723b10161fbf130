//! `tasuki edit`: lets a person change a packet, or the action that its holder asks to run.
//!
//! The text opens in an editor as it was sent. The differences are shown and sent after confirmation. A
//! text that was not sent is kept, and its path is printed.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use serde_json::Value;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::steps::{Edit, SeenVersion};
use tasuki_packet::check::secrets;
use tasuki_packet::open::{OpenOptions, open};
use tasuki_packet::patch::diff::diff;
use tasuki_packet::read::{Form, Source};

use crate::backend::{self, Backend, parse_id};
use crate::config::{Environment, Flags};
use crate::data_dir::create_private_file;
use crate::exit::{Exit, Failure, reason};
use crate::input::confirm::confirm;
use crate::input::{file, packet_file};
use crate::output::handoff::{name, next_sentence, reference, short_ref};
use crate::output::printer::Printer;
use crate::output::{change, command_result};

/// Edit a held packet or action.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki edit build-42 --as ana\n  tasuki edit build-42 --file corrected.yaml --yes -m \"The version was wrong\"\n\nOpens your editor, shows the differences and asks before sending. If the holder asks to run an action, the action is edited as JSON, and the holder may run the edited one. An edited packet becomes a new revision, so approvals of the old one no longer count. At a gate another person must sign your edit."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` binds the decision to revision 2.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The edited text, or `-` for stdin; opens no editor.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The reason.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Send it without confirmation.
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    flags: Flags,
}

/// The text that is edited.
struct EditSession<'a> {
    exchange: &'a dyn Backend,
    handoff: api::Handoff,
    seen: SeenVersion,
    /// As it was sent.
    text: Vec<u8>,
    is_action: bool,
}

/// The outcome of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Sent,
    Unchanged,
    NotConfirmed,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let session = EditSession::open(&*exchange, &arguments.handoff)?;
    let outcome = match &arguments.file {
        Some(file) => session.send(file::bytes(file)?, arguments, printer),
        None => session.edit_in_editor(arguments, printer),
    };
    match outcome? {
        Outcome::Sent => {}
        Outcome::Unchanged => printer.remark("Nothing changed, so nothing was sent."),
        Outcome::NotConfirmed => printer.remark("Nothing was sent."),
    }
    Ok(Exit::Success)
}

impl<'a> EditSession<'a> {
    /// Opens the packet exactly as it was sent, or the action that waits for approval.
    fn open(exchange: &'a dyn Backend, written: &str) -> Result<Self, Failure> {
        let (handoff, seen) = exchange.resolve_with_version(written)?;
        let action = match &handoff.action {
            Some(_) => exchange.details(&handoff.id, None)?.action,
            None => None,
        };
        let is_action = action.is_some();
        let text = match action {
            Some(action) => format!("{action:#}\n").into_bytes(),
            None => exchange.packet_as_sent(&handoff.id, Some(handoff.revision))?,
        };
        Ok(Self { exchange, handoff, seen, text, is_action })
    }

    fn edit_in_editor(&self, arguments: &Arguments, printer: &Printer) -> Result<Outcome, Failure> {
        let editor = editor_command(&Environment::of_process())?;
        let path = self.write_draft()?;
        let edited = run_editor(&editor, &path);
        let outcome = edited.and_then(|text| self.send(text, arguments, printer));
        if matches!(outcome, Ok(Outcome::Sent | Outcome::Unchanged)) {
            // The exchange has the text now.
            let _stays = std::fs::remove_file(&path).is_err();
        } else {
            let (path, id) = (path.display(), reference(&self.handoff));
            printer.remark(&format!("Kept your text. Send it: tasuki edit {id} --file {path}"));
        }
        outcome
    }

    /// Shows the differences, asks for confirmation, and sends the text.
    fn send(
        &self,
        text: Vec<u8>,
        arguments: &Arguments,
        printer: &Printer,
    ) -> Result<Outcome, Failure> {
        if text == self.text {
            return Ok(Outcome::Unchanged);
        }
        let changes = diff(&parsed(&self.text, self.is_action)?, &parsed(&text, self.is_action)?);
        for change in &changes {
            printer.show(&change::line(change));
        }
        if changes.is_empty() {
            printer
                .show("The text differs only in formatting, or in secrets, which are not shown.\n");
        }
        if !arguments.yes && !confirm("Send this?", printer)? {
            return Ok(Outcome::NotConfirmed);
        }
        let request = Edit {
            handoff: parse_id(&self.handoff)?,
            source: text,
            seen: self.seen.clone(),
            reason: arguments.message.clone(),
        };
        let answer = self.exchange.run(Command::Edit(request), None)?;
        let is_action = self.is_action;
        command_result::print(&answer, printer, |after| match &after.holder {
            Some(holder) if is_action => format!(
                "Edited the action of {}. {holder} may run exactly the edited action, once.",
                name(after)
            ),
            _ => format!(
                "Edited {}: revision {}. {}",
                name(after),
                after.revision,
                next_sentence(after)
            ),
        });
        Ok(Outcome::Sent)
    }

    /// Writes the text to a private file, named so that an editor knows the format.
    fn write_draft(&self) -> Result<PathBuf, Failure> {
        let form = Source::packet(&self.text).map(|source| source.form());
        let extension = match form {
            _ if self.is_action => "json",
            Ok(Form::Json) => "json",
            Ok(Form::Markdown) => "md",
            Ok(Form::Wire) => "wire",
            _ => "yaml",
        };
        let id = short_ref(&self.handoff.id);
        let name = format!("edit-{id}-{}.{extension}", std::process::id());
        let path = self.exchange.drafts_dir()?.join(name);
        let written = create_private_file(&path).and_then(|mut file| file.write_all(&self.text));
        written.map_err(|error| {
            Failure::usage(format!("cannot write {}: {}", path.display(), reason(&error)))
        })?;
        Ok(path)
    }
}

/// Parses a text. Secrets are redacted for display; the exchange decides what becomes of them.
fn parsed(text: &[u8], is_action: bool) -> Result<Value, Failure> {
    let mut value = if is_action {
        serde_json::from_slice(text)
            .map_err(|error| Failure::refused(format!("the action is not valid JSON: {error}")))?
    } else {
        let source =
            Source::packet(text).map_err(|found| packet_file::violation_failure(&found))?;
        let opened = open(&source, OpenOptions::default());
        opened.map_err(|found| packet_file::violation_failure(&found))?.packet.to_value()
    };
    secrets::redact(&mut value);
    Ok(value)
}

/// Returns the command of the editor.
fn editor_command(environment: &Environment) -> Result<Vec<String>, Failure> {
    let named = match environment.text("VISUAL")? {
        Some(visual) => Some(visual),
        None => environment.text("EDITOR")?,
    };
    match named {
        Some(named) => Ok(named.split_whitespace().map(str::to_owned).collect()),
        None if std::io::stdin().is_terminal() => Ok(vec!["vi".to_owned()]),
        None => Err(Failure::usage("no editor: neither `VISUAL` nor `EDITOR` is set")
            .hint("set one, or pass the edited text with `--file`")),
    }
}

fn run_editor(editor: &[String], path: &Path) -> Result<Vec<u8>, Failure> {
    let (program, arguments) =
        editor.split_first().map_or(("vi", &[][..]), |(first, rest)| (first.as_str(), rest));
    let ended = Process::new(program).args(arguments).arg(path).status().map_err(|error| {
        Failure::usage(format!("cannot start `{program}`: {}", reason(&error)))
            .hint("set `EDITOR`, or pass the edited text with `--file`")
    })?;
    if !ended.success() {
        return Err(Failure::usage(format!("`{program}` failed: {ended}")));
    }
    file::bytes(path)
}
