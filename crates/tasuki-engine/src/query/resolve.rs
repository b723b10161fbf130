//! Which handoff is meant: a whole id, the shortest unique ending of it, or the name of its task. And
//! which claim.

use tasuki_packet::id::{ClaimId, HandoffId, PartyId, ProjectId};

use crate::error::Error;
use crate::limits::PAGE_MAX;
use crate::model::{Handoff, StateWord};
use crate::ports::{Query, Store};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fencing::ClaimProof;

/// LIMIT: shorter endings would mean another handoff tomorrow.
const ENDING_MIN: usize = 4;

/// LIMIT: handoffs that one name is looked for among.
const FOUND_MAX: u32 = 50;

/// LIMIT: handoffs that are named to whoever wrote too little.
const NAMED_MAX: usize = 5;

/// The handoff that somebody means by what they wrote, among those that they may know.
pub async fn handoff(
    store: &dyn Store,
    project: ProjectId,
    written: &str,
    may_know: impl Fn(&Handoff) -> bool,
) -> Result<Handoff, Error> {
    if let Ok(id) = written.parse::<HandoffId>() {
        let found = store.handoff(project, id).await?.filter(may_know);
        return found.ok_or_else(|| unknown(written).into());
    }
    let mut found = match ending_in(written, "hof_") {
        Some(ending) => ending_with(store, project, ending).await?,
        None => Vec::new(),
    };
    found.retain(&may_know);
    if found.is_empty() {
        return of_task(store, project, written, may_know).await;
    }
    // Whoever names a task by digits must not get another handoff that happens to end with them.
    match of_task(store, project, written, may_know).await {
        Ok(named) if !found.iter().any(|one| one.id == named.id) => found.insert(0, named),
        Ok(_) | Err(Error::Refused(_)) => {}
        Err(fault) => return Err(fault),
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        several => Err(ambiguous(written, several).into()),
    }
}

/// The last digits of an id that a person wrote, with or without its prefix.
pub fn ending_in(written: &str, prefix: &str) -> Option<String> {
    let ending = written.strip_prefix(prefix).unwrap_or(written).to_lowercase();
    let is_ending = ending.len() >= ENDING_MIN && ending.bytes().all(|b| b.is_ascii_hexdigit());
    is_ending.then_some(ending)
}

async fn ending_with(
    store: &dyn Store,
    project: ProjectId,
    ending: String,
) -> Result<Vec<Handoff>, Error> {
    let query = Query { ending: Some(ending), limit: FOUND_MAX, ..Query::default() };
    Ok(store.handoffs(project, query).await?)
}

/// The live handoff of a task, else its newest.
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

/// The claim with this id, as its holder shows it.
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
        let Some(last) = page.last() else { return Err(over(id).into()) };
        query.after = Some(last.id);
        for handoff in &page {
            if let Some(claim) = handoff.claim().filter(|claim| claim.id == id) {
                return Ok(ClaimProof { handoff: handoff.id, fence: claim.fence });
            }
        }
    }
}

/// The id as people type it: its last digits, which are random.
pub fn short(id: HandoffId) -> String {
    let text = id.to_string();
    format!("hof_{}", &text[text.len() - 6..])
}

/// The refusal of what nobody may know, or what is not there.
pub fn unknown(written: &str) -> Refusal {
    let message = format!("no handoff and no task is called `{written}`");
    Refusal::new(RefusalCode::HandoffUnknown, message)
        .hint("`tasuki ls` lists the handoffs of this project")
}

fn ambiguous(written: &str, several: &[Handoff]) -> Refusal {
    let ids: Vec<String> = several.iter().take(NAMED_MAX).map(|one| short(one.id)).collect();
    let message = format!("`{written}` may be any of {}", ids.join(", "));
    Refusal::new(RefusalCode::HandoffUnknown, message).hint("use more digits")
}

fn over(id: ClaimId) -> Refusal {
    Refusal::new(RefusalCode::ClaimStale, format!("you hold no claim {id}")).hint(
        "stop working on it: what you did is in your checkpoints; `tasuki inbox` shows what is yours",
    )
}
