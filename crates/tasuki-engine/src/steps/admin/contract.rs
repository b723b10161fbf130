//! Publishes a version of a contract.

use serde::Serialize;
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::contract::Identity;
use tasuki_packet::policy::contract::check::{self, Entry};

use crate::model::document::hash_of_digest;
use crate::model::{Change, Context, ContractRecord, Directory, Published, Record, Scope};
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Publishes a version of a contract.
#[derive(Debug, Clone, Serialize)]
pub struct PublishContract(pub ContractRecord);

/// A contract that was read.
#[derive(Debug)]
pub struct PreparedContract {
    record: ContractRecord,
    published: Box<Published>,
}

impl Step for PublishContract {
    const NAME: &'static str = "publish_contract";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = PreparedContract;

    fn prepare(&self, _: &PrepareInput) -> Result<PreparedContract, Refusal> {
        let published =
            Published::of(&self.0).map_err(|found| text::unpublishable("contract", found))?;
        Ok(PreparedContract { record: self.0.clone(), published: Box::new(published) })
    }
}

impl PreparedStep for PreparedContract {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        publish_contract(context, &self.record, &self.published)
    }
}

/// Decides the publication of a contract.
fn publish_contract(
    context: &Context<'_>,
    record: &ContractRecord,
    published: &Published,
) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let identity: Identity = published.compiled.contract().identity();
    let mut change = Change::default();
    change.answer.published = Some(identity.to_string());
    match context.state.directory.contract(&identity) {
        Some(known) if known.digest == published.digest => {
            change.answer.repeated = true;
            return Ok(change);
        }
        Some(_) => {
            let message = format!(
                "`{identity}` is already published with other content, and versions are immutable"
            );
            return Err(Refusal::new(RefusalCode::ContractChanged, message)
                .hint("publish it under the next version"));
        }
        None => {}
    }
    must_be_good(&context.state.directory, published)?;
    change
        .record_project_event(EventType::ContractPublished, context.actor())
        .with("contract", hash_of_digest(&published.digest));
    change.records.push(Record::Contract(record.clone()));
    Ok(change)
}

/// Refuses a contract that conflicts with those of the project. This is decided in the worker: two
/// contracts that are valid separately can form a loop together.
pub(crate) fn must_be_good(directory: &Directory, published: &Published) -> Result<(), Refusal> {
    let entry = |published: &Published| Entry {
        source: String::new(),
        contract: published.compiled.contract().clone(),
        compiled: Ok(published.compiled.clone()),
    };
    let there: Vec<Entry> = directory.contracts().map(|one| entry(one)).collect();
    let found = check::addition(&there, &entry(published));
    if found.is_empty() {
        return Ok(());
    }
    let identity = published.compiled.contract().identity();
    Err(text::unpublishable(&format!("contract `{identity}`"), found))
}
