//! Which handoff is meant, and which revision of it is named.

use tasuki_engine::find;
use tasuki_engine::handoff::Handoff;

use super::exchange::Exchange;
use crate::exit::Failure;
use crate::settings::shown;

impl Exchange {
    /// The handoff that a person means.
    pub(crate) fn find(&self, written: &str) -> Result<Handoff, Failure> {
        let written = written.split('@').next().unwrap_or(written);
        self.wait(find::handoff(self.engine.store().as_ref(), self.project, written, |_| true))
    }
}

/// Whether a person means this id: the whole of it, or its last digits.
pub(crate) fn ends_with(id: &str, prefix: &str, written: &str) -> bool {
    find::ending_in(written, prefix).is_some_and(|ending| id.ends_with(&ending))
}

/// The revision that is named behind the `@`.
pub(crate) fn revision_in(written: &str) -> Result<Option<u32>, Failure> {
    let Some((_, revision)) = written.split_once('@') else { return Ok(None) };
    let number = revision.parse().ok().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| {
        Failure::usage(format!("`{}` is not the number of a revision", shown(revision)))
            .hint("write it as `1a2b3c@2`")
    })
}
