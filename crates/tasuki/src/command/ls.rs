//! `tasuki ls`: the handoffs of the project.

use tasuki_engine::handoff::StateWord;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::store::{Query, Store as _};
use tasuki_engine::view;
use tasuki_packet::api;
use tasuki_packet::id::PartyId;

use crate::exit::{Exit, Failure};
use crate::local::{Exchange, Moment, refused, short_of, table};
use crate::printer::{Printer, counted};
use crate::settings::Flags;

/// List handoffs, newest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki ls\n  tasuki ls --state held --to role:reviewer\n  tasuki ls --task build-42 --all --json\n\nWithout `--all` and `--state` these are the ones that are not over, dead letters among them."
)]
pub(crate) struct Arguments {
    /// Only in this state; may be given more than once.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Vec<StateWord>,
    /// Only of this task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Only from this party.
    #[arg(long, value_name = "PARTY")]
    from: Option<String>,
    /// Only to this party.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: u32,
    /// Also those that are over.
    #[arg(long, conflicts_with = "state")]
    all: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = Exchange::open(&arguments.flags)?;
    let caller = exchange.operator(printer)?;
    exchange.settle(&caller)?;
    let mut found = list(&exchange, &query(&exchange, arguments)?, arguments.limit + 1)?;
    let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    let has_more = found.len() > limit;
    found.truncate(limit);
    print(&exchange, &found, has_more, printer);
    Ok(Exit::Success)
}

fn query(exchange: &Exchange, arguments: &Arguments) -> Result<Query, Failure> {
    let directory = exchange.directory()?;
    let party = |name: &Option<String>| -> Result<Vec<PartyId>, Failure> {
        let Some(name) = name else { return Ok(Vec::new()) };
        let found = directory.find(name).map_err(|refusal| refused(&refusal))?;
        Ok(vec![found.id])
    };
    let unfinished = || StateWord::ALL.into_iter().filter(|s| s.is_open() || *s == StateWord::Dead);
    Ok(Query {
        states: match arguments.state.as_slice() {
            [] if arguments.all => Vec::new(),
            [] => unfinished().collect(),
            named => named.to_vec(),
        },
        task: arguments.task.clone(),
        senders: party(&arguments.from)?,
        receivers: party(&arguments.to)?,
        ..Query::default()
    })
}

/// The first handoffs of a list, page by page.
pub(super) fn list(
    exchange: &Exchange,
    query: &Query,
    limit: u32,
) -> Result<Vec<api::Handoff>, Failure> {
    let directory = exchange.directory()?;
    let mut found: Vec<api::Handoff> = Vec::new();
    let mut query = query.clone();
    let mut left = limit;
    while left > 0 {
        query.limit = left.min(PAGE_MAX);
        let page = exchange.read(exchange.store.handoffs(exchange.project, query.clone()))?;
        let Some(last) = page.last() else { break };
        query.after = Some(last.id);
        let count = u32::try_from(page.len()).unwrap_or(u32::MAX);
        found.extend(page.iter().map(|handoff| view::handoff(&directory, handoff)));
        if count < query.limit {
            break;
        }
        left -= count;
    }
    Ok(found)
}

/// A list for people or machines, with what to do next.
pub(super) fn print(
    exchange: &Exchange,
    found: &[api::Handoff],
    has_more: bool,
    printer: &Printer,
) {
    if printer.is_json() {
        for handoff in found {
            printer.json(handoff);
        }
        return;
    }
    let Some(first) = found.first() else {
        printer.remark("No handoffs. Next: tasuki submit");
        return;
    };
    printer.data(&table(found, Moment::new(exchange.engine.now(), &exchange.settings)));
    let more = if has_more { " and more" } else { "" };
    let id = short_of(&first.id);
    printer.remark(&format!(
        "{}{more}. Next: tasuki show {}",
        counted(found.len(), "handoff"),
        id.trim_start_matches("hof_")
    ));
}

fn state(word: &str) -> Result<StateWord, String> {
    StateWord::named(word).ok_or_else(|| {
        let words: Vec<&str> = StateWord::ALL.iter().map(|state| state.as_str()).collect();
        format!("the states are {}", words.join(", "))
    })
}
