//! `tasuki show --trail`: prints the audit trail of a handoff.

use crate::backend::Backend;
use crate::exit::{Exit, Failure};
use crate::output::decision::decision_line;
use crate::output::printer::Printer;
use crate::output::table::columns;

/// Prints every log entry of a handoff, with its hash and the hash of the entry before it.
pub(super) fn run(
    exchange: &dyn Backend,
    handoff: &str,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let trail = exchange.audit_trail(handoff)?;
    if printer.is_json() {
        printer.json(&trail);
        return Ok(Exit::Success);
    }
    let mut rows = vec![["ENTRY", "TIME", "EVENT", "ACTOR", "HASH", "PREVIOUS"].map(str::to_owned)];
    rows.extend(trail.entries.iter().map(|entry| {
        let (hash, previous) = (entry.hash.to_string(), entry.previous_hash.to_string());
        [
            entry.n.to_string(),
            entry.time.clone(),
            entry.event.clone(),
            entry.actor.clone(),
            hash,
            previous,
        ]
    }));
    printer.data(&columns(&rows));
    let times = exchange.time_formatter();
    for decision in &trail.decisions {
        let line = decision_line(decision, &times.clock_with_seconds(decision.at));
        printer.data(&format!("Decision: {line}\n"));
    }
    printer.remark(
        "Next: tasuki show ID --trail --json > audit.json · tasuki log check --trail audit.json",
    );
    Ok(Exit::Success)
}
