//! The command: shows the change, asks, and writes.

use std::path::{Path, PathBuf};

use super::plan::{Choices, PlannedFile, shown};
use super::record::{Record, WrittenFile, digest};
use super::{check, detect, difference, undo};
use crate::backend::local::{self, StorePlace};
use crate::commands::agent::host::Host;
use crate::config::{Environment, Flags, Party, Settings};
use crate::data_dir::DataDir;
use crate::exit::{Exit, Failure, reason};
use crate::input::confirm::confirm;
use crate::output::file;
use crate::output::printer::{GOOD, Printer, STRONG};

/// Connect a coding agent to the exchange.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(
    after_help = "Examples:\n  tasuki connect claude-code\n  tasuki connect codex --shared --yes\n  tasuki connect --check\n  tasuki connect claude-code --undo\n\nIt shows the change of each file and asks before it writes: the MCP server, the hooks, and a short text that tells the agent when to record its progress. VS Code and Cursor get the MCP server only. With `--approvals`, a permission that Claude Code or Codex needs becomes a request to the people of the exchange; if no one decides within 10 minutes, the host asks its own user. By default the files are your own; `--shared` writes files of the project. Without a host it connects every host that is installed. Where there is no exchange yet, it creates one in this directory. A file that cannot be read is left alone, and the entries are printed.\n\nExit codes: 0 connected, 1 a check failed or you did not confirm."
)]
pub(crate) struct Arguments {
    /// The hosts; by default all that are installed.
    #[arg(value_name = "HOST")]
    hosts: Vec<Host>,
    /// Write files of the project, for everyone who works on it.
    #[arg(long)]
    shared: bool,
    /// Let people approve what the agent needs a permission for (Claude Code, Codex).
    #[arg(long)]
    approvals: bool,
    /// Take everything back.
    #[arg(long, conflicts_with = "check")]
    undo: bool,
    /// Say what is wired, and try it.
    #[arg(long)]
    check: bool,
    /// Write without confirmation.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let setup = Setup::of(arguments)?;
    let mut exit = Exit::Success;
    for host in setup.hosts(arguments)? {
        let choices = setup.choices(host, arguments);
        let ended = if arguments.undo {
            undo::undo(&choices, printer)?
        } else if arguments.check {
            check::check(&choices, printer)
        } else {
            connect(&setup, &choices, arguments.yes, printer)?
        };
        exit = if ended == Exit::Success { exit } else { ended };
    }
    Ok(exit)
}

/// Where the command runs.
struct Setup {
    home: PathBuf,
    project: PathBuf,
    settings: Settings,
    program: String,
}

impl Setup {
    fn of(arguments: &Arguments) -> Result<Self, Failure> {
        let folder = std::env::current_dir().and_then(|path| path.canonicalize());
        let folder = folder.map_err(|error| {
            Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
        })?;
        let environment = Environment::of_process();
        let settings = Settings::resolve(&arguments.flags, &environment, &folder)?;
        let home = environment
            .path("HOME")
            .map(Path::to_owned)
            .ok_or_else(|| Failure::usage("no home directory: `HOME` is not set"))?;
        if let Some(party) = &arguments.flags.party {
            Party::parse(party).map_err(|invalid| invalid.at(&"--as"))?;
        }
        let is_root = |folder: &&Path| folder.join(".git").exists();
        let project = folder.ancestors().find(is_root).unwrap_or(&folder).to_owned();
        Ok(Self { home, project, settings, program: program(arguments.shared)? })
    }

    fn hosts(&self, arguments: &Arguments) -> Result<Vec<Host>, Failure> {
        if !arguments.hosts.is_empty() {
            return Ok(arguments.hosts.clone());
        }
        let found = detect::installed(&self.home);
        if found.is_empty() {
            return Err(Failure::usage("no coding agent was found").hint(
                "name one: `tasuki connect claude-code`, `codex`, `gemini`, `vscode` or `cursor`",
            ));
        }
        Ok(found)
    }

    fn choices(&self, host: Host, arguments: &Arguments) -> Choices {
        Choices {
            host,
            party: arguments.flags.party.clone().unwrap_or_else(|| host.name().to_owned()),
            is_remote: self.settings.url.is_some(),
            // An undo removes the hook for permissions, too.
            has_approvals: arguments.approvals || arguments.undo,
            is_shared: arguments.shared,
            home: self.home.clone(),
            project: self.project.clone(),
            program: self.program.clone(),
        }
    }

    /// Returns `true` if there is no exchange for the agent yet.
    fn needs_exchange(&self) -> bool {
        let is_elsewhere = self.settings.url.is_some() || self.settings.store.is_some();
        !is_elsewhere && DataDir::find(&self.project).is_err()
    }
}

/// Returns the program that hosts start: by its name if that finds it, or if others use the file.
fn program(is_shared: bool) -> Result<String, Failure> {
    let own = std::env::current_exe().and_then(|path| path.canonicalize());
    let own = own.map_err(|error| {
        Failure::usage(format!("cannot determine the path of tasuki: {}", reason(&error)))
    })?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("tasuki"));
    let found = found.find(|path| path.is_file()).and_then(|path| path.canonicalize().ok());
    if is_shared || found.is_some_and(|found| found == own) {
        return Ok("tasuki".to_owned());
    }
    Ok(own.display().to_string())
}

/// A file that will be written.
struct Edit {
    file: PlannedFile,
    before: Option<String>,
    after: String,
}

fn connect(
    setup: &Setup,
    choices: &Choices,
    is_confirmed: bool,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let edits = edits(choices, printer)?;
    let host = choices.host.name();
    if edits.is_empty() {
        printer.data(&format!("{GOOD}✓{GOOD:#} {host} is connected; nothing changed.\n"));
        return Ok(Exit::Success);
    }
    for edit in &edits {
        let is_new = if edit.before.is_none() { " (new)" } else { "" };
        let name = shown(&edit.file.path, choices);
        printer.show(&format!("{STRONG}{name}{STRONG:#}{is_new}\n"));
        let before = edit.before.as_deref().unwrap_or_default();
        printer.show(&difference::lines(before, &edit.after));
    }
    if setup.needs_exchange() {
        printer.show(&format!("{STRONG}.tasuki/{STRONG:#} (new) the exchange of this project\n"));
    }
    if !is_confirmed && !confirm(&format!("Connect {host}?"), printer)? {
        printer.remark("Nothing was changed.");
        return Ok(Exit::Found);
    }
    write(choices, &edits)?;
    if setup.needs_exchange() {
        let (place, _) = StorePlace::create(&setup.project, &setup.settings)?;
        local::create_project(&place.location, setup.settings.project.value.as_str())?;
    }
    printer.data(&format!("{GOOD}✓{GOOD:#} Connected {host} as {}.\n", choices.party));
    printer.remark(&format!(
        "Next: start {host} here · tasuki connect {host} --check · tasuki connect {host} --undo"
    ));
    Ok(Exit::Success)
}

/// Returns the files that change. One that cannot be changed is left alone.
fn edits(choices: &Choices, printer: &Printer) -> Result<Vec<Edit>, Failure> {
    let mut edits = Vec::new();
    for file in choices.files() {
        let before = match std::fs::read(&file.path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                let what = format!("cannot read {}", file.path.display());
                return Err(Failure::of_file(what, &error));
            }
        };
        let before = before.map(String::from_utf8).transpose().map_err(|error| error.to_string());
        let after = match &before {
            Ok(text) => file.change.added_to(text.as_deref()),
            Err(why) => Err(why.clone()),
        };
        match (before, after) {
            (Ok(before), Ok(after)) if before.as_deref() != Some(&after) => {
                edits.push(Edit { file, before, after });
            }
            (Ok(_), Ok(_)) => {}
            (_, Err(why)) => undo::left_alone(&file, choices, &why, printer),
            (Err(why), Ok(_)) => undo::left_alone(&file, choices, &why, printer),
        }
    }
    Ok(edits)
}

fn write(choices: &Choices, edits: &[Edit]) -> Result<(), Failure> {
    let mut record = Record::read(choices)?;
    for edit in edits {
        let path = &edit.file.path;
        let written = written(&record, edit)?;
        record.files.retain(|file| file.path != *path);
        record.files.push(written);
        // First, so that everything that is written can be undone.
        record.write(choices)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| {
                Failure::of_file(format!("cannot create {}", folder.display()), &error)
            })?;
        }
        match &edit.before {
            Some(_) => file::replace(path, &edit.after)?,
            None => file::create(path, &edit.after)?,
        }
    }
    Ok(())
}

/// Returns the record of an edit. The text before is that without our entries.
fn written(record: &Record, edit: &Edit) -> Result<WrittenFile, Failure> {
    let (path, after) = (edit.file.path.clone(), digest(&edit.after));
    let known = record.of(&path);
    let is_as_left =
        |known: &&WrittenFile| edit.before.as_ref().is_some_and(|text| known.after == digest(text));
    if let Some(known) = known.filter(is_as_left) {
        return Ok(WrittenFile { after, ..known.clone() });
    }
    let before = match &edit.before {
        Some(text) if edit.file.change.is_in(text) => {
            edit.file.change.removed_from(text).map_err(Failure::usage)?
        }
        before => before.clone(),
    };
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    let folders = missing.map(Path::to_owned).collect();
    Ok(WrittenFile { path, before, after, folders })
}
