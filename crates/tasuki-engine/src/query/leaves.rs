//! Leaves with their neighbours in the log, from which a reader recomputes hashes and links alone.
//!
//! The leaf before shows that a leaf is linked; the leaf after shows that it has not changed since.

use std::collections::BTreeMap;

use tasuki_packet::id::ProjectId;

use crate::error::Fault;
use crate::ports::{LeafRow, Store};

/// Leaves between two others that are read with them, because one read costs more than they do.
const GAP_READ: u64 = 8;

/// Returns the leaves with these ascending numbers, each with the one before and the one after it.
///
/// The cost is at most one read and ten leaves for each number.
///
/// # Errors
///
/// Fails if the store does.
pub async fn with_neighbours(
    store: &dyn Store,
    project: ProjectId,
    numbers: &[u64],
) -> Result<Vec<LeafRow>, Fault> {
    let mut found = BTreeMap::new();
    for (first, last) in runs(numbers) {
        let from = first.saturating_sub(1);
        let count = u32::try_from(last + 2 - from).unwrap_or(u32::MAX);
        for row in store.leaves(project, from, count).await? {
            found.insert(row.n, row);
        }
    }
    let is_wanted = |n: &u64| {
        let near = [n.checked_sub(1), Some(*n), n.checked_add(1)];
        near.into_iter().flatten().any(|one| numbers.binary_search(&one).is_ok())
    };
    Ok(found.into_iter().filter(|(n, _)| is_wanted(n)).map(|(_, row)| row).collect())
}

/// Groups ascending numbers into runs that are read at once.
fn runs(numbers: &[u64]) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if number <= *last + GAP_READ => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_numbers_are_read_at_once_and_far_ones_are_not() {
        assert_eq!(runs(&[]), []);
        assert_eq!(runs(&[3]), [(3, 3)]);
        assert_eq!(runs(&[1, 2, 10, 19, 1_000]), [(1, 10), (19, 19), (1_000, 1_000)]);
    }
}
