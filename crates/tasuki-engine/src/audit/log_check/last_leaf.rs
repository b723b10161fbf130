//! Compares one handoff with its last leaf, without walking the log.

use crate::model::Handoff;
use crate::ports::LeafRow;
use crate::query::events;

/// Describes the first difference between the progress of a handoff and its last leaf.
pub fn denied_by(handoff: &Handoff, last: &LeafRow) -> Option<String> {
    let progress = &handoff.progress;
    if progress.last_n != last.n {
        let (recorded, is) = (progress.last_n, last.n);
        return Some(format!("last leaf is {recorded}, but the log has {is}"));
    }
    let expected = events::event(last).ok()?.after?;
    let stored = progress.state.word().as_str();
    (expected != stored).then(|| format!("state is `{stored}`, but `{expected}` by its last leaf"))
}
