//! Checks a store after crashes, and lists the steps in its log.

use std::collections::HashMap;

use anyhow::{anyhow, ensure};
use serde_json::Value;
use tasuki_engine::audit::log_check;
use tasuki_engine::ports::{LeafRow, Order, Query, Store};
use tasuki_engine::query::trail::Trail;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::world::World;

const PAGE: u32 = 1_000;

/// Returns the ledger line of every step in the log.
pub async fn steps(world: &World) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    each_leaf(world, |row| {
        let step = match row.kind {
            EventType::Submitted => "submit",
            EventType::Claimed => "claim",
            EventType::Checkpointed => "checkpoint",
            EventType::Returned => "return",
            _ => return,
        };
        lines.extend(row.handoff.map(|handoff| format!("{handoff} {step}")));
    })
    .await?;
    Ok(lines)
}

/// Recomputes the log and compares every handoff with its last leaf.
///
/// # Errors
///
/// Returns the first problem.
pub async fn check(world: &World) -> anyhow::Result<()> {
    let store = world.store.as_ref();
    let checked =
        log_check::check(store, world.project, 0, &Trail::default(), &mut |_, _| ()).await?;
    if let Some(problem) = checked.problem {
        return Err(anyhow!("leaf {}: {}", problem.n, problem.what));
    }
    let mut states: HashMap<HandoffId, String> = HashMap::new();
    let mut begun = 0;
    each_leaf(world, |row| {
        begun += u64::from(matches!(row.kind, EventType::Submitted | EventType::Begun));
        let detail: Value = serde_json::from_str(&row.detail).unwrap_or_default();
        if let (Some(handoff), Some(after)) = (row.handoff, detail["after"].as_str()) {
            states.insert(handoff, after.to_owned());
        }
    })
    .await?;
    ensure!(begun == states.len() as u64, "{begun} handoffs counted, {} in the log", states.len());
    each_handoff(world, states).await
}

async fn each_handoff(world: &World, mut states: HashMap<HandoffId, String>) -> anyhow::Result<()> {
    let mut query = Query { order: Order::Oldest, limit: PAGE, ..Query::default() };
    loop {
        let page = world.store.handoffs(world.project, query.clone()).await?;
        let Some(last) = page.last() else { break };
        query.after = Some(last.id);
        for handoff in &page {
            let (id, state) = (handoff.id, handoff.progress.state.word().as_str());
            let last = states.remove(&id);
            ensure!(last.as_deref() == Some(state), "{id} is {state}, its last leaf: {last:?}");
        }
    }
    ensure!(states.is_empty(), "{} handoffs of the log are missing", states.len());
    Ok(())
}

async fn each_leaf(world: &World, mut look: impl FnMut(&LeafRow)) -> anyhow::Result<()> {
    let mut next = 0;
    loop {
        let rows = world.store.leaves(world.project, next, PAGE).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        next = last.n + 1;
        rows.iter().for_each(&mut look);
    }
}
