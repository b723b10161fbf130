//! The member names of an open object, to detect duplicates.

use std::collections::HashSet;
use std::hash::BuildHasher;

use crate::document::Builder;

/// Detects duplicate names.
///
/// Few names are compared directly and many by hash, so that a hostile object takes linear time.
#[derive(Debug, Default)]
pub(crate) struct Names {
    count: usize,
    marks: Marks,
    hashes: Option<HashSet<u64>>,
}

impl Names {
    /// LIMIT: measured: up to this count, comparing is faster than hashing.
    const COMPARED_MAX: usize = 48;

    /// Adds `name` and returns `true` if the object opened at `opened` already has it.
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

/// A small Bloom filter of the names. Most names are new, and the filter proves it for most of
/// them.
#[derive(Debug, Default)]
struct Marks([u64; 4]);

impl Marks {
    /// Adds a name; `true` means that it is new.
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
