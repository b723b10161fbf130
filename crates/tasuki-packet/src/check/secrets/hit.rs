//! A recognized range of a text, and the merging of overlapping ranges.

/// A range of bytes in a text, and the kind of secret it was recognized as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) kind: &'static str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Sorts hits by position and merges overlapping ones. The earlier entry of `hits` determines the
/// kind, so the more specific recognizer must come first. The range is the union, so that redaction
/// leaves no remainder.
pub(super) fn merged(hits: Vec<Hit>) -> Vec<Hit> {
    let mut ranked: Vec<(usize, Hit)> = hits.into_iter().enumerate().collect();
    ranked.sort_by_key(|(rank, hit)| (hit.start, *rank));
    let mut joined: Vec<(usize, Hit)> = Vec::with_capacity(ranked.len());
    for (rank, hit) in ranked {
        match joined.last_mut() {
            Some((best, last)) if hit.start < last.end => {
                last.end = last.end.max(hit.end);
                if rank < *best {
                    *best = rank;
                    last.kind = hit.kind;
                }
            }
            _ => joined.push((rank, hit)),
        }
    }
    joined.into_iter().map(|(_, hit)| hit).collect()
}

/// Returns `true` if `start..end` overlaps one of `hits`, which are sorted and disjoint.
pub(super) fn covers(hits: &[Hit], start: usize, end: usize) -> bool {
    let next = hits.partition_point(|hit| hit.end <= start);
    hits.get(next).is_some_and(|hit| hit.start < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_hits_become_one_with_the_kind_of_the_first_recognizer() {
        let hits = vec![
            Hit { kind: "token", start: 12, end: 20 },
            Hit { kind: "password", start: 10, end: 18 },
            Hit { kind: "password", start: 30, end: 34 },
        ];
        let joined = merged(hits);
        assert_eq!(
            joined,
            [
                Hit { kind: "token", start: 10, end: 20 },
                Hit { kind: "password", start: 30, end: 34 },
            ]
        );
        assert!(covers(&joined, 19, 25));
        assert!(!covers(&joined, 20, 30));
    }
}
