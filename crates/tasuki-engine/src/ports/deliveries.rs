//! The progress of each subscription and the result of each delivery.
//!
//! The log is the outbox, and a subscription is a cursor over its leaf numbers. Cursors and
//! deliveries are not part of the log, and no rule reads them. A server that loses them delivers
//! some events again.

use jiff::Timestamp;
use tasuki_packet::id::{ProjectId, SubscriptionId};

use crate::error::Fault;
use crate::limits::{DELIVERY_RESPONSE_BYTES_MAX, PAGE_MAX};
use crate::ports::Pending;

/// The cursor of notifications to people, which need no subscription.
pub const PEOPLE: SubscriptionId = SubscriptionId::from_bytes([0; 16]);

/// The cursor of reminders, whose `next_try_at` is the time of the next digest.
pub const REMINDERS: SubscriptionId =
    SubscriptionId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);

/// Storage for delivery progress.
pub trait Deliveries: Send + Sync + 'static {
    /// Returns the cursor of a subscription; `None` before its first delivery.
    fn cursor(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, Option<Cursor>>;

    /// Moves the cursor of a subscription.
    fn put_cursor(&self, project: ProjectId, cursor: Cursor) -> Pending<'_, ()>;

    /// Moves the cursor and records the attempts that moved it, oldest first, in one commit.
    fn put_deliveries(
        &self,
        project: ProjectId,
        cursor: Cursor,
        deliveries: Vec<Delivery>,
    ) -> Pending<'_, ()>;

    /// Records the result of an attempt. Only the newest
    /// [`DELIVERIES_MAX`](crate::limits::DELIVERIES_MAX) of each subscription are kept.
    fn add_delivery(&self, project: ProjectId, delivery: Delivery) -> Pending<'_, ()>;

    /// Returns the last attempts of a subscription, newest first, before a number if given.
    fn deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Attempt>>;

    /// Deletes the cursor and the attempts of a removed subscription.
    fn forget_deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, ()>;
}

/// The position and retry state of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The number of the first leaf that was neither delivered nor skipped by the filter.
    pub n: u64,
    /// The start of the current series of failures.
    pub failing_since: Option<Timestamp>,
    /// When to retry.
    pub next_try_at: Option<Timestamp>,
    /// The number of attempts to deliver leaf `n`.
    pub attempts: u32,
}

/// One attempt to deliver one leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The number of the leaf.
    pub n: u64,
    /// When it was made.
    pub at: Timestamp,
    /// The number of this attempt for the leaf, starting at 1.
    pub attempt: u32,
    /// The HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// The duration in milliseconds.
    pub millis: u32,
    /// The beginning of the response body, or the error that prevented the request.
    pub response: String,
}

/// A stored attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The number in the subscription, starting at 1 and always increasing.
    pub number: u64,
    /// The result.
    pub delivery: Delivery,
}

impl Cursor {
    /// Returns the cursor of a subscription that starts at this leaf.
    pub const fn at(subscription: SubscriptionId, n: u64) -> Self {
        Self { subscription, n, failing_since: None, next_try_at: None, attempts: 0 }
    }
}

/// Resets the retry state of a subscription without moving its cursor.
///
/// # Errors
///
/// Fails if the store cannot be read or written.
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

/// Returns a page of attempts, newest first, and the number to continue after if there are more.
///
/// # Errors
///
/// Fails if the store cannot be read.
pub async fn page(
    deliveries: &dyn Deliveries,
    project: ProjectId,
    subscription: SubscriptionId,
    behind: Option<u64>,
    limit: u32,
) -> Result<(Vec<Delivery>, Option<u64>), Fault> {
    let limit = limit.clamp(1, PAGE_MAX);
    let mut attempts = deliveries.deliveries(project, subscription, behind, limit + 1).await?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = attempts.len() > page;
    attempts.truncate(page);
    let next = attempts.last().map(|last| last.number).filter(|_| has_more);
    Ok((attempts.into_iter().map(|one| one.delivery).collect(), next))
}

/// Returns the part of a response that is kept. U+0000 is made visible, because PostgreSQL refuses it
/// in a text, and a response must not prevent the record of its delivery.
pub fn shortened(response: &str) -> String {
    let visible = response.replace('\0', "\u{2400}");
    let end = visible.floor_char_boundary(DELIVERY_RESPONSE_BYTES_MAX);
    visible[..end].to_owned()
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

    #[test]
    fn a_nul_in_a_response_is_made_visible_within_the_limit() {
        assert_eq!(shortened("a\0b"), "a␀b");
        assert_eq!(shortened(&"\0".repeat(300)), "␀".repeat(85));
    }
}
