//! Backup while the store is in use, and restore.
//!
//! A backup is made by SQLite page by page inside one read transaction, so that it is the state of
//! one moment, and gets its name when it is on the disk. A restore looks at every file before it
//! touches anything, and replaces what is there only when it is told to and nobody else has it open.
//!
//! Not here: the leaf that says that a log was restored, which the engine appends, and the blobs
//! beside a database.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::id::ProjectId;

use crate::connection::{
    Access, Database, folder_of, make_directory, make_file, place, sync_directory, sync_file,
};
use crate::doctor::is_about_words;
use crate::exchange::Exchange;
use crate::fault::{Doing, fault, file_fault};
use crate::migrate::{self, Kind};
use crate::project::load_head;

/// What becomes of a store or project that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// The restore is refused.
    Refuse,
    /// It is replaced.
    Replace,
}

/// What helps where only what is there is in the way.
const BY_FORCE: &str = "`--force` overwrites what is there";

/// Copies one database, as it is at one moment, to a file that is not there yet.
pub(crate) fn back_up(from: &Path, to: &Path) -> Result<(), Fault> {
    refuse_if_there(to, "name another place")?;
    let source = Database::open(from, Access::Read)?;
    let partial = Partial::beside(to)?;
    copy(&source, &partial.path)?;
    sync_file(&partial.path)?;
    partial.rename(to)
}

/// Copies `exchange.db` and the projects it lists to a directory that is not there yet.
pub(crate) fn back_up_all(from: &Path, to: &Path) -> Result<(), Fault> {
    refuse_if_there(to, "name another place")?;
    let partial = Partial::beside(to)?;
    make_directory(&partial.path)?;
    let exchange = partial.path.join("exchange.db");
    back_up(&from.join("exchange.db"), &exchange)?;
    // Those that the copy lists: one that was made since then is not in this backup.
    for (_, project) in listed(&exchange)? {
        let below = project_file(project);
        make_directory(folder_of(&partial.path.join(&below)))?;
        back_up(&from.join(&below), &partial.path.join(&below))?;
    }
    partial.rename(to)
}

/// Brings a backup back: a directory with a whole store, or the file of one project.
pub(crate) fn restore(from: &Path, to: &Path, overwrite: Overwrite) -> Result<(), Fault> {
    make_directory(to)?;
    let to = to
        .canonicalize()
        .map_err(|error| file_fault(&error, "finding the directory", &place(to)))?;
    if from.is_dir() {
        restore_all(from, &to, overwrite)
    } else {
        restore_one(from, &to, overwrite)
    }
}

fn restore_all(from: &Path, to: &Path, overwrite: Overwrite) -> Result<(), Fault> {
    let exchange = Incoming::copy(&from.join("exchange.db"), to, Kind::Exchange)?;
    let mut incoming = Vec::new();
    for (_, project) in listed(&exchange.partial.path)? {
        let below = project_file(project);
        let directory = folder_of(&to.join(&below)).to_owned();
        make_directory(&directory)?;
        incoming.push(Incoming::copy(&from.join(&below), &directory, Kind::Project)?);
    }
    // The list comes last: what it names is there.
    incoming.push(exchange);
    if overwrite == Overwrite::Refuse {
        incoming.iter().try_for_each(|one| refuse_if_there(&one.target, BY_FORCE))?;
    }
    incoming.into_iter().try_for_each(Incoming::put)
}

fn restore_one(from: &Path, to: &Path, overwrite: Overwrite) -> Result<(), Fault> {
    let looked_at = Incoming::copy(from, to, Kind::Project)?;
    let (head, name) = load_head(&Database::open(&looked_at.partial.path, Access::Write)?)?;
    drop(looked_at);
    let target = to.join(project_file(head.project));
    let directory = folder_of(&target).to_owned();
    make_directory(&directory)?;
    let incoming = Incoming { target, ..Incoming::copy(from, &directory, Kind::Project)? };
    let exchange = Exchange::open(&to.join("exchange.db"))?;
    let known = exchange.projects()?;
    if let Some((_, other)) = known.iter().find(|(known, _)| *known == name)
        && *other != head.project
    {
        let message =
            format!("project `{name}` is {other} here, the backup is of {}", head.project);
        return Err(
            Fault::new(FaultKind::StoreAway, message).hint("restore into another directory")
        );
    }
    if overwrite == Overwrite::Refuse {
        refuse_if_there(&incoming.target, BY_FORCE)?;
    }
    let mut incoming = Some(incoming);
    let mut put = || incoming.take().map_or(Ok(()), Incoming::put);
    if known.iter().any(|(_, id)| *id == head.project) {
        return put();
    }
    exchange.add(&name, head.project, put).map(drop)
}

/// A copy of a backup's file, checked, beside the place it shall have.
struct Incoming {
    partial: Partial,
    target: PathBuf,
}

impl Incoming {
    fn copy(from: &Path, directory: &Path, kind: Kind) -> Result<Self, Fault> {
        let target = directory.join(from.file_name().unwrap_or_default());
        let partial = Partial::beside(&target)?;
        make_file(&partial.path)?;
        std::fs::copy(from, &partial.path)
            .map_err(|error| file_fault(&error, "copying the backup", &place(from)))?;
        set_private(&partial.path)?;
        sync_file(&partial.path)?;
        let database = Database::open(&partial.path, Access::Write)?;
        if migrate::check_all(&database, kind)? == 0 {
            let message = format!("`{}`: the backup is empty", place(from));
            return Err(Fault::new(FaultKind::Corrupt, message).hint("use an older backup"));
        }
        let problems = database.problems("quick_check")?;
        // The index of words can be made anew after it was brought back.
        if let Some(problem) = problems.iter().find(|problem| !is_about_words(problem)) {
            let message = format!("`{}`: the backup is damaged: {problem}", place(from));
            return Err(Fault::new(FaultKind::Corrupt, message).hint("use an older backup"));
        }
        if kind == Kind::Project {
            load_head(&database)?;
        }
        Ok(Self { partial, target })
    }

    fn put(self) -> Result<(), Fault> {
        if !self.target.exists() {
            return self.partial.rename(&self.target);
        }
        match self.put_into() {
            // What is there cannot even be opened: it is kept under another name.
            Err(fault) if fault.kind == FaultKind::Corrupt => {
                move_aside(&self.target)?;
                self.partial.rename(&self.target)
            }
            put => put,
        }
    }

    /// Writes the backup into the database that is there, as one transaction. Renaming would leave
    /// another process with the old file in its hands.
    fn put_into(&self) -> Result<(), Fault> {
        let source = Database::open(&self.partial.path, Access::Write)?;
        let mut target = Database::open_alone(&self.target)?;
        copy_into(&source, target.connection_mut(), &place(&self.target))
    }
}

/// A file or directory under a name of its own until it is whole. Dropped before, it is removed.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn beside(target: &Path) -> Result<Self, Fault> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let path = target.with_file_name(format!(".{name}.partial-{}", std::process::id()));
        let partial = Self { path };
        partial.remove();
        make_directory(folder_of(target))?;
        Ok(partial)
    }

    fn rename(self, target: &Path) -> Result<(), Fault> {
        std::fs::rename(&self.path, target)
            .map_err(|error| file_fault(&error, "naming the copy", &place(target)))?;
        sync_directory(folder_of(target))
    }

    fn remove(&self) {
        // What is not there need not be removed; what cannot be is in the way of nobody.
        drop(std::fs::remove_dir_all(&self.path));
        drop(std::fs::remove_file(&self.path));
        for helper in helpers(&self.path) {
            drop(std::fs::remove_file(helper));
        }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.remove();
    }
}

fn copy(source: &Database, to: &Path) -> Result<(), Fault> {
    make_file(to)?;
    let mut target =
        Connection::open(to).map_err(|error| fault(&error, Doing::Opening, &place(to)))?;
    copy_into(source, &mut target, &place(to))?;
    target.close().map_err(|(_, error)| fault(&error, Doing::Committing, &place(to)))
}

fn copy_into(source: &Database, target: &mut Connection, to: &str) -> Result<(), Fault> {
    let copying = |error: rusqlite::Error| fault(&error, Doing::Running("backup"), to);
    let backup = Backup::new(source.connection(), target).map_err(copying)?;
    // All pages in one go: the writer is not in the way, and a second read would see another state.
    if backup.step(-1).map_err(copying)? == StepResult::Done {
        return Ok(());
    }
    let message = format!("`{to}`: it is in use");
    Err(Fault::new(FaultKind::StoreBusy, message).hint("stop what uses it and try again"))
}

fn listed(exchange: &Path) -> Result<Vec<(String, ProjectId)>, Fault> {
    Exchange::open(exchange)?.projects()
}

fn project_file(project: ProjectId) -> PathBuf {
    Path::new("projects").join(project.to_string()).join("project.db")
}

fn refuse_if_there(path: &Path, hint: &str) -> Result<(), Fault> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let message = format!("`{}` is there already", place(path));
    Err(Fault::new(FaultKind::StoreAway, message).hint(hint))
}

/// Keeps files that cannot be opened, under names that nobody uses.
fn move_aside(target: &Path) -> Result<(), Fault> {
    for path in std::iter::once(target.to_owned()).chain(helpers(target)) {
        let mut aside = path.clone().into_os_string();
        aside.push(format!(".damaged-{}", std::process::id()));
        match std::fs::rename(&path, &aside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(file_fault(&error, "moving it aside", &place(&path)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The files that SQLite keeps beside a database.
fn helpers(path: &Path) -> impl Iterator<Item = PathBuf> {
    ["-wal", "-shm", "-journal"].into_iter().map(move |ending| {
        let mut helper = path.to_owned().into_os_string();
        helper.push(ending);
        PathBuf::from(helper)
    })
}

/// Copying a file brings its mode along, and a backup may lie about readable for others.
fn set_private(path: &Path) -> Result<(), Fault> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode)
            .map_err(|error| file_fault(&error, "closing it to others", &place(path)))?;
    }
    Ok(())
}
