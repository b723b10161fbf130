//! Cursors of subscriptions and their delivery attempts.
//!
//! They do not lock the project: one server at a time delivers.

use jiff::Timestamp;
use tasuki_engine::error::Fault;
use tasuki_engine::limits::DELIVERIES_MAX;
use tasuki_engine::ports::{Attempt, Cursor, Deliveries, Delivery, Pending};
use tasuki_packet::id::{ProjectId, SubscriptionId};

use crate::postgres::PostgresStore;
use crate::postgres::connection::pool::OpenTransaction;
use crate::postgres::connection::{Connection, Param};
use crate::postgres::fault::unknown_project;
use crate::postgres::statements;
use crate::row;
use crate::row::integer;

impl Deliveries for PostgresStore {
    fn cursor(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, Option<Cursor>> {
        Box::pin(async move {
            let (project, subscription) = (project.to_string(), subscription.to_string());
            let connection = self.reader().await?;
            let statement = &statements::CURSOR_LOAD;
            let params: [Param<'_>; 2] = [&project, &subscription];
            let found = connection.first(statement, &params, row::optional_cursor).await?;
            found.ok_or_else(|| unknown_project(&project))
        })
    }

    fn put_cursor(&self, project: ProjectId, cursor: Cursor) -> Pending<'_, ()> {
        Box::pin(async move {
            let connection = self.reader().await?;
            put_cursor(&connection, &project.to_string(), cursor).await
        })
    }

    fn put_deliveries(
        &self,
        project: ProjectId,
        cursor: Cursor,
        deliveries: Vec<Delivery>,
    ) -> Pending<'_, ()> {
        Box::pin(async move {
            let project = project.to_string();
            let open = OpenTransaction::begin(self.reader().await?).await?;
            put_cursor(&open, &project, cursor).await?;
            for delivery in &deliveries {
                add_delivery(&open, &project, delivery).await?;
            }
            trim(&open, &project, cursor.subscription).await?;
            open.commit().await
        })
    }

    fn add_delivery(&self, project: ProjectId, delivery: Delivery) -> Pending<'_, ()> {
        Box::pin(async move {
            let project = project.to_string();
            let open = OpenTransaction::begin(self.reader().await?).await?;
            add_delivery(&open, &project, &delivery).await?;
            trim(&open, &project, delivery.subscription).await?;
            open.commit().await
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
            let (project, subscription) = (project.to_string(), subscription.to_string());
            let (before, limit) = (before.map_or(i64::MAX, integer), i64::from(limit));
            let connection = self.reader().await?;
            let statement = &statements::DELIVERY_LIST;
            let params: [Param<'_>; 4] = [&project, &subscription, &before, &limit];
            connection.all(statement, &params, row::attempt).await
        })
    }

    fn forget_deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, ()> {
        Box::pin(async move {
            let (project, subscription) = (project.to_string(), subscription.to_string());
            let open = OpenTransaction::begin(self.reader().await?).await?;
            open.run(&statements::CURSOR_DELETE, &[&project, &subscription]).await?;
            open.run(&statements::DELIVERY_DELETE_ALL, &[&project, &subscription]).await?;
            open.commit().await
        })
    }
}

async fn put_cursor(connection: &Connection, project: &str, cursor: Cursor) -> Result<(), Fault> {
    let (subscription, n) = (cursor.subscription.to_string(), integer(cursor.n));
    let [failing_since, next_try_at] =
        [cursor.failing_since, cursor.next_try_at].map(|at| at.map(Timestamp::as_microsecond));
    let attempts = i64::from(cursor.attempts);
    let params: [Param<'_>; 6] =
        [&project, &subscription, &n, &failing_since, &next_try_at, &attempts];
    match connection.run(&statements::CURSOR_UPSERT, &params).await? {
        0 => Err(unknown_project(project)),
        _ => Ok(()),
    }
}

async fn add_delivery(
    connection: &Connection,
    project: &str,
    delivery: &Delivery,
) -> Result<(), Fault> {
    let (subscription, n) = (delivery.subscription.to_string(), integer(delivery.n));
    let (at, attempt) = (delivery.at.as_microsecond(), i64::from(delivery.attempt));
    let (status, millis) = (delivery.status.map(i64::from), i64::from(delivery.millis));
    let params: [Param<'_>; 8] =
        [&project, &subscription, &n, &at, &attempt, &status, &millis, &delivery.response];
    connection.run(&statements::DELIVERY_INSERT, &params).await.map(drop)
}

/// Deletes the oldest attempts beyond the limit.
async fn trim(
    connection: &Connection,
    project: &str,
    subscription: SubscriptionId,
) -> Result<(), Fault> {
    let (subscription, kept) = (subscription.to_string(), i64::from(DELIVERIES_MAX));
    let params: [Param<'_>; 3] = [&project, &subscription, &kept];
    connection.run(&statements::DELIVERY_TRIM, &params).await.map(drop)
}
