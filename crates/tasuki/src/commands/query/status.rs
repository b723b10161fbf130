//! `tasuki status`: the open work of a project on one screen.
//!
//! Handoffs are grouped by who must act next. Each group shows its most urgent handoffs and the command
//! that lists the rest.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use tasuki_api as api;
use tasuki_client::HandoffQuery;
use tasuki_engine::model::StateWord;

use super::work_trees::{self, WorkTreeRow};
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::escape;
use crate::output::handoff::{claimable_from, goal, hold, name, reference};
use crate::output::printer::{BAD, FAINT, NOTE, Printer, STRONG};
use crate::output::progress::{alive, done_of};
use crate::output::time::TimeFormatter;
use crate::output::width::{pad, truncate, width};

/// Show what is held, in progress, waiting or dead.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki status\n  tasuki status --json | jq .needs_a_person.count\n\nEach group shows its most urgent handoffs; `tasuki list --state STATE` lists all of them. In a git repository, its work trees follow: branch, task, holder, the party it waits for, and the last command that stated the work tree."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    flags: Flags,
}

/// LIMIT: handoffs that one group shows.
const SHOWN_MAX: usize = 5;

/// LIMIT: handoffs that one group counts.
const COUNTED_MAX: u32 = 1_000;

/// LIMIT: columns of an action or a goal on its line.
const TEXT_COLUMNS_MAX: usize = 48;

/// A group of handoffs: its title, and its states.
struct Group {
    title: &'static str,
    states: &'static [StateWord],
}

const NEEDS_A_PERSON: Group = Group { title: "Needs a person", states: &[StateWord::Held] };
const IN_PROGRESS: Group = Group { title: "In progress", states: &[StateWord::Claimed] };
const WAITING: Group =
    Group { title: "Waiting", states: &[StateWord::Offered, StateWord::Returned] };
const DEAD_LETTERS: Group = Group { title: "Dead letters", states: &[StateWord::Dead] };

/// The handoffs of one group, most urgent first.
#[derive(Debug, Serialize)]
struct Listed {
    count: usize,
    /// Set if there are more handoffs than were counted.
    more: bool,
    handoffs: Vec<api::Handoff>,
}

/// The open work of a project.
#[derive(Debug, Serialize)]
struct Status {
    #[serde(skip)]
    now: Timestamp,
    as_of: String,
    needs_a_person: Listed,
    in_progress: Listed,
    waiting: Listed,
    dead_letters: Listed,
    work_trees: Vec<WorkTreeRow>,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(&arguments.flags, printer)?;
    exchange.apply_due()?;
    let now = exchange.now();
    let mut status = Status {
        now,
        as_of: format!("{now:.6}"),
        needs_a_person: read(&*exchange, &NEEDS_A_PERSON)?,
        in_progress: read(&*exchange, &IN_PROGRESS)?,
        waiting: read(&*exchange, &WAITING)?,
        dead_letters: read(&*exchange, &DEAD_LETTERS)?,
        work_trees: Vec::new(),
    };
    status.work_trees = work_trees::rows(&*exchange, &status.open());
    if printer.is_json() {
        printer.json(&status);
        return Ok(Exit::Success);
    }
    let text = render(&*exchange, &status);
    if text.is_empty() {
        printer.data("Nothing is open.\n");
        printer.remark("Next: tasuki submit --to PARTY --goal \"…\"");
        return Ok(Exit::Success);
    }
    printer.data(&text);
    if let Some(next) = next_command(&status) {
        printer.remark(&format!("Next: {next}"));
    }
    Ok(Exit::Success)
}

impl Status {
    /// Returns the handoffs that a party works on or that wait for one.
    fn open(&self) -> Vec<&api::Handoff> {
        let groups = [&self.needs_a_person, &self.in_progress, &self.waiting];
        groups.into_iter().flat_map(|listed| &listed.handoffs).collect()
    }
}

fn read(exchange: &dyn Backend, group: &Group) -> Result<Listed, Failure> {
    let states = group.states.iter().map(|state| state.as_str().to_owned()).collect();
    let listing = HandoffQuery { states, ..HandoffQuery::default() };
    let mut handoffs = exchange.handoffs(&listing, COUNTED_MAX.saturating_add(1))?;
    // The child carries the work of a handoff that was passed on.
    handoffs.retain(|handoff| handoff.child.is_none());
    let limit = usize::try_from(COUNTED_MAX).unwrap_or(usize::MAX);
    let more = handoffs.len() > limit;
    handoffs.truncate(limit);
    // A stable sort keeps the newest first where none is due.
    handoffs.sort_by_key(|handoff| handoff.due_at.unwrap_or(Timestamp::MAX));
    Ok(Listed { count: handoffs.len(), more, handoffs })
}

fn next_command(status: &Status) -> Option<String> {
    if let Some(first) = status.needs_a_person.handoffs.first() {
        return Some(format!("tasuki show {}", reference(first)));
    }
    let dead = status.dead_letters.handoffs.first()?;
    Some(format!("tasuki dead redrive {}", reference(dead)))
}

fn render(exchange: &dyn Backend, status: &Status) -> String {
    let times = exchange.time_formatter_at(status.now);
    let held = &status.needs_a_person;
    let held_lines: Vec<String> =
        shown(held).iter().map(|handoff| held_line(exchange, handoff, times)).collect();
    let lines = |listed: &Listed, columns: &dyn Fn(&api::Handoff) -> [String; 3]| {
        aligned(&shown(listed).iter().map(columns).collect::<Vec<_>>())
    };
    let (progress, waiting, dead) = (&status.in_progress, &status.waiting, &status.dead_letters);
    [
        group_text(&NEEDS_A_PERSON, held, &held_lines),
        group_text(&IN_PROGRESS, progress, &lines(progress, &|one| claimed_line(one, times))),
        group_text(&WAITING, waiting, &lines(waiting, &|one| waiting_line(one, times))),
        group_text(&DEAD_LETTERS, dead, &lines(dead, &dead_line)),
        work_trees::text(&status.work_trees, times),
    ]
    .concat()
}

fn shown(listed: &Listed) -> &[api::Handoff] {
    &listed.handoffs[..listed.handoffs.len().min(SHOWN_MAX)]
}

/// Formats one group: its title and count, one line per handoff, and how to list the rest.
fn group_text(group: &Group, listed: &Listed, lines: &[String]) -> String {
    let count = format!("{}{}", listed.count, if listed.more { "+" } else { "" });
    let style = match group.title {
        _ if listed.count == 0 => return String::new(),
        "Needs a person" => NOTE,
        "Dead letters" => BAD,
        _ => STRONG,
    };
    let mut lines = lines.to_vec();
    let rest = listed.count.saturating_sub(lines.len());
    if rest > 0 {
        let states = group.states.iter().map(|state| format!(" --state {}", state.as_str()));
        let plus = if listed.more { "+" } else { "" };
        lines.push(format!(
            "{FAINT}and {rest}{plus} more: tasuki list{}{FAINT:#}",
            states.collect::<String>()
        ));
    }
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        match at {
            0 => {
                let title = group.title;
                text.push_str(&format!("{style}{title:<15}{style:#}{count:>4}   {line}\n"));
            }
            _ => text.push_str(&format!("{:22}{line}\n", "")),
        }
    }
    text
}

/// Aligns the first two columns.
fn aligned(rows: &[[String; 3]]) -> Vec<String> {
    let widest = |at: usize| rows.iter().map(|row| width(&row[at])).max().unwrap_or_default();
    let (first, second) = (widest(0), widest(1));
    let line = |[one, two, three]: &[String; 3]| {
        let line = format!("{}   {}   {three}", pad(one, first), pad(two, second));
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// `export-7: npm publish (coder, high risk, 4 min left)`.
fn held_line(exchange: &dyn Backend, handoff: &api::Handoff, times: TimeFormatter) -> String {
    let (what, who) = match &handoff.action {
        Some(_) => {
            // A caller that may not read the packet sees only that an action waits.
            let action = exchange.details(&handoff.id, None).ok().and_then(|one| one.action);
            let text = action.as_ref().map_or_else(|| hold(handoff), action_text);
            let holder = handoff.holder.clone();
            (text, holder.unwrap_or_else(|| handoff.to.clone()))
        }
        None => (hold(handoff), format!("{} → {}", handoff.from, handoff.to)),
    };
    let mut facts = vec![who];
    if handoff.risk != "low" {
        facts.push(format!("{} risk", handoff.risk));
    }
    facts.extend(handoff.due_at.map(|due_at| time_left(due_at, times)));
    if handoff.notification_failure.is_some() {
        facts.push("notification failed".to_owned());
    }
    format!("{}: {what} ({})", name(handoff), facts.join(", "))
}

/// Returns the text of an action: its words if it is a sentence or a command, else its JSON.
fn action_text(action: &Value) -> String {
    let text = match action {
        Value::Object(members) if members.len() == 1 => {
            members.values().next().and_then(Value::as_str).map(str::to_owned)
        }
        other => other.as_str().map(str::to_owned),
    };
    let text = text.unwrap_or_else(|| action.to_string());
    truncate(&escape(&text), TEXT_COLUMNS_MAX)
}

fn claimed_line(handoff: &api::Handoff, times: TimeFormatter) -> [String; 3] {
    let since = || handoff.since.map(|since| format!("since {}", times.clock(since)));
    let progress = done_of(handoff).or_else(since);
    let left = handoff.due_at.map(|due_at| time_left(due_at, times));
    let detail: Vec<String> =
        progress.into_iter().chain(alive(handoff, times)).chain(left).collect();
    [name(handoff), handoff.holder.clone().unwrap_or_default(), detail.join(", ")]
}

fn waiting_line(handoff: &api::Handoff, times: TimeFormatter) -> [String; 3] {
    let since = handoff.since.map(|since| format!(" since {}", times.clock(since)));
    let since = since.unwrap_or_default();
    let state = match (&handoff.returned_by, claimable_from(handoff, times)) {
        (Some(by), _) => format!("returned by {by}, waits for verification{since}"),
        (None, Some(when)) => format!("parked for {}, claimable {when}", handoff.to),
        (None, None) if handoff.blocked => {
            format!("offered to {}, waits for an answer from {}", handoff.to, handoff.from)
        }
        (None, None) => format!("offered to {}{since}", handoff.to),
    };
    let left = handoff.due_at.map(|due_at| time_left(due_at, times));
    // Work that was begun says how far it came.
    let begun = done_of(handoff).filter(|_| handoff.checkpoints > 0);
    let detail: Vec<String> = begun.into_iter().chain(left).collect();
    [name(handoff), state, detail.join(", ")]
}

fn dead_line(handoff: &api::Handoff) -> [String; 3] {
    let edge = format!("{} → {}", handoff.from, handoff.to);
    [name(handoff), edge, goal(handoff)]
}

/// Returns the time until the clock moves a handoff on: `4 min left`, or `overdue`.
fn time_left(due_at: Timestamp, times: TimeFormatter) -> String {
    if due_at <= times.now {
        return "overdue".to_owned();
    }
    match times.relative(due_at).strip_prefix("in ") {
        Some(left) => format!("{left} left"),
        None => format!("due {}", times.relative(due_at)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn handoffs(count: usize) -> Vec<api::Handoff> {
        let one = |n: usize| {
            serde_json::from_value(json!({
                "id": format!("hof_0194f1c2b3d47e8f9a0b1c2d3e4f{n:04}"), "task": format!("task-{n}"),
                "state": "claimed", "from": "ana", "to": "ben", "holder": "ben", "revision": 1,
                "digest": "sha256:00", "risk": "low", "attempt": 1, "checkpoints": n,
                "submitted_at": "2026-11-15T10:00:00Z", "due_at": "2026-11-15T12:04:00Z",
                "steps": { "done": n, "left": 2 },
            }))
            .unwrap()
        };
        (1..=count).map(one).collect()
    }

    #[test]
    fn a_group_shows_a_handful_and_how_to_list_the_rest() {
        let times = TimeFormatter::new("2026-11-15T12:00:00Z".parse().unwrap(), true);
        let listed = Listed { count: 7, more: false, handoffs: handoffs(7) };
        let rows: Vec<_> = shown(&listed).iter().map(|one| claimed_line(one, times)).collect();
        let text = group_text(&IN_PROGRESS, &listed, &aligned(&rows));
        let text = anstream::adapter::strip_str(&text).to_string();
        insta::assert_snapshot!(text, @"
        In progress       7   task-1   ben   1 of 3 done, 4 min left
                              task-2   ben   2 of 4 done, 4 min left
                              task-3   ben   3 of 5 done, 4 min left
                              task-4   ben   4 of 6 done, 4 min left
                              task-5   ben   5 of 7 done, 4 min left
                              and 2 more: tasuki list --state claimed
        ");
    }

    #[test]
    fn an_action_is_shown_by_its_words() {
        assert_eq!(action_text(&json!({ "action": "npm publish" })), "npm publish");
        assert_eq!(action_text(&json!({ "run": "a", "to": "b" })), r#"{"run":"a","to":"b"}"#);
    }

    #[test]
    fn an_empty_group_is_left_out() {
        let empty = Listed { count: 0, more: false, handoffs: Vec::new() };
        assert_eq!(group_text(&WAITING, &empty, &[]), "");
    }
}
