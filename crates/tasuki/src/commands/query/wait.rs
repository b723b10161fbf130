//! `tasuki wait`: waits for a handoff to reach a state, or for new work in the inbox.
//!
//! The exit code states the outcome, so that scripts need not parse the output. Decisions of others before
//! the wait count too, so that a caller can submit first and then wait. `--since` excludes the events
//! that the caller already knows.

use std::time::{Duration as StdDuration, Instant};

use clap::ValueEnum;
use jiff::Timestamp;
use serde::Serialize;
use tasuki_api as api;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::model::StateWord;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::HandoffId;

use super::inbox::table;
use super::waiter::{Poll, Waiter};
use crate::backend::{self, Backend, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::event::describe;
use crate::output::handoff::{name, short, state};
use crate::output::next_steps::{commands_for, inbox_steps};
use crate::output::printer::{BAD, GOOD, NOTE, Printer};
use crate::output::time::duration;

/// Wait for a handoff or for new work.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki wait --as hermes-worker-3 --timeout 10m\n  tasuki wait build-42 --until decided\n  tasuki wait build-42 --until done --json\n\nExit codes: 0 reached, 10 rejected (the handoff or the action), 11 intercepted or rerouted, 12 cancelled, 13 moved to the next receiver, 14 superseded by a newer revision or handoff, 15 dead letter or discarded, 16 a person approved a changed action (`approval.action` in `--json`), 20 timed out.\n\nDecisions of others before the wait count too. To wait for the next one, pass `--since` with the number of the event that you know (`by.n` in `--json`).\n\nCtrl-C stops the wait, not the handoff."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; by default any new work for you.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The state to wait for.
    #[arg(long, value_enum, default_value = "decided", requires = "handoff")]
    until: Until,
    /// Ignore events up to this one.
    #[arg(long, value_name = "NUMBER", requires = "handoff")]
    since: Option<u64>,
    /// The maximum time to wait; by default there is none.
    #[arg(long, value_name = "DURATION")]
    timeout: Option<Duration>,
    #[command(flatten)]
    flags: Flags,
}

/// The state to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Until {
    /// No decision of a person is pending.
    Decided,
    /// A receiver works on it.
    Claimed,
    /// The result was returned.
    Returned,
    /// The task is done.
    Done,
}

impl Until {
    const fn word(self) -> &'static str {
        match self {
            Self::Decided => "decided",
            Self::Claimed => "claimed",
            Self::Returned => "returned",
            Self::Done => "done",
        }
    }
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = match &arguments.handoff {
        None => backend::open_own(&arguments.flags, printer)?,
        Some(_) => backend::open_to_read(&arguments.flags, printer)?,
    };
    let timeout = arguments.timeout.map(|time| StdDuration::from_millis(time.milliseconds()));
    let waiter = Waiter { exchange: &*exchange, began: Instant::now(), timeout, interrupt: None };
    match &arguments.handoff {
        None => wait_for_inbox(&waiter, printer),
        Some(written) => {
            let handoff = exchange.resolve_id(written)?;
            let watch = WaitRequest { handoff, until: arguments.until, since: arguments.since };
            wait_for_handoff(&waiter, watch, printer)
        }
    }
}

fn wait_for_inbox(waiter: &Waiter<'_>, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = waiter.exchange;
    let own = exchange.own_name()?;
    announce(waiter, &format!("new work for {own}"), printer);
    let result = waiter.wait_until(exchange.follow_inbox(printer)?, || {
        let mut inbox = exchange.inbox(PAGE_MAX, None)?;
        let now = inbox.as_of;
        // Work that the caller holds is not new, and parked work cannot be claimed yet.
        inbox.handoffs.retain(|one| one.holder.as_ref() != Some(&own));
        let parked = inbox.handoffs.iter().filter_map(|one| one.not_before);
        let next = parked.filter(|instant| *instant > now).min();
        inbox.handoffs.retain(|one| one.not_before.is_none_or(|instant| instant <= now));
        if inbox.handoffs.is_empty() {
            return Ok(Poll::Pending(next.and_then(|next| local_instant(next, now))));
        }
        Ok(Poll::Ready(inbox))
    })?;
    let Some(inbox) = result else { return Ok(timed_out(waiter, "no new work", printer)) };
    if printer.is_json() {
        printer.json_list(&inbox, &inbox.handoffs);
        return Ok(Exit::Success);
    }
    printer.data(&table(&inbox.handoffs, exchange.time_formatter_at(inbox.as_of)));
    let next = inbox_steps(&inbox.handoffs, &exchange.next_steps_context());
    printer.remark(&format!("Next: {next}"));
    Ok(Exit::Success)
}

/// Converts an instant of the exchange to the clock of this process.
fn local_instant(instant: Timestamp, now: Timestamp) -> Option<Instant> {
    let left = StdDuration::try_from(instant.duration_since(now)).ok()?;
    Instant::now().checked_add(left)
}

/// Says what the command waits for, and for how long.
fn announce(waiter: &Waiter<'_>, what: &str, printer: &Printer) {
    if printer.is_json() {
        return;
    }
    let limit = match waiter.timeout {
        Some(timeout) => format!(" for at most {}", duration(timeout.as_secs())),
        None => String::new(),
    };
    printer.remark(&format!("Waiting{limit} for {what}. Ctrl-C to stop."));
}

fn timed_out(waiter: &Waiter<'_>, what: &str, printer: &Printer) -> Exit {
    let seconds = waiter.began.elapsed().as_secs();
    printer.remark(&format!("{NOTE}!{NOTE:#} Timed out after {seconds} s: {what}"));
    Exit::TimedOut
}

/// The handoff to wait for, and its state.
#[derive(Clone, Copy)]
struct WaitRequest {
    handoff: HandoffId,
    until: Until,
    /// The last event that the caller knows.
    since: Option<u64>,
}

/// The end of waiting for one handoff.
enum HandoffResult {
    /// The work was passed on with this handoff.
    PassedOn(HandoffId),
    Ended(Box<Ended>),
}

/// The exit code, and the event that led to it.
struct Ended {
    exit: Exit,
    handoff: api::Handoff,
    by: Option<api::Event>,
}

fn wait_for_handoff(
    waiter: &Waiter<'_>,
    watch: WaitRequest,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let exchange = waiter.exchange;
    let WaitRequest { mut handoff, until, since: known } = watch;
    let since = if exchange.can_read()? {
        exchange.next_event_number()?
    } else {
        // Without the scope `read`, only the events of this handoff are visible.
        exchange.history(handoff)?.last().map_or(0, |last| last.n + 1)
    };
    let baseline = Baseline {
        since: known.map_or(since, |last| last.saturating_add(1).min(since)),
        // An earlier event is new to a caller that neither caused it nor knows it.
        own: match known {
            None => Some(exchange.own_name().unwrap_or_default()),
            Some(_) => None,
        },
    };
    exchange.apply_due()?;
    if let Ok(view) = exchange.resolve(&handoff.to_string()) {
        let (name, now) = (name(&view), still(&view));
        announce(waiter, &format!("{name} to be {}; it is {now} now", until.word()), printer);
    }
    loop {
        let follower = exchange.follow_handoff(handoff, since, printer)?;
        let result = waiter.wait_until(follower, || {
            let view = exchange.resolve(&handoff.to_string())?;
            let events = exchange.history(handoff)?;
            Ok(match outcome(until, &view, &events, &baseline) {
                Outcome::Open => Poll::Pending(None),
                Outcome::PassedOn(child) => Poll::Ready(HandoffResult::PassedOn(child)),
                Outcome::Ended(exit, at) => {
                    let by = at.and_then(|at| events.get(at).cloned());
                    Poll::Ready(HandoffResult::Ended(Box::new(Ended { exit, handoff: view, by })))
                }
            })
        })?;
        match result {
            Some(HandoffResult::PassedOn(child)) => handoff = child,
            Some(HandoffResult::Ended(ended)) => {
                print(exchange, &ended, printer);
                return Ok(ended.exit);
            }
            None => {
                let view = exchange.resolve(&handoff.to_string());
                let what = view.map_or_else(
                    |_| format!("{} is still open", short(handoff)),
                    |view| format!("{} is still {}", name(&view), still(&view)),
                );
                return Ok(timed_out(waiter, &what, printer));
            }
        }
    }
}

/// Returns the state of a handoff after `is still`.
fn still(handoff: &api::Handoff) -> String {
    match state(handoff) {
        hold if hold.starts_with("waits") => hold.replacen("waits", "waiting", 1),
        dead if dead == "dead letter" => "a dead letter".to_owned(),
        state => state,
    }
}

/// The handoff as in the API, the event that ended the wait, and the decision if it is about an action.
#[derive(Serialize)]
struct WaitOutput<'t> {
    #[serde(flatten)]
    handoff: &'t api::Handoff,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'t api::Event>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<api::Approval>,
}

fn print(exchange: &dyn Backend, result: &Ended, printer: &Printer) {
    let view = &result.handoff;
    if printer.is_json() {
        let approval = result.by.as_ref().and_then(|event| approval(exchange, view, event));
        printer.json(&WaitOutput { handoff: view, by: result.by.as_ref(), approval });
        return;
    }
    let mark = match result.exit {
        Exit::Success | Exit::Edited => format!("{GOOD}✓{GOOD:#}"),
        _ => format!("{BAD}✗{BAD:#}"),
    };
    let what = match &result.by {
        // A caller that may not read names gets ids.
        Some(event) => {
            let names = exchange.event_context(std::slice::from_ref(event)).unwrap_or_default();
            describe(event, &names, exchange.time_formatter())
        }
        None => state(view),
    };
    printer.data(&format!("{mark} {}: {what}\n", name(view)));
    let next = commands_for(view, &exchange.next_steps_context());
    if !next.is_empty() {
        printer.remark(&format!("Next: {}", next.join(" · ")));
    }
}

/// Returns the decision about an action that an event states.
fn approval(
    exchange: &dyn Backend,
    handoff: &api::Handoff,
    event: &api::Event,
) -> Option<api::Approval> {
    let decision = event.attributes.get("decision")?.as_str()?;
    let approval = exchange.approval(parse_id(handoff).ok()?).ok()??;
    (approval.decision == decision).then_some(approval)
}

/// The outcome that the history of a handoff has for a waiting caller.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing yet.
    Open,
    /// The work was passed on with this handoff.
    PassedOn(HandoffId),
    /// The wait is over, because of the event at this index.
    Ended(Exit, Option<usize>),
}

/// The events that the caller knows already.
struct Baseline {
    /// Events from here on are new.
    since: u64,
    /// The caller, whose own earlier decisions are not new; none if everything earlier is known.
    own: Option<String>,
}

impl Baseline {
    /// Returns whether an event is new to the caller. `from` is the start of the relevant history.
    fn is_new(&self, at: usize, event: &api::Event, from: usize) -> bool {
        let is_of_another = self.own.as_ref().is_some_and(|own| *own != event.actor);
        let is_decision = event.attributes.contains_key("decision");
        event.n >= self.since || at >= from && is_decision && is_of_another
    }
}

/// Returns the start of the relevant history. Waiting for a decision, it is the last hold with the
/// decision that led to it; otherwise it is the whole history.
fn relevant_from(until: Until, events: &[api::Event]) -> usize {
    let is_hold = |event: &api::Event| event.kind == "handoff.held";
    let last = events.iter().rposition(is_hold).filter(|_| until == Until::Decided);
    let Some(held) = last else { return 0 };
    let is_before = |at: &usize| events[*at].n + 1 == events[*at + 1].n;
    let same_command = (0..held).rev().take_while(|at| {
        is_before(at)
            && events[*at].at == events[held].at
            && diversion(until, &events[*at]).is_some()
    });
    same_command.last().unwrap_or(held)
}

/// Returns the outcome: how the handoff ended, the last new event that diverted it, or that it has reached
/// the state.
fn outcome(
    until: Until,
    handoff: &api::Handoff,
    events: &[api::Event],
    baseline: &Baseline,
) -> Outcome {
    let last = |kind: &str| events.iter().rposition(|event| event.kind == kind);
    // An unknown state of a newer exchange does not end a wait.
    let word = StateWord::named(&handoff.state).unwrap_or(StateWord::Offered);
    let ended = |exit, kind: &str| Outcome::Ended(exit, last(kind));
    match word {
        StateWord::Done => return done(until, events),
        StateWord::Rejected => return ended(Exit::Rejected, "handoff.rejected"),
        StateWord::Discarded => return ended(Exit::Dead, "handoff.discarded"),
        StateWord::Dead => return ended(Exit::Dead, "handoff.died"),
        StateWord::Cancelled => {
            return match (last("handoff.superseded"), rejected_with_its_task(events)) {
                (Some(at), _) => Outcome::Ended(Exit::Superseded, Some(at)),
                (None, Some(at)) => Outcome::Ended(Exit::Rejected, Some(at)),
                (None, None) => ended(Exit::Cancelled, "handoff.cancelled"),
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
    let from = relevant_from(until, events);
    let follower = |(at, event): &(usize, &api::Event)| baseline.is_new(*at, event, from);
    let turned = events.iter().enumerate().filter(follower).rev();
    let mut turned = turned.filter_map(|(at, event)| Some((diversion(until, event)?, at)));
    if let Some((exit, at)) = turned.next() {
        return Outcome::Ended(exit, Some(at));
    }
    let is_reached = match until {
        Until::Decided => word != StateWord::Held,
        Until::Claimed => matches!(word, StateWord::Claimed | StateWord::Returned),
        Until::Returned => word == StateWord::Returned,
        Until::Done => false,
    };
    if let Some(at) = withdrawn(events).filter(|_| until == Until::Decided && is_reached) {
        // Even for its own holder, this is not an approval.
        Outcome::Ended(Exit::Cancelled, Some(at))
    } else if is_reached {
        Outcome::Ended(Exit::Success, events.len().checked_sub(1))
    } else {
        Outcome::Open
    }
}

/// Returns the outcome of a task that is done. If it ended with the decision about an action, the
/// decision counts for a caller that waits for it.
fn done(until: Until, events: &[api::Event]) -> Outcome {
    let at = events.iter().rposition(|event| event.kind == "handoff.done");
    let by = at.and_then(|at| events[at].attributes.get("by")?.as_str());
    if until != Until::Decided || by != Some("decision") {
        return Outcome::Ended(Exit::Success, at);
    }
    let last = |kind: &str| events.iter().rposition(|event| event.kind == kind);
    if let Some(edited) = last("handoff.edited") {
        return Outcome::Ended(Exit::Edited, Some(edited));
    }
    Outcome::Ended(Exit::Success, last("handoff.accepted").or(at))
}

/// Returns the withdrawal of the last approval request, if that is how it ended.
fn withdrawn(events: &[api::Event]) -> Option<usize> {
    let is_about_it = |event: &api::Event| {
        matches!(event.kind.as_str(), "handoff.held" | "handoff.accepted" | "handoff.withdrawn")
    };
    let at = events.iter().rposition(is_about_it)?;
    (events[at].kind == "handoff.withdrawn").then_some(at)
}

/// Returns the rejection of an action that cancelled the task that was begun for it.
fn rejected_with_its_task(events: &[api::Event]) -> Option<usize> {
    let [.., rejected, cancelled] = events else { return None };
    let is_both = rejected.kind == "handoff.rejected" && cancelled.kind == "handoff.cancelled";
    (is_both && rejected.n + 1 == cancelled.n && rejected.at == cancelled.at)
        .then_some(events.len() - 2)
}

/// Returns the exit code of an event that diverts the work, if it does.
fn diversion(until: Until, event: &api::Event) -> Option<Exit> {
    match event.kind.as_str() {
        "handoff.intercepted" => Some(Exit::Intercepted),
        // Without a decision, the exchange itself rerouted it.
        "handoff.rerouted" if event.attributes.contains_key("decision") => Some(Exit::Intercepted),
        // Only the action was rejected; the handoff stays open.
        "handoff.rejected" if until == Until::Decided => Some(Exit::Rejected),
        "handoff.moved_on" => Some(Exit::MovedOn),
        // The action is neither approved nor rejected.
        "handoff.withdrawn" if until == Until::Decided => Some(Exit::Cancelled),
        "handoff.edited" if until == Until::Decided && event.action.is_some() => Some(Exit::Edited),
        "handoff.edited" | "handoff.revised" if until == Until::Decided => Some(Exit::Superseded),
        _ => None,
    }
}
