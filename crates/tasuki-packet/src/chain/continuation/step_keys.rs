//! The steps of a task as hashes, small enough to be stored with a handoff.
//!
//! A list of handoffs shows how many steps are done and left without reading any document. The keys
//! of a packet and of its checkpoints are combined one after the other; the counts are those of
//! [`steps`](super::steps), which needs the documents.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::steps::{items, states, step_key};
use crate::packet::{Item, Packet};

/// LIMIT: steps that are counted for lists. A handoff with more has counts on its own page only.
const STEPS_MAX: usize = 200;

/// The hash of a step. Two steps of a task that collide are counted as one.
type Key = u32;

/// The steps that a packet or a series of checkpoints states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepKeys {
    /// The steps that are done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    done: Vec<Key>,
    /// The steps that are left, if they were stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left: Option<Vec<Key>>,
    /// The steps that were stated as left, and are thus no longer done before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reopened: Vec<Key>,
    /// The pinned steps, which no later list drops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pinned: Vec<Key>,
    /// The goal, which is left if no step is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goal: Option<Key>,
}

impl StepKeys {
    /// Returns the steps of a packet or a checkpoint, or `None` if there are too many.
    pub fn of(packet: &Packet) -> Option<Self> {
        let key_of = |text: &str| key(&step_key(text));
        let done: Vec<Key> = unique(items(packet, "completed").map(|item| key_of(item.text)));
        let stated = items(packet, "remaining").map(|item| key_of(item.text));
        let left = unique(stated.filter(|key| !done.contains(key)));
        let pinned = items(packet, "remaining").filter(Item::is_pinned);
        let steps = Self {
            pinned: unique(pinned.map(|item| key_of(item.text))),
            goal: packet.text("goal").map(key_of),
            reopened: left.clone(),
            left: states(packet, "remaining").then_some(left),
            done,
        };
        steps.within_limit()
    }

    /// Returns these steps after a later checkpoint, or `None` if there are too many.
    pub fn then(&self, later: &Self) -> Option<Self> {
        let pinned = unique(self.pinned.iter().chain(&later.pinned).copied());
        let earlier = self.done.iter().filter(|key| !later.reopened.contains(key));
        let done = unique(earlier.chain(&later.done).copied());
        let is_open = |key: &&Key| !done.contains(key);
        let left = match (&later.left, &self.left) {
            (Some(left), _) => {
                Some(unique(left.iter().chain(pinned.iter().filter(is_open)).copied()))
            }
            (None, Some(left)) => Some(left.iter().filter(is_open).copied().collect()),
            (None, None) => None,
        };
        let reopened = unique(self.reopened.iter().chain(&later.reopened).copied());
        Self { done, left, reopened, pinned, goal: self.goal }.within_limit()
    }

    /// Returns the number of steps that are done, and of those that are left.
    pub fn counts(&self) -> (u32, u32) {
        let open_goal = self.goal.filter(|goal| !self.done.contains(goal));
        let left = match &self.left {
            Some(left) => left.len(),
            None => usize::from(open_goal.is_some()),
        };
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (count(self.done.len()), count(left))
    }

    fn within_limit(self) -> Option<Self> {
        let left = self.left.as_ref().map_or(0, Vec::len);
        (self.done.len() + left + self.reopened.len() <= STEPS_MAX * 2).then_some(self)
    }
}

fn unique(keys: impl Iterator<Item = Key>) -> Vec<Key> {
    let mut found = Vec::new();
    keys.for_each(|key| {
        if !found.contains(&key) {
            found.push(key);
        }
    });
    found
}

fn key(text: &str) -> Key {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    Key::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::{Value, json};

    use super::*;
    use crate::chain::continuation::steps;

    fn any_packet() -> impl Strategy<Value = Packet> {
        let text = select(vec!["a", "b", "c", "d", "goal"]);
        let item = (text, any::<bool>())
            .prop_map(|(text, is_pinned)| json!({ "text": text, "pinned": is_pinned }));
        let list = prop_oneof![
            1 => Just(Value::Null),
            3 => vec(item, 0..4).prop_map(Value::Array),
        ];
        (list.clone(), list).prop_map(|(completed, remaining)| {
            let packet = json!({ "goal": "goal", "completed": completed, "remaining": remaining });
            Packet::from_value(packet).unwrap()
        })
    }

    proptest! {
        #[test]
        fn the_counts_are_those_of_the_steps(
            given in any_packet(), checkpoints in vec(any_packet(), 0..5),
        ) {
            let steps = steps(&given, &checkpoints);
            let done = steps.iter().filter(|step| step.is_done).count();
            let mut keys = StepKeys::of(&given).unwrap();
            for checkpoint in &checkpoints {
                keys = keys.then(&StepKeys::of(checkpoint).unwrap()).unwrap();
            }
            let (kept, left) = keys.counts();
            prop_assert_eq!((kept as usize, left as usize), (done, steps.len() - done));
            // Checkpoints may be combined first, so that a new revision keeps them.
            let later = checkpoints.iter().map(|one| StepKeys::of(one).unwrap());
            let later = later.reduce(|one, next| one.then(&next).unwrap());
            let given = StepKeys::of(&given).unwrap();
            let combined = later.map_or(given.clone(), |later| given.then(&later).unwrap());
            prop_assert_eq!(combined.counts(), keys.counts());
        }
    }

    #[test]
    fn a_task_with_too_many_steps_is_not_counted() {
        let steps = |count: usize| {
            let steps: Vec<String> = (0..count).map(|n| format!("step {n}")).collect();
            Packet::from_value(json!({ "remaining": steps })).unwrap()
        };
        assert_eq!(StepKeys::of(&steps(STEPS_MAX)).unwrap().counts(), (0, 200));
        assert_eq!(StepKeys::of(&steps(STEPS_MAX + 1)), None);
    }
}
