//! Which leaves of the end of a log may leave something waiting for a person, noted as they are written:
//! whoever tells people reads those and no others.
//!
//! What this process has not written itself is not known here, and is read. So is everything as soon as
//! the policy is another one, because it says who is a person and who is in a role, and everything that
//! was before a restore, because the log may have been cut.

use std::collections::VecDeque;
use std::ops::Range;

use crate::state::Head;

/// LIMIT: leaves that are noted; the stretch that is known begins behind those that are forgotten.
const NOTED_MAX: usize = 4_096;

/// A stretch of the log, of which it is known what has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToTell {
    made_under: (u64, u64),
    stretch: Range<u64>,
    /// In their order.
    noted: VecDeque<u64>,
}

impl ToTell {
    /// What was written between two ends of the log, and which leaves of it were noted.
    pub(crate) fn between(before: &Head, after: &Head, noted: Vec<u64>) -> Self {
        let is_known = made_under(before) == made_under(after);
        let from = if is_known { before.leaves } else { after.leaves };
        let noted = if is_known { noted.into() } else { VecDeque::new() };
        Self { made_under: made_under(after), stretch: from..after.leaves, noted }
    }

    /// Goes on with what was written next, or begins anew where something is missing in between.
    pub(crate) fn go_on(&mut self, next: Self) {
        if (self.made_under, self.stretch.end) != (next.made_under, next.stretch.start) {
            *self = next;
            return;
        }
        self.stretch.end = next.stretch.end;
        self.noted.extend(next.noted);
        while self.noted.len() > NOTED_MAX {
            self.stretch.start = self.noted.pop_front().map_or(self.stretch.end, |n| n + 1);
        }
    }

    /// The next leaves that have to be read of a log with this end; none if there is nothing to tell.
    pub(crate) fn after(&self, from: u64, head: &Head) -> Range<u64> {
        let is_known = self.made_under == made_under(head) && self.stretch.end <= head.leaves;
        if !is_known || from >= self.stretch.end {
            return from..head.leaves;
        }
        if from < self.stretch.start {
            return from..self.stretch.start;
        }
        let next = self.noted.partition_point(|n| *n < from);
        match self.noted.get(next) {
            Some(n) => *n..n + 1,
            None => self.stretch.end..head.leaves,
        }
    }
}

/// The policy by which it was noted, and the log: a restore raises its floor.
fn made_under(head: &Head) -> (u64, u64) {
    (head.directory_version, head.token_floor)
}

#[cfg(test)]
mod tests {
    use tasuki_packet::id::ProjectId;

    use super::*;
    use crate::project::empty_head;

    fn head(leaves: u64) -> Head {
        let project = ProjectId::from_bytes([1; 16]);
        Head { leaves, ..empty_head(project, "2026-11-15T10:00:00Z".parse().unwrap(), [0; 32]) }
    }

    fn written(from: u64, to: u64, noted: &[u64]) -> ToTell {
        ToTell::between(&head(from), &head(to), noted.to_vec())
    }

    #[test]
    fn of_what_was_written_here_only_the_noted_is_read() {
        let mut known = written(10, 20, &[12]);
        known.go_on(written(20, 30, &[25, 26]));
        let check = |from: u64, expected: Range<u64>| {
            assert_eq!(known.after(from, &head(33)), expected, "{from}");
        };
        check(0, 0..10);
        check(10, 12..13);
        check(12, 12..13);
        check(13, 25..26);
        check(26, 26..27);
        check(27, 30..33);
        check(31, 31..33);
    }

    #[test]
    fn where_another_process_has_written_it_begins_anew() {
        let mut known = written(10, 20, &[12]);
        known.go_on(written(21, 30, &[]));
        assert_eq!(known.after(13, &head(30)), 13..21);
        assert_eq!(known.after(21, &head(30)), 30..30);
    }

    #[test]
    fn under_another_policy_and_after_a_restore_everything_is_read() {
        let known = written(10, 20, &[12]);
        let others = [
            Head { directory_version: 7, ..head(20) },
            Head { token_floor: 7, ..head(20) },
            head(19),
        ];
        for other in others {
            assert_eq!(known.after(13, &other), 13..other.leaves);
        }
        let moved = Head { directory_version: 7, ..head(30) };
        let mut going_on = known.clone();
        going_on.go_on(ToTell::between(&head(20), &moved, vec![22]));
        assert_eq!(going_on.after(13, &moved), 13..30);
        going_on.go_on(ToTell::between(&moved, &Head { leaves: 40, ..moved.clone() }, vec![]));
        assert_eq!(going_on.after(13, &Head { leaves: 40, ..moved }), 13..30);
    }

    #[test]
    fn what_is_forgotten_is_read() {
        let many = NOTED_MAX as u64;
        let mut known = written(0, many, &(0..many).collect::<Vec<_>>());
        known.go_on(written(many, many + 10, &[many + 3]));
        let end = head(many + 10);
        assert_eq!(known.after(0, &end), 0..1, "the first is forgotten");
        assert_eq!(known.after(1, &end), 1..2);
        assert_eq!(known.after(many, &end), many + 3..many + 4);
    }
}
