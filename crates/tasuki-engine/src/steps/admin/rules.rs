//! Sets the rules of the project.

use serde::Serialize;
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::rules::Rules;

use crate::model::document::hash_of_digest;
use crate::model::{Change, Context, Record, RulesRecord, Scope};
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::Refusal;
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Sets the rules of the project.
#[derive(Debug, Clone, Serialize)]
pub struct SetRules(pub RulesRecord);

/// Rules that were read.
#[derive(Debug)]
pub struct PreparedRules {
    record: RulesRecord,
    rules: Box<Rules>,
}

impl Step for SetRules {
    const NAME: &'static str = "set_rules";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = PreparedRules;

    fn prepare(&self, _: &PrepareInput) -> Result<PreparedRules, Refusal> {
        let rules = Rules::read(&self.0.document)
            .map_err(|found| text::unpublishable("rules document", found))?;
        Ok(PreparedRules { record: self.0.clone(), rules: Box::new(rules) })
    }
}

impl PreparedStep for PreparedRules {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        set_rules(context, &self.record, &self.rules)
    }
}

/// Decides the new rules of the project.
fn set_rules(
    context: &Context<'_>,
    record: &RulesRecord,
    rules: &Rules,
) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let mut change = Change::default();
    change.answer.published = Some("rules".to_owned());
    let known = context.state.directory.rules.as_ref();
    if known.is_some_and(|known| known.stated.digest() == rules.digest()) {
        change.answer.repeated = true;
        return Ok(change);
    }
    change
        .record_project_event(EventType::RulesPublished, context.actor())
        .with("rules", hash_of_digest(&rules.digest()));
    change.records.push(Record::Rules(record.clone()));
    Ok(change)
}
