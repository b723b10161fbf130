//! A gate stays closed until a person of the right role has signed.

use serde_json::json;

use crate::commands::host::demo::actor::Scene;
use crate::commands::host::demo::stage::Stage;

pub(super) fn play(stage: &Stage, round: u32) -> Scene {
    let packet = json!({
        "handoff_version": "1.0",
        "task_id": format!("dosing-{round}"),
        "from_agent": "dosing-model",
        "status": "in_progress",
        "goal": "Use dosing table 7 for paracetamol on ward 3",
        "summary": "Table 7 lowers the dose for patients under 50 kg. Everything else is unchanged.",
        "next_request": "Replace table 6 at the next shift change.",
        "completed": ["Compared 412 prescriptions under both tables: 31 doses change, all downward"],
        "remaining": ["Install the table"],
        "confidence": 0.93,
        "payload": [
            { "label": "under 50 kg", "value": "15 mg/kg, at most 3 g a day (was 4 g)" },
            { "label": "50 kg and more", "value": "1 g, at most 4 g a day (unchanged)" },
        ],
    });
    let handoff = stage.actor("dosing-model").submit("ward-system", &packet)?;
    let ward = stage.actor("ward-system");
    if ward.wait_for(&handoff, &["offered"])?.state != "offered" {
        return Ok(());
    }
    ward.work(2)?;
    let claim = ward.claim(&handoff, 120)?;
    ward.work(5)?;
    ward.hand_back(&claim, "Table 7 is installed on ward 3", &[])?;
    verified_by_sender(stage, &handoff)
}

/// Without a contract, the sender judges the return.
fn verified_by_sender(stage: &Stage, handoff: &str) -> Scene {
    let sender = stage.actor("dosing-model");
    if sender.wait_for(handoff, &["returned"])?.state == "returned" {
        sender.work(2)?;
        sender.verify(handoff)?;
    }
    Ok(())
}
