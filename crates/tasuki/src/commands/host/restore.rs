//! `tasuki restore`: bring a backup back, and write into the log that it happened.

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

/// Bring a backup back.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki restore project.db\n  tasuki restore ../backups/tasuki-20261116T004819Z --force\n\nWhat is there is not overwritten without `--force`, and not while somebody uses it. Each log that was cut gets a leaf `log.restored`, with the last number and hash that it found."
)]
pub(crate) struct Arguments {
    /// What `tasuki backup` has written.
    #[arg(value_name = "FILE|FOLDER")]
    backup: PathBuf,
    /// Overwrite what is there.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot tell the current folder: {}", reason(&error)))
    })?;
    let settings = Settings::resolve(&arguments.flags, &Environment::of_process(), &folder)?;
    require_local(&settings)?;
    let backup = absolute(&arguments.backup)?;
    if let Err(error) = backup.metadata() {
        let name = arguments.backup.display();
        return Err(Failure::usage(format!("cannot read {name}: {}", reason(&error))));
    }
    // After a disaster there is no data directory any more, and this makes one.
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
        format!("{GOOD}✓{GOOD:#} Restored `{name}` to event {last}; the log says so\n")
    });
    let unlisted = outcome.unlisted.iter().map(|name| {
        format!("{NOTE}!{NOTE:#} `{name}` lies here as before, and is not listed in the backup\n")
    });
    let revoked = outcome.revoked.iter().map(|one| {
        let token = one.token;
        format!("{NOTE}!{NOTE:#} Token {token} was revoked after the backup and stays revoked\n")
    });
    let text: String = cut.chain(unlisted).chain(revoked).collect();
    if text.is_empty() {
        return format!("{NOTE}!{NOTE:#} Nothing was lost: the logs go on as they were\n");
    }
    text
}
