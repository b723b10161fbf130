//! `exchange.db`: projects, people, their sessions and mailed codes, token usage, and heartbeats of
//! servers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::error::Fault;
use tasuki_engine::limits::HEARTBEAT_KEPT_MICROSECONDS;
use tasuki_engine::ports::{ClockReference, MailCodeRecord, SessionHash, SessionRecord};
use tasuki_packet::id::{ProjectId, TokenId};

use crate::row;
use crate::sqlite::connection::{Access, Database};
use crate::sqlite::migrate;
use crate::sqlite::statements::{self, Kind};
use crate::unfinished_import::unfinished_import;

/// The open `exchange.db`. It is used rarely, so one connection is enough.
#[derive(Debug)]
pub(crate) struct Exchange {
    path: PathBuf,
    access: Access,
    database: Mutex<Option<Database>>,
}

impl Exchange {
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        Self::open_as(path, Access::Write)
    }

    /// Opens it for writing, or for reading where it cannot be written.
    pub(crate) fn open_as(path: &Path, access: Access) -> Result<Self, Fault> {
        let exchange = Self { path: path.to_owned(), access, database: Mutex::default() };
        exchange.with_connection(|_| Ok(()))?;
        Ok(exchange)
    }

    /// Runs a query. After a fault the next query opens a new connection.
    pub(crate) fn with_connection<T>(
        &self,
        query: impl FnOnce(&Database) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut connection = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let database = connection.take().map_or_else(|| self.connect(), Ok)?;
        let result = query(&database)?;
        *connection = Some(database);
        Ok(result)
    }

    fn connect(&self) -> Result<Database, Fault> {
        let database = Database::open(&self.path, self.access)?;
        if self.access.is_write() {
            migrate::migrate(&database, Kind::Exchange)?;
        } else {
            migrate::check_all(&database, Kind::Exchange)?;
        }
        Ok(database)
    }

    /// Opens a separate connection for a check.
    pub(crate) fn open_for_check(&self) -> Result<Database, Fault> {
        Database::open_for_check(&self.path, self.access)
    }

    /// Adds a project after `create` has created its database. Returns `false` if it exists.
    pub(crate) fn add(
        &self,
        name: &str,
        id: ProjectId,
        create: impl FnOnce() -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        // A fault closes the connection, which rolls the transaction back.
        self.with_connection(|database| {
            database.begin()?;
            let found =
                database
                    .first(&statements::PROJECT_FIND, params![name, id.to_string()], |_| Ok(()))?;
            if found.is_some() {
                database.roll_back()?;
                return Ok(false);
            }
            refuse_unfinished_import(database)?;
            // The database is first, so that a listed project can always be opened.
            create()?;
            database.run(&statements::PROJECT_INSERT, params![name, id.to_string()])?;
            database.commit()?;
            Ok(true)
        })
    }

    /// Fails while an import into this store is not finished.
    pub(crate) fn refuse_unfinished_import(&self) -> Result<(), Fault> {
        self.with_connection(refuse_unfinished_import)
    }

    pub(crate) fn projects(&self) -> Result<Vec<(String, ProjectId)>, Fault> {
        self.with_connection(|database| database.all(&statements::PROJECT_LIST, [], row::project))
    }

    /// Lists the projects after all pending additions: the database of a project is created before
    /// it is listed.
    pub(crate) fn projects_after_pending(&self) -> Result<Vec<(String, ProjectId)>, Fault> {
        self.with_connection(|database| {
            database.begin()?;
            let projects = database.all(&statements::PROJECT_LIST, [], row::project)?;
            database.roll_back()?;
            Ok(projects)
        })
    }

    pub(crate) fn person(&self, name: &str) -> Result<Option<String>, Fault> {
        self.with_connection(|database| {
            database.first(&statements::PERSON_LOAD, [name], row::person)
        })
    }

    pub(crate) fn people(&self) -> Result<Vec<String>, Fault> {
        self.with_connection(|database| {
            database.all(&statements::PERSON_SCAN, [], row::person_name)
        })
    }

    /// Sets a password, and deletes the sessions that were opened with the old one.
    pub(crate) fn set_person(&self, name: &str, hash: &str) -> Result<(), Fault> {
        self.with_connection(|database| {
            database.begin()?;
            database.run(&statements::PERSON_UPSERT, [name, hash])?;
            database.run(&statements::SESSION_DELETE_BY_PERSON, [name])?;
            database.commit()
        })
    }

    pub(crate) fn put_session(&self, session: &SessionRecord) -> Result<(), Fault> {
        self.with_connection(|database| {
            database.begin()?;
            database
                .run(&statements::SESSION_DELETE_EXPIRED, [session.created_at.as_microsecond()])?;
            let params = params![
                session.id.0,
                session.person,
                session.created_at.as_microsecond(),
                session.last_seen.as_microsecond(),
                session.expires_at.as_microsecond(),
                session.is_remembered,
            ];
            database.run(&statements::SESSION_UPSERT, params)?;
            database.commit()
        })
    }

    pub(crate) fn session(&self, id: SessionHash) -> Result<Option<SessionRecord>, Fault> {
        self.with_connection(|database| {
            database.first(&statements::SESSION_LOAD, [id.0], row::session)
        })
    }

    pub(crate) fn touch_session(&self, id: SessionHash, seen_at: Timestamp) -> Result<(), Fault> {
        let params = params![seen_at.as_microsecond(), id.0];
        self.with_connection(|database| database.run(&statements::SESSION_TOUCH, params)).map(drop)
    }

    pub(crate) fn end_session(&self, id: SessionHash) -> Result<bool, Fault> {
        self.with_connection(|database| database.run(&statements::SESSION_DELETE, [id.0]))
            .map(|count| count > 0)
    }

    pub(crate) fn put_mail_code(&self, code: &MailCodeRecord) -> Result<(), Fault> {
        self.with_connection(|database| {
            database.begin()?;
            database
                .run(&statements::MAIL_CODE_DELETE_EXPIRED, [code.created_at.as_microsecond()])?;
            let params = params![
                code.id.0,
                code.project.to_string(),
                code.handoff.to_string(),
                code.person.to_string(),
                code.address.0,
                code.receiver.to_string(),
                code.revision,
                code.digest,
                code.created_at.as_microsecond(),
                code.expires_at.as_microsecond(),
            ];
            database.run(&statements::MAIL_CODE_INSERT, params)?;
            database.commit()
        })
    }

    pub(crate) fn mail_code(&self, id: SessionHash) -> Result<Option<MailCodeRecord>, Fault> {
        self.with_connection(|database| {
            database.first(&statements::MAIL_CODE_LOAD, [id.0], row::mail_code)
        })
    }

    pub(crate) fn take_mail_code(&self, id: SessionHash) -> Result<bool, Fault> {
        self.with_connection(|database| database.run(&statements::MAIL_CODE_DELETE, [id.0]))
            .map(|count| count > 0)
    }

    pub(crate) fn token_uses(&self) -> Result<HashMap<TokenId, Timestamp>, Fault> {
        let uses = self.with_connection(|database| {
            database.all(&statements::TOKEN_USE_LIST, [], row::token_use)
        })?;
        Ok(uses.into_iter().collect())
    }

    pub(crate) fn note_token_uses(&self, uses: &[(TokenId, Timestamp)]) -> Result<(), Fault> {
        self.with_connection(|database| {
            database.begin()?;
            for (token, at) in uses {
                let params = params![token.to_string(), at.as_microsecond()];
                database.run(&statements::TOKEN_USE_UPSERT, params)?;
            }
            database.commit()
        })
    }

    pub(crate) fn clock(&self) -> Result<Option<ClockReference>, Fault> {
        self.with_connection(|database| database.first(&statements::CLOCK_LOAD, [], row::clock))
    }

    pub(crate) fn put_clock(&self, reference: &ClockReference) -> Result<(), Fault> {
        let boot = reference.reading.boot.as_ref();
        let elapsed = boot.map(|boot| i64::try_from(boot.elapsed.as_micros()).unwrap_or(i64::MAX));
        let (from, until) = reference.step.unzip();
        let params = params![
            boot.map(|boot| boot.id.as_str()),
            elapsed,
            reference.reading.wall.as_microsecond(),
            from.map(Timestamp::as_microsecond),
            until.map(Timestamp::as_microsecond),
        ];
        self.with_connection(|database| database.run(&statements::CLOCK_UPSERT, params).map(drop))
    }

    pub(crate) fn last_heartbeat(&self) -> Result<Option<Timestamp>, Fault> {
        self.with_connection(|database| {
            database.first(&statements::HEARTBEAT_LAST, [], row::heartbeat)
        })
    }

    /// Records a heartbeat and deletes old ones. The server's own row is the newest and stays.
    pub(crate) fn beat(&self, server: &str, at: Timestamp) -> Result<(), Fault> {
        let microsecond = at.as_microsecond();
        self.with_connection(|database| {
            database.begin()?;
            database.run(&statements::HEARTBEAT_UPSERT, params![server, microsecond])?;
            database.run(
                &statements::HEARTBEAT_DELETE_BEFORE,
                [microsecond - HEARTBEAT_KEPT_MICROSECONDS],
            )?;
            database.commit()
        })
    }
}

fn refuse_unfinished_import(database: &Database) -> Result<(), Fault> {
    match database.first(&statements::PROJECT_IMPORT_LOAD, [], row::import)? {
        Some(_) => Err(unfinished_import("remove its directory")),
        None => Ok(()),
    }
}
