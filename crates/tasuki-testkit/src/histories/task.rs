//! The claims of one task, as a state machine without concurrency.

/// A call about one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// Claims the task.
    Claim,
    /// Records a checkpoint under this fence.
    Checkpoint(u64),
    /// Releases the claim with this fence.
    Release(u64),
}

/// The answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The task is claimed with this fence.
    Claimed(u64),
    /// Another claim is live.
    Taken,
    /// The checkpoint or the release was accepted.
    Done,
    /// The claim with this fence has ended.
    Stale,
}

/// The state of one task. Leases are longer than any history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TaskState {
    /// The fence of the live claim.
    claim: Option<u64>,
    /// The highest fence so far.
    fence: u64,
}

impl TaskState {
    /// Returns the state after a call with this answer; `None` if this answer is wrong here.
    pub fn after(self, call: Call, outcome: Outcome) -> Option<Self> {
        let holds = |fence: u64| self.claim == Some(fence);
        match (call, outcome) {
            (Call::Claim, Outcome::Claimed(fence)) => (self.claim.is_none() && fence > self.fence)
                .then_some(Self { claim: Some(fence), fence }),
            (Call::Claim, Outcome::Taken) => self.claim.is_some().then_some(self),
            (Call::Checkpoint(fence), Outcome::Done) => holds(fence).then_some(self),
            (Call::Release(fence), Outcome::Done) => {
                holds(fence).then_some(Self { claim: None, ..self })
            }
            (Call::Checkpoint(fence) | Call::Release(fence), Outcome::Stale) => {
                (!holds(fence)).then_some(self)
            }
            _ => None,
        }
    }

    /// Returns the states after a call without an answer, if it happened. A claim may have any of the
    /// fences that were seen later, or one that was never seen.
    pub(super) fn after_unanswered(self, call: Call, fences: &[u64]) -> Vec<Self> {
        match call {
            Call::Claim => {
                let unseen = fences.iter().copied().max().unwrap_or_default().max(self.fence) + 1;
                let later = fences.iter().copied().chain([unseen, self.fence + 1]);
                later.filter_map(|fence| self.after(call, Outcome::Claimed(fence))).collect()
            }
            Call::Checkpoint(_) | Call::Release(_) => {
                self.after(call, Outcome::Done).into_iter().collect()
            }
        }
    }
}
