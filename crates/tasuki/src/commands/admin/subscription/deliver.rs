//! What became of deliveries, and delivering by hand.

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
        printer.remark("Nothing was delivered yet.");
    } else {
        printer.data(&table(&attempts, selected.exchange.time_formatter()));
    }
    Ok(Exit::Success)
}

/// As many as are asked for, page by page.
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
    let mut rows = vec![["EVENT", "WHEN", "ATTEMPT", "STATUS", "TOOK", "SAID"].map(str::to_owned)];
    rows.extend(attempts.iter().map(|one| {
        let said = truncate(&excerpt(&one.response), CELL_COLUMNS_MAX);
        let took = format!("{} ms", one.millis);
        let (n, attempt) = (one.n.to_string(), one.attempt.to_string());
        [n, times.past(one.at), attempt, status_of(one), took, said]
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
        Exit::Success => (format!("{GOOD}✓{GOOD:#}"), "arrived"),
        _ => (format!("{BAD}✗{BAD:#}"), "did not arrive"),
    };
    let said = match excerpt(&delivery.response) {
        said if said.is_empty() => said,
        said => format!(": {said}"),
    };
    printer.data(&format!(
        "{mark} {} {word}: {} after {} ms{said}\n",
        short(&selected.shown.id),
        status_of(&delivery),
        delivery.millis
    ));
    Ok(exit_of(&delivery))
}

/// One request delivers only so much, so it is asked again from where it stopped.
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
                    "{BAD}✗{BAD:#} Event {at} did not arrive. Next: tasuki subscription replay {id} --from {at} --to {to}"
                ));
                return Ok(Exit::Found);
            }
            (Some(at), None) if at > next => next = at,
            _ => break,
        }
    }
    if !printer.is_json() {
        printer.remark(&match count {
            0 => "Nothing in this range is wanted.".to_owned(),
            _ => format!("{GOOD}✓{GOOD:#} Delivered {} again", counted(count, "event")),
        });
    }
    Ok(Exit::Success)
}

fn status_of(delivery: &api::Delivery) -> String {
    delivery.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string())
}

fn exit_of(delivery: &api::Delivery) -> Exit {
    match delivery.status {
        Some(200..300) => Exit::Success,
        _ => Exit::Found,
    }
}
