//! Cursors of subscriptions and their delivery attempts.
//!
//! The project's one writer writes them, each in its own transaction.

use std::sync::Arc;

use rusqlite::params;
use tasuki_engine::error::Fault;
use tasuki_engine::limits::DELIVERIES_MAX;
use tasuki_engine::ports::{Attempt, Cursor, Deliveries, Delivery, Pending};
use tasuki_packet::id::{ProjectId, SubscriptionId};

use crate::row;
use crate::row::integer;
use crate::sqlite::connection::Database;
use crate::sqlite::project::Project;
use crate::sqlite::statements;
use crate::sqlite::store::SqliteStore;
use crate::sqlite::write::writer_lock::WriterLock;

impl Deliveries for SqliteStore {
    fn cursor(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, Option<Cursor>> {
        Box::pin(async move {
            self.project(project)?.read(|database| {
                database.first(&statements::CURSOR_LOAD, [subscription.to_string()], row::cursor)
            })
        })
    }

    fn put_cursor(&self, project: ProjectId, cursor: Cursor) -> Pending<'_, ()> {
        Box::pin(
            async move { write(&self.project(project)?, |database| put_cursor(database, cursor)) },
        )
    }

    fn put_deliveries(
        &self,
        project: ProjectId,
        cursor: Cursor,
        deliveries: Vec<Delivery>,
    ) -> Pending<'_, ()> {
        Box::pin(async move {
            write(&self.project(project)?, |database| {
                put_cursor(database, cursor)?;
                deliveries.iter().try_for_each(|delivery| add_delivery(database, delivery))?;
                trim(database, cursor.subscription)
            })
        })
    }

    fn add_delivery(&self, project: ProjectId, delivery: Delivery) -> Pending<'_, ()> {
        Box::pin(async move {
            write(&self.project(project)?, |database| {
                add_delivery(database, &delivery)?;
                trim(database, delivery.subscription)
            })
        })
    }

    fn deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Attempt>> {
        Box::pin(async move {
            self.project(project)?.read(|database| {
                let before = before.map_or(i64::MAX, integer);
                let params = params![subscription.to_string(), before, limit];
                database.all(&statements::DELIVERY_LIST, params, row::attempt)
            })
        })
    }

    fn forget_deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, ()> {
        Box::pin(async move {
            write(&self.project(project)?, |database| {
                database.run(&statements::CURSOR_DELETE, [subscription.to_string()])?;
                database.run(&statements::DELIVERY_DELETE_ALL, [subscription.to_string()]).map(drop)
            })
        })
    }
}

fn put_cursor(database: &Database, cursor: Cursor) -> Result<(), Fault> {
    let params = params![
        cursor.subscription.to_string(),
        integer(cursor.n),
        cursor.failing_since.map(jiff::Timestamp::as_microsecond),
        cursor.next_try_at.map(jiff::Timestamp::as_microsecond),
        cursor.attempts,
    ];
    database.run(&statements::CURSOR_UPSERT, params).map(drop)
}

fn add_delivery(database: &Database, delivery: &Delivery) -> Result<(), Fault> {
    let params = params![
        delivery.subscription.to_string(),
        integer(delivery.n),
        delivery.at.as_microsecond(),
        delivery.attempt,
        delivery.status,
        delivery.millis,
        delivery.response,
    ];
    database.run(&statements::DELIVERY_INSERT, params).map(drop)
}

/// Deletes the oldest attempts beyond the limit.
fn trim(database: &Database, subscription: SubscriptionId) -> Result<(), Fault> {
    let params = params![subscription.to_string(), DELIVERIES_MAX];
    database.run(&statements::DELIVERY_TRIM, params).map(drop)
}

/// Runs statements in their own transaction.
pub(super) fn write(
    project: &Arc<Project>,
    statements: impl FnOnce(&Database) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut guard = WriterLock::acquire(project)?;
    let writer = guard.writer();
    let done = writer.begin().and_then(|_| {
        statements(&writer.database)?;
        writer.database.commit()
    });
    match done {
        Ok(()) => project.after_commit(&guard.writer().database),
        // Closing the connection rolls the transaction back.
        Err(_) => guard.discard(),
    }
    done
}
