//! `exchange.db`: which projects there are, who may sign, who is signed in, which tokens are used,
//! and which servers are there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::error::Fault;
use tasuki_engine::people::{SessionHash, SessionRecord};
use tasuki_packet::id::{ProjectId, TokenId};

use crate::sqlite::connection::{Access, Database};
use crate::sqlite::migrate;
use crate::sqlite::statements::Kind;
use crate::sqlite::{row, statements};

/// LIMIT: a server that was not there for a day is forgotten.
const HEARTBEAT_KEPT_MICROSECONDS: i64 = 24 * 3_600 * 1_000_000;

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

    /// Opens a connection of its own, for a check.
    pub(crate) fn open_to_look(&self) -> Result<Database, Fault> {
        Database::open_to_look(&self.path)
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
                database
                    .first(&statements::PROJECT_FIND, params![name, id.to_string()], |_| Ok(()))?;
            if found.is_some() {
                database.roll_back()?;
                return Ok(false);
            }
            // The database comes first: what is listed can always be opened.
            make()?;
            database.run(&statements::PROJECT_INSERT, params![name, id.to_string()])?;
            database.commit()?;
            Ok(true)
        })
    }

    pub(crate) fn projects(&self) -> Result<Vec<(String, ProjectId)>, Fault> {
        self.ask(|database| database.all(&statements::PROJECT_LIST, [], row::project))
    }

    /// The same after everybody who is adding one at this moment: a project is made before it is listed.
    pub(crate) fn projects_settled(&self) -> Result<Vec<(String, ProjectId)>, Fault> {
        self.ask(|database| {
            database.begin()?;
            let projects = database.all(&statements::PROJECT_LIST, [], row::project)?;
            database.roll_back()?;
            Ok(projects)
        })
    }

    pub(crate) fn person(&self, name: &str) -> Result<Option<String>, Fault> {
        self.ask(|database| database.first(&statements::PERSON_LOAD, [name], row::person))
    }

    /// A new password ends the sessions that were opened with the old one.
    pub(crate) fn set_person(&self, name: &str, hash: &str) -> Result<(), Fault> {
        self.ask(|database| {
            database.begin()?;
            database.run(&statements::PERSON_UPSERT, [name, hash])?;
            database.run(&statements::SESSION_DELETE_BY_PERSON, [name])?;
            database.commit()
        })
    }

    pub(crate) fn put_session(&self, session: &SessionRecord) -> Result<(), Fault> {
        self.ask(|database| {
            database.begin()?;
            database.run(&statements::SESSION_DELETE_EXPIRED, [session.created_at.as_microsecond()])?;
            let params = params![
                session.id.0,
                session.person,
                session.created_at.as_microsecond(),
                session.last_seen.as_microsecond(),
                session.expires_at.as_microsecond(),
            ];
            database.run(&statements::SESSION_UPSERT, params)?;
            database.commit()
        })
    }

    pub(crate) fn session(&self, id: SessionHash) -> Result<Option<SessionRecord>, Fault> {
        self.ask(|database| database.first(&statements::SESSION_LOAD, [id.0], row::session))
    }

    pub(crate) fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Result<(), Fault> {
        let params = params![seen_at.as_microsecond(), id.0];
        self.ask(|database| database.run(&statements::SESSION_TOUCH, params)).map(drop)
    }

    pub(crate) fn end_session(&self, id: SessionHash) -> Result<bool, Fault> {
        self.ask(|database| database.run(&statements::SESSION_DELETE, [id.0])).map(|count| count > 0)
    }

    pub(crate) fn token_uses(&self) -> Result<HashMap<TokenId, Timestamp>, Fault> {
        let uses =
            self.ask(|database| database.all(&statements::TOKEN_USE_LIST, [], row::token_use))?;
        Ok(uses.into_iter().collect())
    }

    pub(crate) fn note_token_uses(&self, uses: &[(TokenId, Timestamp)]) -> Result<(), Fault> {
        self.ask(|database| {
            database.begin()?;
            for (token, at) in uses {
                let params = params![token.to_string(), at.as_microsecond()];
                database.run(&statements::TOKEN_USE_UPSERT, params)?;
            }
            database.commit()
        })
    }

    pub(crate) fn last_heartbeat(&self) -> Result<Option<Timestamp>, Fault> {
        self.ask(|database| database.first(&statements::HEARTBEAT_LAST, [], row::heartbeat))
    }

    /// Its own row is the newest, so that forgetting the old ones never forgets the last.
    pub(crate) fn beat(&self, server: &str, at: Timestamp) -> Result<(), Fault> {
        let microsecond = at.as_microsecond();
        self.ask(|database| {
            database.begin()?;
            database.run(&statements::HEARTBEAT_UPSERT, params![server, microsecond])?;
            database
                .run(&statements::HEARTBEAT_DELETE_BEFORE, [microsecond - HEARTBEAT_KEPT_MICROSECONDS])?;
            database.commit()
        })
    }
}
