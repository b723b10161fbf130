//! Checks the hooks of agents: those that failed, and records that were not delivered.

use super::finding::Finding;
use crate::backend::spool::Spool;
use crate::commands::agent::hook::Failures;
use crate::data_dir::DataDir;
use crate::output::escape::excerpt;
use crate::output::printer::counted;

/// Returns a finding for failed hooks of the last week, and one for waiting crash records.
pub(super) fn checks(data_dir: &DataDir) -> Vec<Finding> {
    let failed = Failures::of_user().recent();
    let hooks = failed.last().map(|last| {
        let (count, at) = (counted(failed.len(), "failed hook"), last.at);
        let (host, event, why) = (excerpt(&last.host), &last.event, excerpt(&last.message));
        let message =
            format!("{count} in the last 7 days; {host} {} at {at:.0}: {why}", excerpt(event));
        Finding::warning("hooks", message).remedy("`tasuki connect --check` tries the hooks")
    });
    let waiting = Spool::in_folder(data_dir.path()).files().len();
    let spool = (waiting > 0).then(|| {
        let message = format!("{} not delivered", counted(waiting, "crash record"));
        Finding::warning("spool", message).remedy("the next command as any party delivers them")
    });
    hooks.into_iter().chain(spool).collect()
}
