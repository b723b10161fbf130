//! An agent asks before it acts, and runs exactly what a person has approved.

use serde_json::json;
use tasuki_client::Begin;
use tasuki_client::api::ApprovalRequest;

use crate::commands::host::demo::actor::Scene;
use crate::commands::host::demo::stage::Stage;

pub(super) fn play(stage: &Stage, round: u32) -> Scene {
    let deployer = stage.actor("deployer");
    let task = json!({
        "handoff_version": "1.0",
        "task_id": format!("deploy-{round}"),
        "from_agent": "deployer",
        "status": "in_progress",
        "goal": "Roll out version 2.4.1 of the checkout service",
        "summary": "The release is built and tested on staging.",
        "completed": ["Built 2.4.1", "Ran it on staging for two hours"],
        "remaining": ["Deploy it", "Watch the error rate for ten minutes"],
    });
    let lease = "10m".parse().ok();
    let request = Begin { packet: task.to_string().into_bytes(), lease, ..Begin::default() };
    let Some(claim) = deployer.client.begin(&request)?.claim else { return Ok(()) };
    deployer.work(1)?;
    let action = json!({
        "command": "deploy checkout-api 2.4.1",
        "environment": "production",
        "canary_percent": 50,
    });
    let request = ApprovalRequest { action, to: None, ends_task: false };
    deployer.client.request_approval(&claim.id, &request)?;
    if deployer.wait_for(&claim.handoff, &["claimed"])?.state != "claimed" {
        return Ok(());
    }
    deployer.work(3)?;
    deployer.checkpoint(&claim, "Deployed what was approved", &["Watch the error rate"])?;
    deployer.work(8)?;
    deployer.hand_back(&claim, "2.4.1 runs, and the error rate is unchanged", &[])?;
    deployer.wait_for_end(&claim.handoff)?;
    Ok(())
}
