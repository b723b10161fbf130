//! Checkpoints of a handoff, and the versions of the actions that it was held for.

use tasuki_api as api;

use crate::error::Error;
use crate::model::{DocumentKind, Handoff};
use crate::query::continuation::{Reader, body};

impl Reader<'_> {
    /// Returns the checkpoints of a handoff, oldest first.
    pub async fn checkpoints(
        &self,
        handoff: &Handoff,
    ) -> Result<Vec<api::CheckpointRecord>, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let stored = self.documents(handoff, Some(DocumentKind::Checkpoint)).await?;
        let mut checkpoints = Vec::with_capacity(stored.len());
        for one in &stored {
            let event = self.event_of(one).await?;
            let packet = body(one)?;
            checkpoints.push(api::CheckpointRecord {
                n: one.n,
                by: event.actor,
                at: event.at,
                packet,
            });
        }
        Ok(checkpoints)
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
