//! Restores a backup.
//!
//! The backup is copied beside the store, as a store of its own, and checked. Then everything that is to be
//! replaced is locked. Only then each file is installed, by one rename or one transaction.
//!
//! Before that last step the engine records in the copy of each truncated log that it was truncated. The leaf
//! then comes with the log itself: wherever a restore is interrupted, no log is truncated without saying so.

use std::path::{Path, PathBuf};

use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::model::Head;
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::RecordRestore;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::Hash;

use crate::maintenance::atomic_dir::{AtomicDir, rename};
use crate::maintenance::backup::{copy_into, find_damage, listed_projects, refuse_if_exists};
use crate::sqlite::connection::{Access, Database};
use crate::sqlite::exchange::Exchange;
use crate::sqlite::fault::file_fault;
use crate::sqlite::files::{
    create_directory, create_file, display_path, parent_of, project_file, sync_file,
};
use crate::sqlite::project::{Project, load_head};
use crate::sqlite::read;
use crate::sqlite::statements::Kind;

/// The treatment of a store or project that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// The restore is refused.
    Refuse,
    /// It is replaced.
    Replace,
}

/// The hint if only an existing file is in the way.
const FORCE_HINT: &str = "`--force` overwrites what is there";

/// A checked backup beside the store, whose files are locked.
#[derive(Debug)]
pub struct Restore {
    staged: AtomicDir,
    projects: Vec<StagedFile>,
    exchange: ExchangeFile,
}

/// One log that loses what came after the backup.
#[derive(Debug, Clone)]
pub struct TruncatedLog {
    /// The name of its project.
    pub name: String,
    /// Its project.
    pub project: ProjectId,
    /// The end that it has in the backup.
    pub found: RecordRestore,
}

/// The treatment of `exchange.db`.
#[derive(Debug)]
enum ExchangeFile {
    /// It comes from the backup.
    Replaced(StagedFile),
    /// It is that of the store, which may list one more project.
    Kept(Exchange),
}

impl Restore {
    /// Copies a backup beside the store it is for: a directory with a whole store, or the file of one
    /// project.
    ///
    /// # Errors
    ///
    /// If something exists and is not to be replaced, if the backup is damaged or of a newer program, or if what
    /// is to be replaced is in use. Nothing was changed then.
    pub fn prepare(from: &Path, to: &Path, overwrite: Overwrite) -> Result<Self, Error> {
        create_directory(to)?;
        let to = to
            .canonicalize()
            .map_err(|error| file_fault(&error, "finding the directory", &display_path(to)))?;
        let staged = AtomicDir::beside(&to.join("restore"))?;
        let is_whole = from.is_dir();
        let stage = if is_whole { stage_all } else { stage_one };
        stage(from, staged.path())?;
        let mut projects = Vec::new();
        for (name, id) in listed_projects(&staged.path().join("exchange.db"))? {
            projects.push(StagedFile::below(
                &project_file(id),
                staged.path(),
                &to,
                Some((name, id)),
            ));
        }
        let exchange = if is_whole {
            ExchangeFile::Replaced(StagedFile::below(
                "exchange.db".as_ref(),
                staged.path(),
                &to,
                None,
            ))
        } else {
            ExchangeFile::Kept(exchange_for(&projects, &to)?)
        };
        let mut restore = Self { staged, projects, exchange };
        if overwrite == Overwrite::Refuse {
            restore.files().try_for_each(|file| refuse_if_exists(&file.target, FORCE_HINT))?;
        }
        restore.files().try_for_each(StagedFile::lock_target)?;
        Ok(restore)
    }

    /// Returns the directory in which the backup is a store of its own. It must be closed before
    /// [`Self::commit`].
    pub fn store(&self) -> &Path {
        self.staged.path()
    }

    /// Lists the logs of the backup that do not contain the last leaf of the existing ones, or of which that is
    /// unknown.
    ///
    /// # Errors
    ///
    /// If the copy cannot be read.
    pub fn truncated_logs(&self) -> Result<Vec<TruncatedLog>, Fault> {
        let mut truncated = Vec::new();
        for staged in &self.projects {
            let Some((name, id)) = &staged.project else { continue };
            let project = Project::open(*id, staged.copy.clone(), Access::Write, None)?;
            let before = staged.head().filter(|before| before.project == *id);
            let contains_last_leaf =
                |before: &Head| project.read(|database| contains_last_leaf(database, before));
            if before.as_ref().map(contains_last_leaf).transpose()?.unwrap_or(false) {
                continue;
            }
            let (head, _) = project.read(load_head)?;
            let found = RecordRestore { last: head.leaves.saturating_sub(1), hash: head.last_hash };
            truncated.push(TruncatedLog { name: name.clone(), project: *id, found });
        }
        Ok(truncated)
    }

    /// Installs all files.
    ///
    /// # Errors
    ///
    /// If reading or writing fails, or the copy is still open.
    pub fn commit(self) -> Result<(), Fault> {
        match self.exchange {
            // The list comes last: the projects that it names exist by then.
            ExchangeFile::Replaced(list) => {
                self.projects.into_iter().chain([list]).try_for_each(StagedFile::install)
            }
            ExchangeFile::Kept(exchange) => {
                self.projects.into_iter().try_for_each(|one| one.install_and_list(&exchange))
            }
        }
    }

    fn files(&mut self) -> impl Iterator<Item = &mut StagedFile> {
        let list = match &mut self.exchange {
            ExchangeFile::Replaced(list) => Some(list),
            ExchangeFile::Kept(_) => None,
        };
        self.projects.iter_mut().chain(list)
    }
}

/// Copies a whole store.
fn stage_all(from: &Path, staged: &Path) -> Result<(), Fault> {
    stage(&from.join("exchange.db"), &staged.join("exchange.db"), Kind::Exchange)?;
    for (_, id) in listed_projects(&staged.join("exchange.db"))? {
        let below = project_file(id);
        stage(&from.join(&below), &staged.join(&below), Kind::Project)?;
    }
    Ok(())
}

/// Copies one project, and lists it.
fn stage_one(from: &Path, staged: &Path) -> Result<(), Fault> {
    let copy = staged.join("copy.db");
    stage(from, &copy, Kind::Project)?;
    let (head, name) = load_head(&Database::open(&copy, Access::Write)?)?;
    let path = staged.join(project_file(head.project));
    create_directory(parent_of(&path))?;
    rename(&copy, &path)?;
    Exchange::open(&staged.join("exchange.db"))?.add(&name, head.project, || Ok(())).map(drop)
}

/// Copies a file of a backup and checks the copy.
fn stage(from: &Path, to: &Path, kind: Kind) -> Result<(), Fault> {
    create_directory(parent_of(to))?;
    create_file(to)?;
    std::fs::copy(from, to)
        .map_err(|error| file_fault(&error, "copying the backup", &display_path(from)))?;
    set_private(to)?;
    match find_damage(to, kind)? {
        None => Ok(()),
        Some(damage) => {
            let message = format!("`{}`: the backup is {damage}", display_path(from));
            Err(Fault::new(FaultKind::Corrupt, message).hint("use an older backup"))
        }
    }
}

/// Opens the list that projects are added to, unless it has another one of the same name.
fn exchange_for(projects: &[StagedFile], to: &Path) -> Result<Exchange, Error> {
    let exchange = Exchange::open(&to.join("exchange.db"))?;
    let known = exchange.projects()?;
    for (name, id) in projects.iter().filter_map(|one| one.project.as_ref()) {
        let is_known = known.iter().any(|(_, known)| known == id);
        let other = known.iter().find(|(known, _)| known == name);
        if let Some((_, other)) = other
            && !is_known
        {
            let message = format!("project `{name}` is {other} here, the backup is of {id}");
            let refusal = Refusal::new(RefusalCode::StoreTaken, message);
            return Err(refusal.hint("restore into another directory").into());
        }
    }
    Ok(exchange)
}

/// Returns whether a log contains the last leaf of another.
fn contains_last_leaf(database: &Database, before: &Head) -> Result<bool, Fault> {
    let Some(last) = before.leaves.checked_sub(1) else { return Ok(true) };
    let leaves = read::leaves(database, last, 1)?;
    let is_last = |leaf: &str| Hash::of_leaf(leaf.as_bytes()) == before.last_hash;
    Ok(leaves.first().is_some_and(|row| row.n == last && is_last(&row.leaf)))
}

/// A copy of a backup's file, and its target.
#[derive(Debug)]
struct StagedFile {
    copy: PathBuf,
    target: PathBuf,
    existing: Target,
    /// The name and id of the project whose file it is.
    project: Option<(String, ProjectId)>,
}

/// The file that exists at the target.
#[derive(Debug)]
enum Target {
    Missing,
    /// A database that no other connection has open.
    Locked(Database),
    /// A file that cannot be opened.
    Damaged,
}

impl StagedFile {
    fn below(below: &Path, staged: &Path, to: &Path, project: Option<(String, ProjectId)>) -> Self {
        let (copy, target) = (staged.join(below), to.join(below));
        Self { copy, target, existing: Target::Missing, project }
    }

    /// Locks what exists at the target.
    fn lock_target(&mut self) -> Result<(), Fault> {
        if !self.target.exists() {
            return Ok(());
        }
        self.existing = match Database::open_exclusive(&self.target) {
            Ok(database) => Target::Locked(database),
            Err(fault) if fault.kind == FaultKind::Corrupt => Target::Damaged,
            Err(fault) => return Err(fault),
        };
        Ok(())
    }

    /// Returns the head of the existing log, if it can be read.
    fn head(&self) -> Option<Head> {
        match &self.existing {
            Target::Locked(database) => load_head(database).ok().map(|(head, _)| head),
            Target::Missing | Target::Damaged => None,
        }
    }

    fn install_and_list(self, exchange: &Exchange) -> Result<(), Fault> {
        let Some((name, id)) = self.project.clone() else { return self.install() };
        if exchange.projects()?.iter().any(|(_, known)| *known == id) {
            return self.install();
        }
        exchange.add(&name, id, || self.install()).map(drop)
    }

    fn install(mut self) -> Result<(), Fault> {
        let existing = std::mem::replace(&mut self.existing, Target::Missing);
        let Target::Locked(mut target) = existing else { return self.install_new() };
        // Renaming would leave another process with the old file open.
        let installed = Database::open(&self.copy, Access::Write).and_then(|copy| {
            copy_into(&copy, target.connection_mut(), &display_path(&self.target))
        });
        match installed {
            Err(fault) if fault.kind == FaultKind::Corrupt => {
                drop(target);
                self.install_new()
            }
            installed => installed,
        }
    }

    /// Moves what exists aside, and renames the copy. Also without a database there may be a WAL, which SQLite
    /// would take for that of the new one.
    fn install_new(&self) -> Result<(), Fault> {
        // The last connection to close checkpoints the WAL.
        drop(Database::open_exclusive(&self.copy)?);
        sync_file(&self.copy)?;
        create_directory(parent_of(&self.target))?;
        move_aside(&self.target)?;
        rename(&self.copy, &self.target)
    }
}

/// Renames files that cannot be opened.
fn move_aside(target: &Path) -> Result<(), Fault> {
    for path in std::iter::once(target.to_owned()).chain(sidecar_files(target)) {
        let mut aside = path.clone().into_os_string();
        aside.push(format!(".damaged-{}", std::process::id()));
        match std::fs::rename(&path, &aside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(file_fault(&error, "moving it aside", &display_path(&path)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the files that SQLite keeps beside a database.
fn sidecar_files(path: &Path) -> impl Iterator<Item = PathBuf> {
    ["-wal", "-shm", "-journal"].into_iter().map(move |ending| {
        let mut sidecar = path.to_owned().into_os_string();
        sidecar.push(ending);
        PathBuf::from(sidecar)
    })
}

/// Makes a file private: a copy has the mode of the backup.
fn set_private(path: &Path) -> Result<(), Fault> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode)
            .map_err(|error| file_fault(&error, "closing it to others", &display_path(path)))?;
    }
    Ok(())
}
