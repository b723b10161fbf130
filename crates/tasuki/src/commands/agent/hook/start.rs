//! A session starts: shows the agent the task that it holds, or one that was left in this work tree.
//!
//! A task is shown only if it is offered to the agent's party or its roles, and was left in this
//! work tree or a clone of it, on the same branch, or at the same commit. All others are one line with their number.

use std::path::Path;

use tasuki_api as api;
use tasuki_api::WorkTree;
use tasuki_client::HandoffQuery;

use super::failures::Failures;
use super::session::HookSession;
use crate::backend::Backend;
use crate::exit::Failure;
use crate::git;
use crate::output::escape::argument;
use crate::output::printer::counted;

/// LIMIT: tokens of the brief, with the lines around it about 2,000.
const BRIEF_TOKENS: usize = 1_800;

/// LIMIT: offers of each role that are looked at.
const OFFERS_MAX: u32 = 20;

/// LIMIT: offers that are compared with the work tree, newest first.
const COMPARED_MAX: usize = 10;

/// Returns the text for the agent's context.
pub(super) fn run(session: &HookSession) -> Result<Option<String>, Failure> {
    let exchange = session.exchange()?;
    let exchange = &*exchange;
    if let Err(failure) = exchange.record_killed_sessions(&session.flags) {
        Failures::of_user().record(session.host.name(), "start", &failure);
    }
    exchange.update_hook_notes(|notes| {
        notes.started_with = notes.started_with.take().or(session.tree.fingerprint.clone());
    })?;
    exchange.apply_due()?;
    if let Some(claim) = exchange.own_live_claim()? {
        return held(session, exchange, &claim.task).map(Some);
    }
    let waiting = waiting(exchange)?;
    let mut compared = waiting.iter().take(COMPARED_MAX);
    let Some(task) = compared.find(|offer| was_left_here(session, exchange, offer)) else {
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
    let Some(here) = &session.tree.work_tree else { return false };
    let recorded = exchange.work_tree(&offer.id).ok().flatten();
    recorded.is_some_and(|recorded| is_here(here, &recorded))
}

/// Returns `true` if a task was left in this work tree on this branch, in another clone of it on
/// the same branch, or anywhere at the same commit.
fn is_here(here: &WorkTree, recorded: &WorkTree) -> bool {
    let is_same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
    let is_repository = here.id == recorded.id || is_same(&here.remote, &recorded.remote);
    is_repository && is_same(&here.branch, &recorded.branch)
        || is_same(&here.commit, &recorded.commit)
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
    let files = exchange.details(&task.id, None)?.work_tree.map(|tree| files(&tree));
    let files = files.unwrap_or_default();
    Ok(format!(
        "A Tasuki task was left in this work tree: {named}, from {}. If the user wants it continued, \
         claim it first with `tasuki claim {named}{flag}` (tool `handoff_claim`). Its brief, also \
         with `tasuki resume {named}{flag}`:\n\n{brief}{files}",
        task.from
    ))
}

/// LIMIT: uncommitted files that are named.
const NAMES_MAX: usize = 10;

/// Names the files that were left uncommitted, and says how many of them are not here.
fn files(recorded: &WorkTree) -> String {
    if recorded.count == 0 {
        return String::new();
    }
    let names = recorded.files.iter().take(NAMES_MAX).map(|file| argument(&file.path));
    let mut names: Vec<String> = names.collect();
    let more = usize::try_from(recorded.count).unwrap_or(usize::MAX).saturating_sub(names.len());
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    let missing = git::not_here(recorded, Path::new("."))
        .map(|found| found.paths.len() + usize::try_from(found.unlisted).unwrap_or_default());
    let missing = missing
        .map_or_else(String::new, |count| format!(" {count} of them differ here or are not here."));
    format!("\nUncommitted files of its last session: {}.{missing}\n", names.join(", "))
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
    use super::*;

    fn work_tree(id: &str, branch: &str, commit: &str, remote: Option<&str>) -> WorkTree {
        WorkTree {
            id: id.to_owned(),
            branch: Some(branch.to_owned()).filter(|name| !name.is_empty()),
            commit: Some(commit.to_owned()),
            remote: remote.map(str::to_owned),
            ..WorkTree::default()
        }
    }

    #[test]
    fn a_task_is_shown_where_it_was_left_or_at_the_same_commit() {
        let here = work_tree("w1", "port", "c1", Some("git.example/a"));
        let check = |recorded: &WorkTree, expected: bool| {
            assert_eq!(is_here(&here, recorded), expected, "{recorded:?}");
        };
        check(&work_tree("w1", "port", "c0", None), true);
        check(&work_tree("w2", "port", "c0", Some("git.example/a")), true);
        check(&work_tree("w2", "other", "c1", None), true);
        check(&work_tree("w1", "other", "c0", Some("git.example/a")), false);
        check(&work_tree("w2", "port", "c0", Some("git.example/b")), false);
        check(&work_tree("w2", "port", "c0", None), false);
    }
}
