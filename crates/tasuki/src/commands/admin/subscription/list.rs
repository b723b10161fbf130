//! Lists subscriptions, and shows one.

use tasuki_api as api;

use super::{CELL_COLUMNS_MAX, SubscriptionArguments, address, short};
use crate::backend::Backend;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::{FAINT, Printer, STRONG};
use crate::output::table::columns;
use crate::output::width::truncate;

pub(super) fn all(exchange: &dyn Backend, printer: &Printer) -> Result<Exit, Failure> {
    let all = exchange.subscriptions()?;
    if printer.is_json() {
        for one in &all {
            printer.json(one);
        }
        return Ok(Exit::Success);
    }
    if all.is_empty() {
        printer.remark("No subscriptions yet. Next: tasuki subscription add --url URL");
        return Ok(Exit::Success);
    }
    let mut rows = vec![["ID", "FOR", "KIND", "TO", "EVENTS", "STATUS"].map(str::to_owned)];
    rows.extend(all.iter().map(|one| {
        let cell = |text: &str| truncate(&excerpt(text), CELL_COLUMNS_MAX);
        let filter = filter_terms(one).join(" ");
        let events = if filter.is_empty() { "all" } else { &filter };
        let (to, events) = (cell(&address(one)), cell(events));
        [short(&one.id), one.party.clone(), one.kind.clone(), to, events, status(one)]
    }));
    printer.data(&columns(&rows));
    Ok(Exit::Success)
}

pub(super) fn one(one: &SubscriptionArguments, printer: &Printer) -> Result<Exit, Failure> {
    let selected = one.select(printer)?;
    let one = selected.shown;
    if printer.is_json() {
        printer.json(&one);
        return Ok(Exit::Success);
    }
    let filter = filter_terms(&one);
    let mut text = format!("{STRONG}{}{STRONG:#}  {}\n", one.id, status(&one));
    for (name, value) in [
        ("for", one.party.clone()),
        (one.kind.as_str(), address(&one)),
        ("events", if filter.is_empty() { "all".to_owned() } else { filter.join("  ") }),
        (
            "since",
            format!(
                "{}, from event {}",
                selected.exchange.time_formatter().past(one.created_at),
                one.from
            ),
        ),
        ("key", one.public_key.clone().unwrap_or_default()),
    ] {
        if !value.is_empty() {
            text.push_str(&format!("{FAINT}{name:<10}{FAINT:#} {}\n", excerpt(&value)));
        }
    }
    printer.data(&text);
    Ok(Exit::Success)
}

/// Returns the terms of a filter: `type=handoff.held,handoff.died`, `task=build-42`.
fn filter_terms(one: &api::Subscription) -> Vec<String> {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(list) => {
            list.iter().filter_map(|one| one.as_str()).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    };
    one.filter.iter().map(|(name, value)| format!("{name}={}", text(value))).collect()
}

fn status(one: &api::Subscription) -> String {
    match &one.because {
        Some(because) => format!("{}: {because}", one.status),
        None => one.status.clone(),
    }
}
