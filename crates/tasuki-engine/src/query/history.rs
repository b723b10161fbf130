//! Checkpoints of a handoff, and the versions of the actions that it was held for.

use tasuki_api as api;

use crate::error::Error;
use crate::model::{DocumentKind, Handoff};
use crate::ports::Stored;
use crate::query::continuation::{Reader, body};

impl Reader<'_> {
    /// Returns the checkpoints of a handoff, oldest first.
    pub async fn checkpoints(
        &self,
        handoff: &Handoff,
    ) -> Result<Vec<api::CheckpointRecord>, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let stored = self.documents(handoff, Some(DocumentKind::Checkpoint)).await?;
        let trees = self.documents(handoff, Some(DocumentKind::WorkTree)).await?;
        let mut checkpoints = Vec::with_capacity(stored.len());
        for one in &stored {
            let event = self.event_of(one).await?;
            let packet = body(one)?;
            checkpoints.push(api::CheckpointRecord {
                n: one.n,
                by: event.actor,
                at: event.at,
                packet,
                work_tree: tree_of(&trees, &one.document.id),
            });
        }
        Ok(checkpoints)
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

/// Returns the work tree that was stated with the document of this id.
fn tree_of(trees: &[Stored], id: &str) -> Option<api::WorkTree> {
    let tree = trees.iter().find(|tree| tree.document.id == id)?;
    serde_json::from_str(&tree.document.sealed.body).ok()
}
