//! One handoff against its last leaf, without a walk: may it be believed?

use crate::model::Handoff;
use crate::ports::LeafRow;
use crate::query::events;

/// What its progress says otherwise than its last leaf.
pub fn denied_by(handoff: &Handoff, last: &LeafRow) -> Option<String> {
    let progress = &handoff.progress;
    if progress.last_n != last.n {
        let (said, is) = (progress.last_n, last.n);
        return Some(format!("says that leaf {said} is its last, but leaf {is} is"));
    }
    let told = events::event(last).ok()?.after?;
    let stored = progress.state.word().as_str();
    (told != stored).then(|| format!("says `{stored}`, but by its last leaf it is `{told}`"))
}
