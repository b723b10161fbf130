//! Parties and their credentials: tokens, scopes and sessions.

mod network;
mod party;
mod scope;
mod secret;
mod session;
mod token;

pub use network::Network;
pub use party::{Absence, AbsenceRequest, Membership, Party, PartyKind, PartyRequest, Whoami};
pub use scope::{Scope, Scopes};
pub use secret::Secret;
pub use session::{Session, SignInRequest};
pub use token::{Token, TokenRequest};
