//! An agent dies in the middle of its work, and the next one continues from its last checkpoint.

use serde_json::json;

use crate::commands::host::demo::actor::Scene;
use crate::commands::host::demo::stage::Stage;

pub(super) fn play(stage: &Stage, round: u32) -> Scene {
    let packet = json!({
        "handoff_version": "1.0",
        "task_id": format!("export-{round}"),
        "from_agent": "planner",
        "status": "in_progress",
        "goal": "Port the CSV exporter to the streaming writer",
        "summary": "The old exporter keeps the whole table in memory.",
        "completed": ["Measured the old exporter: 2.1 GB for 4 million rows"],
        "remaining": ["Write the streaming writer", "Port the tests", "Measure again"],
        "confidence": 0.9,
        "payload": [
            { "label": "module", "value": "src/export/csv.rs" },
            { "label": "rows in the test file", "value": "4,000,000" },
        ],
        "acceptance": [{ "id": "tests", "text": "cargo test passes" }],
    });
    let handoff = stage.actor("planner").submit("role:coder", &packet)?;
    let first = stage.actor("coder-1");
    let claim = first.claim(&handoff, 6)?;
    first.work(3)?;
    let remaining = ["Port the tests", "Measure again"];
    first.checkpoint(&claim, "Wrote the streaming writer", &remaining)?;
    // The agent is gone: it renews no more, and its lease expires.
    let offered = first.wait_for(&handoff, &["offered"])?;
    if offered.state != "offered" {
        return Ok(());
    }
    first.work(2)?;
    let second = stage.actor("coder-2");
    let claim = second.claim(&handoff, 120)?;
    second.work(5)?;
    second.checkpoint(&claim, "Ported the tests", &["Measure again"])?;
    second.work(5)?;
    let results = [("tests", "pass", "cargo test: 41 passed")];
    second.hand_back(&claim, "4 million rows now take 38 MB", &results)?;
    second.wait_for_end(&handoff)?;
    Ok(())
}
