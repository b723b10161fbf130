//! Resolves a handoff by id, by unique ending of its id or by task, and a claim by id.

use tasuki_packet::id::{ClaimId, HandoffId, PartyId, ProjectId};

use crate::error::Error;
use crate::limits::{PAGE_MAX, ROWS_PER_READ};
use crate::model::{Handoff, StateWord};
use crate::ports::{Extent, Query, Store};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fencing::ClaimProof;

/// LIMIT: the shortest ending. A shorter one could soon match another handoff.
const ENDING_MIN: usize = 4;

/// LIMIT: matches that are considered.
const FOUND_MAX: u32 = 50;

/// LIMIT: matches that an ambiguity error lists.
const NAMED_MAX: usize = 5;

/// Returns the handoff that a name refers to, among those that the caller may know.
pub async fn handoff(
    store: &dyn Store,
    project: ProjectId,
    name: &str,
    may_know: impl Fn(&Handoff) -> bool,
) -> Result<Handoff, Error> {
    if let Ok(id) = name.parse::<HandoffId>() {
        let found = store.handoff(project, id).await?.filter(may_know);
        return found.ok_or_else(|| unknown(name).into());
    }
    let (mut found, are_all) = match ending_in(name, "hof_") {
        Some(ending) => ending_with(store, project, ending).await?,
        None => (Vec::new(), true),
    };
    found.retain(&may_know);
    if found.is_empty() {
        return of_task(store, project, name, may_know).await.map_err(|error| match error {
            Error::Refused(refusal) if !are_all => {
                let hint = format!(
                    "only the newest {ROWS_PER_READ} handoffs are found by the end of their id; \
                     use the whole id or the task"
                );
                Error::Refused(Refusal { hint: Some(hint), ..refusal })
            }
            Error::Refused(_) | Error::Failed(_) => error,
        });
    }
    // A task named by digits must not resolve to another handoff whose id ends with them.
    match of_task(store, project, name, may_know).await {
        Ok(named) if !found.iter().any(|one| one.id == named.id) => found.insert(0, named),
        Ok(_) | Err(Error::Refused(_)) => {}
        Err(fault) => return Err(fault),
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        several => Err(ambiguous(name, several).into()),
    }
}

/// Parses the last digits of an id, with or without its prefix.
pub fn ending_in(name: &str, prefix: &str) -> Option<String> {
    let ending = name.strip_prefix(prefix).unwrap_or(name).to_lowercase();
    let is_ending = ending.len() >= ENDING_MIN && ending.bytes().all(|b| b.is_ascii_hexdigit());
    is_ending.then_some(ending)
}

/// Returns the handoffs whose id ends so, among the newest, and `true` if those are all. An index of endings would cost every
/// submission a page, because endings are random.
async fn ending_with(
    store: &dyn Store,
    project: ProjectId,
    ending: String,
) -> Result<(Vec<Handoff>, bool), Error> {
    let until = store.handoff_at(project, None, true, ROWS_PER_READ).await?;
    let (ending, extent) = (Some(ending), Extent::Until(until));
    let query = Query { ending, extent, limit: FOUND_MAX, ..Query::default() };
    Ok((store.handoffs(project, query).await?, until.is_none()))
}

/// Returns the live handoff of a task, else its dead letter, else its newest handoff.
async fn of_task(
    store: &dyn Store,
    project: ProjectId,
    task: &str,
    may_know: impl Fn(&Handoff) -> bool,
) -> Result<Handoff, Error> {
    let query = Query { task: Some(task.to_owned()), limit: FOUND_MAX, ..Query::default() };
    let mut found = store.handoffs(project, query).await?;
    found.retain(may_know);
    let live = found.iter().position(|one| one.is_open() && one.progress.child.is_none());
    let dead = || found.iter().position(|one| one.progress.state.word() == StateWord::Dead);
    match live.or_else(dead).or_else(|| (!found.is_empty()).then_some(0)) {
        Some(at) => Ok(found.swap_remove(at)),
        None => Err(unknown(task).into()),
    }
}

/// Returns the claim with this id, as its holder presents it.
pub async fn claim(
    store: &dyn Store,
    project: ProjectId,
    holder: PartyId,
    id: ClaimId,
) -> Result<ClaimProof, Error> {
    let states = vec![StateWord::Claimed, StateWord::Held];
    let mut query = Query { states, holder: Some(holder), limit: PAGE_MAX, ..Query::default() };
    loop {
        let page = store.handoffs(project, query.clone()).await?;
        let Some(last) = page.last() else { return Err(ended(id).into()) };
        query.after = Some(last.id);
        for handoff in &page {
            if let Some(claim) = handoff.claim().filter(|claim| claim.id == id) {
                return Ok(ClaimProof { handoff: handoff.id, fence: claim.fence });
            }
        }
    }
}

/// Returns the short form of an id: its last digits, which are random.
pub fn short(id: HandoffId) -> String {
    let text = id.to_string();
    format!("hof_{}", &text[text.len() - 6..])
}

/// Returns the refusal of an unknown name, or of a handoff that the caller may not know.
pub fn unknown(name: &str) -> Refusal {
    let message = format!("unknown handoff or task `{name}`");
    Refusal::new(RefusalCode::HandoffUnknown, message)
        .hint("list the handoffs of this project with `tasuki list`")
}

fn ambiguous(name: &str, several: &[Handoff]) -> Refusal {
    let ids: Vec<String> = several.iter().take(NAMED_MAX).map(|one| short(one.id)).collect();
    let message = format!("`{name}` is ambiguous: it matches {}", ids.join(", "));
    Refusal::new(RefusalCode::HandoffUnknown, message).hint("use more digits of the id")
}

fn ended(id: ClaimId) -> Refusal {
    Refusal::new(RefusalCode::ClaimStale, format!("you do not hold claim {id}"))
        .hint("stop working on it; your checkpoints are saved, and `tasuki inbox` lists your work")
}
