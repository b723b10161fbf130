//! A sequence of numbers that follows from a seed, to choose with.
//!
//! Not for secrets, and not for ids: those come from `Entropy`.

/// Chooses, always the same for the same seed.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number. By `SplitMix64`, which has no bad seeds.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 on and below this one.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    /// Whether something that happens so many times in a hundred happens now.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// A place in a list of this length.
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
