//! Submits a handoff to `coder`, and waits for something in the caller's inbox.
//!
//! Run it against a server: `TASUKI_URL=… TASUKI_TOKEN=… cargo run -p tasuki-client --example submit`.

use std::time::Duration;

use tasuki_client::{Client, Submit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let variable = |name| std::env::var_os(name).and_then(|value| value.into_string().ok());
    let address = variable("TASUKI_URL").unwrap_or_else(|| "http://127.0.0.1:7420".to_owned());
    let client = Client::new(&address, variable("TASUKI_TOKEN").unwrap_or_default())?;
    let packet = r#"{
        "handoff_version": "1.0", "to_agent": "coder", "status": "in_progress",
        "goal": "Fix the build", "completed": [], "remaining": ["Find the failing test"]
    }"#;
    let response = client.submit(&Submit::new(packet.as_bytes()))?;
    let id = response.handoff.map(|handoff| handoff.id).unwrap_or_default();
    let inbox = client.inbox(None, None, Duration::from_secs(30))?;
    let waiting = inbox.handoffs.len();
    std::io::Write::write_all(
        &mut std::io::stdout(),
        format!("submitted {id}; {} has {waiting} pending handoffs\n", inbox.party).as_bytes(),
    )?;
    Ok(())
}
