//! `tasuki backup`: makes a consistent copy while the exchange is in use.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::backend::local::Exchange;
use crate::config::Flags;
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{GOOD, Printer};

/// Back up the exchange.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki backup project.db\n  tasuki backup ../backups/\n\nA file gets one project. A folder, which exists or ends with `/`, gets all projects in a new subfolder. Nothing is overwritten, and the exchange stays in use."
)]
pub(crate) struct Arguments {
    /// The file or folder to write.
    #[arg(value_name = "FILE|FOLDER/")]
    target: PathBuf,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = Exchange::open(&arguments.flags)?;
    let is_folder = is_folder(&arguments.target);
    let target =
        if is_folder { folder_in(&exchange, &arguments.target) } else { arguments.target.clone() };
    let project = (!is_folder).then_some(exchange.project);
    let data_dir = absolute(&target)?;
    if data_dir.exists() {
        let message = format!("{} already exists", target.display());
        return Err(Failure::usage(message).hint("choose another name"));
    }
    exchange.back_up(project, &data_dir)?;
    exchange.record_backup(&data_dir)?;
    let what = if is_folder {
        "all projects".to_owned()
    } else {
        format!("project `{}`", exchange.settings.project.value.as_str())
    };
    if printer.is_json() {
        printer.json(&json!({ "backup": target, "of": project }));
    } else {
        printer.data(&format!("{GOOD}✓{GOOD:#} Backed up {what} to {}\n", target.display()));
    }
    Ok(Exit::Success)
}

/// Returns the absolute path, which the store needs.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        Failure::usage(format!(
            "cannot determine the path of {}: {}",
            path.display(),
            reason(&error)
        ))
    })
}

fn is_folder(target: &Path) -> bool {
    target.as_os_str().as_encoded_bytes().ends_with(b"/") || target.is_dir()
}

/// Returns the folder of a backup, named by its time.
fn folder_in(exchange: &Exchange, target: &Path) -> PathBuf {
    let now = exchange.engine.now();
    target.join(format!("tasuki-{}", now.strftime("%Y%m%dT%H%M%SZ")))
}
