//! Changes the settings of the project.

use serde::Serialize;
use serde_json::{Map, Value};
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::contract::PartyName;

use crate::limits::{REMIND_AFTER_MIN, SETTLE_STEPS_MAX};
use crate::model::document::hash_of_digest;
use crate::model::{Change, Context, Record, Scope, Settings};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Changes settings of the project. Omitted ones stay as they are.
#[derive(Debug, Clone, Serialize)]
pub struct SetSettings(pub Map<String, Value>);

impl Step for SetSettings {
    const NAME: &'static str = "set_settings";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(self.clone())
    }
}

impl PreparedStep for SetSettings {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        set_settings(context, &self.0)
    }
}

/// The causes that a rung may name.
const FALLBACK_REASONS: [&str; 6] =
    ["no_progress", "declined", "rejected", "expired", "lapsed", "parked"];

/// Decides a change of settings. Omitted settings stay, so that concurrent changes of different
/// settings both take effect.
fn set_settings(context: &Context<'_>, changes: &Map<String, Value>) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let before = &context.state.directory.settings;
    let settings = before.with(changes)?;
    must_work(&settings)?;
    let mut change = Change::default();
    if *before == settings {
        change.answer.repeated = true;
        return Ok(change);
    }
    change
        .record_project_event(EventType::ProjectChanged, context.actor())
        .with("settings", hash_of_digest(&settings.digest()));
    change.records.push(Record::Settings(settings));
    Ok(change)
}

/// Refuses settings that would block all work.
pub(crate) fn must_work(settings: &Settings) -> Result<(), Refusal> {
    let refuse = |message: String, hint: &str| {
        Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint(hint))
    };
    let (hops, attempts) = (u64::from(settings.hops), u64::from(settings.attempts));
    let open = settings.open_handoffs.unwrap_or(u64::MAX);
    for (name, value) in [("hops", hops), ("attempts", attempts), ("open_handoffs", open)] {
        if value == 0 {
            return refuse(
                format!("`{name}` must be at least 1, not 0"),
                "with 0, no work could move",
            );
        }
    }
    if let Some(after) = settings.remind_after.filter(|after| *after < REMIND_AFTER_MIN) {
        return refuse(
            format!("`remind_after` must be at least {REMIND_AFTER_MIN}, not {after}"),
            "more reminders would not be read; `null` turns them off",
        );
    }
    let rungs = settings.ladder.len();
    if rungs > SETTLE_STEPS_MAX {
        let message = format!("the ladder has {rungs} rungs; the limit is {SETTLE_STEPS_MAX}");
        return refuse(message, "remove some; the dead letter is implied after the last rung");
    }
    for step in &settings.ladder {
        if step.to != "dead_letter" && step.to.parse::<PartyName>().is_err() {
            let message = format!("the rung to `{}` does not name a party", step.to);
            return refuse(message, "name a party, a role, or `dead_letter`");
        }
        let is_reason = |on: &String| FALLBACK_REASONS.contains(&on.as_str());
        if let Some(on) = step.on.as_ref().filter(|on| !is_reason(on)) {
            let message = format!("the rung to `{}` has an unknown cause `{on}`", step.to);
            let hint = format!("use one of {}", FALLBACK_REASONS.join(", "));
            return refuse(message, &hint);
        }
    }
    Ok(())
}
