//! Maps by id.
//!
//! Ids are random where they differ, and only ids that the exchange has made are ever put into such
//! a map: their own bits are as good as any hash of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by ids, or by ids and small numbers.
pub type ById<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// Takes the bits of an id as they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for half in bytes.as_chunks::<8>().0 {
            self.write_u64(u64::from_be_bytes(*half));
        }
    }

    /// A small number beside an id leaves the id's bits where they are.
    fn write_u32(&mut self, number: u32) {
        self.0 = self.0.wrapping_add(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.rotate_left(8) ^ number;
    }

    /// The length of what follows, which is the same for all ids.
    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher as _;

    use tasuki_packet::id::{HandoffId, ProjectId};

    use super::*;
    use crate::draw::Draw;

    #[test]
    fn ids_of_the_same_instant_spread_over_a_map() {
        let now = "2026-11-15T10:00:00Z".parse().unwrap();
        let project = ProjectId::from_bytes([1; 16]);
        let hash = |seed: u8, revision: u32| {
            let handoff: HandoffId = Draw::new([seed; 32]).id("handoff", now);
            BuildHasherDefault::<IdHasher>::default().hash_one((project, handoff, revision))
        };
        // A map looks at the lowest bits for the place, and at the highest seven to compare.
        let places: HashSet<u64> = (0..=255).map(|seed| hash(seed, 1) % 256).collect();
        let marks: HashSet<u64> = (0..=255).map(|seed| hash(seed, 1) >> 57).collect();
        assert!(places.len() > 140 && marks.len() > 24, "{} {}", places.len(), marks.len());
        assert_ne!(hash(0, 1), hash(0, 2));
    }
}
