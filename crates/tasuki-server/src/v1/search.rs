//! `/v1/search`: packets and events by their words. What a gate keeps back is not found.

use serde::{Deserialize, Deserializer, de};
use serde_json::{Value, json};
use tasuki_engine::store::Found;

use crate::answer::Json;
use crate::page::{self, Page};
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::visitor::Visitor;

/// Which words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Searching {
    q: String,
    limit: Option<u32>,
    cursor: Option<Place>,
}

/// Where a page ends: a leaf, and how many places of it were on the page.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    n: u64,
    seen: u32,
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        let parts = written.split_once('-').and_then(|(n, seen)| {
            // A leaf has no more places than that.
            Some(Self { n: n.parse().ok()?, seen: seen.parse::<u32>().ok()?.min(256) })
        });
        parts
            .ok_or_else(|| de::Error::custom("that is no cursor; take `next` from the page before"))
    }
}

impl Place {
    /// The end of a page that began behind this place.
    fn after(self, page: &[Found]) -> Option<Self> {
        let n = page.last()?.n;
        let on_page = page.iter().rev().take_while(|found| found.n == n).count();
        let before = if n == self.n { self.seen } else { 0 };
        Some(Self { n, seen: before + u32::try_from(on_page).unwrap_or(u32::MAX) })
    }
}

pub(crate) async fn search(
    visitor: Visitor,
    Parameters(said): Parameters<Searching>,
) -> Result<Json<Page<Value>>, Problem> {
    let limit = page::limit(said.limit);
    let place = said.cursor.unwrap_or_default();
    let before = said.cursor.map(|place| place.n.saturating_add(1));
    // The leaf that the last page ended with is looked at again, and one more than is asked for.
    let places = limit + place.seen + 1;
    let found = visitor.at_length(move |visitor| async move {
        Ok(visitor.reader().search(&said.q, before, places).await?)
    });
    let mut found = found.await?;
    found.drain(..found.len().min(usize::try_from(place.seen).unwrap_or(usize::MAX)));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = place.after(&found).filter(|_| has_more);
    let items = found.into_iter().map(
        |Found { n, handoff, kind, excerpt }| json!({ "n": n, "handoff": handoff, "kind": kind, "excerpt": excerpt }),
    );
    let next = next.map(|Place { n, seen }| format!("{n}-{seen}"));
    Ok(Json(Page { items: items.collect(), next }))
}
