//! The record that a session leaves when it ends: a last checkpoint, and the end of its claim.
//!
//! A record is written to the spool before it is sent, so that it survives a server that is away and
//! a host that kills its hooks. The next command delivers what is left in the spool: see `spool`.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tasuki_api::WorkTree;
use tasuki_engine::command::Command;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{Begin, Checkpoint, Claim, Park, Release};
use tasuki_packet::check::secrets;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::HandoffId;

use super::Backend;
use crate::exit::{Exit, Failure};
use crate::git::snapshot::Cause;

/// LIMIT: characters of the text that is taken from a transcript.
pub(crate) const QUOTED_CHARACTERS_MAX: usize = 2_000;

/// LIMIT: the age of a record for which the work tree is still that of the session.
const SNAPSHOT_AGE_MAX: SignedDuration = SignedDuration::from_secs(60);

/// The lease of a claim that hooks renew with every turn of the agent.
pub(crate) const HOOK_LEASE: Duration = match Duration::from_milliseconds(3_600_000) {
    Some(lease) => lease,
    None => Duration::MAX,
};

/// The last record of a session about its task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CrashRecord {
    /// The party. A server knows it from the token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) party: Option<String>,
    /// The session that has ended.
    pub(crate) session: String,
    /// The claimed handoff and its fence. Without one, a task is begun for what is left.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) claim: Option<RecordedClaim>,
    /// The task to begin if nothing is claimed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) begin: Option<NewTask>,
    /// When the record was written.
    pub(crate) at: Timestamp,
    /// The directory of the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) directory: Option<String>,
    /// How the session ended.
    pub(crate) reason: String,
    pub(crate) ending: Ending,
    /// The knowledge of the session, for the next holder.
    #[serde(default)]
    pub(crate) context: Value,
    /// The work tree of the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) work_tree: Option<WorkTree>,
}

/// A claim of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedClaim {
    pub(crate) handoff: String,
    pub(crate) fence: u64,
}

/// A task that a hook begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NewTask {
    pub(crate) task: String,
    pub(crate) goal: String,
}

/// The end of the claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    /// The work is offered again at once.
    Release,
    /// The work can be claimed from this instant on.
    Park(Timestamp),
    /// The session goes on and keeps its claim.
    Keep,
}

impl CrashRecord {
    /// Saves the checkpoint and ends the claim. Sending it twice with the same key has no further
    /// effect.
    pub(super) fn deliver(&self, exchange: &dyn Backend, key: &str) -> Result<(), Failure> {
        let Some(claim) = self.claim(exchange)? else { return Ok(()) };
        let source = checkpoint_packet(&self.context, Some(&self.reason));
        let work_tree = self.work_tree.clone();
        let checkpoint = Command::Checkpoint(Checkpoint { claim, source, work_tree });
        let answer = exchange.run(checkpoint, Some(format!("{key}-checkpoint")))?;
        if let Some(handoff) = &answer.handoff {
            self.start_snapshot(exchange, &handoff.task)?;
        }
        let reason = Some(self.reason.clone());
        let end = match self.ending {
            Ending::Keep => return Ok(()),
            Ending::Release => Command::Release(Release { claim, reason }),
            Ending::Park(not_before) => Command::Park(Park { claim, not_before, reason }),
        };
        exchange.run(end, Some(format!("{key}-end")))?;
        exchange.remove_claim(claim.handoff)
    }

    /// Takes a snapshot of the work tree, unless it may have changed since.
    fn start_snapshot(&self, exchange: &dyn Backend, task: &str) -> Result<(), Failure> {
        let age = exchange.now().duration_since(self.at);
        if let Some(directory) = self.directory.as_ref().filter(|_| age <= SNAPSHOT_AGE_MAX) {
            let party = exchange.own_name()?;
            exchange.start_snapshot(Path::new(directory), task, &party, Cause::Crash);
        }
        Ok(())
    }

    fn claim(&self, exchange: &dyn Backend) -> Result<Option<ClaimProof>, Failure> {
        if let Some(claim) = &self.claim {
            let malformed = |error| Failure::usage(format!("malformed crash record: {error}"));
            let handoff: HandoffId = claim.handoff.parse().map_err(malformed)?;
            return Ok(Some(ClaimProof { handoff, fence: claim.fence }));
        }
        let new = self.begin.as_ref();
        new.map(|new| new.begin(exchange, self.work_tree.clone())).transpose()
    }
}

impl NewTask {
    /// Begins the task, or claims it if an earlier session with the same name left it.
    pub(crate) fn begin(
        &self,
        exchange: &dyn Backend,
        work_tree: Option<WorkTree>,
    ) -> Result<ClaimProof, Failure> {
        let own = exchange.own_name()?;
        let packet = json!({
            "handoff_version": "1.0",
            "task_id": self.task,
            "from_agent": own,
            "to_agent": own,
            "status": "in_progress",
            "goal": self.goal,
            "completed": [],
            "remaining": [],
        });
        let begin = Begin {
            source: packet.to_string().into_bytes(),
            lease: Some(HOOK_LEASE),
            is_automatic: true,
            work_tree,
            ..Begin::default()
        };
        let answer = match exchange.run(Command::Begin(begin), None) {
            Err(refused) if refused.exit == Exit::Conflict => {
                let handoff = Some(exchange.resolve_id(&self.task)?);
                let lease = Some(HOOK_LEASE);
                exchange.run(Command::Claim(Claim { handoff, lease, ..Claim::default() }), None)?
            }
            answer => answer?,
        };
        let malformed = || Failure::usage("malformed response: no claim");
        let claim = answer.claim.ok_or_else(malformed)?;
        exchange.store_claim(&claim, &self.task)?;
        let handoff = claim.handoff.parse();
        let handoff =
            handoff.map_err(|error| Failure::usage(format!("malformed response: {error}")))?;
        Ok(ClaimProof { handoff, fence: claim.fence })
    }
}

/// Returns a checkpoint with these facts. It states no progress: only the agent knows that.
pub(crate) fn checkpoint_packet(context: &Value, ended: Option<&str>) -> Vec<u8> {
    let mut packet = json!({ "handoff_version": "1.0", "packet_type": "checkpoint" });
    if context.as_object().is_some_and(|facts| !facts.is_empty()) {
        packet["context"] = context.clone();
    }
    if let Some(reason) = ended {
        packet["trigger"] = json!({ "kind": "session_ended", "detail": reason });
    }
    secrets::redact(&mut packet);
    packet.to_string().into_bytes()
}

/// Returns text of a transcript as it may be stored: shortened, without control characters and
/// secrets.
pub(crate) fn quoted(text: &str, characters_max: usize) -> String {
    let mut value = Value::from(text);
    secrets::redact(&mut value);
    let text = value.as_str().unwrap_or_default();
    let is_shown = |c: &char| *c == '\n' || !c.is_control();
    text.chars().filter(is_shown).take(characters_max).collect::<String>().trim().to_owned()
}
