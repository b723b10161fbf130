//! Parties, tokens, subscriptions, contracts, gates, rules and settings come into the project.
//!
//! A version of a contract or a gate is immutable: publishing the same again changes nothing, and
//! publishing another content under the same version is refused.

/// Dead letters are redriven or discarded.
pub mod dead_letter;

mod contract;
mod gate;
mod offers;
mod party;
#[cfg(test)]
mod policy_tests;
mod rules;
mod settings;
mod subscription;
mod token;

pub use contract::PublishContract;
pub use gate::PublishGate;
pub use party::AddParty;
pub use rules::SetRules;
pub use settings::SetSettings;
pub use subscription::{
    AddSubscription, DisableSubscription, EnableSubscription, NewChannel, RemoveSubscription,
    RotateSecret,
};
pub use token::{CreateToken, RevokeToken};
