//! The audit trail of a handoff, for `tasuki show --trail`.

use serde_json::json;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::log_check::trail;
use tasuki_engine::store::Store as _;

use crate::exit::{Exit, Failure};
use crate::local::{Exchange, columns};
use crate::printer::Printer;

/// Prints every leaf about a handoff, with its hash and that of the leaf before it in the log.
pub(super) fn run(
    exchange: &Exchange,
    handoff: &Handoff,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let rows = exchange.read(exchange.store.leaves_of(exchange.project, handoff.id))?;
    let entries = trail(&rows).map_err(|error| {
        Failure::refused(error.to_string()).hint("`tasuki log check` says more")
    })?;
    if printer.is_json() {
        printer.json(&json!({ "handoff": handoff.id, "audit_trail": entries }));
        return Ok(Exit::Success);
    }
    let mut rows = vec![["LEAF", "TIME", "EVENT", "ACTOR", "HASH", "PREVIOUS"].map(str::to_owned)];
    rows.extend(entries.into_iter().map(|entry| {
        let (hash, previous) = (entry.hash.to_string(), entry.previous_hash.to_string());
        [entry.n.to_string(), entry.time, entry.event, entry.actor, hash, previous]
    }));
    printer.data(&columns(&rows));
    printer.remark(
        "Next: tasuki show ID --trail --json > audit.json · tasuki log check --trail audit.json",
    );
    Ok(Exit::Success)
}
