//! What is remembered between commands, so that most of them read nothing before they is queued.
//!
//! The policy of a project and the facts of a handoff may be old, because another process has changed
//! them: the worker compares, and whatever would be refused is looked at again with what is there now.
//! What a revision of a packet asks of its return never changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tasuki_packet::Packet;
use tasuki_packet::id::{HandoffId, ProjectId};

use crate::model::{Directory, Facts, Handoff, StateWord};

/// LIMIT: bytes of the texts of packets whose asking is remembered in each of the two generations.
const GENERATION_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// LIMIT: facts of handoffs that are remembered, about a kilobyte each.
const FACTS_MAX: usize = 4_096;

/// What commands of a project are prepared with.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    /// The directory.
    pub(crate) directory: Arc<Directory>,
    /// The secret key of fingerprints.
    pub(crate) fingerprint_key: [u8; 32],
}

/// One revision of a handoff's packet.
pub(crate) type Revision = (ProjectId, HandoffId, u32);

/// What is remembered.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    policies: RwLock<HashMap<ProjectId, Policy>>,
    facts: Mutex<FactsOf>,
    requirements: Mutex<ReturnRequirements>,
}

type FactsOf = HashMap<(ProjectId, HandoffId), Arc<Facts>>;

/// Entries that were not used during two generations are dropped.
#[derive(Debug, Default)]
struct ReturnRequirements {
    young: HashMap<Revision, (Arc<Packet>, u64)>,
    young_bytes: u64,
    old: HashMap<Revision, (Arc<Packet>, u64)>,
}

impl Cache {
    /// The policy of a project as it was lately.
    pub(crate) fn policy(&self, project: ProjectId) -> Option<Policy> {
        let policies = self.policies.read().unwrap_or_else(PoisonError::into_inner);
        policies.get(&project).cloned()
    }

    /// Remembers the policy of a project.
    pub(crate) fn put_policy(&self, project: ProjectId, policy: Policy) {
        let mut policies = self.policies.write().unwrap_or_else(PoisonError::into_inner);
        policies.insert(project, policy);
    }

    /// The facts of a handoff that was offered lately.
    pub(crate) fn facts(&self, project: ProjectId, handoff: HandoffId) -> Option<Arc<Facts>> {
        self.lock_facts().get(&(project, handoff)).cloned()
    }

    /// Remembers the facts of handoffs on which something may still be returned, and forgets those
    /// of the others.
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

    /// Forgets the facts of a handoff.
    pub(crate) fn forget_facts(&self, project: ProjectId, handoff: HandoffId) {
        self.lock_facts().remove(&(project, handoff));
    }

    fn lock_facts(&self) -> MutexGuard<'_, FactsOf> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a packet that was seen lately asks of its return.
    pub(crate) fn return_requirements(&self, revision: Revision) -> Option<Arc<Packet>> {
        let mut known = self.lock_return_requirements();
        if let Some((requirements, _)) = known.young.get(&revision) {
            return Some(Arc::clone(requirements));
        }
        let (requirements, bytes) = known.old.remove(&revision)?;
        known.put(revision, Arc::clone(&requirements), bytes);
        Some(requirements)
    }

    /// Remembers what a packet with this much text asks of its return.
    pub(crate) fn put_return_requirements(
        &self,
        revision: Revision,
        requirements: Arc<Packet>,
        bytes: u64,
    ) {
        self.lock_return_requirements().put(revision, requirements, bytes);
    }

    /// Forgets the requirements of a return that has come: their memory is of use to the next one while it
    /// is still in the processor's cache.
    pub(crate) fn forget_return_requirements(&self, revision: Revision) {
        let forgotten = self.lock_return_requirements().remove(revision);
        // Others need not wait while it is taken apart.
        drop(forgotten);
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
    fn what_is_asked_is_remembered_within_its_bounds() {
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
