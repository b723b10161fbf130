//! The bytes of bodies that may be in memory at once: in all, per address and per credential.
//!
//! A body is reserved with its full size before it is read. Until then its bytes stay with the
//! sender, held back by the connection. The reservation is kept until the request is answered.
//! Callers without a credential have a share of their own.

use std::sync::Arc;
use std::time::Duration;

use tasuki_api::problem::HttpErrorCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::middleware::client_address::ClientKey;
use crate::respond::problem::Problem;
use crate::state::limits::RateKey;
use crate::state::permits::Permits;

/// LIMIT: the size up to which a body needs no reservation. A connection has a buffer of this order
/// anyway, and connections are limited.
pub(crate) const FREE_BYTES: usize = 16 * 1024;

/// The unit of reservations.
const UNIT_BYTES: usize = 1024;

/// The budgets for bodies.
#[derive(Debug)]
pub(crate) struct Arrivals {
    all: Share,
    anonymous: Share,
    credentials: Permits<RateKey>,
}

/// A budget for all, of which one address may use half.
#[derive(Debug)]
struct Share {
    units: usize,
    all: Arc<Semaphore>,
    addresses: Permits<ClientKey>,
}

/// The reserved bytes of one body, released when dropped.
#[derive(Debug)]
pub(crate) struct Reserved {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl Arrivals {
    /// Creates budgets of this many bytes in all: half for one credential and for one address, and a
    /// quarter for callers without a credential.
    pub(crate) fn new(bytes: usize) -> Self {
        let units = bytes.div_ceil(UNIT_BYTES).max(1);
        Self {
            all: Share::new(units),
            anonymous: Share::new(units.div_ceil(4)),
            credentials: Permits::new(units.div_ceil(2)),
        }
    }

    /// Waits until a body of this size may be read. A small body needs no reservation.
    pub(crate) async fn reserve(
        &self,
        bytes: usize,
        client: ClientKey,
        credential: Option<&RateKey>,
        wait: Duration,
    ) -> Result<Option<Reserved>, Problem> {
        if bytes <= FREE_BYTES {
            return Ok(None);
        }
        let units = bytes.div_ceil(UNIT_BYTES);
        match timeout(wait, self.reserved(units, client, credential)).await {
            Ok(Some(reserved)) => Ok(Some(reserved)),
            _ => Err(Problem::with_code(
                HttpErrorCode::ServerBusy,
                "too many request bodies arrive at the same time",
            )
            .hint("send fewer large requests at once, and try again in a moment")),
        }
    }

    /// Takes the narrowest budget first, so that a caller over its own takes nothing from others.
    async fn reserved(
        &self,
        units: usize,
        client: ClientKey,
        credential: Option<&RateKey>,
    ) -> Option<Reserved> {
        let mut permits = Vec::with_capacity(3);
        let share = match credential {
            Some(credential) => {
                permits.push(self.credentials.acquire(credential, units).await?);
                &self.all
            }
            None => &self.anonymous,
        };
        permits.push(share.addresses.acquire(&client, units).await?);
        let units = u32::try_from(units.min(share.units)).unwrap_or(u32::MAX);
        permits.push(Arc::clone(&share.all).acquire_many_owned(units).await.ok()?);
        Some(Reserved { _permits: permits })
    }
}

impl Share {
    fn new(units: usize) -> Self {
        let addresses = Permits::new(units.div_ceil(2));
        Self { units, all: Arc::new(Semaphore::new(units)), addresses }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    async fn reserve(
        arrivals: &Arrivals,
        bytes: usize,
        address: [u8; 4],
        by: Option<&str>,
    ) -> Option<Reserved> {
        let key = by.map(|name| RateKey::Person(name.to_owned()));
        let client = ClientKey::from(std::net::IpAddr::from(address));
        let reserved = arrivals.reserve(bytes, client, key.as_ref(), Duration::from_millis(1));
        reserved.await.unwrap_or_else(|problem| {
            assert_eq!(problem.code(), "TK-SERVER-BUSY");
            None
        })
    }

    #[tokio::test]
    async fn one_credential_one_address_and_all_have_a_budget() {
        let arrivals = Arrivals::new(8 * MIB);
        let (here, there) = ([192, 0, 2, 1], [192, 0, 2, 2]);
        let first = reserve(&arrivals, 4 * MIB, here, Some("ana")).await.unwrap();
        assert!(reserve(&arrivals, MIB, there, Some("ana")).await.is_none(), "by credential");
        assert!(reserve(&arrivals, MIB, here, Some("ben")).await.is_none(), "by address");
        let _second = reserve(&arrivals, 4 * MIB, there, Some("ben")).await.unwrap();
        assert!(reserve(&arrivals, MIB, [192, 0, 2, 3], Some("cem")).await.is_none(), "in all");
        drop(first);
        assert!(reserve(&arrivals, MIB, [192, 0, 2, 3], Some("cem")).await.is_some());
    }

    #[tokio::test]
    async fn strangers_take_nothing_from_callers_with_a_credential() {
        let arrivals = Arrivals::new(8 * MIB);
        let mut taken = Vec::new();
        for last in 0..20 {
            taken.extend(reserve(&arrivals, MIB, [192, 0, 2, last], None).await);
        }
        assert_eq!(taken.len(), 2);
        assert!(reserve(&arrivals, 4 * MIB, [192, 0, 2, 1], Some("ana")).await.is_some());
    }

    #[tokio::test]
    async fn a_small_body_needs_no_reservation_and_a_huge_one_takes_the_whole_budget() {
        let arrivals = Arrivals::new(MIB);
        let client = ClientKey::from(std::net::IpAddr::from([192, 0, 2, 1]));
        let reserve = |bytes| arrivals.reserve(bytes, client, None, Duration::from_millis(1));
        assert!(reserve(FREE_BYTES).await.unwrap().is_none());
        let huge = reserve(100 * MIB).await.unwrap();
        assert!(huge.is_some() && reserve(FREE_BYTES + 1).await.is_err());
    }
}
