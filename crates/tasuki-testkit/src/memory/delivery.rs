//! Cursors of subscriptions and delivery attempts.

use std::collections::BTreeMap;

use tasuki_engine::limits::DELIVERIES_MAX;
use tasuki_engine::ports::{Attempt, Cursor, Deliveries, Delivery, Pending};
use tasuki_packet::id::{ProjectId, SubscriptionId};

use super::store::MemoryStore;

/// The delivery records of a project, which are not part of its log.
#[derive(Debug, Default)]
pub(super) struct Delivered {
    cursors: BTreeMap<SubscriptionId, Cursor>,
    attempts: BTreeMap<SubscriptionId, Vec<Attempt>>,
    /// The number of commits that a store on disk would have made.
    commits: usize,
}

impl Delivered {
    fn add(&mut self, delivery: Delivery) {
        let attempts = self.attempts.entry(delivery.subscription).or_default();
        let number = attempts.last().map_or(1, |last| last.number + 1);
        attempts.push(Attempt { number, delivery });
        let surplus = attempts.len().saturating_sub(DELIVERIES_MAX as usize);
        attempts.drain(..surplus);
    }
}

impl MemoryStore {
    /// Returns the number of commits of cursors and attempts.
    pub fn commits_beside(&self, project: ProjectId) -> usize {
        self.lock().delivered(project).map_or(0, |delivered| delivered.commits)
    }

    fn beside<T: Send + 'static>(
        &self,
        project: ProjectId,
        query: impl FnOnce(&mut Delivered) -> T,
    ) -> Pending<'_, T> {
        let result = self.lock().delivered(project).map(query);
        Box::pin(std::future::ready(result))
    }
}

impl Deliveries for MemoryStore {
    fn cursor(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, Option<Cursor>> {
        self.beside(project, |delivered| delivered.cursors.get(&subscription).copied())
    }

    fn put_cursor(&self, project: ProjectId, cursor: Cursor) -> Pending<'_, ()> {
        self.beside(project, |delivered| {
            delivered.commits += 1;
            delivered.cursors.insert(cursor.subscription, cursor);
        })
    }

    fn add_delivery(&self, project: ProjectId, delivery: Delivery) -> Pending<'_, ()> {
        self.beside(project, |delivered| {
            delivered.commits += 1;
            delivered.add(delivery);
        })
    }

    fn put_deliveries(
        &self,
        project: ProjectId,
        cursor: Cursor,
        deliveries: Vec<Delivery>,
    ) -> Pending<'_, ()> {
        self.beside(project, |delivered| {
            delivered.commits += 1;
            delivered.cursors.insert(cursor.subscription, cursor);
            for delivery in deliveries {
                delivered.add(delivery);
            }
        })
    }

    fn deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
        before: Option<u64>,
        limit: u32,
    ) -> Pending<'_, Vec<Attempt>> {
        self.beside(project, |delivered| {
            let attempts = delivered.attempts.get(&subscription).into_iter().flatten();
            let is_before = |one: &&Attempt| before.is_none_or(|before| one.number < before);
            attempts.rev().filter(is_before).take(limit as usize).cloned().collect()
        })
    }

    fn forget_deliveries(
        &self,
        project: ProjectId,
        subscription: SubscriptionId,
    ) -> Pending<'_, ()> {
        self.beside(project, |delivered| {
            delivered.cursors.remove(&subscription);
            delivered.attempts.remove(&subscription);
        })
    }
}
