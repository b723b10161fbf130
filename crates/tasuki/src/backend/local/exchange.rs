//! Opens the local exchange, and runs commands and queries on it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::model::{
    Directory, Handoff, Principal, RequestKey, Settings as ProjectSettings,
};
use tasuki_engine::ports::{AccountStore, Pending, Store, System};
use tasuki_packet::id::ProjectId;
use tasuki_server::{LocalExchange, local_exchange};
use tasuki_store::{ExchangeStore, Location, Options, SqliteStore};

use crate::backend::local::place::StorePlace;
use crate::backend::refusal::{engine_failure, fault_failure};
use crate::backend::require_local;
use crate::config::{Environment, Flags, Settings};
use crate::data_dir::DataDir;
use crate::exit::{Failure, reason};

/// The exchange of the nearest `.tasuki/`, and one project in it.
pub(crate) struct Exchange {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<dyn ExchangeStore>,
    pub(crate) project: ProjectId,
    pub(crate) place: StorePlace,
    pub(crate) settings: Settings,
    runtime: tokio::runtime::Runtime,
}

impl Exchange {
    /// Opens the exchange of the current directory, for commands that work on its files.
    pub(crate) fn open(flags: &Flags) -> Result<Self, Failure> {
        let folder = current_folder()?;
        let settings = Settings::resolve(flags, &Environment::of_process(), &folder)?;
        require_local(&settings)?;
        Self::open_near(&folder, settings)
    }

    /// Opens the exchange of the nearest `.tasuki/` from a folder upward.
    pub(crate) fn open_near(folder: &Path, settings: Settings) -> Result<Self, Failure> {
        Self::open_at(StorePlace::find(folder, &settings)?, settings)
    }

    /// Opens the exchange in a known place.
    pub(crate) fn open_at(place: StorePlace, settings: Settings) -> Result<Self, Failure> {
        Self::open_with(place, settings, Options::default())
    }

    /// Opens a damaged exchange for inspection: handoffs are read without their index.
    pub(crate) fn open_for_repair(place: StorePlace, settings: Settings) -> Result<Self, Failure> {
        Self::open_with(place, settings, Options { bare: true, ..Options::default() })
    }

    fn open_with(place: StorePlace, settings: Settings, options: Options) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let store = place.open(options)?;
        let engine = start(&store);
        let found = runtime.block_on(engine.project(settings.project.value.as_str()));
        let project = found.map_err(engine_failure).map_err(|failure| {
            match unlisted_projects(&place.location) {
                Ok(Some(lost)) => failure.hint(format!("{}: {LIST_AGAIN}", lost.message)),
                _ => failure,
            }
        })?;
        require_database(&place.location, settings.project.value.as_str(), project)?;
        Ok(Self { engine, store, project, place, settings, runtime })
    }

    /// Returns the directory for what only this machine needs.
    pub(crate) fn data_dir(&self) -> &DataDir {
        &self.place.data_dir
    }

    /// Returns the exchange of the tools that an agent calls.
    pub(crate) fn tools(&self, principal: Principal) -> LocalExchange {
        let people: Arc<dyn AccountStore> = Arc::clone(&self.store) as _;
        local_exchange(self.engine.clone(), people, self.project, principal)
    }

    /// Runs one command for a caller.
    pub(crate) fn run(
        &self,
        principal: &Principal,
        command: Command,
        key: Option<String>,
    ) -> Result<api::CommandResponse, Failure> {
        self.try_run(principal, command, key).map_err(engine_failure)
    }

    /// Runs one command and returns the refusal unconverted.
    pub(crate) fn try_run(
        &self,
        principal: &Principal,
        command: Command,
        key: Option<String>,
    ) -> Result<api::CommandResponse, Error> {
        let (project, principal) = (self.project, principal.clone());
        let key = key.map(RequestKey::from);
        self.runtime.block_on(self.engine.run(Call { project, principal, command, key }))
    }

    /// Waits for the engine.
    pub(crate) fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Failure> {
        self.runtime.block_on(work).map_err(engine_failure)
    }

    /// Waits for the store.
    pub(crate) fn read<T>(&self, work: Pending<'_, T>) -> Result<T, Failure> {
        let read: Result<T, Fault> = self.runtime.block_on(work);
        read.map_err(|error| fault_failure(&error))
    }

    /// Waits for any future.
    pub(super) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Applies due deadlines, so that the next read is up to date.
    pub(crate) fn apply_due(&self, principal: &Principal) -> Result<(), Failure> {
        self.wait(self.engine.apply_due_before_read(self.project, principal))
    }

    /// Returns a number that changes with every write.
    pub(crate) fn data_version(&self) -> Result<u64, Failure> {
        self.store.data_version(self.project).map_err(|error| fault_failure(&error))
    }

    /// Returns a handoff with a revision of its packet, as a caller may see it.
    pub(crate) fn details(
        &self,
        principal: &Principal,
        handoff: &Handoff,
        revision: u32,
    ) -> Result<api::HandoffDetails, Failure> {
        self.wait(self.engine.details(self.project, principal, handoff, revision))
    }

    /// Returns the current parties, contracts, gates and settings.
    pub(crate) fn directory(&self) -> Result<Arc<Directory>, Failure> {
        self.wait(self.engine.directory(self.project))
    }
}

impl Drop for Exchange {
    /// The last connection to close checkpoints the WAL, and the engine's workers hold connections.
    fn drop(&mut self) {
        self.engine.close();
    }
}

/// Starts an engine on a store.
pub(crate) fn start(store: &Arc<dyn ExchangeStore>) -> Engine {
    Engine::start(Arc::clone(store) as Arc<dyn Store>, store.engine_clock(), Arc::new(System))
}

/// Creates a project unless it exists. Returns whether it is new.
pub(crate) fn create_project(location: &Location, name: &str) -> Result<bool, Failure> {
    let store = location.open(Options::default()).map_err(|error| fault_failure(&error))?;
    let engine = start(&store);
    let runtime = runtime()?;
    if let Ok(project) = runtime.block_on(engine.project(name)) {
        require_database(location, name, project)?;
        return Ok(false);
    }
    // A second project would look as if the first had been empty.
    if let Some(lost) = unlisted_projects(location)? {
        return Err(fault_failure(&lost));
    }
    // Write access to the store makes an operator, so parties are registered on first use.
    let settings = ProjectSettings { registers_on_first_use: true, ..ProjectSettings::default() };
    match runtime.block_on(engine.create_project(name, settings)) {
        Ok(_) => Ok(true),
        // Another process that shares the store may have created it meanwhile.
        Err(_) if runtime.block_on(engine.project(name)).is_ok() => Ok(false),
        Err(error) => Err(engine_failure(error)),
    }
}

/// Fails if the database of a listed project is missing. A new one would look like an empty project.
fn require_database(location: &Location, name: &str, project: ProjectId) -> Result<(), Failure> {
    let Location::Directory(path) = location else { return Ok(()) };
    let file = DataDir::at(path).project_database(project);
    if file.exists() {
        return Ok(());
    }
    let message = format!("the database of project `{name}` is missing: {}", file.display());
    Err(fault_failure(
        &Fault::new(FaultKind::StoreUnavailable, message)
            .hint("restore a backup: `tasuki restore FILE`"),
    ))
}

const LIST_AGAIN: &str = "`tasuki doctor --fix` lists it again, without losing data";

/// Returns a fault that names the projects on disk that `exchange.db` does not list, if there are any.
fn unlisted_projects(location: &Location) -> Result<Option<Fault>, Failure> {
    let Location::Directory(path) = location else { return Ok(None) };
    let store = SqliteStore::open(path, Options::default()).map_err(|e| fault_failure(&e))?;
    let unlisted = store.orphaned_projects().map_err(|error| fault_failure(&error))?;
    let names: Vec<String> =
        unlisted.into_iter().filter_map(|one| Some(format!("`{}`", one.name.ok()?))).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let message = format!("`exchange.db` does not list project {}", names.join(", "));
    Ok(Some(Fault::new(FaultKind::Corrupt, message).hint(LIST_AGAIN)))
}

pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("cannot start the runtime: {}", reason(&error))))
}

fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })
}
