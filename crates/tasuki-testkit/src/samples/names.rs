//! Ids and instants that follow from a name or a number.

use jiff::Timestamp;
use tasuki_engine::model::{CommandSeed, Head, NewId};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf::Hash;

/// 2026-11-16T08:00:00Z: when samples begin.
const BEGIN_SECOND: i64 = 1_794_816_000;

/// So many seconds after samples begin.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(BEGIN_SECOND + second).expect("a sample is of this century")
}

/// The party of this name.
pub fn party(name: &str) -> PartyId {
    id(name, 0)
}

/// The project of this name.
pub fn project(name: &str) -> ProjectId {
    id(name, 0)
}

/// The handoff with this number; a higher number is younger.
pub fn handoff_id(number: u32) -> HandoffId {
    id(&number.to_string(), number)
}

/// The head of a project in which nothing has happened.
pub fn head(project: ProjectId) -> Head {
    Head {
        project,
        leaves: 0,
        last_hash: Hash::ZERO,
        last_at: at(0),
        directory_version: 0,
        claim_epoch: 0,
        is_halted: false,
        fence_floor: 0,
        fingerprint_key: bytes("fingerprints"),
    }
}

/// The id of a kind of thing with this name, so many seconds after samples begin.
pub(super) fn id<T: NewId>(name: &str, second: u32) -> T {
    CommandSeed::new([7; 32]).id(name, at(i64::from(second)))
}

/// 32 bytes that follow from a name.
pub(super) fn bytes(name: &str) -> [u8; 32] {
    CommandSeed::new([7; 32]).salt(name)
}
