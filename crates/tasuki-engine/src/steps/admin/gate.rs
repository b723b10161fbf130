//! Publishes a version of a gate.

use serde::Serialize;
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::gate::Gate;

use crate::model::document::hash_of_digest;
use crate::model::{Change, Context, GateRecord, Record, Scope};
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Publishes a version of a gate.
#[derive(Debug, Clone, Serialize)]
pub struct PublishGate(pub GateRecord);

/// A gate that was read.
#[derive(Debug)]
pub struct PreparedGate {
    record: GateRecord,
    gate: Box<Gate>,
}

impl Step for PublishGate {
    const NAME: &'static str = "publish_gate";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = PreparedGate;

    fn prepare(&self, _: &PrepareInput) -> Result<PreparedGate, Refusal> {
        let gate =
            Gate::read(&self.0.document).map_err(|found| text::unpublishable("gate", found))?;
        Ok(PreparedGate { record: self.0.clone(), gate: Box::new(gate) })
    }
}

impl PreparedStep for PreparedGate {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        publish_gate(context, &self.record, &self.gate)
    }
}

/// Decides the publication of a gate.
fn publish_gate(
    context: &Context<'_>,
    record: &GateRecord,
    gate: &Gate,
) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let digest = gate.digest();
    let mut change = Change::default();
    change.answer.published = Some(gate.identity().to_string());
    let directory = &context.state.directory;
    if directory.gate(&digest).is_some() {
        change.answer.repeated = true;
        return Ok(change);
    }
    if directory.published_gate(&gate.identity()).is_some() {
        let message = format!(
            "gate `{}` is already published with other content, and versions are immutable",
            gate.identity()
        );
        return Err(Refusal::new(RefusalCode::ContractChanged, message)
            .hint("publish it under the next version"));
    }
    change
        .record_project_event(EventType::GatePublished, context.actor())
        .with("gate", hash_of_digest(&digest));
    change.records.push(Record::Gate(record.clone()));
    Ok(change)
}
