//! How far each subscription has come, and what became of each delivery.
//!
//! The log is the outbox: a subscription is a cursor over its numbers. Neither cursor nor delivery
//! is a leaf, and no rule looks at them; a server that loses them delivers again what it has
//! delivered before.

use jiff::Timestamp;
use tasuki_packet::id::{ProjectId, SubscriptionId};

use crate::error::Fault;
use crate::limits::{DELIVERY_RESPONSE_BYTES_MAX, PAGE_MAX};
use crate::ports::Pending;

/// Whose cursor it is that goes by what waits for people, whom nobody had to subscribe.
pub const PEOPLE: SubscriptionId = SubscriptionId::from_bytes([0; 16]);

/// The memory of whoever delivers.
pub trait Deliveries: Send + Sync + 'static {
    /// Where a subscription stands; nothing as long as it was never told.
    fn cursor(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, Option<Cursor>>;

    /// Moves the cursor of a subscription.
    fn put_cursor(&self, project: ProjectId, cursor: Cursor) -> Pending<'_, ()>;

    /// Moves the cursor of a subscription and notes the attempts that moved it, oldest first, in one
    /// commit.
    fn put_deliveries(
        &self,
        project: ProjectId,
        cursor: Cursor,
        deliveries: Vec<Delivery>,
    ) -> Pending<'_, ()>;

    /// Notes what became of an attempt. Only the newest of each subscription are kept, as many as
    /// [`DELIVERIES_MAX`](crate::limits::DELIVERIES_MAX).
    fn add_delivery(&self, project: ProjectId, delivery: Delivery) -> Pending<'_, ()>;

    /// The last attempts of a subscription, newest first; where a number is named, those before it.
    fn deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Attempt>>;

    /// Forgets cursor and attempts of a subscription that was removed.
    fn forget_deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, ()>;
}

/// Where a subscription stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Which.
    pub subscription: SubscriptionId,
    /// The number of the first leaf that was not delivered, nor passed over as not wanted.
    pub n: u64,
    /// Since when every attempt has failed.
    pub failing_since: Option<Timestamp>,
    /// When to try again.
    pub next_try_at: Option<Timestamp>,
    /// How often leaf `n` was tried.
    pub attempts: u32,
}

/// One attempt to deliver one leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// To which subscription.
    pub subscription: SubscriptionId,
    /// The number of the leaf.
    pub n: u64,
    /// When.
    pub at: Timestamp,
    /// Which attempt of this leaf, from 1.
    pub attempt: u32,
    /// What the receiver answered; nothing if it did not answer.
    pub status: Option<u16>,
    /// How long it took.
    pub millis: u32,
    /// The beginning of what it said, or why it could not be asked.
    pub response: String,
}

/// An attempt as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its number in the subscription, from 1: higher than that of every attempt before it.
    pub number: u64,
    /// What became of it.
    pub delivery: Delivery,
}

impl Cursor {
    /// A subscription that begins with this leaf.
    pub const fn at(subscription: SubscriptionId, n: u64) -> Self {
        Self { subscription, n, failing_since: None, next_try_at: None, attempts: 0 }
    }
}

/// Lets a subscription be tried again at once, where it stands: how long it failed before counts no
/// more.
///
/// # Errors
///
/// If the memory cannot be read or written.
pub async fn begin_anew(
    deliveries: &dyn Deliveries,
    project: ProjectId,
    subscription: SubscriptionId,
) -> Result<(), Fault> {
    match deliveries.cursor(project, subscription).await? {
        Some(cursor) => deliveries.put_cursor(project, Cursor::at(subscription, cursor.n)).await,
        None => Ok(()),
    }
}

/// A page of the attempts of a subscription, newest first, behind the one that the page before ended with,
/// and the number of its own last one if there are more.
///
/// # Errors
///
/// If the memory cannot be read.
pub async fn page(
    deliveries: &dyn Deliveries,
    project: ProjectId,
    subscription: SubscriptionId,
    behind: Option<u64>,
    limit: u32,
) -> Result<(Vec<Delivery>, Option<u64>), Fault> {
    let limit = limit.clamp(1, PAGE_MAX);
    let mut kept = deliveries.deliveries(project, subscription, behind, limit + 1).await?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = kept.len() > page;
    kept.truncate(page);
    let next = kept.last().map(|last| last.number).filter(|_| has_more);
    Ok((kept.into_iter().map(|one| one.delivery).collect(), next))
}

/// As much of a response as is kept.
pub fn shortened(response: &str) -> String {
    let end = response.floor_char_boundary(DELIVERY_RESPONSE_BYTES_MAX);
    response[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_cut_between_characters() {
        assert_eq!(shortened("ok"), "ok");
        assert_eq!(shortened(&"x".repeat(300)).len(), 256);
        assert_eq!(shortened(&format!("{}ü", "x".repeat(255))).len(), 255);
    }
}
