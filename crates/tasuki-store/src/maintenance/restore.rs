//! Bringing a backup back.
//!
//! The backup is copied beside the store, as a store of its own, and looked at. Then everything that
//! shall be replaced is taken, so that nobody else has it. Only then each file comes into its place, by
//! one rename or one transaction.
//!
//! Before that last step the engine writes into the copy of each log that is cut that it was. So the
//! leaf and what follows from it come with the log itself: wherever this is interrupted, no log is cut
//! without saying so.

use std::path::{Path, PathBuf};

use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_engine::restore::Restored;
use tasuki_engine::state::Head;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::Hash;

use crate::maintenance::atomic_dir::{Partial, rename};
use crate::maintenance::backup::{copy_into, damage, listed, refuse_if_there};
use crate::sqlite::connection::{Access, Database};
use crate::sqlite::exchange::Exchange;
use crate::sqlite::fault::file_fault;
use crate::sqlite::files::{folder_of, make_directory, make_file, place, project_file, sync_file};
use crate::sqlite::project::{Project, load_head};
use crate::sqlite::read;
use crate::sqlite::statements::Kind;

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

/// A backup that is looked at and lies beside the store, whose files nobody else has.
#[derive(Debug)]
pub struct Restore {
    staged: Partial,
    projects: Vec<Incoming>,
    exchange: List,
}

/// One log that loses what came after the backup.
#[derive(Debug, Clone)]
pub struct Cut {
    /// The name of its project.
    pub name: String,
    /// Its project.
    pub project: ProjectId,
    /// The end that it has in the backup.
    pub found: Restored,
}

/// What becomes of the list of projects.
#[derive(Debug)]
enum List {
    /// It comes from the backup.
    Replaced(Incoming),
    /// It is that of the store, which may learn of one more.
    Kept(Exchange),
}

impl Restore {
    /// Copies a backup beside the store it is for: a directory with a whole store, or the file of one
    /// project.
    ///
    /// # Errors
    ///
    /// If something is there already and shall stay, if the backup is damaged or of a newer program,
    /// or if what shall be replaced is in use. Nothing was changed then.
    pub fn prepare(from: &Path, to: &Path, overwrite: Overwrite) -> Result<Self, Error> {
        make_directory(to)?;
        let to = to
            .canonicalize()
            .map_err(|error| file_fault(&error, "finding the directory", &place(to)))?;
        let staged = Partial::beside(&to.join("restore"))?;
        let is_whole = from.is_dir();
        let stage = if is_whole { stage_all } else { stage_one };
        stage(from, staged.path())?;
        let mut projects = Vec::new();
        for (name, id) in listed(&staged.path().join("exchange.db"))? {
            projects.push(Incoming::below(&project_file(id), staged.path(), &to, Some((name, id))));
        }
        let exchange = if is_whole {
            List::Replaced(Incoming::below("exchange.db".as_ref(), staged.path(), &to, None))
        } else {
            List::Kept(list_for(&projects, &to)?)
        };
        let mut restore = Self { staged, projects, exchange };
        if overwrite == Overwrite::Refuse {
            restore.files().try_for_each(|file| refuse_if_there(&file.target, BY_FORCE))?;
        }
        restore.files().try_for_each(Incoming::take)?;
        Ok(restore)
    }

    /// The directory in which the backup lies as a store of its own. Nobody may have it open when it
    /// is put in place.
    pub fn store(&self) -> &Path {
        self.staged.path()
    }

    /// The logs that end before the last leaf that is there now, or of which nobody knows that.
    ///
    /// # Errors
    ///
    /// If the copy cannot be read.
    pub fn cut(&self) -> Result<Vec<Cut>, Fault> {
        let mut cut = Vec::new();
        for incoming in &self.projects {
            let Some((name, id)) = &incoming.project else { continue };
            let project = Project::open(*id, incoming.copy.clone(), Access::Write, None)?;
            let before = incoming.head().filter(|before| before.project == *id);
            let goes_on = |before: &Head| project.read(|database| goes_on(database, before));
            if before.as_ref().map(goes_on).transpose()?.unwrap_or(false) {
                continue;
            }
            let (head, _) = project.read(load_head)?;
            let found = Restored { last: head.leaves.saturating_sub(1), hash: head.last_hash };
            cut.push(Cut { name: name.clone(), project: *id, found });
        }
        Ok(cut)
    }

    /// Puts everything in its place.
    ///
    /// # Errors
    ///
    /// If reading or writing fails, or somebody still has the copy open.
    pub fn put(self) -> Result<(), Fault> {
        match self.exchange {
            // The list comes last: what it names is there.
            List::Replaced(list) => {
                self.projects.into_iter().chain([list]).try_for_each(Incoming::put)
            }
            List::Kept(exchange) => {
                self.projects.into_iter().try_for_each(|one| one.put_and_list(&exchange))
            }
        }
    }

    fn files(&mut self) -> impl Iterator<Item = &mut Incoming> {
        let list = match &mut self.exchange {
            List::Replaced(list) => Some(list),
            List::Kept(_) => None,
        };
        self.projects.iter_mut().chain(list)
    }
}

/// Copies a whole store.
fn stage_all(from: &Path, staged: &Path) -> Result<(), Fault> {
    stage(&from.join("exchange.db"), &staged.join("exchange.db"), Kind::Exchange)?;
    for (_, id) in listed(&staged.join("exchange.db"))? {
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
    make_directory(folder_of(&path))?;
    rename(&copy, &path)?;
    Exchange::open(&staged.join("exchange.db"))?.add(&name, head.project, || Ok(())).map(drop)
}

/// Copies a file of a backup and looks at the copy.
fn stage(from: &Path, to: &Path, kind: Kind) -> Result<(), Fault> {
    make_directory(folder_of(to))?;
    make_file(to)?;
    std::fs::copy(from, to)
        .map_err(|error| file_fault(&error, "copying the backup", &place(from)))?;
    set_private(to)?;
    match damage(to, kind)? {
        None => Ok(()),
        Some(damage) => {
            let message = format!("`{}`: the backup is {damage}", place(from));
            Err(Fault::new(FaultKind::Corrupt, message).hint("use an older backup"))
        }
    }
}

/// The list that projects are put beside, unless it has another one of the same name.
fn list_for(projects: &[Incoming], to: &Path) -> Result<Exchange, Error> {
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

/// Whether a log has the leaf that was the last one before.
fn goes_on(database: &Database, before: &Head) -> Result<bool, Fault> {
    let Some(last) = before.leaves.checked_sub(1) else { return Ok(true) };
    let leaves = read::leaves(database, last, 1)?;
    let is_last = |leaf: &str| Hash::of_leaf(leaf.as_bytes()) == before.last_hash;
    Ok(leaves.first().is_some_and(|row| row.n == last && is_last(&row.leaf)))
}

/// A copy of a backup's file, and the place it shall have.
#[derive(Debug)]
struct Incoming {
    copy: PathBuf,
    target: PathBuf,
    there: There,
    /// The name and id of the project whose file it is.
    project: Option<(String, ProjectId)>,
}

/// What is in a place.
#[derive(Debug)]
enum There {
    Nothing,
    /// A database that nobody else has open.
    Taken(Database),
    /// Something that cannot even be opened.
    Damaged,
}

impl Incoming {
    fn below(below: &Path, staged: &Path, to: &Path, project: Option<(String, ProjectId)>) -> Self {
        let (copy, target) = (staged.join(below), to.join(below));
        Self { copy, target, there: There::Nothing, project }
    }

    /// Takes what is there, so that nobody else can.
    fn take(&mut self) -> Result<(), Fault> {
        if !self.target.exists() {
            return Ok(());
        }
        self.there = match Database::open_alone(&self.target) {
            Ok(database) => There::Taken(database),
            Err(fault) if fault.kind == FaultKind::Corrupt => There::Damaged,
            Err(fault) => return Err(fault),
        };
        Ok(())
    }

    /// The end of the log that is there. One that cannot be read has no end that anybody knows.
    fn head(&self) -> Option<Head> {
        match &self.there {
            There::Taken(database) => load_head(database).ok().map(|(head, _)| head),
            There::Nothing | There::Damaged => None,
        }
    }

    fn put_and_list(self, exchange: &Exchange) -> Result<(), Fault> {
        let Some((name, id)) = self.project.clone() else { return self.put() };
        if exchange.projects()?.iter().any(|(_, known)| *known == id) {
            return self.put();
        }
        exchange.add(&name, id, || self.put()).map(drop)
    }

    fn put(mut self) -> Result<(), Fault> {
        let there = std::mem::replace(&mut self.there, There::Nothing);
        let There::Taken(mut target) = there else { return self.put_anew() };
        // Renaming would leave another process with the old file in its hands.
        let put = Database::open(&self.copy, Access::Write)
            .and_then(|copy| copy_into(&copy, target.connection_mut(), &place(&self.target)));
        match put {
            Err(fault) if fault.kind == FaultKind::Corrupt => {
                drop(target);
                self.put_anew()
            }
            put => put,
        }
    }

    /// What is there is kept under another name. Also without a database there may be a WAL, which
    /// SQLite would take for that of the new one.
    fn put_anew(&self) -> Result<(), Fault> {
        // The last to close a database moves its WAL into it.
        drop(Database::open_alone(&self.copy)?);
        sync_file(&self.copy)?;
        make_directory(folder_of(&self.target))?;
        move_aside(&self.target)?;
        rename(&self.copy, &self.target)
    }
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
