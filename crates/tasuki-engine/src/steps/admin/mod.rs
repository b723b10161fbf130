//! Operators change the project: parties, tokens, subscriptions, contracts, gates, rules, settings.
//!
//! A version of a contract or a gate is immutable. Publishing it again changes nothing, and
//! publishing other content under the same version is refused.

/// Redrives and discards dead letters.
pub mod dead_letter;

mod absence;
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

pub use absence::{BeginAbsence, EndAbsence};
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
