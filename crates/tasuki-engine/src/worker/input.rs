//! Reads the stored data that a command needs before it is prepared.
//!
//! The data may be outdated by the time of the decision. The worker then has it prepared again.

use std::sync::Arc;

use serde_json::Value;
use tasuki_packet::Packet;
use tasuki_packet::check::verify;
use tasuki_packet::id::{HandoffId, ProjectId, QuestionId};

use crate::error::{Error, Fault, FaultKind};
use crate::limits::CHAIN_READ_MAX;
use crate::model::{CommandSeed, DocumentKind, Facts, Handoff, Principal};
use crate::ports::store::read_packet;
use crate::ports::{Store, Stored};
use crate::prepare::PrepareInput;
use crate::steps::Reads;
use crate::worker::cache::{Cache, Policy};

/// Reads the stored data that commands of one project need.
#[derive(Clone, Copy)]
pub(crate) struct InputReader<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) cache: &'a Cache,
    pub(crate) project: ProjectId,
}

impl InputReader<'_> {
    /// Reads the stored data that one command needs.
    pub(crate) async fn read(
        self,
        principal: &Principal,
        reads: Reads,
        seed: CommandSeed,
        policy: &Policy,
    ) -> Result<Box<PrepareInput>, Error> {
        let mut input = Box::new(PrepareInput {
            directory: Arc::clone(&policy.directory),
            caller: principal.party,
            authentication: principal.authentication,
            receivers: principal.receivers.clone(),
            fingerprint_key: policy.fingerprint_key,
            seed,
            handoff: None,
            facts: None,
            work: None,
            chain: Vec::new(),
            question: None,
        });
        if let Reads::ReturnRequirements(id) = reads
            && let Some((facts, requirements)) = self.cached_requirements(id)
        {
            (input.facts, input.chain) = (Some(facts), vec![requirements]);
        } else if let Some(id) = reads.handoff() {
            // Boxed, because few commands read, and every call would reserve the space.
            Box::pin(self.read_documents(id, reads, &mut input)).await?;
        }
        Ok(input)
    }

    /// Returns the facts of a handoff and its return requirements, if both are cached.
    fn cached_requirements(self, id: HandoffId) -> Option<(Arc<Facts>, Arc<Packet>)> {
        let facts = self.cache.facts(self.project, id)?;
        let requirements = self.cache.return_requirements((self.project, id, facts.revision))?;
        Some((facts, requirements))
    }

    async fn read_documents(
        self,
        id: HandoffId,
        reads: Reads,
        input: &mut PrepareInput,
    ) -> Result<(), Error> {
        if let Reads::ReturnRequirements(_) = reads {
            input.facts = self.cache.facts(self.project, id);
            if let Some(facts) = &input.facts {
                input.chain = vec![self.return_requirements(id, facts).await?];
                return Ok(());
            }
        }
        let handoff = self.store.handoff(self.project, id).await?;
        if let Some(handoff) = &handoff {
            input.chain = match reads {
                Reads::Nothing | Reads::Packet(_) | Reads::ReturnRequirements(_) => {
                    vec![self.packet(handoff).await?]
                }
                Reads::Parent(_) | Reads::Revision(_) | Reads::Answer(..) => {
                    self.chain(handoff).await?
                }
            };
            input.work = self.work(handoff, reads).await?;
        }
        input.handoff = handoff;
        if let Reads::Answer(_, question) = reads {
            input.question = self.question(input, id, question).await?;
        }
        Ok(())
    }

    /// Returns the facts of the handoff whose work is passed on: the named one, or a revision's
    /// parent.
    async fn work(self, handoff: &Handoff, reads: Reads) -> Result<Option<Arc<Facts>>, Error> {
        let parent = match reads {
            Reads::Parent(_) => return Ok(Some(Arc::clone(&handoff.facts))),
            Reads::Revision(_) | Reads::Answer(..) => handoff.facts.parent,
            Reads::Nothing | Reads::Packet(_) | Reads::ReturnRequirements(_) => None,
        };
        let Some(parent) = parent else { return Ok(None) };
        let parent = self.store.handoff(self.project, parent).await?;
        Ok(parent.map(|parent| parent.facts))
    }

    /// Returns the packets of a handoff and its ancestors, oldest first.
    async fn chain(self, handoff: &Handoff) -> Result<Vec<Arc<Packet>>, Error> {
        let mut packets = vec![self.packet(handoff).await?];
        let mut parent = handoff.facts.parent;
        while let Some(id) = parent.filter(|_| packets.len() < CHAIN_READ_MAX) {
            let Some(above) = self.store.handoff(self.project, id).await? else { break };
            packets.push(self.packet(&above).await?);
            parent = above.facts.parent;
        }
        packets.reverse();
        Ok(packets)
    }

    /// Returns the current packet of a handoff.
    pub(crate) async fn packet(self, handoff: &Handoff) -> Result<Arc<Packet>, Error> {
        let stored = self.stored_packet(handoff.id, handoff.facts.revision).await?;
        Ok(Arc::new(read_packet(&stored)?))
    }

    /// Returns what the current packet of a handoff requires of its return.
    async fn return_requirements(self, id: HandoffId, facts: &Facts) -> Result<Arc<Packet>, Error> {
        let revision = (self.project, id, facts.revision);
        if let Some(requirements) = self.cache.return_requirements(revision) {
            return Ok(requirements);
        }
        let stored = self.stored_packet(id, facts.revision).await?;
        let requirements = Arc::new(verify::requirements(read_packet(&stored)?));
        self.cache.put_return_requirements(
            revision,
            Arc::clone(&requirements),
            facts.summary.bytes,
        );
        Ok(requirements)
    }

    async fn stored_packet(self, id: HandoffId, revision: u32) -> Result<Stored, Error> {
        let kind = Some(DocumentKind::Packet);
        let stored = self.store.documents(self.project, id, kind).await?;
        let number = revision.to_string();
        let stored = stored.into_iter().find(|stored| stored.document.id == number);
        stored.ok_or_else(|| {
            let message = format!("revision {revision} of {id} is missing");
            Fault::new(FaultKind::Corrupt, message).into()
        })
    }

    /// Returns the text of the question to answer: the named one, or the first open one.
    async fn question(
        self,
        input: &PrepareInput,
        handoff: HandoffId,
        question: Option<QuestionId>,
    ) -> Result<Option<String>, Error> {
        let kind = Some(DocumentKind::Question);
        let stored = self.store.documents(self.project, handoff, kind).await?;
        let open = input.handoff.iter().flat_map(|handoff| &handoff.progress.questions).next();
        let id = question.or_else(|| open.map(|question| question.id));
        let id = id.map(|id| id.to_string());
        let found = stored.iter().find(|stored| id.as_ref() == Some(&stored.document.id));
        let value: Option<Value> =
            found.and_then(|stored| serde_json::from_str(&stored.document.sealed.body).ok());
        Ok(value.and_then(|value| value["question"].as_str().map(str::to_owned)))
    }
}
