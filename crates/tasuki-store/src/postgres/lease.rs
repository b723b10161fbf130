//! Background work that one of several servers does for all, under a lease.

use std::time::Duration;

use tasuki_engine::error::Fault;

use crate::postgres::connection::{Connection, Param};
use crate::postgres::statements;

/// The time that a lease lasts. Its holder renews it every few seconds.
pub(super) const LEASE: Duration = Duration::from_secs(15);

/// Acquires or renews the lease of some work. Returns `false` while another server has it.
pub(super) async fn acquire(
    connection: &Connection,
    work: &str,
    server: &str,
) -> Result<bool, Fault> {
    let microseconds = i64::try_from(LEASE.as_micros()).unwrap_or(i64::MAX);
    let params: [Param<'_>; 3] = [&work, &server, &microseconds];
    let changed = connection.run(&statements::LEASE_ACQUIRE, &params).await?;
    Ok(changed == 1)
}

/// Ends the leases of a server, so that another one need not wait for their end.
pub(super) async fn release_all(connection: &Connection, server: &str) -> Result<(), Fault> {
    connection.run(&statements::LEASE_RELEASE_ALL, &[&server]).await.map(drop)
}
