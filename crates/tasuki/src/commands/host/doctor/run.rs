//! The visit: what is looked at, in which order, and what is said at the end.

use std::path::PathBuf;

use super::checks;
use super::finding::{Finding, Health};
use crate::backend::local::Exchange;
use crate::backend::require_local;
use crate::config::{Environment, Flags, Settings};
use crate::data_dir::DataDir;
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{Printer, counted};

/// Look whether everything is as it should be.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki doctor\n  tasuki doctor --fix\n  tasuki doctor --json | jq 'select(.state != \"ok\")'\n\n`--fix` rebuilds what is told from state and log: columns to find by, due times, counts, cursors, the index of words; and lists projects again that `exchange.db` has lost. It never changes a packet, a state or a leaf, and names what it cannot repair.\n\nExit codes: 0 nothing is wrong, 1 something is."
)]
pub(crate) struct Arguments {
    /// Rebuild what is derived.
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut visit = Visit { printer, errors: 0, warnings: 0 };
    if let Err(finding) = look_at_all(arguments, &mut visit)? {
        visit.note(&finding);
    }
    Ok(visit.end())
}

/// Looks at one thing after the other. What the rest cannot do without ends it, as a finding.
fn look_at_all(
    arguments: &Arguments,
    visit: &mut Visit<'_>,
) -> Result<Result<(), Finding>, Failure> {
    let folder = current_folder()?;
    let settings = match Settings::resolve(&arguments.flags, &Environment::of_process(), &folder) {
        Ok(settings) => settings,
        Err(failure) => return Ok(Err(checks::failed_check("config", failure))),
    };
    require_local(&settings)?;
    visit.note(&checks::config(&settings));
    let data_dir = match DataDir::find(&folder) {
        Ok(data_dir) => data_dir,
        Err(failure) => return Ok(Err(checks::failed_check("place", failure))),
    };
    visit.note(&checks::sessions(&data_dir));
    visit.note_all(&checks::exchange(&data_dir));
    let unlisted = match checks::unlisted(&data_dir, arguments.fix) {
        Ok(findings) => findings,
        Err(finding) => return Ok(Err(finding)),
    };
    visit.note_all(&unlisted);
    let exchange = match Exchange::open_for_repair(data_dir, settings) {
        Ok(exchange) => exchange,
        // What is not listed cannot be opened, which was said.
        Err(_) if unlisted.iter().any(|finding| finding.health == Health::Bad) => {
            return Ok(Ok(()));
        }
        Err(failure) => return Ok(Err(checks::failed_check("store", failure))),
    };
    if arguments.fix {
        visit.note_all(&checks::rebuilt(&exchange));
    }
    visit.note_all(&checks::store(&exchange));
    visit.note(&checks::log(&exchange));
    visit.note_all(&checks::counts(&exchange));
    visit.note(&checks::search(&exchange));
    visit.note(&checks::halt(&exchange));
    Ok(Ok(()))
}

/// What was found so far.
struct Visit<'a> {
    printer: &'a Printer,
    errors: usize,
    warnings: usize,
}

impl Visit<'_> {
    fn note(&mut self, finding: &Finding) {
        match finding.health {
            Health::Good => {}
            Health::Warning => self.warnings += 1,
            Health::Bad => self.errors += 1,
        }
        if self.printer.is_json() {
            self.printer.json(&finding.to_json());
        } else {
            self.printer.data(&finding.line());
        }
    }

    fn note_all(&mut self, findings: &[Finding]) {
        for finding in findings {
            self.note(finding);
        }
    }

    fn end(&self) -> Exit {
        let (errors, warnings) = (self.errors, self.warnings);
        if errors + warnings > 0 {
            let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
            self.printer.remark(&format!("{errors}, {warnings}."));
        }
        if errors > 0 { Exit::Found } else { Exit::Success }
    }
}

fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot tell the current folder: {}", reason(&error)))
    })
}
