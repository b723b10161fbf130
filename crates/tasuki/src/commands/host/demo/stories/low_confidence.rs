//! An uncertain handoff is held until a person has looked at it.

use serde_json::json;

use crate::commands::host::demo::actor::Scene;
use crate::commands::host::demo::stage::Stage;

pub(super) fn play(stage: &Stage, round: u32) -> Scene {
    let packet = json!({
        "handoff_version": "1.0",
        "task_id": format!("pricing-{round}"),
        "from_agent": "researcher",
        "status": "in_progress",
        "goal": "Write the comparison of our prices with three competitors",
        "summary": "Two price lists are from this week. The third is from a forum post of March.",
        "next_request": "Write 300 words for the sales team, and state the date of each price.",
        "completed": ["Collected the price lists of Northwind, Contoso and Fabrikam"],
        "remaining": ["Write the comparison"],
        "confidence": 0.54,
        "decisions": ["Prices are compared per seat and month, without tax"],
        "constraints": [{ "text": "Do not name customers", "pinned": true }],
        "payload": [
            { "label": "Northwind", "value": "USD 19, price list of this week" },
            { "label": "Contoso", "value": "USD 24, price list of this week" },
            { "label": "Fabrikam", "value": "USD 17, forum post of March" },
        ],
    });
    let handoff = stage.actor("researcher").submit("writer", &packet)?;
    let writer = stage.actor("writer");
    if writer.wait_for(&handoff, &["offered"])?.state != "offered" {
        return Ok(());
    }
    writer.work(2)?;
    let claim = writer.claim(&handoff, 120)?;
    writer.work(6)?;
    writer.hand_back(&claim, "The comparison has 287 words and the date of each price", &[])?;
    writer.wait_for_end(&handoff)?;
    Ok(())
}
