//! What people and models see of a packet: brief, card, comment.
//!
//! Packet text is data of another party. Every rendering escapes it for the place where it stands, so
//! that it can look like nothing but text. Nothing that a packet holds is hidden from a person: what
//! no section knows comes under "Other fields".
//!
//! Callers validate first. Here a member of the wrong type is shown as what it is, and nothing fails.

mod agent_brief;
mod block;
mod card;
mod chain_brief;
mod comment;
mod describe;
mod facts;
mod fields;
mod html;
mod human_brief;
mod markdown;
mod text;
#[cfg(feature = "tokens")]
pub mod tokens;
mod width;

#[cfg(test)]
mod samples;

pub use agent_brief::{
    AgentBrief, BUDGET_TOKENS_DEFAULT, BudgetTooSmall, agent_brief, agent_brief_from,
    agent_brief_of,
};
pub use card::{CARD_WIDTH_DEFAULT, CardOptions, card};
pub use chain_brief::{ChainCheckpoint, ChainLink, ChainQuestion, chain_brief};
pub use comment::comment;
pub use html::{html_document, html_fragment};
pub use human_brief::{human_brief, human_brief_from};
