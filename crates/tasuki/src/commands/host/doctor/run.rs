//! Runs all checks in order and reports the findings.

use std::path::PathBuf;

use tasuki_store::Location;

use super::checks;
use super::clock;
use super::finding::{Finding, Health};
use super::hooks;
use crate::backend::local::{Exchange, StorePlace};
use crate::backend::require_local;
use crate::config::{Environment, Flags, Settings};
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{Printer, counted};

/// Check the exchange and repair it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki doctor\n  tasuki doctor --fix\n  tasuki doctor --json | jq 'select(.state != \"ok\")'\n\n`--fix` rebuilds derived data from state and log (indexes, due times, counters, cursors, the search index) and lists projects again that `exchange.db` has lost. If the log is ahead of the clock, it sets the time of the log back and records that; check `date` first. It changes nothing else in packets, states and the log, and reports what it cannot repair.\n\nExit codes: 0 no errors, 1 errors."
)]
pub(crate) struct Arguments {
    /// Rebuild derived data.
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut report = Report { printer, errors: 0, warnings: 0 };
    if let Err(finding) = run_checks(arguments, &mut report)? {
        report.add(&finding);
    }
    Ok(report.finish())
}

/// Runs the checks. A failure that later checks depend on ends the run, as a finding.
fn run_checks(
    arguments: &Arguments,
    report: &mut Report<'_>,
) -> Result<Result<(), Finding>, Failure> {
    let folder = current_folder()?;
    let settings = match Settings::resolve(&arguments.flags, &Environment::of_process(), &folder) {
        Ok(settings) => settings,
        Err(failure) => return Ok(Err(checks::failed_check("config", failure))),
    };
    require_local(&settings)?;
    report.add(&checks::config(&settings));
    let place = match StorePlace::find(&folder, &settings) {
        Ok(place) => place,
        Err(failure) => return Ok(Err(checks::failed_check("directory", failure))),
    };
    report.add_all(&checks::snapshots(&folder));
    report.add(&checks::sessions(&place.data_dir));
    report.add_all(&hooks::checks(&place.data_dir));
    let mut unlisted = Vec::new();
    if let Location::Directory(path) = &place.location {
        report.add_all(&checks::exchange(path));
        unlisted = match checks::unlisted(path, arguments.fix) {
            Ok(findings) => findings,
            Err(finding) => return Ok(Err(finding)),
        };
        report.add_all(&unlisted);
    }
    let exchange = match Exchange::open_for_repair(place, settings) {
        Ok(exchange) => exchange,
        // An unlisted project cannot be opened, which was reported above.
        Err(_) if unlisted.iter().any(|finding| finding.health == Health::Bad) => {
            return Ok(Ok(()));
        }
        Err(failure) => return Ok(Err(checks::failed_check("store", failure))),
    };
    if arguments.fix {
        report.add_all(&checks::rebuilt(&exchange));
    }
    report.add_all(clock::check(&exchange, arguments.fix).as_slice());
    report.add_all(&checks::store(&exchange));
    report.add(&checks::log(&exchange));
    report.add_all(&checks::counts(&exchange));
    report.add(&checks::search(&exchange));
    report.add(&checks::halt(&exchange));
    Ok(Ok(()))
}

/// The findings so far.
struct Report<'a> {
    printer: &'a Printer,
    errors: usize,
    warnings: usize,
}

impl Report<'_> {
    fn add(&mut self, finding: &Finding) {
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

    fn add_all(&mut self, findings: &[Finding]) {
        for finding in findings {
            self.add(finding);
        }
    }

    fn finish(&self) -> Exit {
        let (errors, warnings) = (self.errors, self.warnings);
        if errors + warnings > 0 {
            let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
            self.printer.remark(&format!("{errors}, {warnings}."));
        } else {
            self.printer.remark("No problems found.");
        }
        if errors > 0 { Exit::Found } else { Exit::Success }
    }
}

fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })
}
