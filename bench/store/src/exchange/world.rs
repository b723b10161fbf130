//! An exchange with one sender, a hundred receivers and the contract between them.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use serde_json::json;
use tasuki_api::CommandResponse;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::Error;
use tasuki_engine::model::{ContractRecord, Principal, Settings};
use tasuki_engine::ports::System;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{AddParty, PublishContract, checkpoint, claim, return_packet, submit};
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::ActorKind;
use tasuki_store::{Options, SqliteStore};

use super::timed::{PHASES, Timed};
use crate::meter::Meter;
use crate::work;

const PROJECT: &str = "bench";
/// The party that sends every packet.
pub const SENDER: &str = "scaffolder";

/// An exchange that is ready for handoffs.
#[derive(Clone)]
pub struct World {
    /// The engine.
    pub engine: Engine,
    /// Its store.
    pub store: Arc<SqliteStore>,
    /// The project.
    pub project: ProjectId,
    /// The time of the writer per phase.
    pub meter: Arc<Meter>,
    sender: Principal,
    receivers: Arc<Vec<Principal>>,
}

impl World {
    /// Opens the exchange in a directory, with its parties and its contract.
    pub async fn open(directory: &Path) -> anyhow::Result<Self> {
        Self::open_with(directory, Options { serve: true, ..Options::default() }).await
    }

    /// Opens the exchange with other options of the store.
    pub async fn open_with(directory: &Path, options: Options) -> anyhow::Result<Self> {
        let store = Arc::new(SqliteStore::open(directory, options).map_err(|f| anyhow!(f))?);
        let meter = Arc::new(Meter::new(PHASES));
        let timed = Arc::new(Timed::new(Arc::clone(&store), Arc::clone(&meter)));
        let engine = Engine::start(timed, Arc::new(System), Arc::new(System));
        let project = match engine.project(PROJECT).await {
            Ok(project) => project,
            Err(_) => create_project(&engine, PROJECT).await?,
        };
        let directory = engine.directory(project).await?;
        let principal = |name: &str| {
            let party = directory.find(name).map_err(Error::from)?;
            Ok::<_, anyhow::Error>(Principal::local(party.id, ActorKind::Agent))
        };
        let receivers: Result<_, _> =
            (0..work::RECEIVERS).map(|number| principal(&work::receiver(number))).collect();
        let sender = principal(SENDER)?;
        Ok(Self { engine, store, project, meter, sender, receivers: Arc::new(receivers?) })
    }

    /// Submits the packet of a number.
    pub async fn submit(&self, number: u64) -> anyhow::Result<HandoffId> {
        let source = work::packet(number).into();
        let request = submit::Submit { source, ..submit::Submit::default() };
        let answer = self.run(&self.sender, Command::Submit(request)).await?;
        let handoff = answer.handoff.ok_or_else(|| anyhow!("no handoff in the response"))?;
        anyhow::ensure!(handoff.state == "offered", "the handoff is {}", handoff.state);
        Ok(handoff.id.parse()?)
    }

    /// Claims it as its receiver.
    pub async fn claim(&self, number: u64, handoff: HandoffId) -> anyhow::Result<u64> {
        let request = claim::Claim { handoff: Some(handoff), ..claim::Claim::default() };
        let answer = self.run(self.receiver(number), Command::Claim(request)).await?;
        Ok(answer.claim.ok_or_else(|| anyhow!("no claim in the response"))?.fence)
    }

    /// Records a checkpoint.
    pub async fn leave_checkpoint(&self, number: u64, shown: ClaimProof) -> anyhow::Result<()> {
        let source = work::checkpoint(number).into();
        let request = checkpoint::Checkpoint { claim: shown, source, work_tree: None };
        self.run(self.receiver(number), Command::Checkpoint(request)).await?;
        Ok(())
    }

    /// Returns the handoff.
    pub async fn give_back(&self, number: u64, shown: ClaimProof) -> anyhow::Result<()> {
        let source = work::return_packet(number).into();
        let request = return_packet::Return { claim: shown, source, work_tree: None };
        self.run(self.receiver(number), Command::Return(request)).await?;
        Ok(())
    }

    /// Returns the receiver of a number.
    pub fn receiver(&self, number: u64) -> &Principal {
        &self.receivers[usize::try_from(number % work::RECEIVERS).unwrap_or_default()]
    }

    async fn run(
        &self,
        principal: &Principal,
        command: Command,
    ) -> anyhow::Result<CommandResponse> {
        let (project, principal) = (self.project, principal.clone());
        Ok(self.engine.run(Call { project, principal, command, key: None }).await?)
    }
}

/// Creates a project, its parties and the contract on their edges.
pub async fn create_project(engine: &Engine, name: &str) -> anyhow::Result<ProjectId> {
    let project = engine.create_project(name, Settings::default()).await?;
    let run = |command| async {
        let principal = Principal::system();
        engine.run(Call { project, principal, command, key: None }).await
    };
    let receivers: Vec<String> = (0..work::RECEIVERS).map(work::receiver).collect();
    for name in receivers.iter().map(String::as_str).chain([SENDER]) {
        let request = AddParty { name: name.to_owned(), ..AddParty::default() };
        run(Command::AddParty(request)).await?;
    }
    let document = json!({
        "contract": "webpart", "version": "1.0", "from": [SENDER], "to": receivers,
        "payload_schema": { "type": "array" },
        "scope": { "is": "a part of a website" },
        "confidence": { "required": false, "hold_below": 0.2 },
        "provenance": { "require": [] },
        "fallback": [{ "to": "dead_letter" }],
        "returns": { "require": ["status"] },
    });
    let record = ContractRecord { document, schemas: std::collections::BTreeMap::new() };
    run(Command::PublishContract(PublishContract(record))).await?;
    Ok(project)
}
