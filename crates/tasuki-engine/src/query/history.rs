//! Checkpoints of a handoff, the progress they make, and the versions of the actions that it was held for.

use tasuki_api as api;
use tasuki_packet::Packet;
use tasuki_packet::chain::DueSignOff;
use tasuki_packet::chain::continuation::{Step, headline, step_counts, steps};

use crate::error::{Error, Fault, FaultKind};
use crate::model::{DocumentKind, Handoff};
use crate::ports::Stored;
use crate::ports::store::read_packet;
use crate::query::continuation::{Reader, body};
use crate::query::events::event;
use crate::rules::deciders::sign_offs;

impl Reader<'_> {
    /// Returns the checkpoints of a handoff, oldest first.
    pub async fn checkpoints(
        &self,
        handoff: &Handoff,
    ) -> Result<Vec<api::CheckpointRecord>, Error> {
        let packet = self.revision(handoff, handoff.facts.revision).await?.packet;
        Ok(self.recorded(handoff, &packet).await?.0)
    }

    /// Returns the progress of a task: what is done and left now, and the newest checkpoints.
    pub async fn progress(&self, handoff: &Handoff) -> Result<api::Progress, Error> {
        let packet = self.revision(handoff, handoff.facts.revision).await?.packet;
        let (records, packets) = self.recorded(handoff, &packet).await?;
        let (done, left): (Vec<Step>, Vec<Step>) =
            steps(&packet, &packets).into_iter().partition(|step| step.is_done);
        let step = |step: Step| {
            let record = step.done_in.and_then(|index| records.get(index));
            let (by, at) = record.map(|record| (record.by.clone(), record.at)).unzip();
            api::Step { number: step.number, text: step.text, by, at }
        };
        let newest = records.len().saturating_sub(CHECKPOINTS_SHOWN_MAX);
        Ok(api::Progress {
            done: done.into_iter().map(step).collect(),
            left: left.into_iter().map(step).collect(),
            signed_off: sign_offs::given(&handoff.progress, &DueSignOff::of(&packet)),
            alive_at: handoff.alive_at(),
            checkpoints: records[newest..].iter().map(note).collect(),
        })
    }

    /// Returns the checkpoints of a handoff with their packets. Most handoffs have none, and need no
    /// read.
    async fn recorded(
        &self,
        handoff: &Handoff,
        packet: &Packet,
    ) -> Result<(Vec<api::CheckpointRecord>, Vec<Packet>), Error> {
        if handoff.progress.checkpoint.is_none() {
            return Ok((Vec::new(), Vec::new()));
        }
        let stored = self.documents(handoff, Some(DocumentKind::Checkpoint)).await?;
        let trees = self.documents(handoff, Some(DocumentKind::WorkTree)).await?;
        let leaves = self.store.leaves_of(self.project, handoff.id).await?;
        let packets = stored.iter().map(read_packet).collect::<Result<Vec<Packet>, _>>()?;
        let counts = step_counts(packet, &packets);
        let mut records = Vec::with_capacity(stored.len());
        for ((one, packet), (done, left)) in stored.iter().zip(&packets).zip(counts) {
            let leaf = leaves.iter().find(|leaf| leaf.n == one.n);
            let event = event(leaf.ok_or_else(|| leaf_missing(one))?)?;
            records.push(api::CheckpointRecord {
                n: one.n,
                by: event.actor,
                at: event.at,
                text: headline(packet),
                steps: api::StepCounts { done, left },
                packet: packet.to_value(),
                work_tree: tree_of(&trees, &one.document.id),
            });
        }
        Ok((records, packets))
    }

    /// Returns the work tree of the latest command that stated one.
    pub(super) async fn last_work_tree(
        &self,
        handoff: &Handoff,
    ) -> Result<Option<api::WorkTree>, Error> {
        let trees = self.documents(handoff, Some(DocumentKind::WorkTree)).await?;
        Ok(trees.last().and_then(|last| serde_json::from_str(&last.document.sealed.body).ok()))
    }

    /// Returns the versions of the actions of a handoff, oldest first.
    pub async fn actions(&self, handoff: &Handoff) -> Result<Vec<api::ActionVersion>, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let stored = self.documents(handoff, Some(DocumentKind::Action)).await?;
        let mut versions = Vec::with_capacity(stored.len());
        for one in &stored {
            let event = self.event_of(one).await?;
            versions.push(api::ActionVersion {
                n: one.n,
                id: one.document.id.clone(),
                digest: one.document.sealed.digest.clone(),
                by: event.actor,
                at: event.at,
                action: body(one)?,
            });
        }
        Ok(versions)
    }
}

/// LIMIT: checkpoints that the progress of a handoff has; `GET …/checkpoints` lists all.
const CHECKPOINTS_SHOWN_MAX: usize = 20;

fn note(record: &api::CheckpointRecord) -> api::CheckpointNote {
    let api::CheckpointRecord { n, by, at, text, steps, .. } = record;
    api::CheckpointNote { n: *n, by: by.clone(), at: *at, text: text.clone(), steps: *steps }
}

fn leaf_missing(stored: &Stored) -> Fault {
    Fault::new(FaultKind::Corrupt, format!("leaf {} is missing", stored.n))
}

/// Returns the work tree that was stated with the document of this id.
fn tree_of(trees: &[Stored], id: &str) -> Option<api::WorkTree> {
    let tree = trees.iter().find(|tree| tree.document.id == id)?;
    serde_json::from_str(&tree.document.sealed.body).ok()
}
