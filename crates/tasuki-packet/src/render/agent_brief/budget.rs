//! Selects the parts of a draft that fit a token budget.
//!
//! A draft has a mandatory part and sections that may be cut between items. Sections are filled in
//! order. Omitted items are counted in the text, so that the reader knows they exist.

use super::sections::{Draft, Keep, Section};
use crate::violation::{Code, Violation};

const ENTRY_TOKENS_TYPICAL: usize = 16;

/// The error for a token budget that is too small for the mandatory parts of a brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the brief needs {needed} tokens; the budget is {budget}")]
pub struct BudgetTooSmall {
    /// The smallest sufficient budget.
    pub needed: usize,
    /// The given budget.
    pub budget: usize,
}

impl From<BudgetTooSmall> for Violation {
    fn from(refused: BudgetTooSmall) -> Self {
        Self::new(Code::BudgetTooSmall, "", refused.to_string())
            .found(refused.budget.to_string())
            .allowed(format!("{} or more", refused.needed))
            .hint(format!(
                "raise the budget to {} tokens, or shorten goal, constraints or acceptance",
                refused.needed
            ))
    }
}

/// The entries of a draft to show: for each section the indexes of its entries, in the order of
/// selection.
pub(crate) type Choice = Vec<Vec<usize>>;

/// Selects only the mandatory part.
pub(crate) fn mandatory_only(draft: &Draft) -> Choice {
    vec![Vec::new(); draft.sections.len()]
}

/// Selects the mandatory part and all sections.
pub(crate) fn all_sections(draft: &Draft) -> Choice {
    draft.sections.iter().map(|section| (0..section.entries.len()).collect()).collect()
}

/// Selects as much of a draft as fits the budget. The mandatory part must already fit.
pub(crate) fn fill(draft: &Draft, budget: usize, count: &dyn Fn(&str) -> usize) -> Choice {
    let mut choice = mandatory_only(draft);
    let mut spent = count(&draft.text(&choice));
    for (index, section) in draft.sections.iter().enumerate() {
        choice[index] = fitting(section, budget.saturating_sub(spent), count);
        // INVARIANT: the text fits. Costs were added up line by line, and a counter need not be
        // additive, so the whole text is counted before the next section.
        loop {
            let total = count(&draft.text(&choice));
            if total <= budget || choice[index].is_empty() {
                spent = total;
                break;
            }
            // Entries cost a few tokens each: removing one at a time would count a large text too
            // often.
            let surplus = (total - budget).div_ceil(ENTRY_TOKENS_TYPICAL);
            let kept = choice[index].len().saturating_sub(surplus);
            choice[index].truncate(kept);
        }
    }
    choice
}

/// Returns the entries of a section that fit into `room` tokens, with its heading and the line that
/// counts the rest.
fn fitting(section: &Section, room: usize, count: &dyn Fn(&str) -> usize) -> Vec<usize> {
    let cost = |index: &usize| count(&section.line(*index));
    let heading = count(&section.heading_line());
    let order = section.order();
    let costs: Vec<usize> = order.iter().map(cost).collect();
    if heading + costs.iter().sum::<usize>() <= room {
        return order;
    }
    let mut chosen = Vec::new();
    let mut spent = heading + count(&section.more_line(&[]));
    for (index, cost) in order.into_iter().zip(costs) {
        if spent + cost <= room {
            spent += cost;
            chosen.push(index);
        } else if section.keep != Keep::Any {
            break;
        }
    }
    chosen
}
