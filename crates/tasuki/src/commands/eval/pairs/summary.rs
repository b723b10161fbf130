//! Compares the conditions of a run.

use serde::Serialize;

use super::Condition;
use super::record::TrialResult;

/// The averages of each condition.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) conditions: Vec<ConditionSummary>,
}

/// The trials under one condition. Averages are per trial.
#[derive(Debug, Serialize)]
pub(super) struct ConditionSummary {
    pub(super) condition: Condition,
    pub(super) trials: usize,
    pub(super) facts: usize,
    pub(super) facts_kept: usize,
    /// Facts in the document of the last handover.
    pub(super) facts_handed: usize,
    pub(super) verified: usize,
    pub(super) fields_missing: f64,
    pub(super) clarifications: f64,
    pub(super) rework: f64,
    pub(super) repairs: f64,
    pub(super) failed_steps: usize,
    pub(super) seconds: f64,
    /// Tokens of the document of the last handover.
    pub(super) tokens_handed: f64,
    pub(super) tokens_prompts: f64,
    /// `None` if the agent reports none.
    pub(super) tokens_reported: Option<f64>,
}

impl Summary {
    pub(super) fn of(results: &[&TrialResult]) -> Self {
        let conditions = Condition::ALL.into_iter().filter_map(|condition| {
            let these: Vec<_> = results
                .iter()
                .filter(|result| result.key.condition == condition)
                .copied()
                .collect();
            (!these.is_empty()).then(|| ConditionSummary::of(condition, &these))
        });
        Self { conditions: conditions.collect() }
    }

    pub(super) fn to_markdown(&self) -> String {
        let mut text = "| condition | trials | facts kept | facts in the last document | verified \
                        | missing fields | clarifications | rework | seconds | tokens handed over \
                        | tokens told | tokens reported |\n\
                        |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
        for one in &self.conditions {
            let reported =
                one.tokens_reported.map_or("-".to_owned(), |count| format!("{count:.0}"));
            text.push_str(&format!(
                "| {} | {} | {} of {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} | {reported} |\n",
                one.condition.as_str(),
                one.trials,
                one.facts_kept,
                one.facts,
                one.facts_handed,
                one.verified,
                one.fields_missing,
                one.clarifications,
                one.rework,
                one.seconds,
                one.tokens_handed,
                one.tokens_prompts,
            ));
        }
        text
    }
}

impl ConditionSummary {
    fn of(condition: Condition, results: &[&TrialResult]) -> Self {
        let sum = |count: &dyn Fn(&TrialResult) -> usize| -> usize {
            results.iter().map(|result| count(result)).sum()
        };
        let average = |value: &dyn Fn(&TrialResult) -> f64| -> f64 {
            let sum: f64 = results.iter().map(|result| value(result)).sum();
            sum / number(results.len())
        };
        let last = |counts: &[usize]| counts.last().copied().unwrap_or_default();
        let reported = results.iter().filter_map(|result| result.tokens.reported).sum::<u64>();
        Self {
            condition,
            trials: results.len(),
            facts: sum(&|result| result.facts),
            facts_kept: sum(&|result| result.facts_kept),
            facts_handed: sum(&|result| last(&result.facts_handed)),
            verified: sum(&|result| usize::from(result.verified)),
            fields_missing: average(&|result| number(result.fields_missing)),
            clarifications: average(&|result| number(result.clarifications)),
            rework: average(&|result| f64::from(result.rework)),
            repairs: average(&|result| f64::from(result.repairs)),
            failed_steps: sum(&|result| usize::try_from(result.failed_steps).unwrap_or(usize::MAX)),
            seconds: average(&|result| result.seconds),
            tokens_handed: average(&|result| number(last(&result.tokens.handed))),
            tokens_prompts: average(&|result| number(result.tokens.prompts)),
            tokens_reported: results.iter().any(|result| result.tokens.reported.is_some()).then(
                || number(usize::try_from(reported).unwrap_or(usize::MAX)) / number(results.len()),
            ),
        }
    }
}

/// Describes a finished trial in one line.
pub(super) fn line(result: &TrialResult) -> String {
    let (case, condition) = (&result.key.case, result.key.condition.as_str());
    let verified = if result.verified { "verified" } else { "not verified" };
    format!(
        "{case}, {condition}: {} of {} facts kept, {verified}, {:.1} s",
        result.facts_kept, result.facts, result.seconds
    )
}

/// Converts a count, which is far below the limit of exact integers.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
