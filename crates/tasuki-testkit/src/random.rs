//! Seeded pseudo-random choices.
//!
//! Not for secrets or ids, which come from `Entropy`.

/// A seeded generator of choices.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates the sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next number, by `SplitMix64`, which has no bad seeds.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below this bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// Returns `true` with this probability in percent.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns one of these values.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// Returns an index into a list of this length.
    pub fn index(&mut self, length: usize) -> usize {
        let bound = u64::try_from(length).expect("a length fits into 64 bits");
        usize::try_from(self.below(bound)).expect("an index is smaller than a length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_choose_alike_and_everything_gets_chosen() {
        let choose = |seed| {
            let mut random = Random::new(seed);
            (0..64).map(|_| *random.pick(&["a", "b", "c"])).collect::<Vec<_>>()
        };
        assert_eq!(choose(1), choose(1));
        assert_ne!(choose(1), choose(2));
        for letter in ["a", "b", "c"] {
            assert!(choose(1).contains(&letter));
        }
    }
}
