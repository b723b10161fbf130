//! `exchange.db`: which projects there are, and who may sign.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::params;
use tasuki_engine::error::Fault;
use tasuki_packet::id::ProjectId;

use crate::connection::{Access, Database};
use crate::migrate::{self, Kind};
use crate::{row, sql};

/// The open `exchange.db`. It is asked seldom, so that one connection serves everybody.
#[derive(Debug)]
pub(crate) struct Exchange {
    path: PathBuf,
    database: Mutex<Option<Database>>,
}

impl Exchange {
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let exchange = Self { path: path.to_owned(), database: Mutex::default() };
        exchange.ask(|_| Ok(()))?;
        Ok(exchange)
    }

    /// Runs a question; after a fault the next one gets a new connection.
    pub(crate) fn ask<T>(
        &self,
        question: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut slot = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let database = slot.take().map_or_else(|| self.connect(), Ok)?;
        let answer = question(&database)?;
        *slot = Some(database);
        Ok(answer)
    }

    fn connect(&self) -> Result<Database, Fault> {
        let database = Database::open(&self.path, Access::Write)?;
        migrate::migrate(&database, Kind::Exchange)?;
        Ok(database)
    }

    /// Adds a project, after `make` has made its database. `false` if it was there.
    pub(crate) fn add(
        &self,
        name: &str,
        id: ProjectId,
        make: impl FnOnce() -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        // A fault closes the connection, and that undoes the transaction.
        self.ask(|database| {
            database.begin()?;
            let found =
                database.first(&sql::PROJECT_FIND, params![name, id.to_string()], |_| Ok(()))?;
            if found.is_some() {
                database.roll_back()?;
                return Ok(false);
            }
            // The database comes first: what is listed can always be opened.
            make()?;
            database.run(&sql::PROJECT_INSERT, params![name, id.to_string()])?;
            database.commit()?;
            Ok(true)
        })
    }

    pub(crate) fn projects(&self) -> Result<Vec<(String, ProjectId)>, Fault> {
        self.ask(|database| database.all(&sql::PROJECT_LIST, [], row::project))
    }

    pub(crate) fn person(&self, name: &str) -> Result<Option<String>, Fault> {
        self.ask(|database| database.first(&sql::PERSON_LOAD, [name], row::person))
    }

    pub(crate) fn set_person(&self, name: &str, hash: &str) -> Result<(), Fault> {
        self.ask(|database| database.run(&sql::PERSON_PUT, [name, hash])).map(drop)
    }
}
