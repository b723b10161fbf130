//! No one claims a handoff in time. It becomes a dead letter, which an operator redrives or discards.

use serde_json::json;

use crate::commands::host::demo::actor::Scene;
use crate::commands::host::demo::stage::Stage;

pub(super) fn play(stage: &Stage, round: u32) -> Scene {
    let packet = json!({
        "handoff_version": "1.0",
        "task_id": format!("crawl-{round}"),
        "from_agent": "planner",
        "status": "in_progress",
        "goal": "Fetch the terms of delivery of 40 suppliers",
        "summary": "The list of suppliers is complete. Nothing is fetched yet.",
        "completed": ["Listed the suppliers"],
        "remaining": ["Fetch the pages"],
        "confidence": 0.9,
        "payload": [
            { "label": "list", "value": "suppliers.csv, 40 rows" },
            { "label": "politeness", "value": "one page in two seconds for each host" },
        ],
    });
    let handoff = stage.actor("planner").submit("crawler", &packet)?;
    // The crawler is away, so the deadline for a claim passes.
    let crawler = stage.actor("crawler");
    if crawler.wait_for(&handoff, &["dead"])?.state != "dead" {
        return Ok(());
    }
    // Now it is back, and a redriven handoff finds it.
    if crawler.wait_for(&handoff, &["offered"])?.state != "offered" {
        return Ok(());
    }
    let claim = crawler.claim(&handoff, 120)?;
    crawler.work(5)?;
    crawler.hand_back(&claim, "Fetched 40 pages", &[])?;
    crawler.wait_for_end(&handoff)?;
    Ok(())
}
