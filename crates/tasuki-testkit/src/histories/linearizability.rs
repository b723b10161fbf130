//! The search of Wing and Gong with the memory of Lowe: it tries to give every call an instant, and
//! never visits the same set of finished calls in the same state twice.

use std::collections::{BTreeSet, HashSet};

use super::task::{Call, Outcome, TaskState};

/// One call of a client, with the times of call and answer in any unit that only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The client.
    pub client: usize,
    /// The time of the call.
    pub called: u64,
    /// The time of the answer and the answer; `None` if none arrived.
    pub answered: Option<(u64, Outcome)>,
    /// The call.
    pub call: Call,
}

/// A history that no order of the calls explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The longest prefix of the answered calls, by the time of the answer, that can be explained.
    pub explained: usize,
    /// The first answer that cannot.
    pub first: Operation,
}

/// Checks the history of one task.
///
/// # Errors
///
/// Returns the first answer that no order of the calls explains.
pub fn check(history: &[Operation]) -> Result<(), Violation> {
    if is_linearizable(history) {
        return Ok(());
    }
    // The shortest history that fails names the answer. Calls without an answer yet are unanswered.
    let mut answers: Vec<(u64, &Operation)> =
        history.iter().filter_map(|one| Some((one.answered?.0, one))).collect();
    answers.sort_by_key(|(at, _)| *at);
    let until = |end: u64| -> Vec<Operation> {
        let begun = history.iter().filter(|one| one.called <= end).copied();
        begun
            .map(|one| Operation { answered: one.answered.filter(|(at, _)| *at <= end), ..one })
            .collect()
    };
    let explained = answers.iter().take_while(|(at, _)| is_linearizable(&until(*at))).count();
    let first = *answers[explained.min(answers.len() - 1)].1;
    Err(Violation { explained, first })
}

fn is_linearizable(history: &[Operation]) -> bool {
    let mut fences: Vec<u64> = history
        .iter()
        .filter_map(|one| match one.answered {
            Some((_, Outcome::Claimed(fence))) => Some(fence),
            _ => None,
        })
        .chain(history.iter().filter_map(|one| match one.call {
            Call::Checkpoint(fence) | Call::Release(fence) => Some(fence),
            Call::Claim => None,
        }))
        .collect();
    fences.sort_unstable();
    fences.dedup();
    let search = Search { history, fences };
    let mut visited = HashSet::new();
    let mut open = vec![(BTreeSet::new(), TaskState::default())];
    while let Some((done, state)) = open.pop() {
        if search.is_complete(&done) {
            return true;
        }
        for next in search.next(&done, state) {
            if visited.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    false
}

/// The calls that have been given an instant, and the state after them.
type Node = (BTreeSet<usize>, TaskState);

struct Search<'h> {
    history: &'h [Operation],
    /// The fences that occur in the history.
    fences: Vec<u64>,
}

impl Search<'_> {
    /// Returns `true` if every answered call has its instant.
    fn is_complete(&self, done: &BTreeSet<usize>) -> bool {
        let is_open =
            |(index, one): (usize, &Operation)| one.answered.is_some() && !done.contains(&index);
        !self.history.iter().enumerate().any(is_open)
    }

    /// Returns the nodes after one more call: one that was called before every open answer.
    fn next(&self, done: &BTreeSet<usize>, state: TaskState) -> Vec<Node> {
        let left = || self.history.iter().enumerate().filter(|(index, _)| !done.contains(index));
        let first_answer = left().filter_map(|(_, one)| Some(one.answered?.0)).min();
        let mut nodes = Vec::new();
        for (index, one) in left() {
            if first_answer.is_some_and(|answer| answer < one.called) {
                continue;
            }
            let states = match one.answered {
                Some((_, outcome)) => state.after(one.call, outcome).into_iter().collect(),
                None => state.after_unanswered(one.call, &self.fences),
            };
            for state in states {
                let mut done = done.clone();
                done.insert(index);
                nodes.push((done, state));
            }
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a history from (call, called, answered, outcome); an answer at 0 never arrived.
    fn history(calls: &[(Call, u64, u64, Outcome)]) -> Vec<Operation> {
        let operation =
            |(client, (call, called, at, outcome)): (usize, &(Call, u64, u64, Outcome))| {
                let answered = (*at > 0).then_some((*at, *outcome));
                Operation { client, called: *called, answered, call: *call }
            };
        calls.iter().enumerate().map(operation).collect()
    }

    use Call::{Checkpoint, Claim, Release};
    use Outcome::{Claimed, Done, Stale, Taken};

    #[test]
    fn overlapping_calls_may_take_effect_in_any_order() {
        let good = [
            (Claim, 1, 9, Claimed(1)),
            (Claim, 2, 5, Taken),
            (Checkpoint(1), 10, 11, Done),
            (Release(1), 12, 20, Done),
            (Claim, 13, 19, Claimed(2)),
            (Checkpoint(1), 21, 22, Stale),
        ];
        assert_eq!(check(&history(&good)), Ok(()));
    }

    #[test]
    fn two_holders_at_once_are_found() {
        let bad = [(Claim, 1, 2, Claimed(1)), (Claim, 3, 4, Claimed(2)), (Release(1), 5, 6, Done)];
        let violation = check(&history(&bad)).unwrap_err();
        assert_eq!((violation.explained, violation.first.answered), (1, Some((4, Claimed(2)))));
    }

    #[test]
    fn a_late_write_of_a_former_holder_is_found() {
        let bad = [
            (Claim, 1, 2, Claimed(1)),
            (Release(1), 3, 4, Done),
            (Claim, 5, 6, Claimed(2)),
            (Checkpoint(1), 7, 8, Done),
        ];
        assert_eq!(check(&history(&bad)).unwrap_err().first.call, Checkpoint(1));
    }

    #[test]
    fn a_refusal_without_a_reason_and_a_fence_that_falls_are_found() {
        assert!(check(&history(&[(Claim, 1, 2, Taken)])).is_err());
        let bad = [(Claim, 1, 2, Claimed(5)), (Release(5), 3, 4, Done), (Claim, 5, 6, Claimed(4))];
        assert!(check(&history(&bad)).is_err());
    }

    #[test]
    fn a_call_without_an_answer_happened_later_or_never() {
        // A claim that was killed holds the task for the next caller.
        assert_eq!(check(&history(&[(Claim, 1, 0, Taken), (Claim, 2, 3, Taken)])), Ok(()));
        // Or it never happened.
        assert_eq!(check(&history(&[(Claim, 1, 0, Taken), (Claim, 2, 3, Claimed(1))])), Ok(()));
        // But it cannot have happened before it was called.
        let bad = [(Claim, 2, 3, Taken), (Claim, 4, 0, Taken)];
        assert!(check(&history(&bad)).is_err());
        // A release that was killed frees the task.
        let good =
            [(Claim, 1, 2, Claimed(1)), (Release(1), 3, 0, Done), (Claim, 9, 10, Claimed(2))];
        assert_eq!(check(&history(&good)), Ok(()));
    }
}
