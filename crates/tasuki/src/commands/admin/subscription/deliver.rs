//! Lists delivery attempts, and delivers by hand.

use tasuki_api as api;
use tasuki_engine::limits::PAGE_MAX;

use super::{CELL_COLUMNS_MAX, Selected, SubscriptionArguments, short};
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::{BAD, GOOD, Printer, counted};
use crate::output::table::columns;
use crate::output::time::TimeFormatter;
use crate::output::width::truncate;

pub(super) fn attempts(
    one: &SubscriptionArguments,
    limit: u32,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let selected = one.select(printer)?;
    let attempts = last(&selected, limit)?;
    if printer.is_json() {
        for attempt in &attempts {
            printer.json(attempt);
        }
    } else if attempts.is_empty() {
        printer.remark("No deliveries yet.");
    } else {
        printer.data(&table(&attempts, selected.exchange.time_formatter()));
    }
    Ok(Exit::Success)
}

/// Reads as many attempts as requested, page by page.
fn last(selected: &Selected, limit: u32) -> Result<Vec<api::Delivery>, Failure> {
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut attempts, mut cursor) = (Vec::new(), None);
    while attempts.len() < wanted {
        let left = u32::try_from(wanted - attempts.len()).unwrap_or(PAGE_MAX).min(PAGE_MAX);
        let (page, next) = selected.exchange.deliveries(selected.id, left, cursor.as_deref())?;
        attempts.extend(page);
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    Ok(attempts)
}

fn table(attempts: &[api::Delivery], times: TimeFormatter) -> String {
    let mut rows =
        vec![["EVENT", "WHEN", "ATTEMPT", "STATUS", "TIME", "RESPONSE"].map(str::to_owned)];
    rows.extend(attempts.iter().map(|one| {
        let response = truncate(&excerpt(&one.response), CELL_COLUMNS_MAX);
        let took = format!("{} ms", one.millis);
        let (n, attempt) = (one.n.to_string(), one.attempt.to_string());
        [n, times.past(one.at), attempt, status_of(one), took, response]
    }));
    columns(&rows)
}

pub(super) fn test(one: &SubscriptionArguments, printer: &Printer) -> Result<Exit, Failure> {
    let selected = one.select(printer)?;
    let delivery = selected.exchange.test(selected.id)?;
    if printer.is_json() {
        printer.json(&delivery);
        return Ok(exit_of(&delivery));
    }
    let (mark, word) = match exit_of(&delivery) {
        Exit::Success => (format!("{GOOD}✓{GOOD:#}"), "Delivered to"),
        _ => (format!("{BAD}✗{BAD:#}"), "Not delivered to"),
    };
    let response = match excerpt(&delivery.response) {
        text if text.is_empty() => text,
        text => format!(": {text}"),
    };
    printer.data(&format!(
        "{mark} {word} {}: {} after {} ms{response}\n",
        short(&selected.shown.id),
        status_of(&delivery),
        delivery.millis
    ));
    Ok(exit_of(&delivery))
}

/// Repeats the request from where it stopped, because one request delivers a limited number.
pub(super) fn replay(
    one: &SubscriptionArguments,
    from: u64,
    to: Option<u64>,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let selected = one.select(printer)?;
    let to = match to {
        Some(to) => to,
        None => selected.exchange.next_event_number()?.saturating_sub(1),
    };
    let (mut next, mut count) = (from, 0);
    loop {
        let replayed = selected.exchange.replay(selected.id, next, to)?;
        count += replayed.deliveries.len();
        if printer.is_json() {
            printer.json(&replayed);
        } else if !replayed.deliveries.is_empty() {
            printer.data(&table(&replayed.deliveries, selected.exchange.time_formatter()));
        }
        let failed = replayed.deliveries.last().filter(|last| exit_of(last) != Exit::Success);
        match (replayed.next, failed) {
            (Some(at), Some(_)) => {
                let id = short(&selected.shown.id);
                let id = id.trim_start_matches("sub_");
                printer.remark(&format!(
                    "{BAD}✗{BAD:#} Event {at} was not delivered. Next: tasuki subscription replay {id} --from {at} --to {to}"
                ));
                return Ok(Exit::Found);
            }
            (Some(at), None) if at > next => next = at,
            _ => break,
        }
    }
    if !printer.is_json() {
        printer.remark(&match count {
            0 => "No event in this range matches.".to_owned(),
            _ => format!("{GOOD}✓{GOOD:#} Delivered {} again.", counted(count, "event")),
        });
    }
    Ok(Exit::Success)
}

fn status_of(delivery: &api::Delivery) -> String {
    delivery.status.map_or_else(|| "no response".to_owned(), |status| status.to_string())
}

fn exit_of(delivery: &api::Delivery) -> Exit {
    match delivery.status {
        Some(200..300) => Exit::Success,
        _ => Exit::Found,
    }
}
