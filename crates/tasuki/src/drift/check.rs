//! The whole comparison, in the order in which it is safe: looking first, checks last, because a
//! check may write to the files that are looked at.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tasuki_packet::{Packet, duration};

use super::commit::{self, NO_REPOSITORY};
use super::finding::Drift;
use super::git::Git;
use super::head::Repository;
use super::{acceptance, dirty, file, tool};

/// What the caller allows, and what it knows of its environment.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// Whether commands of the packet are executed.
    pub(crate) run_checks: bool,
    /// How long each of them may run.
    pub(crate) check_timeout: Duration,
    /// PATH, where git and other tools are found.
    pub(crate) search_path: Option<OsString>,
}

impl Options {
    /// Looks, and runs nothing of the packet.
    pub(crate) fn looking_only(search_path: Option<OsString>) -> Self {
        Self { run_checks: false, check_timeout: Duration::ZERO, search_path }
    }

    /// Looks, and runs the checks of the packet, each for at most so long.
    pub(crate) fn running(search_path: Option<OsString>, at_most: duration::Duration) -> Self {
        let check_timeout = Duration::from_millis(at_most.milliseconds());
        Self { run_checks: true, check_timeout, search_path }
    }
}

/// Compares the facts of a packet with a directory as it is now.
///
/// What comes back is the word of whoever looked; it proves nothing to anybody else.
pub(crate) fn check(packet: &Packet, directory: &Path, options: &Options) -> Drift {
    // A directory that cannot be resolved has nothing in it, which the findings say.
    let directory = &directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let repository = Repository::around(directory);
    let root = repository.as_ref().map_or(directory.as_path(), |found| &found.root);
    let foreign = [directory.as_path(), root];
    let search_path = options.search_path.as_deref();
    let git = match &repository {
        Some(_) => tool::find("git", search_path, &foreign)
            .map(|program| Git::new(program, root.to_owned())),
        None => Err(NO_REPOSITORY.to_owned()),
    };
    let mut drift = Drift::default();
    commit::compare(packet, repository.as_ref(), &git, &mut drift);
    let inner = directory.strip_prefix(root).unwrap_or(Path::new(""));
    dirty::compare(packet, inner, &git, &mut drift);
    tool::compare(packet, search_path, &foreign, &mut drift);
    file::compare(packet, directory, &mut drift);
    acceptance::compare(packet, directory, options, &mut drift);
    drift
}

/// How many checks a packet declares.
pub(crate) fn checks(packet: &Packet) -> usize {
    acceptance::declared(packet).count()
}

/// Every text in `context` with the name of its member: a text, a number, or each of a list.
pub(super) fn context_texts(packet: &Packet) -> impl Iterator<Item = (&str, String)> {
    let members = packet.object("context").into_iter().flatten();
    members.flat_map(|(name, value)| {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        values.iter().filter_map(move |value| Some((name.as_str(), text_of(value)?)))
    })
}

/// A commit or a version without quotes may have been read as a number.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
