//! The whole comparison. Checks run last, because they may write to the files that are compared.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tasuki_packet::{Packet, duration};

use super::commit::{self, NO_REPOSITORY};
use super::finding::Drift;
use super::git::Git;
use super::{acceptance, dirty, file, tool};
use crate::git::find;
use crate::git::head::Repository;

/// The permissions and the environment of a comparison.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// `true` to execute the commands of the packet.
    pub(crate) run_checks: bool,
    /// The time limit of each command.
    pub(crate) check_timeout: Duration,
    /// The `PATH` to find git and other tools on.
    pub(crate) search_path: Option<OsString>,
}

impl Options {
    /// Returns options that run no command of the packet.
    pub(crate) fn looking_only(search_path: Option<OsString>) -> Self {
        Self { run_checks: false, check_timeout: Duration::ZERO, search_path }
    }

    /// Returns options that run the checks of the packet, each with this time limit.
    pub(crate) fn running(search_path: Option<OsString>, at_most: duration::Duration) -> Self {
        let check_timeout = Duration::from_millis(at_most.milliseconds());
        Self { run_checks: true, check_timeout, search_path }
    }
}

/// Compares the facts of a packet with the current state of a directory. The result is a statement
/// of the caller, and proves nothing to others.
pub(crate) fn check(packet: &Packet, directory: &Path, options: &Options) -> Drift {
    // An unresolvable directory counts as empty, which the findings show.
    let directory = &directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let repository = Repository::around(directory);
    let root = repository.as_ref().map_or(directory.as_path(), |found| &found.root);
    let foreign = [directory.as_path(), root];
    let search_path = options.search_path.as_deref();
    let git = match &repository {
        Some(_) => find::program("git", search_path, &foreign)
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

/// Counts the checks that a packet declares.
pub(crate) fn checks(packet: &Packet) -> usize {
    acceptance::declared(packet).count()
}

/// Returns every text or number in `context`, alone or in a list, with the name of its member.
pub(super) fn context_texts(packet: &Packet) -> impl Iterator<Item = (&str, String)> {
    let members = packet.object("context").into_iter().flatten();
    members.flat_map(|(name, value)| {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        values.iter().filter_map(move |value| Some((name.as_str(), text_of(value)?)))
    })
}

/// Returns a value as text. An unquoted commit or version may have been parsed as a number.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
