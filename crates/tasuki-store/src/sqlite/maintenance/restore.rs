//! Restores a backup.
//!
//! The backup is copied beside the store as a separate store and checked. Then everything to be
//! replaced is locked. Only then is each file installed, by one rename or one transaction.
//!
//! Once everything is staged and locked, a marker is written. A restore that is killed before it
//! has changed nothing, and its copy is removed when the store is opened next. One that is killed
//! later is completed then.
//!
//! Before the last step the engine appends a leaf to the copy of each truncated log that records
//! the truncation. However a restore is interrupted, no log is truncated without that record.

use std::path::{Path, PathBuf};

use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::model::{Head, Record, TokenRecord};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::steps::RecordRestore;
use tasuki_packet::id::{ProjectId, TokenId};
use tasuki_packet::leaf::Hash;

use crate::sqlite::connection::{Access, Database};
use crate::sqlite::exchange::Exchange;
use crate::sqlite::fault::file_fault;
use crate::sqlite::files::head_file;
use crate::sqlite::files::{
    create_directory, create_file, display_path, parent_of, project_file, sync_file, with_suffix,
};
use crate::sqlite::maintenance::atomic_dir::{AtomicDir, abandoned_in, rename};
use crate::sqlite::maintenance::backup::{
    copy_into, find_damage, listed_projects, refuse_if_exists,
};
use crate::sqlite::project::{Project, load_head};
use crate::sqlite::read;
use crate::sqlite::statements::Kind;

/// How to treat an existing store or project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// Refuse the restore.
    Refuse,
    /// Replace it.
    Replace,
}

/// The hint if only an existing file prevents the restore.
const FORCE_HINT: &str = "use `--force` to overwrite it";

/// The file that marks the copy of a whole store as complete.
const WHOLE_MARKER: &str = "restore-whole";

/// The file that marks the copy of one project as complete.
const PROJECT_MARKER: &str = "restore-project";

/// A checked backup beside the store, whose files are locked.
#[derive(Debug)]
pub struct Restore {
    staged: AtomicDir,
    projects: Vec<StagedFile>,
    exchange: ExchangeFile,
}

/// A log that loses the leaves after the backup.
#[derive(Debug, Clone)]
pub struct TruncatedLog {
    /// The name of its project.
    pub name: String,
    /// The id of its project.
    pub project: ProjectId,
    /// The end of the log in the backup.
    pub found: RecordRestore,
}

/// A token that was revoked after the backup was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedToken {
    /// The id of its project.
    pub project: ProjectId,
    /// The name of its project.
    pub project_name: String,
    /// Its id.
    pub token: TokenId,
}

/// How to treat `exchange.db`.
#[derive(Debug)]
enum ExchangeFile {
    /// Taken from the backup.
    Replaced(StagedFile),
    /// Kept from the store, to which a restored project may be added.
    Kept(Exchange),
}

impl Restore {
    /// Copies a backup beside its target store. The backup is a directory with a whole store, or
    /// the file of one project.
    ///
    /// # Errors
    ///
    /// Fails if something exists and must not be replaced, if the backup is damaged or from a newer
    /// program, or if a file to be replaced is in use. Nothing is changed then.
    pub fn prepare(from: &Path, to: &Path, overwrite: Overwrite) -> Result<Self, Error> {
        create_directory(to)?;
        let to = to
            .canonicalize()
            .map_err(|error| file_fault(&error, "resolving the directory", &display_path(to)))?;
        let staged = AtomicDir::beside(&to.join("restore"))?;
        let is_whole = from.is_dir();
        let stage = if is_whole { stage_all } else { stage_one };
        stage(from, staged.path())?;
        let mut restore = Self::of_staged(staged, &to, is_whole)?;
        if overwrite == Overwrite::Refuse {
            restore.files().try_for_each(|file| refuse_if_exists(&file.target, FORCE_HINT))?;
        }
        restore.files().try_for_each(StagedFile::lock_target)?;
        Ok(restore)
    }

    /// Returns the restore of a copy beside its target store.
    fn of_staged(staged: AtomicDir, to: &Path, is_whole: bool) -> Result<Self, Error> {
        let mut projects = Vec::new();
        for (name, id) in listed_projects(&staged.path().join("exchange.db"))? {
            projects.push(StagedFile::below(
                &project_file(id),
                staged.path(),
                to,
                Some((name, id)),
            ));
        }
        let exchange = if is_whole {
            ExchangeFile::Replaced(StagedFile::below(
                "exchange.db".as_ref(),
                staged.path(),
                to,
                None,
            ))
        } else {
            ExchangeFile::Kept(exchange_for(&projects, to)?)
        };
        Ok(Self { staged, projects, exchange })
    }

    /// Returns the directory in which the backup is a separate store. It must be closed before
    /// [`Self::commit`].
    pub fn store(&self) -> &Path {
        self.staged.path()
    }

    /// Lists the logs that do not contain the last leaf of the existing log, or for which that is
    /// unknown.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be read.
    pub fn truncated_logs(&self) -> Result<Vec<TruncatedLog>, Fault> {
        let mut truncated = Vec::new();
        for staged in &self.projects {
            let Some((name, id)) = &staged.project else { continue };
            let project = Project::open(*id, staged.copy.clone(), Access::Write, None)?;
            let before = staged.head().filter(|before| before.project == *id);
            let contains_last_leaf =
                |before: &Head| project.read(|database| contains_last_leaf(database, before));
            let (head, _) = project.read(load_head)?;
            // If the existing log has lost its end, the side file still counts its leaves.
            let is_shorter = staged.recorded.is_some_and(|recorded| recorded > head.leaves);
            let is_continued = before.as_ref().map(contains_last_leaf).transpose()?;
            if is_continued.unwrap_or(false) && !is_shorter {
                continue;
            }
            let found = RecordRestore { last: head.leaves.saturating_sub(1), hash: head.last_hash };
            truncated.push(TruncatedLog { name: name.clone(), project: *id, found });
        }
        Ok(truncated)
    }

    /// Lists the tokens that were revoked after the backup was made, which the backup would make
    /// valid again. A damaged store has no list.
    ///
    /// # Errors
    ///
    /// Fails if the copy or the existing store cannot be read.
    pub fn revoked_tokens(&self) -> Result<Vec<RevokedToken>, Fault> {
        let mut revoked = Vec::new();
        for staged in &self.projects {
            let (Some((name, id)), Target::Locked(existing)) = (&staged.project, &staged.existing)
            else {
                continue;
            };
            if staged.head().is_none_or(|head| head.project != *id) {
                continue;
            }
            let copy = Database::open(&staged.copy, Access::Write)?;
            let valid: Vec<TokenId> =
                tokens(&copy)?.into_iter().filter(is_valid).map(|token| token.id).collect();
            let ended = tokens(existing)?.into_iter().filter(|token| !is_valid(token));
            revoked.extend(ended.filter(|token| valid.contains(&token.id)).map(|token| {
                RevokedToken { project: *id, project_name: name.clone(), token: token.id }
            }));
        }
        Ok(revoked)
    }

    /// Installs all files.
    ///
    /// # Errors
    ///
    /// Fails if reading or writing fails, or if the copy is still open.
    pub fn commit(mut self) -> Result<(), Fault> {
        self.mark_complete()?;
        self.install()
    }

    /// Writes the marker after which a restore that is killed or fails is completed later.
    fn mark_complete(&mut self) -> Result<(), Fault> {
        let marker = self.staged.path().join(match self.exchange {
            ExchangeFile::Replaced(_) => WHOLE_MARKER,
            ExchangeFile::Kept(_) => PROJECT_MARKER,
        });
        create_file(&marker)?;
        sync_file(&marker)?;
        self.staged.keep(true);
        Ok(())
    }

    /// Installs all files that are not installed yet.
    fn install(mut self) -> Result<(), Fault> {
        match self.exchange {
            // The list is last, so that the projects it names exist.
            ExchangeFile::Replaced(list) => {
                self.projects.into_iter().chain([list]).try_for_each(StagedFile::install)?;
            }
            ExchangeFile::Kept(exchange) => {
                self.projects.into_iter().try_for_each(|one| one.install_and_list(&exchange))?;
            }
        }
        self.staged.keep(false);
        Ok(())
    }

    fn files(&mut self) -> impl Iterator<Item = &mut StagedFile> {
        let list = match &mut self.exchange {
            ExchangeFile::Replaced(list) => Some(list),
            ExchangeFile::Kept(_) => None,
        };
        self.projects.iter_mut().chain(list)
    }
}

/// Completes or removes what killed restores left in the directory of a store.
pub(crate) fn finish_killed(store: &Path) -> Result<(), Fault> {
    for left in abandoned_in(store) {
        let Some(mut staged) = AtomicDir::adopt(left) else { continue };
        let has = |marker: &str| staged.path().join(marker).exists();
        let (is_whole, is_project) = (has(WHOLE_MARKER), has(PROJECT_MARKER));
        // The list is installed last. Without it everything was installed.
        if (is_whole || is_project) && has("exchange.db") {
            staged.keep(true);
            complete(staged, store, is_whole)?;
        }
    }
    Ok(())
}

/// Installs the files that a killed restore had not installed yet.
fn complete(staged: AtomicDir, store: &Path, is_whole: bool) -> Result<(), Fault> {
    let completed = staged.path().to_owned();
    let done = match Restore::of_staged(staged, store, is_whole) {
        Ok(mut restore) => {
            let locked = restore.files().try_for_each(StagedFile::lock_target);
            locked.and_then(|()| restore.install())
        }
        Err(Error::Failed(fault)) => Err(fault),
        Err(Error::Refused(refusal)) => Err(Fault::new(FaultKind::Corrupt, refusal.message)),
    };
    done.map_err(|fault| {
        let message = format!("a restore was killed and cannot be completed: {}", fault.message);
        Fault::new(fault.kind, message).hint(format!(
            "stop other processes and try again; its copy is `{}`",
            display_path(&completed)
        ))
    })
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

/// Copies one project and lists it.
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
            let message = format!("backup `{}` is {damage}", display_path(from));
            Err(Fault::new(FaultKind::Corrupt, message).hint("use an older backup"))
        }
    }
}

/// Opens the list that projects are added to. Refuses another project of the same name.
fn exchange_for(projects: &[StagedFile], to: &Path) -> Result<Exchange, Error> {
    let exchange = Exchange::open(&to.join("exchange.db"))?;
    let known = exchange.projects()?;
    for (name, id) in projects.iter().filter_map(|one| one.project.as_ref()) {
        let is_known = known.iter().any(|(_, known)| known == id);
        let other = known.iter().find(|(known, _)| known == name);
        if let Some((_, other)) = other
            && !is_known
        {
            let message = format!("project `{name}` has id {other} here, but {id} in the backup");
            let refusal = Refusal::new(RefusalCode::StoreTaken, message);
            return Err(refusal.hint("restore into another directory").into());
        }
    }
    Ok(exchange)
}

/// Lists the tokens of a project.
fn tokens(database: &Database) -> Result<Vec<TokenRecord>, Fault> {
    let records = read::directory(database)?;
    let token = |record| if let Record::Token(token) = record { Some(token) } else { None };
    Ok(records.into_iter().filter_map(token).collect())
}

fn is_valid(token: &TokenRecord) -> bool {
    token.revoked_at.is_none()
}

/// Returns `true` if a log contains the last leaf of another.
fn contains_last_leaf(database: &Database, before: &Head) -> Result<bool, Fault> {
    let Some(last) = before.leaves.checked_sub(1) else { return Ok(true) };
    let leaves = read::leaves(database, last, 1)?;
    let is_last = |leaf: &str| Hash::of_leaf(leaf.as_bytes()) == before.last_hash;
    Ok(leaves.first().is_some_and(|row| row.n == last && is_last(&row.leaf)))
}

/// A copied file of a backup and its target.
#[derive(Debug)]
struct StagedFile {
    copy: PathBuf,
    target: PathBuf,
    existing: Target,
    /// The number of leaves in the side file of the target.
    recorded: Option<u64>,
    /// The name and id of its project.
    project: Option<(String, ProjectId)>,
}

/// The existing file at the target.
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
        let recorded = head_file::recorded(&target);
        Self { copy, target, existing: Target::Missing, recorded, project }
    }

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
        if !self.copy.exists() {
            return Ok(());
        }
        // First, so that a restore that is killed leaves no side file ahead of its database.
        head_file::reset(&self.target);
        let existing = std::mem::replace(&mut self.existing, Target::Missing);
        let Target::Locked(mut target) = existing else { return self.install_new() };
        // A rename would leave other processes with the old file open.
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

    /// Moves existing files aside and renames the copy. Even without a database there may be a WAL,
    /// which SQLite would apply to the new one.
    fn install_new(&self) -> Result<(), Fault> {
        // Closing the last connection checkpoints the WAL.
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
                return Err(file_fault(&error, "moving the file aside", &display_path(&path)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the files that SQLite keeps beside a database.
fn sidecar_files(path: &Path) -> impl Iterator<Item = PathBuf> {
    ["-wal", "-shm", "-journal"].into_iter().map(|suffix| with_suffix(path, suffix))
}

/// Makes a file private to its owner: a copy has the mode of the backup.
fn set_private(path: &Path) -> Result<(), Fault> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode)
            .map_err(|error| file_fault(&error, "setting the file mode", &display_path(path)))?;
    }
    Ok(())
}
