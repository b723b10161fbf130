//! The names that an object has so far, to refuse a second one of the same name.

use std::collections::HashSet;

use crate::tree::Builder;

/// Few names are compared one by one, many through a set, so that a hostile object costs no more
/// than its size.
#[derive(Debug, Default)]
pub(crate) struct Names {
    count: usize,
    set: HashSet<String>,
}

impl Names {
    /// LIMIT: measured: up to here comparing is faster than hashing.
    const COMPARED_MAX: usize = 48;

    /// Counts `name` in, and says whether the object opened at `opened` has it already.
    pub(crate) fn is_repeated(&mut self, builder: &Builder<'_>, opened: usize, name: &str) -> bool {
        self.count += 1;
        if self.count <= Self::COMPARED_MAX {
            return builder.has_member(opened, name);
        }
        if self.set.is_empty() {
            self.set = builder.member_names(opened);
        }
        !self.set.insert(name.to_owned())
    }
}
