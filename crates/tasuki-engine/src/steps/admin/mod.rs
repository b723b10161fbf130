//! Parties, tokens, subscriptions, contracts, gates, rules and settings come into the project.
//!
//! A version of a contract or a gate is immutable: publishing the same again changes nothing, and
//! publishing another content under the same version is refused.

mod offers;
mod party;
mod policy;
mod subscription;
mod token;

pub use party::{AddParty, add_party};
pub use policy::{publish_contract, publish_gate, set_rules, set_settings};
pub use subscription::{
    AddSubscription, DisableSubscription, EnableSubscription, NewChannel, RemoveSubscription,
    RotateSecret, add_subscription, disable_subscription, enable_subscription, remove_subscription,
    rotate_secret,
};
pub use token::{CreateToken, RevokeToken, create_token, revoke_token};
