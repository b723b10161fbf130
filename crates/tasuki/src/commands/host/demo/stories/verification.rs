//! A return fails a criterion. A person judges it, and a failed verdict sends it back for rework.

use serde_json::json;

use crate::commands::host::demo::actor::Scene;
use crate::commands::host::demo::stage::Stage;

pub(super) fn play(stage: &Stage, round: u32) -> Scene {
    let packet = json!({
        "handoff_version": "1.0",
        "task_id": format!("import-{round}"),
        "from_agent": "planner",
        "status": "in_progress",
        "goal": "Import the customer list of the acquired shop",
        "summary": "The list has 18,204 rows as CSV. Addresses are free text.",
        "completed": ["Mapped the columns"],
        "remaining": ["Import the rows", "Compare the counts"],
        "confidence": 0.9,
        "payload": [
            { "label": "file", "value": "customers.csv" },
            { "label": "rows", "value": "18,204" },
        ],
        "acceptance": [
            { "id": "count", "text": "Every row of the list is imported" },
            { "id": "duplicates", "text": "No customer exists twice" },
        ],
    });
    let handoff = stage.actor("planner").submit("importer", &packet)?;
    let importer = stage.actor("importer");
    importer.work(2)?;
    let claim = importer.claim(&handoff, 120)?;
    importer.work(3)?;
    let results = [
        ("count", "pass", "18,204 rows read, 18,204 rows written"),
        ("duplicates", "fail", "37 customers exist twice"),
    ];
    importer.hand_back(&claim, "Imported, but 37 customers exist twice", &results)?;
    loop {
        let judged = importer.wait_for(&handoff, &["offered", "claimed"])?;
        let claim = match judged.state.as_str() {
            // Only the importer's own claim counts, not that of a person who took the work over.
            "offered" => importer.claim(&handoff, 120)?,
            _ => return Ok(()),
        };
        importer.work(5)?;
        let results = [
            ("count", "pass", "18,204 rows read, 18,204 rows written"),
            ("duplicates", "pass", "0 customers exist twice; 37 were merged"),
        ];
        importer.hand_back(&claim, "Merged the 37 duplicates", &results)?;
    }
}
