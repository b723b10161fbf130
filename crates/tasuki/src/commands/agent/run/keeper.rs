//! Keeps a claim while a process lives: renews it, saves checkpoints, and leaves the continuation.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{Begin, Checkpoint, Claim, Renew};
use tasuki_packet::duration::Duration as Lease;

use crate::backend::Backend;
use crate::backend::crash_record::{CrashRecord, Ending, RecordedClaim, checkpoint_packet};
use crate::backend::spool::{Spool, deliver_file};
use crate::commands::agent::work_tree::Tree;
use crate::config::{Flags, SessionName};
use crate::data_dir::current_work_tree;
use crate::data_dir::sessions::StoredClaim;
use crate::exit::{Exit, Failure};
use crate::git::snapshot::Cause;

/// The lease that is renewed while the process lives.
const LEASE: Lease = match Lease::from_milliseconds(120_000) {
    Some(lease) => lease,
    None => Lease::MAX,
};

/// The interval between renewals, a third of the lease.
const RENEWAL: Duration = Duration::from_secs(40);

/// A claim that is kept.
pub(super) struct Keeper<'a> {
    pub(super) exchange: &'a dyn Backend,
    pub(super) flags: &'a Flags,
    pub(super) session: &'a SessionName,
    claim: ClaimProof,
    renewed: Instant,
    checked: Instant,
    saved: Option<String>,
}

impl<'a> Keeper<'a> {
    /// Claims the named task, or begins one.
    pub(super) fn take(
        exchange: &'a dyn Backend,
        flags: &'a Flags,
        session: &'a SessionName,
        (task, goal): (Option<&str>, &str),
    ) -> Result<(Self, api::CommandResponse), Failure> {
        let tree = Tree::here();
        let is_open = |one: &api::Handoff| {
            api::StateWord::named(&one.state).is_some_and(api::StateWord::is_open)
        };
        let known = task.and_then(|task| exchange.resolve(task).ok()).filter(is_open);
        let command = if let Some(handoff) = known {
            let handoff = Some(crate::backend::parse_id(&handoff)?);
            Command::Claim(Claim { handoff, lease: Some(LEASE), ..Claim::default() })
        } else {
            let own = exchange.own_name()?;
            let mut packet = serde_json::json!({
                "handoff_version": "1.0", "from_agent": own, "to_agent": own,
                "status": "in_progress", "goal": goal, "completed": [], "remaining": [],
            });
            if let Some(task) = task {
                packet["task_id"] = task.into();
            }
            Command::Begin(Begin {
                source: packet.to_string().into_bytes(),
                lease: Some(LEASE),
                work_tree: tree.work_tree.clone(),
                ..Begin::default()
            })
        };
        let answer = exchange.run(command, None)?;
        let malformed = || Failure::usage("malformed response: no claim");
        let claim = answer.claim.as_ref().ok_or_else(malformed)?;
        let handoff = answer.handoff.as_ref().ok_or_else(malformed)?;
        let stored = StoredClaim::new(claim, &handoff.task)
            .map_err(|error| Failure::usage(format!("malformed response: {error}")))?;
        exchange.store_claim(claim, &handoff.task)?;
        exchange.update_hook_notes(|notes| notes.started_with.clone_from(&tree.fingerprint))?;
        let now = Instant::now();
        let claim = stored.proof();
        let (renewed, checked, saved) = (now, now, tree.fingerprint);
        Ok((Self { exchange, flags, session, claim, renewed, checked, saved }, answer))
    }

    /// Renews the lease and saves a checkpoint, if it is time. An exchange that is away is tried
    /// again later.
    pub(super) fn tick(&mut self, interval: Duration) {
        let now = Instant::now();
        if now.duration_since(self.checked) >= interval {
            self.checked = now;
            let tree = Tree::here();
            if tree.fingerprint.is_some() && tree.fingerprint != self.saved && self.save(&tree) {
                self.saved = tree.fingerprint;
                self.renewed = now;
            }
        }
        if now.duration_since(self.renewed) >= RENEWAL {
            self.renewed = now;
            let renew = Renew { claim: self.claim, lease: Some(LEASE) };
            let _later = self.exchange.run(Command::Renew(renew), None).is_err();
        }
    }

    fn save(&self, tree: &Tree) -> bool {
        let source = checkpoint_packet(&Value::Null, None);
        let (claim, work_tree) = (self.claim, tree.work_tree.clone());
        let checkpoint = Checkpoint { claim, source, work_tree };
        let Ok(answer) = self.exchange.run(Command::Checkpoint(checkpoint), None) else {
            return false;
        };
        if let (Some(handoff), Ok(party)) = (&answer.handoff, self.exchange.own_name()) {
            let here = Path::new(".");
            self.exchange.start_snapshot(here, &handoff.task, &party, Cause::Checkpoint);
        }
        true
    }

    /// Leaves the continuation, unless the agent has ended its claim. Returns `true` if it did.
    pub(super) fn leave(&self, reason: String) -> Result<bool, Failure> {
        let sessions = self.exchange.sessions()?;
        let stored = sessions.read(self.session)?;
        let mut live = stored.claims.iter().filter(|one| self.exchange.is_claim_live(one));
        let claim = live.find(|one| one.handoff == self.claim.handoff);
        if let Some(claim) = claim {
            let is_remote = self.exchange.settings().url.is_some();
            let handoff = claim.handoff.to_string();
            let record = CrashRecord {
                party: claim.party.clone().filter(|_| !is_remote),
                session: self.session.as_str().to_owned(),
                claim: Some(RecordedClaim { handoff, fence: claim.fence }),
                begin: None,
                at: self.exchange.now(),
                directory: current_work_tree(),
                reason,
                ending: Ending::Release,
                context: Value::Null,
                work_tree: Tree::here().work_tree,
            };
            let file = Spool::in_folder(&self.exchange.drafts_dir()?).write(&record)?;
            match deliver_file(&file, self.flags) {
                // The next command delivers it.
                Err(failure) if failure.exit == Exit::Unavailable => {}
                delivered => delivered?,
            }
        }
        let is_left = claim.is_some();
        sessions.update(self.session, |session| {
            session.hook = None;
            session.claims.clear();
        })?;
        Ok(is_left)
    }
}
