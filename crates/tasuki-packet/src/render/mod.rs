//! Renderings of a packet for people and models.
//!
//! - [`brief_text`] (plain), [`human_brief`] (Markdown), [`html_document`] and [`html_fragment`]:
//!   everything for a person.
//! - [`chain_brief`]: all handoffs of a task on one page.
//! - [`card`]: a compact view for a terminal.
//! - [`comment`]: an issue comment that contains the packet.
//! - [`contract_page`] and [`contract_index`]: documentation of contracts.
//! - [`agent_brief`]: data for a model within a token budget, counted with [`tokens`].
//!
//! Packet text is data of another party. Every rendering escapes it for its context, so that it can
//! only appear as text. Renderings for a person hide nothing: unknown members are shown under
//! "Other fields".
//!
//! Callers validate first. Here, a member of the wrong type is shown as it is, and nothing fails.

mod agent_brief;
mod block;
mod card;
mod chain_brief;
mod comment;
mod contract_page;
mod describe;
mod facts;
mod fields;
mod html;
mod human_brief;
mod markdown;
mod plain;
mod step_numbers;
mod text;
#[cfg(feature = "tokens")]
pub mod tokens;
mod width;

#[cfg(test)]
mod empty_lists;
#[cfg(test)]
mod samples;

pub use agent_brief::{
    AgentBrief, BUDGET_TOKENS_DEFAULT, BriefView, BudgetTooSmall, agent_brief, agent_brief_from,
    agent_brief_of,
};
pub use card::{CARD_WIDTH_DEFAULT, CardOptions, card};
pub use chain_brief::{ChainCheckpoint, ChainLink, ChainQuestion, chain_brief};
pub use comment::{Written, comment, comment_with, regenerated};
pub use contract_page::{
    GENERATED, contract_index, contract_page, file_name as contract_file_name,
};
pub use html::{html_document, html_fragment};
pub use human_brief::{brief_text, brief_text_from, human_brief};
pub use text::{code_point, is_hidden, line};
