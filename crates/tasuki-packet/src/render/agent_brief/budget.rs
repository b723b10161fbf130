//! Which parts of a draft a token budget holds.
//!
//! A draft has a part that is always there and sections that may be cut, item by item and never
//! inside one. Sections are filled in their order; whatever stays out is counted and named in the
//! text, so that its reader knows that it exists.

use super::sections::{Draft, Keep, Section};
use crate::violation::{Code, Violation};

/// About what one entry costs.
const ENTRY_TOKENS_TYPICAL: usize = 16;

/// A token budget that does not hold the parts of a brief that are never left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the brief needs {needed} tokens, the budget is {budget}")]
pub struct BudgetTooSmall {
    /// A budget that is enough.
    pub needed: usize,
    /// The budget that was given.
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

/// What of a draft is shown: for each section the indexes of its entries, in the order chosen.
pub(crate) type Choice = Vec<Vec<usize>>;

/// Nothing but the mandatory part.
pub(crate) fn nothing(draft: &Draft) -> Choice {
    vec![Vec::new(); draft.sections.len()]
}

/// The mandatory part and all sections.
pub(crate) fn everything(draft: &Draft) -> Choice {
    draft.sections.iter().map(|section| (0..section.entries.len()).collect()).collect()
}

/// As much of a draft as the budget holds; the mandatory part must already fit.
pub(crate) fn fill(draft: &Draft, budget: usize, count: &dyn Fn(&str) -> usize) -> Choice {
    let mut choice = nothing(draft);
    let mut spent = count(&draft.text(&choice));
    for (index, section) in draft.sections.iter().enumerate() {
        choice[index] = fitting(section, budget.saturating_sub(spent), count);
        // INVARIANT: the text fits. Costs were added up line by line, and a counter need not be
        // additive, so the whole is counted before the next section.
        loop {
            let total = count(&draft.text(&choice));
            if total <= budget || choice[index].is_empty() {
                spent = total;
                break;
            }
            // Entries cost a few tokens each: one at a time would count a large text too often.
            let surplus = (total - budget).div_ceil(ENTRY_TOKENS_TYPICAL);
            let kept = choice[index].len().saturating_sub(surplus);
            choice[index].truncate(kept);
        }
    }
    choice
}

/// The entries of a section that fit into `room` tokens, together with its heading and the line that
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
    let mut spent = heading + count(&section.more_line(section.entries.len()));
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
