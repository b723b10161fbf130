//! Which handoff is meant: a whole id, the shortest unique ending of it, or the name of its task.

use tasuki_engine::decision::Looked;
use tasuki_engine::handoff::{Handoff, StateWord};
use tasuki_engine::store::{Query, Store as _};
use tasuki_packet::id::HandoffId;

use super::exchange::Exchange;
use crate::exit::{Exit, Failure};
use crate::settings::shown;

/// LIMIT: shorter endings would mean another handoff tomorrow.
const ENDING_MIN: usize = 4;

impl Exchange {
    /// The handoff that a person means, and what they see who look at it now. Where they name the
    /// revision that they saw, a decision is bound to that one.
    pub(crate) fn look(&self, written: &str) -> Result<(Handoff, Looked), Failure> {
        let handoff = self.find(written)?;
        let mut looked = Looked::at(&handoff);
        if let Some(seen) = revision_in(written)? {
            looked.revision = Some(seen);
        }
        Ok((handoff, looked))
    }

    /// The handoff that a person means.
    pub(crate) fn find(&self, written: &str) -> Result<Handoff, Failure> {
        let id = written.split('@').next().unwrap_or(written);
        if let Ok(id) = id.parse::<HandoffId>() {
            return self.with_id(id);
        }
        let found = match ending_in(id, "hof_") {
            Some(ending) => self.ending_with(&ending)?,
            None => Vec::new(),
        };
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] => self.of_task(id),
            several => {
                let ids: Vec<String> = several.iter().map(|one| short(one.id)).collect();
                let message = format!("`{written}` may be any of {}", ids.join(", "));
                Err(Failure { exit: Exit::NotFound, ..Failure::usage(message) }
                    .hint("use more digits"))
            }
        }
    }

    fn with_id(&self, id: HandoffId) -> Result<Handoff, Failure> {
        let found = self.read(self.store.handoff(self.project, id))?;
        found.ok_or_else(|| unknown(&id.to_string()))
    }

    fn ending_with(&self, ending: &str) -> Result<Vec<Handoff>, Failure> {
        let query = Query { ending: Some(ending.to_owned()), limit: 5, ..Query::default() };
        self.read(self.store.handoffs(self.project, query))
    }

    /// The live handoff of a task, else its newest.
    fn of_task(&self, task: &str) -> Result<Handoff, Failure> {
        let query = Query { task: Some(task.to_owned()), limit: 50, ..Query::default() };
        let mut found = self.read(self.store.handoffs(self.project, query))?;
        let live = found.iter().position(|one| one.is_open() && one.progress.child.is_none());
        let dead = || found.iter().position(|one| one.progress.state.word() == StateWord::Dead);
        match live.or_else(dead).or_else(|| (!found.is_empty()).then_some(0)) {
            Some(at) => Ok(found.swap_remove(at)),
            None => Err(unknown(task)),
        }
    }
}

/// The last digits of an id that a person wrote, with or without its prefix.
fn ending_in(written: &str, prefix: &str) -> Option<String> {
    let ending = written.strip_prefix(prefix).unwrap_or(written).to_lowercase();
    let is_ending = ending.len() >= ENDING_MIN && ending.bytes().all(|b| b.is_ascii_hexdigit());
    is_ending.then_some(ending)
}

/// Whether a person means this id: the whole of it, or its last digits.
pub(crate) fn ends_with(id: &str, prefix: &str, written: &str) -> bool {
    ending_in(written, prefix).is_some_and(|ending| id.ends_with(&ending))
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

fn unknown(written: &str) -> Failure {
    let message = format!("no handoff and no task is called `{written}` [TK-HANDOFF-UNKNOWN]");
    Failure { exit: Exit::NotFound, ..Failure::usage(message) }
        .hint("`tasuki ls` lists the handoffs of this project")
}

/// The id as people type it: its last digits, which are random.
pub(crate) fn short(id: HandoffId) -> String {
    let text = id.to_string();
    format!("hof_{}", &text[text.len() - 6..])
}
