//! Opening the exchange, and asking it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tasuki_engine::clock::System;
use tasuki_engine::command::Command;
use tasuki_engine::directory::{Directory, Settings as ProjectSettings};
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::principal::Principal;
use tasuki_engine::same_request::RequestKey;
use tasuki_engine::store::{Pending, Store};
use tasuki_packet::api;
use tasuki_packet::id::ProjectId;
use tasuki_store::{Options, SqliteStore};

use crate::backend::only_here;
use crate::backend::refusal::{failed, fault};
use crate::config::{Environment, Flags, Settings};
use crate::data_dir::Place;
use crate::exit::{Failure, reason};

/// The exchange of the nearest `.tasuki/`, and one project in it.
pub(crate) struct Exchange {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) project: ProjectId,
    pub(crate) place: Place,
    pub(crate) settings: Settings,
    runtime: tokio::runtime::Runtime,
}

impl Exchange {
    /// Opens the exchange that these flags, the environment and the current folder mean, for what
    /// works on its files.
    pub(crate) fn open(flags: &Flags) -> Result<Self, Failure> {
        let folder = current_folder()?;
        let settings = Settings::gather(flags, &Environment::of_process(), &folder)?;
        only_here(&settings)?;
        Self::near(&folder, settings)
    }

    /// Opens the exchange of the nearest `.tasuki/` from a folder upward.
    pub(crate) fn near(folder: &Path, settings: Settings) -> Result<Self, Failure> {
        Self::at(Place::find(folder)?, settings)
    }

    /// Opens the exchange in a place that is known.
    pub(crate) fn at(place: Place, settings: Settings) -> Result<Self, Failure> {
        Self::with(place, settings, Options::default())
    }

    /// The same for whoever looks what is wrong with it: handoffs are read whatever they are found by.
    pub(crate) fn bare(place: Place, settings: Settings) -> Result<Self, Failure> {
        Self::with(place, settings, Options { bare: true, ..Options::default() })
    }

    fn with(place: Place, settings: Settings, options: Options) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let store = SqliteStore::open(place.folder(), options).map_err(|e| fault(&e))?;
        let store = Arc::new(store);
        let shared: Arc<dyn Store> = Arc::clone(&store) as Arc<dyn Store>;
        let engine = Engine::start(shared, Arc::new(System), Arc::new(System));
        let found = runtime.block_on(engine.project(settings.project.value.as_str()));
        let project = found.map_err(failed).map_err(|failure| match unlisted(&store) {
            Ok(Some(lost)) => failure.hint(format!("{}: {LIST_AGAIN}", lost.message)),
            _ => failure,
        })?;
        must_be_whole(&place, settings.project.value.as_str(), project)?;
        Ok(Self { engine, store, project, place, settings, runtime })
    }

    /// Runs one command for a caller.
    pub(crate) fn run(
        &self,
        principal: &Principal,
        command: Command,
        key: Option<String>,
    ) -> Result<api::Answer, Failure> {
        self.try_run(principal, command, key).map_err(failed)
    }

    /// The same for a caller that looks at the refusal itself.
    pub(crate) fn try_run(
        &self,
        principal: &Principal,
        command: Command,
        key: Option<String>,
    ) -> Result<api::Answer, Error> {
        let (project, principal) = (self.project, principal.clone());
        let key = key.map(RequestKey::from);
        self.runtime.block_on(self.engine.run(Call { project, principal, command, key }))
    }

    /// Waits for something the engine does.
    pub(crate) fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Failure> {
        self.runtime.block_on(work).map_err(failed)
    }

    /// Waits for something the store does by itself, which is mostly reading.
    pub(crate) fn read<T>(&self, work: Pending<'_, T>) -> Result<T, Failure> {
        let read: Result<T, Fault> = self.runtime.block_on(work);
        read.map_err(|error| fault(&error))
    }

    /// Waits for something that neither the engine nor the store does.
    pub(super) fn finish<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Does what the clock has made due, so that what is read next is true now.
    pub(crate) fn settle(&self, principal: &Principal) -> Result<(), Failure> {
        self.wait(self.engine.settle(self.project, principal))
    }

    /// A number that is another one after anybody has written.
    pub(crate) fn version(&self) -> Result<u64, Failure> {
        self.store.data_version(self.project).map_err(|error| fault(&error))
    }

    /// Parties, contracts, gates and settings as they are now.
    pub(crate) fn directory(&self) -> Result<Arc<Directory>, Failure> {
        self.wait(self.engine.directory(self.project))
    }
}

impl Drop for Exchange {
    /// The last connection to close moves the WAL into the database, and lines have connections.
    fn drop(&mut self) {
        self.engine.close();
    }
}

/// Makes a project in a place, unless it is there. Says whether it is new.
pub(crate) fn create_project(place: &Place, name: &str) -> Result<bool, Failure> {
    let store = SqliteStore::open(place.folder(), Options::default()).map_err(|e| fault(&e))?;
    let store = Arc::new(store);
    let engine = Engine::start(Arc::clone(&store) as _, Arc::new(System), Arc::new(System));
    let runtime = runtime()?;
    if let Ok(project) = runtime.block_on(engine.project(name)) {
        must_be_whole(place, name, project)?;
        return Ok(false);
    }
    // A second one beside it would look as if the first had been empty.
    if let Some(lost) = unlisted(&store)? {
        return Err(fault(&lost));
    }
    // Whoever can write the place is its operator, so a name that is used is a party.
    let settings = ProjectSettings { registers_on_first_use: true, ..ProjectSettings::default() };
    runtime.block_on(engine.create_project(name, settings)).map_err(failed)?;
    Ok(true)
}

/// The file of a project that is listed must be there: without it nothing is left to open, and a new
/// one in its place would look as if it had been empty.
fn must_be_whole(place: &Place, name: &str, project: ProjectId) -> Result<(), Failure> {
    let file = place.project_database(project);
    if file.exists() {
        return Ok(());
    }
    let message = format!("project `{name}` is listed, and its file {} is gone", file.display());
    Err(fault(
        &Fault::new(FaultKind::StoreAway, message)
            .hint("`tasuki restore FILE` brings a backup back"),
    ))
}

const LIST_AGAIN: &str = "`tasuki doctor --fix` lists it again, with all that is in it";

/// Why a project cannot be found or made, where some lie here that nobody knows any more.
fn unlisted(store: &SqliteStore) -> Result<Option<Fault>, Failure> {
    let unlisted = store.unlisted().map_err(|error| fault(&error))?;
    let names: Vec<String> =
        unlisted.into_iter().filter_map(|one| Some(format!("`{}`", one.name.ok()?))).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let message = format!("{} lies here, and `exchange.db` does not list it", names.join(", "));
    Ok(Some(Fault::new(FaultKind::Corrupt, message).hint(LIST_AGAIN)))
}

pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("cannot start: {}", reason(&error))))
}

fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot tell the current folder: {}", reason(&error)))
    })
}
