//! The names that an object has so far, to refuse a second one of the same name.

use std::collections::HashSet;
use std::hash::BuildHasher;

use crate::document::Builder;

/// Few names are compared one by one, many through their hashes, so that a hostile object costs no
/// more than its size.
#[derive(Debug, Default)]
pub(crate) struct Names {
    count: usize,
    marks: Marks,
    hashes: Option<HashSet<u64>>,
}

impl Names {
    /// LIMIT: measured: up to here comparing is faster than hashing.
    const COMPARED_MAX: usize = 48;

    /// Counts `name` in, and says whether the object opened at `opened` has it already.
    #[inline]
    pub(crate) fn is_repeated(&mut self, builder: &Builder<'_>, opened: usize, name: &str) -> bool {
        self.count += 1;
        let is_new = if self.count <= Self::COMPARED_MAX {
            self.marks.is_new(name)
        } else {
            self.is_new_hash(builder, opened, name)
        };
        !is_new && builder.has_member(opened, name)
    }

    fn is_new_hash(&mut self, builder: &Builder<'_>, opened: usize, name: &str) -> bool {
        let hashes = self.hashes.get_or_insert_with(|| {
            let mut hashes = HashSet::new();
            let hasher = hashes.hasher().clone();
            hashes.extend(builder.member_names(opened).map(|name| hasher.hash_one(name)));
            hashes
        });
        hashes.insert(hashes.hasher().hash_one(name))
    }
}

/// A mark for every name so far. Most names are new, and most of those are told by their mark.
#[derive(Debug, Default)]
struct Marks([u64; 4]);

impl Marks {
    /// Makes the mark of a name; if it was not there yet, the name is new.
    fn is_new(&mut self, name: &str) -> bool {
        let bytes = name.as_bytes();
        let at = |index: usize| bytes.get(index).copied().map_or(0, usize::from);
        let last = bytes.len().saturating_sub(1);
        let mixed = bytes.len() + 7 * at(0) + 31 * at(last / 2) + 131 * at(last);
        let (word, bit) = (mixed / 64 % 4, 1 << (mixed % 64));
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}
