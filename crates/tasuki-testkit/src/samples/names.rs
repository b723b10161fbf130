//! Ids and times derived from a name or a number.

use jiff::Timestamp;
use tasuki_engine::model::{CommandSeed, Head, NewId};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf::Hash;

/// 2026-11-16T08:00:00Z, the start of all samples.
const BEGIN_SECOND: i64 = 1_794_816_000;

/// Returns the time this many seconds after the start.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(BEGIN_SECOND + second).expect("samples are in this century")
}

/// Returns the party of this name.
pub fn party(name: &str) -> PartyId {
    id(name, 0)
}

/// Returns the project of this name.
pub fn project(name: &str) -> ProjectId {
    id(name, 0)
}

/// Returns the handoff with this number; a higher number is younger.
pub fn handoff_id(number: u32) -> HandoffId {
    id(&number.to_string(), number)
}

/// Returns the head of an empty project.
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

/// Returns the id of this name, this many seconds after the start.
pub(super) fn id<T: NewId>(name: &str, second: u32) -> T {
    CommandSeed::new([7; 32]).id(name, at(i64::from(second)))
}

/// Returns 32 bytes derived from a name.
pub(super) fn bytes(name: &str) -> [u8; 32] {
    CommandSeed::new([7; 32]).salt(name)
}
