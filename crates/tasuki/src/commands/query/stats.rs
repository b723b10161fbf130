//! `tasuki stats`: prints waiting times and rework per edge.

use tasuki_api::{EdgeStats, Spread};

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::Printer;
use crate::output::table::columns;
use crate::output::time::duration;

/// Show waiting times and rework per edge.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki stats\n  tasuki stats --json | jq '[.from, .to, .claim_to_return.p95]'\n\nAn edge is a sender and a receiver. Times are median / 95th percentile; JSON has seconds."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(&arguments.flags)?;
    let edges = exchange.stats()?;
    if printer.is_json() {
        for edge in &edges {
            printer.json(edge);
        }
        return Ok(Exit::Success);
    }
    if edges.is_empty() {
        printer.remark("No handoffs yet. Next: tasuki submit --to PARTY --goal \"…\"");
        return Ok(Exit::Success);
    }
    printer.data(&table(&edges));
    for edge in &edges {
        for (reason, count) in &edge.rejections {
            let reason = if reason.is_empty() { "(no reason)".to_owned() } else { excerpt(reason) };
            printer.remark(&format!("{} → {}: rejected {count}×: {reason}", edge.from, edge.to));
        }
    }
    Ok(Exit::Success)
}

fn table(edges: &[EdgeStats]) -> String {
    let heading = [
        "EDGE",
        "COUNT",
        "TO CLAIM",
        "HELD",
        "TO RETURN",
        "TO VERDICT",
        "QUESTIONS",
        "REWORK",
        "TOKENS",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(edges.iter().map(|edge| {
        let tokens = edge.tokens.map(|tokens| format!("{} / {}", tokens.median, tokens.p95));
        [
            format!("{} → {}", edge.from, edge.to),
            edge.handoffs.to_string(),
            time(edge.submit_to_claim),
            time(edge.hold_to_decision),
            time(edge.claim_to_return),
            time(edge.return_to_verdict),
            edge.clarifications.to_string(),
            edge.reworks.to_string(),
            tokens.unwrap_or_default(),
        ]
    }));
    columns(&rows)
}

/// `4 min / 2 h`: median and 95th percentile.
fn time(spread: Option<Spread>) -> String {
    match spread {
        Some(spread) => format!("{} / {}", duration(spread.median), duration(spread.p95)),
        None => "-".to_owned(),
    }
}
