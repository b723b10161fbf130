//! Caches that let most commands be prepared without reading the store.
//!
//! The policy of a project and the facts of a handoff may be outdated, because another process has
//! changed them. The worker detects this, and a refusal is checked again with current data. The
//! return requirements of a packet revision never change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tasuki_packet::Packet;
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::model::{Directory, Facts, Handoff, StateWord};

/// LIMIT: bytes of packet text whose return requirements are cached in each of the two generations.
const GENERATION_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// LIMIT: cached facts, about a kilobyte each.
const FACTS_MAX: usize = 4_096;

/// The policy that commands of a project are prepared with.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    /// The directory.
    pub(crate) directory: Arc<Directory>,
    /// The secret key of fingerprints.
    pub(crate) fingerprint_key: [u8; 32],
}

/// A revision of a handoff's packet.
pub(crate) type Revision = (ProjectId, HandoffId, u32);

/// The caches of all projects.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    policies: RwLock<HashMap<ProjectId, Policy>>,
    facts: Mutex<FactsOf>,
    requirements: Mutex<ReturnRequirements>,
}

type FactsOf = HashMap<(ProjectId, HandoffId), Arc<Facts>>;

/// Return requirements. Entries that were not used during two generations are dropped.
#[derive(Debug, Default)]
struct ReturnRequirements {
    young: HashMap<Revision, (Arc<Packet>, u64)>,
    young_bytes: u64,
    old: HashMap<Revision, (Arc<Packet>, u64)>,
}

impl Cache {
    /// Returns the cached policy of a project, which may be outdated.
    pub(crate) fn policy(&self, project: ProjectId) -> Option<Policy> {
        let policies = self.policies.read().unwrap_or_else(PoisonError::into_inner);
        policies.get(&project).cloned()
    }

    /// Caches the policy of a project.
    pub(crate) fn put_policy(&self, project: ProjectId, policy: Policy) {
        let mut policies = self.policies.write().unwrap_or_else(PoisonError::into_inner);
        policies.insert(project, policy);
    }

    /// Returns the cached facts of a handoff.
    pub(crate) fn facts(&self, project: ProjectId, handoff: HandoffId) -> Option<Arc<Facts>> {
        self.lock_facts().get(&(project, handoff)).cloned()
    }

    /// Caches the facts of handoffs that can still be returned, and drops those of the others.
    pub(crate) fn put_facts<'h>(
        &self,
        project: ProjectId,
        handoffs: impl Iterator<Item = &'h Handoff>,
    ) {
        let mut facts = self.lock_facts();
        for handoff in handoffs {
            let key = (project, handoff.id);
            if !may_be_returned(handoff) {
                facts.remove(&key);
                continue;
            }
            if facts.len() >= FACTS_MAX {
                facts.clear();
            }
            facts.insert(key, Arc::clone(&handoff.facts));
        }
    }

    /// Drops the facts of a handoff.
    pub(crate) fn forget_facts(&self, project: ProjectId, handoff: HandoffId) {
        self.lock_facts().remove(&(project, handoff));
    }

    fn lock_facts(&self) -> MutexGuard<'_, FactsOf> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached return requirements of a packet revision.
    pub(crate) fn return_requirements(&self, revision: Revision) -> Option<Arc<Packet>> {
        let mut known = self.lock_return_requirements();
        if let Some((requirements, _)) = known.young.get(&revision) {
            return Some(Arc::clone(requirements));
        }
        let (requirements, bytes) = known.old.remove(&revision)?;
        known.put(revision, Arc::clone(&requirements), bytes);
        Some(requirements)
    }

    /// Caches the return requirements of a packet revision. `bytes` is the size of its text.
    pub(crate) fn put_return_requirements(
        &self,
        revision: Revision,
        requirements: Arc<Packet>,
        bytes: u64,
    ) {
        self.lock_return_requirements().put(revision, requirements, bytes);
    }

    /// Drops the requirements of a completed return, so that the next packet can reuse memory that
    /// is still in the processor's cache.
    pub(crate) fn forget_return_requirements(&self, revision: Revision) {
        let removed = self.lock_return_requirements().remove(revision);
        // Dropped outside of the lock, because freeing the packet takes time.
        drop(removed);
    }

    fn lock_return_requirements(&self) -> MutexGuard<'_, ReturnRequirements> {
        self.requirements.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn may_be_returned(handoff: &Handoff) -> bool {
    matches!(
        handoff.progress.state.word(),
        StateWord::Held | StateWord::Offered | StateWord::Claimed
    )
}

impl ReturnRequirements {
    fn remove(&mut self, revision: Revision) -> Option<Arc<Packet>> {
        if let Some((requirements, bytes)) = self.young.remove(&revision) {
            self.young_bytes -= bytes;
            return Some(requirements);
        }
        self.old.remove(&revision).map(|(requirements, _)| requirements)
    }

    fn put(&mut self, revision: Revision, requirements: Arc<Packet>, bytes: u64) {
        if self.young_bytes + bytes > GENERATION_BYTES_MAX {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(revision, (requirements, bytes)).is_none() {
            self.young_bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use tasuki_packet::Members;

    use super::*;

    fn revision(number: u32) -> Revision {
        (ProjectId::from_bytes([1; 16]), HandoffId::from_bytes([2; 16]), number)
    }

    #[test]
    fn return_requirements_are_cached_within_their_limits() {
        let known = Cache::default();
        let requirements = Arc::new(Packet::new(Members::new()));
        let per_generation = 8;
        for number in 0..3 * per_generation {
            let bytes = GENERATION_BYTES_MAX / u64::from(per_generation);
            known.put_return_requirements(revision(number), Arc::clone(&requirements), bytes);
            assert!(known.return_requirements(revision(0)).is_some(), "what is used stays");
        }
        assert!(known.return_requirements(revision(1)).is_none());
        assert!(known.return_requirements(revision(3 * per_generation - 1)).is_some());
        known.forget_return_requirements(revision(0));
        assert!(known.return_requirements(revision(0)).is_none());
        let kept = known.lock_return_requirements();
        let young: u64 = kept.young.values().map(|(_, bytes)| bytes).sum();
        assert_eq!(kept.young_bytes, young);
        assert!(kept.young.len() + kept.old.len() <= 2 * per_generation as usize);
    }
}
