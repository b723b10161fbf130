//! A handoff with everything about it that a caller may read.

use tasuki_api as api;

use crate::error::Error;
use crate::model::Handoff;
use crate::query::continuation::Reader;
use crate::view::{self, Viewer};

impl Reader<'_> {
    /// Returns a handoff with a revision of its packet. The commands that the caller may give are
    /// left out, because they need the state of the project.
    pub async fn details(
        &self,
        handoff: &Handoff,
        revision: u32,
    ) -> Result<api::HandoffDetails, Error> {
        let directory = &*self.directory;
        let own_claim = handoff.claim().filter(|claim| claim.holder == self.principal.party);
        let viewer = Viewer { directory, principal: self.principal, now: self.now };
        let in_place_of = viewer.in_place_of(handoff);
        let card = api::Handoff { in_place_of, ..view::handoff(directory, handoff) };
        Ok(api::HandoffDetails {
            reference: card.reference(),
            handoff: card,
            packet: self.revision(handoff, revision).await?.packet.to_value(),
            action: self.action(handoff).await?,
            approval: self.approval(handoff).await?,
            questions: self.open_questions(handoff).await?,
            decisions: self.decisions(handoff).await?,
            ladder: view::ladder(handoff),
            claim: own_claim.map(|claim| view::claim(directory, handoff, claim)),
            allowed: Vec::new(),
            progress: Some(self.progress(handoff).await?),
            claim_statement: self.said_on_claim(handoff).await?,
            returned: self.last_return(handoff).await?,
            work_tree: self.last_work_tree(handoff).await?,
        })
    }
}
