//! `/v1/events`: what happened, as a list. A stream is the same, with a longer breath.

use serde::Deserialize;
use tasuki_engine::events::{Filter, last, since};
use tasuki_packet::api;
use tasuki_packet::leaf::EventType;
use tasuki_packet::suggest::suggest;

use crate::answer::Json;
use crate::page::{self, Page};
use crate::parameters::{Parameters, list};
use crate::problem::Problem;
use crate::visitor::Visitor;

/// Which events somebody wants to see.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    since: Option<u64>,
    task: Option<String>,
    party: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "list")]
    kinds: Vec<String>,
    handoff: Option<String>,
    sender: Option<String>,
    receiver: Option<String>,
    contract: Option<String>,
    state: Option<String>,
    actor: Option<String>,
    trigger: Option<String>,
    risk: Option<String>,
    limit: Option<u32>,
}

impl Wanted {
    /// Which events these are.
    pub(crate) fn filter(self) -> Result<Filter, Problem> {
        let Self { task, party, handoff, sender, receiver, .. } = self;
        let Self { contract, state, actor, trigger, risk, kinds, .. } = self;
        let kinds = kinds.iter().map(|word| kind(word)).collect::<Result<_, _>>()?;
        Ok(Filter {
            task,
            party,
            kinds,
            handoff,
            sender,
            receiver,
            contract,
            state,
            actor,
            trigger,
            risk,
        })
    }
}

pub(crate) async fn events(
    visitor: Visitor,
    Parameters(wanted): Parameters<Wanted>,
) -> Result<Json<Page<api::Event>>, Problem> {
    visitor.settle().await?;
    let limit = usize::try_from(page::limit(wanted.limit)).unwrap_or(usize::MAX);
    let after = wanted.since;
    let filter = wanted.filter()?;
    let (store, project) = (visitor.store(), visitor.project());
    let page = match after {
        Some(number) => since(store, project, number.saturating_add(1), &filter, limit).await?,
        None => last(store, project, &filter, limit).await?,
    };
    // Whoever has seen everything before `next` goes on after the event before it.
    let next = page.next.checked_sub(1).map(|seen| seen.to_string());
    Ok(Json(Page { items: page.events, next }))
}

fn kind(word: &str) -> Result<EventType, Problem> {
    let named = EventType::named(word).or_else(|| EventType::named(&format!("handoff.{word}")));
    named.ok_or_else(|| {
        let names = EventType::ALL.iter().map(|kind| kind.name());
        let short = names.clone().filter_map(|name| name.strip_prefix("handoff."));
        let hint = match suggest(word, names.chain(short)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "one is `handoff.claimed`".to_owned(),
        };
        Problem::argument(format!("no event has the type `{word}`")).hint(hint)
    })
}
