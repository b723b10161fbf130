//! Permits by key: each key has the same number of its own.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// LIMIT: keys that are kept before those without a taken permit are dropped.
const KEYS_MAX: usize = 16_384;

/// A number of permits for each key.
#[derive(Debug)]
pub(crate) struct Permits<K> {
    count: usize,
    keys: Mutex<HashMap<K, Arc<Semaphore>>>,
}

impl<K: Hash + Eq + Clone> Permits<K> {
    pub(crate) fn new(count: usize) -> Self {
        Self { count, keys: Mutex::default() }
    }

    /// Acquires permits of a key if they are free.
    pub(crate) fn try_acquire(&self, key: &K) -> Option<OwnedSemaphorePermit> {
        self.of(key).try_acquire_owned().ok()
    }

    /// Waits for permits of a key, first come, first served. A request for more than a key has
    /// takes all of them.
    pub(crate) async fn acquire(&self, key: &K, permits: usize) -> Option<OwnedSemaphorePermit> {
        let permits = u32::try_from(permits.min(self.count)).unwrap_or(u32::MAX);
        self.of(key).acquire_many_owned(permits).await.ok()
    }

    fn of(&self, key: &K) -> Arc<Semaphore> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = keys.get(key) {
            return Arc::clone(known);
        }
        if keys.len() >= KEYS_MAX {
            // Every taken permit holds its semaphore.
            keys.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        }
        let semaphore = Arc::new(Semaphore::new(self.count));
        keys.insert(key.clone(), Arc::clone(&semaphore));
        semaphore
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_without_a_taken_permit_are_dropped() {
        let permits = Permits::new(1);
        let held = permits.try_acquire(&0).unwrap();
        for key in 1..=KEYS_MAX {
            assert!(permits.try_acquire(&key).is_some());
        }
        assert_eq!(permits.keys.lock().unwrap().len(), 2);
        assert!(permits.try_acquire(&0).is_none());
        drop(held);
        assert!(permits.try_acquire(&0).is_some());
    }
}
