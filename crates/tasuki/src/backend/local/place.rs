//! The place of a local exchange: its store, and the directory for what only this machine needs.

use std::path::Path;

use tasuki_store::{ExchangeStore, Location, Options};

use crate::backend::refusal::fault_failure;
use crate::backend::remote::state_dir;
use crate::config::{Environment, Settings};
use crate::data_dir::DataDir;
use crate::exit::Failure;

/// A store, and the data directory of this machine.
#[derive(Debug, Clone)]
pub(crate) struct StorePlace {
    pub(crate) location: Location,
    /// Sessions, drafts and crash records; for SQLite also the store.
    pub(crate) data_dir: DataDir,
}

impl StorePlace {
    /// Returns the configured database, or the nearest `.tasuki/` from a folder upward.
    pub(crate) fn find(folder: &Path, settings: &Settings) -> Result<Self, Failure> {
        match Self::of_database(settings)? {
            Some(place) => Ok(place),
            None => Ok(Self::in_directory(DataDir::find(folder)?)),
        }
    }

    /// Returns the configured database, or the `.tasuki/` of a folder, which is created if it is
    /// missing. Returns `true` if it was.
    pub(crate) fn create(folder: &Path, settings: &Settings) -> Result<(Self, bool), Failure> {
        if let Some(place) = Self::of_database(settings)? {
            return Ok((place, false));
        }
        let (data_dir, created) = DataDir::create(folder)?;
        Ok((Self::in_directory(data_dir), created.is_new()))
    }

    /// Returns the store in a data directory.
    pub(crate) fn in_directory(data_dir: DataDir) -> Self {
        Self { location: Location::Directory(data_dir.path().to_owned()), data_dir }
    }

    /// Returns the configured database. Its claims and drafts are kept like those of a server.
    fn of_database(settings: &Settings) -> Result<Option<Self>, Failure> {
        let Some(location) = settings.database() else { return Ok(None) };
        let folder = state_dir(&Environment::of_process(), &location.display())?;
        let (data_dir, _) = DataDir::create_in(&folder)?;
        Ok(Some(Self { location, data_dir }))
    }

    pub(crate) fn open(
        &self,
        options: Options,
    ) -> Result<std::sync::Arc<dyn ExchangeStore>, Failure> {
        self.location.open(options).map_err(|error| fault_failure(&error))
    }
}
