//! The checks, one function each.

use std::path::Path;
use std::time::Instant;

use tasuki_engine::audit::{audit, findings};
use tasuki_engine::error::{Error, Fault};
use tasuki_engine::model::Handoff;
use tasuki_engine::query::trail::Trail;
use tasuki_engine::rules::deadlines;
use tasuki_store::{Depth, Location, Options, OrphanedProject, SqliteStore};

use super::finding::Finding;
use crate::backend::local::Exchange;
use crate::backend::refusal::fault_failure;
use crate::commands::query::log as log_command;
use crate::config::{Origin, Settings};
use crate::data_dir::DataDir;
use crate::data_dir::sessions::Sessions;
use crate::exit::Failure;
use crate::git::head::Repository;
use crate::git::snapshot::last_failure;
use crate::output::escape::escape;
use crate::output::printer::counted;
use crate::output::time::elapsed;

/// Returns the finding for a check that failed to run.
pub(super) fn failed_check(check: &'static str, failure: Failure) -> Finding {
    let finding = Finding::bad(check, failure.message);
    match failure.hint {
        Some(hint) => finding.remedy(hint),
        None => finding,
    }
}

/// Reports where settings come from.
pub(super) fn config(settings: &Settings) -> Finding {
    let mut files: Vec<String> = Vec::new();
    let (mut variables, mut flags) = (0, 0);
    let rows = match settings.rows() {
        Ok(rows) => rows,
        Err(failure) => return failed_check("config", failure),
    };
    for (_, origin) in rows.into_iter().filter_map(|row| row.set) {
        match origin {
            Origin::Default => {}
            Origin::Flag(_) => flags += 1,
            Origin::Variable(_) => variables += 1,
            Origin::File { path, .. } => {
                let name = path.display().to_string();
                if !files.contains(&name) {
                    files.push(name);
                }
            }
        }
    }
    let mut parts = files;
    for (count, what) in [(variables, "the environment"), (flags, "flags")] {
        if count > 0 {
            parts.push(format!("{} from {what}", counted(count, "value")));
        }
    }
    let summary = if parts.is_empty() { "defaults only".to_owned() } else { parts.join(" · ") };
    Finding::good("config", format!("{summary}; project `{}`", settings.project.value.as_str()))
}

/// Reports the last snapshot of the work tree that was not made. Outside of a repository there is none.
pub(super) fn snapshots(folder: &Path) -> Vec<Finding> {
    let Some(repository) = Repository::around(folder) else { return Vec::new() };
    let finding = match last_failure(&repository) {
        None => Finding::good("snapshots", "no snapshot of this repository failed"),
        Some(failure) => {
            let (task, at, reason) = (escape(&failure.task), failure.at, escape(&failure.reason));
            let message = format!("no snapshot of `{task}` at {at:.0}: {reason}");
            Finding::warning("snapshots", message)
                .remedy("the next checkpoint tries again; `snapshots.enabled = false` takes none")
        }
    };
    vec![finding]
}

/// Checks the files with the claims of sessions.
pub(super) fn sessions(data_dir: &DataDir) -> Finding {
    let sessions = Sessions::of(data_dir);
    let names = match sessions.names() {
        Ok(names) => names,
        Err(failure) => return failed_check("sessions", failure),
    };
    let unreadable = names.iter().find_map(|name| sessions.read(name).err());
    match unreadable {
        Some(failure) => failed_check("sessions", failure),
        None => {
            Finding::good("sessions", format!("{}, all readable", counted(names.len(), "file")))
        }
    }
}

/// Checks the database that all projects share: the list of projects, accounts and sessions.
pub(super) fn exchange(directory: &Path) -> Vec<Finding> {
    let inspected = SqliteStore::open(directory, Options::default())
        .and_then(|store| Ok((store.inspect_exchange()?, store.missing().unwrap_or_default())));
    let (found, missing) = match inspected {
        Ok(inspected) => inspected,
        Err(error) => return vec![failed_check("exchange", fault_failure(&error))],
    };
    if found.is_empty() && missing.is_empty() {
        return vec![Finding::good("exchange", "integrity ok, every listed project exists")];
    }
    let damaged = found.into_iter().take(FINDINGS_MAX).map(|found| {
        // It is the only copy of accounts and sessions.
        Finding::bad("exchange", found.message)
            .remedy("move `exchange.db` away; `tasuki doctor --fix` lists the projects again")
    });
    let missing = missing.into_iter().map(|(name, id)| {
        Finding::bad(
            "exchange",
            format!("`{name}` is listed, but projects/{id}/project.db is missing"),
        )
        .remedy("restore a backup: `tasuki restore FILE`")
    });
    damaged.chain(missing).collect()
}

/// Finds projects in the data directory that `exchange.db` does not list, and with `fix` lists them again.
pub(super) fn unlisted(directory: &Path, fix: bool) -> Result<Vec<Finding>, Finding> {
    let wrong = |error: &Fault| failed_check("projects", fault_failure(error));
    let store = SqliteStore::open(directory, Options::default()).map_err(|error| wrong(&error))?;
    let unlisted = store.orphaned_projects().map_err(|error| wrong(&error))?;
    let findings = unlisted.into_iter().map(|OrphanedProject { id, name }| match name {
        Err(error) => {
            let message =
                format!("project {id} is not listed and cannot be read: {}", error.message);
            Finding::bad("projects", message).remedy("restore a backup: `tasuki restore FILE`")
        }
        Ok(name) if fix => match store.relist_project(id) {
            Ok(listed) => listed_again(&name, &listed),
            Err(error) => wrong(&error),
        },
        Ok(name) => Finding::bad("projects", format!("`{name}` in projects/{id} is not listed"))
            .remedy("`tasuki doctor --fix` lists it again"),
    });
    Ok(findings.collect())
}

fn listed_again(name: &str, listed: &str) -> Finding {
    let because = if name == listed {
        String::new()
    } else {
        format!(" as `{listed}`, because another project is called `{name}`")
    };
    let message = format!("`{name}` is listed again{because}");
    // Passwords were in the file that was lost.
    Finding::warning("projects", message)
        .remedy("people must set new passwords: `tasuki party add NAME --human`")
}

/// Checks the log, and every document against it.
pub(super) fn log(exchange: &Exchange) -> Finding {
    let began = Instant::now();
    let checked = match exchange.check_log(0, &Trail::default()) {
        Ok(checked) => checked,
        Err(failure) => return failed_check("log", failure),
    };
    let counts = log_command::counts(&checked);
    match &checked.problem {
        None => {
            let seconds = began.elapsed().as_secs_f64();
            Finding::good("log", format!("{counts} checked in {seconds:.1} s"))
        }
        Some(problem) => Finding::bad(
            "log",
            format!("damaged at entry {}: {problem}", checked.first_bad.unwrap_or_default()),
        )
        .remedy("restore a backup: `tasuki restore FILE`"),
    }
}

/// Checks counters, due times and ladders in one pass over all handoffs.
pub(super) fn counts(exchange: &Exchange) -> Vec<Finding> {
    let directory = match exchange.directory() {
        Ok(directory) => directory,
        Err(failure) => return vec![failed_check("directory", failure)],
    };
    let store = exchange.engine.store().as_ref();
    let audit = exchange
        .wait(async { audit(store, &directory, exchange.project).await.map_err(Error::from) });
    match audit {
        Ok(audit) => findings::of_audit(&audit).into_iter().map(Finding::from).collect(),
        Err(failure) => vec![failed_check("conservation", failure)],
    }
}

/// Reports whether the project is halted.
pub(super) fn halt(exchange: &Exchange) -> Finding {
    match exchange.wait(exchange.engine.head(exchange.project)) {
        Ok(head) => findings::of_halt(head.is_halted).into(),
        Err(failure) => failed_check("work", failure),
    }
}

/// Checks the database of the project, and reports its size and last backup.
pub(super) fn store(exchange: &Exchange) -> Vec<Finding> {
    let directory = match exchange.directory() {
        Ok(directory) => directory,
        Err(failure) => return vec![failed_check("store", failure)],
    };
    let due = |handoff: &Handoff| deadlines::due_at(&directory, handoff);
    let found = match exchange.store.inspect(exchange.project, Depth::Full, &due) {
        Ok(found) => found,
        Err(error) => return vec![failed_check("store", fault_failure(&error))],
    };
    if !found.is_empty() {
        return found.iter().take(FINDINGS_MAX).map(damage).collect();
    }
    if matches!(exchange.place.location, Location::Postgres(_)) {
        let place = exchange.place.location.display();
        return vec![Finding::good("store", format!("rows and counters agree, in {place}"))];
    }
    let (version, size) = (tasuki_store::VERSION, size(exchange));
    let backup = match exchange.last_backup() {
        Some(at) => format!("last backup {} ago", elapsed(at, exchange.engine.now())),
        None => "no backup yet".to_owned(),
    };
    let message = format!("integrity ok, schema {version}, {size}, {backup}");
    vec![Finding::good("store", message)]
}

/// LIMIT: findings of one check.
const FINDINGS_MAX: usize = 20;

fn damage(found: &tasuki_store::Finding) -> Finding {
    let finding = Finding::bad("store", found.message.clone());
    finding.remedy(if found.can_be_rebuilt {
        "`tasuki doctor --fix` rebuilds it"
    } else {
        "restore a backup: `tasuki restore FILE`"
    })
}

/// Returns the size of the project's database, with its WAL.
fn size(exchange: &Exchange) -> String {
    let database = exchange.data_dir().project_database(exchange.project);
    let wal = database.with_extension("db-wal");
    let bytes = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
    match bytes(&database) + bytes(&wal) {
        bytes @ ..1_000_000 => format!("{} KB", bytes / 1_000),
        bytes => format!("{} MB", bytes / 1_000_000),
    }
}

/// Checks the search index. A query brings it up to date.
pub(super) fn search(exchange: &Exchange) -> Finding {
    // Any query indexes what is missing.
    match exchange.read(exchange.store.search(exchange.project, "tasuki".to_owned(), None, 1)) {
        Ok(_) => Finding::good("search", "the search index is up to date"),
        Err(failure) => failed_check("search", failure),
    }
}

/// Rebuilds derived data, and reports what cannot be repaired.
pub(super) fn rebuilt(exchange: &Exchange) -> Vec<Finding> {
    let directory = match exchange.directory() {
        Ok(directory) => directory,
        Err(failure) => return vec![failed_check("fix", failure)],
    };
    let due = |handoff: &Handoff| deadlines::due_at(&directory, handoff);
    let rebuilt = match exchange.store.rebuild(exchange.project, &due) {
        Ok(rebuilt) => rebuilt,
        Err(error) => return vec![failed_check("fix", fault_failure(&error))],
    };
    let count = usize::try_from(rebuilt.handoffs).unwrap_or(usize::MAX);
    let message = format!(
        "rebuilt {}, indexes, counters, due times, cursors and the search index",
        counted(count, "handoff row")
    );
    let done = Finding::good("fix", message);
    let unrepaired = rebuilt.lost.iter().map(|what| Finding::warning("fix", what.clone()));
    let left = rebuilt.left.iter().map(|found| {
        Finding::bad("fix", format!("cannot be repaired: {}", found.message))
            .remedy("restore a backup: `tasuki restore FILE`")
    });
    std::iter::once(done).chain(unrepaired).chain(left).collect()
}
