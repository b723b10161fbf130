//! `tasuki wait`: block until a handoff has come so far, or until something is for me.
//!
//! The exit code says what came of it, so that a script need not read anything. What a person did
//! while nobody waited counts too: whoever submits and then waits misses nothing in between.

use std::time::{Duration as StdDuration, Instant};

use clap::ValueEnum;
use jiff::Timestamp;
use serde::Serialize;
use tasuki_engine::events::Filter;
use tasuki_engine::handoff::StateWord;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_packet::api;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::HandoffId;

use crate::door::{self, Door, Follow};
use crate::exit::{Exit, Failure};
use crate::local::{Moment, actions, happened, next_of, short, short_of, table};
use crate::printer::{BAD, GOOD, NOTE, Printer, counted};
use crate::settings::Flags;

/// Wait until a handoff has come so far, or until something is for me.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki wait --as hermes-worker-3 --timeout 10m\n  tasuki wait 1a2b3c --until decided\n  tasuki wait build-42 --until done --json\n\nExit codes: 0 reached, 10 rejected (the handoff, or the action asked about), 11 intercepted or rerouted, 12 cancelled,\n13 next rung, 14 a newer revision or handoff took its place, 15 dead or discarded, 20 the time is over.\nCtrl-C stops waiting, not the handoff."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; without it, whatever is for me.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// How far it must have come.
    #[arg(long, value_enum, default_value = "decided", requires = "handoff")]
    until: Until,
    /// How long to wait; without it, for ever.
    #[arg(long, value_name = "DURATION")]
    timeout: Option<Duration>,
    #[command(flatten)]
    flags: Flags,
}

/// How far a handoff must have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Until {
    /// No person has to look any more.
    Decided,
    /// Somebody works on it.
    Claimed,
    /// Something came back.
    Returned,
    /// It ended well.
    Done,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = match &arguments.handoff {
        None => door::caller(&arguments.flags, printer)?,
        Some(_) => door::operator(&arguments.flags, printer)?,
    };
    let timeout = arguments.timeout.map(|time| StdDuration::from_millis(time.milliseconds()));
    let patience = Patience { exchange: &*exchange, began: Instant::now(), timeout };
    match &arguments.handoff {
        None => for_me(&patience, printer),
        Some(written) => {
            let handoff = exchange.id(written)?;
            for_handoff(&patience, Watch { handoff, until: arguments.until }, printer)
        }
    }
}

/// How soon to look again at a server that was away for a moment.
const AGAIN_AFTER: StdDuration = StdDuration::from_secs(1);

/// Waits as long as the caller said, looking whenever something has happened.
struct Patience<'a> {
    exchange: &'a dyn Door,
    began: Instant,
    timeout: Option<StdDuration>,
}

/// What somebody saw who looked.
enum Sight<T> {
    Seen(T),
    /// Nothing yet; unless something happens before, look again at this instant.
    NotYet(Option<Instant>),
}

impl Patience<'_> {
    /// Looks until there is something to see; nothing if the time is over. News are reasons to look again.
    fn look<T>(
        &self,
        mut news: Box<dyn Follow + '_>,
        mut look: impl FnMut() -> Result<Sight<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        self.exchange.settle()?;
        let end = self.timeout.and_then(|timeout| self.began.checked_add(timeout));
        let mut sight = look()?;
        loop {
            let again_at = match sight {
                Sight::Seen(seen) => return Ok(Some(seen)),
                Sight::NotYet(again_at) => again_at,
            };
            if end.is_some_and(|end| Instant::now() >= end) {
                return Ok(None);
            }
            news.next(again_at.into_iter().chain(end).min())?;
            sight = match look() {
                Err(failure) if self.is_for_now(&failure) => {
                    Sight::NotYet(Some(Instant::now() + AGAIN_AFTER))
                }
                looked => looked?,
            };
        }
    }

    /// Whether a server was there before and is away now.
    fn is_for_now(&self, failure: &Failure) -> bool {
        failure.exit == Exit::Unavailable && self.exchange.settings().url.is_some()
    }
}

fn for_me(patience: &Patience<'_>, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = patience.exchange;
    let own = exchange.own_name()?;
    let seen = patience.look(exchange.follow_inbox(printer)?, || {
        let mut inbox = exchange.inbox(PAGE_MAX, None)?;
        let now = inbox.as_of;
        // What I hold already is not news, and what is parked is not yet for anybody.
        inbox.handoffs.retain(|one| one.holder.as_ref() != Some(&own));
        let parked = inbox.handoffs.iter().filter_map(|one| one.not_before);
        let next = parked.filter(|instant| *instant > now).min();
        inbox.handoffs.retain(|one| one.not_before.is_none_or(|instant| instant <= now));
        if inbox.handoffs.is_empty() {
            return Ok(Sight::NotYet(next.and_then(|next| in_time(next, now))));
        }
        Ok(Sight::Seen(inbox))
    })?;
    let Some(inbox) = seen else { return Ok(timed_out(patience, "Nothing came", printer)) };
    if printer.is_json() {
        printer.json(&inbox);
        return Ok(Exit::Success);
    }
    printer.data(&table(&inbox.handoffs, Moment::new(inbox.as_of, exchange.settings())));
    let count = counted(inbox.handoffs.len(), "handoff");
    printer.remark(&format!("{count}. Next: {}", next_of(&inbox.handoffs, &exchange.looker())));
    Ok(Exit::Success)
}

/// An instant of the exchange by the clock of this process.
fn in_time(instant: Timestamp, now: Timestamp) -> Option<Instant> {
    let left = StdDuration::try_from(instant.duration_since(now)).ok()?;
    Instant::now().checked_add(left)
}

fn timed_out(patience: &Patience<'_>, what: &str, printer: &Printer) -> Exit {
    printer.remark(&format!("{NOTE}!{NOTE:#} {what} in {} s", patience.began.elapsed().as_secs()));
    Exit::TimedOut
}

/// What is waited for.
#[derive(Clone, Copy)]
struct Watch {
    handoff: HandoffId,
    until: Until,
}

/// What was seen of a handoff.
enum Seen {
    /// The child goes on in its place.
    PassedOn(HandoffId),
    Ended(Box<Ended>),
}

/// What came of it, and the event that says so.
struct Ended {
    exit: Exit,
    handoff: api::Handoff,
    by: Option<api::Event>,
}

fn for_handoff(patience: &Patience<'_>, watch: Watch, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = patience.exchange;
    let Watch { mut handoff, until } = watch;
    let since = exchange.next_event()?;
    loop {
        let filter = Filter { handoff: Some(handoff.to_string()), ..Filter::default() };
        let news = exchange.follow(since, &filter, printer)?;
        let seen = patience.look(news, || {
            let view = exchange.find(&handoff.to_string())?;
            let events = exchange.history(handoff)?;
            Ok(match outcome(until, &view, &events, since) {
                Outcome::Open => Sight::NotYet(None),
                Outcome::PassedOn(child) => Sight::Seen(Seen::PassedOn(child)),
                Outcome::Ended(exit, at) => {
                    let by = at.and_then(|at| events.get(at).cloned());
                    Sight::Seen(Seen::Ended(Box::new(Ended { exit, handoff: view, by })))
                }
            })
        })?;
        match seen {
            Some(Seen::PassedOn(child)) => handoff = child,
            Some(Seen::Ended(ended)) => {
                print(exchange, &ended, printer)?;
                return Ok(ended.exit);
            }
            None => {
                let what = format!("{} goes on, nothing that ends the wait came", short(handoff));
                return Ok(timed_out(patience, &what, printer));
            }
        }
    }
}

/// The handoff as every door shows it, and the event that ended the wait.
#[derive(Serialize)]
struct Told<'t> {
    #[serde(flatten)]
    handoff: &'t api::Handoff,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'t api::Event>,
}

fn print(exchange: &dyn Door, seen: &Ended, printer: &Printer) -> Result<(), Failure> {
    let view = &seen.handoff;
    if printer.is_json() {
        printer.json(&Told { handoff: view, by: seen.by.as_ref() });
        return Ok(());
    }
    let mark = match seen.exit {
        Exit::Success => format!("{GOOD}✓{GOOD:#}"),
        _ => format!("{BAD}✗{BAD:#}"),
    };
    let what = match &seen.by {
        Some(event) => happened(event, &exchange.names(std::slice::from_ref(event))?),
        None => view.state.clone(),
    };
    printer.data(&format!("{mark} {} {what}\n", short_of(&view.id)));
    let next = actions(view, &exchange.looker());
    if !next.is_empty() {
        printer.remark(&format!("Next: {}", next.join(" · ")));
    }
    Ok(())
}

/// What the history of a handoff says to somebody who waits.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing yet.
    Open,
    /// The child goes on in its place.
    PassedOn(HandoffId),
    /// It is over, by the event at this place.
    Ended(Exit, Option<usize>),
}

/// Decides what to tell: how the handoff ended, what happened since the wait began (events from
/// `since` on), or that it has come far enough.
fn outcome(until: Until, handoff: &api::Handoff, events: &[api::Event], since: u64) -> Outcome {
    let last = |kind: &str| events.iter().rposition(|event| event.kind == kind);
    // A state of a newer exchange is none that ends a wait.
    let word = StateWord::named(&handoff.state).unwrap_or(StateWord::Offered);
    let ended = |exit, kind: &str| Outcome::Ended(exit, last(kind));
    match word {
        StateWord::Done => return ended(Exit::Success, "handoff.done"),
        StateWord::Rejected => return ended(Exit::Rejected, "handoff.rejected"),
        StateWord::Discarded => return ended(Exit::Dead, "handoff.discarded"),
        StateWord::Dead => return ended(Exit::Dead, "handoff.died"),
        StateWord::Cancelled => {
            return match last("handoff.superseded") {
                Some(at) => Outcome::Ended(Exit::Superseded, Some(at)),
                None => ended(Exit::Cancelled, "handoff.cancelled"),
            };
        }
        StateWord::PassedOn => {
            let at = last("handoff.passed_on");
            let child = at.and_then(|at| events[at].attributes["child"].as_str()?.parse().ok());
            return match child {
                Some(child) if !matches!(until, Until::Decided | Until::Claimed) => {
                    Outcome::PassedOn(child)
                }
                _ => Outcome::Ended(Exit::Success, at),
            };
        }
        StateWord::Held | StateWord::Offered | StateWord::Claimed | StateWord::Returned => {}
    }
    // Before the wait began, only the last hold is of interest, to whoever waits for its end.
    let held = last("handoff.held").filter(|_| until == Until::Decided);
    let news = |(at, event): &(usize, &api::Event)| {
        event.n >= since || held.is_some_and(|held| *at > held && word != StateWord::Held)
    };
    let turned = events.iter().enumerate().filter(news).rev();
    let mut turned = turned.filter_map(|(at, event)| Some((turn(until, event)?, at)));
    if let Some((exit, at)) = turned.next() {
        return Outcome::Ended(exit, Some(at));
    }
    let is_reached = match until {
        Until::Decided => word != StateWord::Held,
        Until::Claimed => matches!(word, StateWord::Claimed | StateWord::Returned),
        Until::Returned => word == StateWord::Returned,
        Until::Done => false,
    };
    if is_reached {
        Outcome::Ended(Exit::Success, events.len().checked_sub(1))
    } else {
        Outcome::Open
    }
}

/// An event that sends the work another way than whoever waits had in mind.
fn turn(until: Until, event: &api::Event) -> Option<Exit> {
    match event.kind.as_str() {
        "handoff.intercepted" => Some(Exit::Intercepted),
        // Without a decision, nobody but the exchange itself sent it elsewhere.
        "handoff.rerouted" if event.attributes.contains_key("decision") => Some(Exit::Intercepted),
        // What a holder asked leave for; the handoff itself goes on.
        "handoff.rejected" if until == Until::Decided => Some(Exit::Rejected),
        "handoff.moved_on" => Some(Exit::MovedOn),
        "handoff.edited" | "handoff.revised" if until == Until::Decided => Some(Exit::Superseded),
        _ => None,
    }
}
