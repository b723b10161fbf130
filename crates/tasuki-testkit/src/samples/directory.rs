//! Entries of a directory that only doors look into.

use tasuki_engine::principal::{Scope, Scopes};
use tasuki_engine::token::TokenRecord;
use tasuki_packet::leaf::Hash;

use super::names::{at, bytes, id, party};

/// A token of the party of this name, revoked already.
pub fn token(name: &str) -> TokenRecord {
    TokenRecord {
        id: id(name, 0),
        hash: Hash::from_bytes(bytes(name)),
        party: party(name),
        scopes: Scopes::none().with(Scope::Submit).with(Scope::Verify),
        name: Some("the “build” token".to_owned()),
        created_at: at(0),
        expires_at: at(3_600),
        revoked_at: Some(at(60)),
    }
}
