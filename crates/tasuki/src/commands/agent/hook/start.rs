//! A session starts: shows the agent the task that it holds, or one that was left in this work tree.
//!
//! A task is shown only if it is offered to the agent's party or its roles, and was left in the same
//! repository at the same branch or commit. All others are one line with their number.

use tasuki_api as api;
use tasuki_client::HandoffQuery;
use tasuki_packet::Packet;

use super::failures::Failures;
use super::session::{HookSession, facts_at};
use crate::backend::{Backend, parse_id};
use crate::drift::Checkout;
use crate::exit::Failure;
use crate::output::escape::argument;
use crate::output::printer::counted;

/// LIMIT: tokens of the brief, with the lines around it about 2,000.
const BRIEF_TOKENS: usize = 1_800;

/// LIMIT: offers that are compared with the work tree.
const OFFERS_MAX: u32 = 20;

/// Returns the text for the agent's context.
pub(super) fn run(session: &HookSession) -> Result<Option<String>, Failure> {
    let exchange = session.exchange()?;
    let exchange = &*exchange;
    let recorded = exchange
        .record_killed_sessions(&session.flags, |claim| facts_at(claim.directory.as_deref()));
    if let Err(failure) = recorded {
        Failures::of_user().record(session.host.name(), "start", &failure);
    }
    let fingerprint = session.tree().fingerprint;
    exchange.update_hook_notes(|notes| {
        notes.started_with = notes.started_with.take().or(fingerprint);
    })?;
    exchange.apply_due()?;
    if let Some(claim) = exchange.own_live_claim()? {
        return held(session, exchange, &claim.task).map(Some);
    }
    let waiting = waiting(exchange)?;
    let Some(task) = waiting.iter().find(|offer| was_left_here(session, exchange, offer)) else {
        return Ok(others(session, exchange, None)?.map(|line| format!("{line}\n")));
    };
    let mut text = offered(session, exchange, task)?;
    if let Some(line) = others(session, exchange, Some(task))? {
        text.push_str(&format!("\n{line}\n"));
    }
    Ok(Some(text))
}

/// Returns the offers to the caller and its roles, newest first.
fn waiting(exchange: &dyn Backend) -> Result<Vec<api::Handoff>, Failure> {
    let own = exchange.own_name()?;
    let parties = exchange.parties()?;
    let roles = parties.iter().filter(|party| party.members.contains(&own));
    let names = std::iter::once(own.clone()).chain(roles.map(|role| role.name.clone()));
    let mut offers = Vec::new();
    for to in names {
        let states = vec!["offered".to_owned()];
        let query = HandoffQuery { to: Some(to), states, ..HandoffQuery::default() };
        offers.extend(exchange.handoffs(&query, OFFERS_MAX)?);
    }
    let now = exchange.now();
    offers.retain(|one| one.not_before.is_none_or(|from| from <= now));
    offers.sort_by_key(|one| std::cmp::Reverse(one.since));
    Ok(offers)
}

fn was_left_here(session: &HookSession, exchange: &dyn Backend, offer: &api::Handoff) -> bool {
    let packet = parse_id(offer).and_then(|id| exchange.continuation_packet(id));
    packet.is_ok_and(|packet| is_here(session.checkout(), &packet))
}

/// Returns `true` if a packet was left in this repository, at this branch or commit.
fn is_here(checkout: Option<&Checkout>, packet: &Packet) -> bool {
    let context = packet.object("context");
    let recorded = |name: &str| context.and_then(|context| context.get(name)?.as_str());
    let Some(here) = checkout else {
        let folder = std::env::current_dir().ok().and_then(|path| path.canonicalize().ok());
        return recorded("repository").is_none()
            && folder.is_some_and(|path| recorded("work_tree") == path.to_str());
    };
    let is_repository = recorded("repository") == here.repository.to_str();
    let is_same =
        |name: &str, value: &Option<String>| value.is_some() && recorded(name) == value.as_deref();
    is_repository && (is_same("branch", &here.branch) || is_same("commit", &here.commit))
}

/// Says that the session holds a task.
fn held(session: &HookSession, exchange: &dyn Backend, task: &str) -> Result<String, Failure> {
    let named = argument(task);
    let flag = session.as_flag();
    let brief = exchange.continuation(task, BRIEF_TOKENS)?.text;
    Ok(format!(
        "You hold the Tasuki task {named} in this session. Record progress with `tasuki checkpoint \
         {named}{flag} --completed \"…\" --remaining \"…\"` (tool `handoff_checkpoint`), and finish \
         with `tasuki return {named}{flag} --summary \"…\"`. Its brief, also with `tasuki resume \
         {named}{flag}`:\n\n{brief}"
    ))
}

/// Says that a task was left here, with its brief.
fn offered(
    session: &HookSession,
    exchange: &dyn Backend,
    task: &api::Handoff,
) -> Result<String, Failure> {
    let (named, flag) = (argument(&task.task), session.as_flag());
    let brief = exchange.continuation(&task.id, BRIEF_TOKENS)?.text;
    Ok(format!(
        "A Tasuki task was left in this work tree: {named}, from {}. If the user wants it continued, \
         claim it first with `tasuki claim {named}{flag}` (tool `handoff_claim`). Its brief, also \
         with `tasuki resume {named}{flag}`:\n\n{brief}",
        task.from
    ))
}

/// Counts the other tasks in the inbox.
fn others(
    session: &HookSession,
    exchange: &dyn Backend,
    shown: Option<&api::Handoff>,
) -> Result<Option<String>, Failure> {
    let inbox = exchange.inbox(OFFERS_MAX, None)?;
    let context = exchange.next_steps_context();
    let is_other = |one: &&api::Handoff| {
        context.can_claim(one) && shown.is_none_or(|shown| shown.id != one.id)
    };
    let count = inbox.handoffs.iter().filter(is_other).count();
    let at_least = if inbox.more { "at least " } else { "" };
    let other = if shown.is_some() { "other Tasuki task" } else { "Tasuki task" };
    let verb = if count == 1 { "waits" } else { "wait" };
    Ok((count > 0).then(|| {
        format!(
            "{at_least}{} {verb} for {}: `tasuki inbox{}`",
            counted(count, other),
            inbox.party,
            session.as_flag()
        )
    }))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_task_is_shown_in_the_same_repository_at_the_same_branch_or_commit() {
        let here = Checkout {
            root: PathBuf::from("/w/side"),
            repository: PathBuf::from("/w/main/.git"),
            branch: Some("port".to_owned()),
            commit: Some("c1".to_owned()),
        };
        let check = |context: Value, expected: bool| {
            let packet = Packet::from_value(json!({ "context": context.clone() })).unwrap();
            assert_eq!(is_here(Some(&here), &packet), expected, "{context}");
        };
        let repository = "/w/main/.git";
        check(json!({"repository": repository, "branch": "port", "commit": "c0"}), true);
        check(json!({"repository": repository, "branch": "main", "commit": "c1"}), true);
        check(json!({"repository": repository, "branch": "main", "commit": "c0"}), false);
        check(json!({"repository": "/v/.git", "branch": "port", "commit": "c1"}), false);
        check(json!({"branch": "port", "commit": "c1"}), false);
        check(json!({}), false);
    }
}
