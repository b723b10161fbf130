//! `tasuki restore`: restores a backup, and records that in the log.

use std::path::PathBuf;

use serde_json::json;
use tasuki_store::Overwrite;

use super::backup::absolute;
use crate::backend::local::{RestoreOutcome, restore};
use crate::backend::require_local;
use crate::config::{Environment, Flags, Settings};
use crate::data_dir::DataDir;
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{GOOD, NOTE, Printer};

/// Restore a backup.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki restore project.db\n  tasuki restore ../backups/tasuki-20261116T004819Z --force\n\nExisting data is overwritten only with `--force`, and only while no other process uses it. Each truncated log records `log.restored` with the last event of the backup."
)]
pub(crate) struct Arguments {
    /// A backup, as written by `tasuki backup`.
    #[arg(value_name = "FILE|FOLDER")]
    backup: PathBuf,
    /// Overwrite existing data.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })?;
    let settings = Settings::resolve(&arguments.flags, &Environment::of_process(), &folder)?;
    require_local(&settings)?;
    if let Some(database) = settings.database() {
        let message = format!("{} is not a directory", database.display());
        return Err(Failure::usage(message).hint(
            "restore a database with PostgreSQL's tools, or fill an empty one with `tasuki import`",
        ));
    }
    let backup = absolute(&arguments.backup)?;
    if let Err(error) = backup.metadata() {
        let name = arguments.backup.display();
        return Err(Failure::usage(format!("cannot read {name}: {}", reason(&error))));
    }
    // After a disaster there is no data directory, so it is created.
    let data_dir = match DataDir::find(&folder) {
        Ok(data_dir) => data_dir,
        Err(_) => DataDir::create(&folder)?.0,
    };
    let overwrite = if arguments.force { Overwrite::Replace } else { Overwrite::Refuse };
    let outcome = restore(&data_dir, &backup, overwrite)?;
    if printer.is_json() {
        for cut in &outcome.cut {
            let (last, hash) = (cut.found.last, cut.found.hash);
            printer.json(&json!({ "project": cut.name, "last": last, "hash": hash }));
        }
        for one in &outcome.revoked {
            let (project, token) = (&one.project_name, one.token.to_string());
            printer.json(&json!({ "project": project, "token": token, "revoked": true }));
        }
    } else {
        printer.data(&describe(&outcome));
    }
    let next = if outcome.unlisted.is_empty() { "doctor" } else { "doctor --fix" };
    printer.remark(&format!("Next: tasuki {next}"));
    Ok(Exit::Success)
}

fn describe(outcome: &RestoreOutcome) -> String {
    let cut = outcome.cut.iter().map(|cut| {
        let (name, last) = (&cut.name, cut.found.last);
        format!("{GOOD}✓{GOOD:#} Restored project `{name}` to event {last}\n")
    });
    let unlisted = outcome.unlisted.iter().map(|name| {
        format!("{NOTE}!{NOTE:#} Kept project `{name}`, which the backup does not list\n")
    });
    let revoked = outcome.revoked.iter().map(|one| {
        let token = one.token;
        format!("{NOTE}!{NOTE:#} Token {token} was revoked after the backup and stays revoked\n")
    });
    let text: String = cut.chain(unlisted).chain(revoked).collect();
    if text.is_empty() {
        return format!("{NOTE}!{NOTE:#} Restored without losing events: every log is unchanged\n");
    }
    text
}
