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
    Ok(seen_in(written)?.map(|(revision, _)| revision))
}

/// What somebody says they saw, behind the `@`: a revision, and a receiver if they name one.
pub(crate) fn seen_in(written: &str) -> Result<Option<(u32, Option<String>)>, Failure> {
    let Some((_, seen)) = written.split_once('@') else { return Ok(None) };
    let (revision, receiver) = match seen.split_once(':') {
        Some((revision, receiver)) => (revision, Some(receiver.to_owned())),
        None => (seen, None),
    };
    let number = revision.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| {
        Failure::usage(format!("`{}` is not the number of a revision", shown(revision)))
            .hint("write it as `1a2b3c@2`")
    })?;
    Ok(Some((number, receiver)))
}
