//! Records a restore from a backup, with the last leaf that the backup held.
//!
//! A reader with a later leaf or an audit trail can see from it where the log was cut.
//!
//! The exchange has lost the claims made after the backup, but their holders have not. So the
//! fences of later claims jump: none can equal one that was issued in the lost time.

use serde::Serialize;
use tasuki_packet::leaf::{EventType, Hash};

use crate::model::state::fence_floor;
use crate::model::{Change, Context, Scope};
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;

/// Records a restore, with the end of the log in the backup.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RecordRestore {
    /// The number of the last leaf.
    pub last: u64,
    /// Its hash.
    pub hash: Hash,
}

impl Step for RecordRestore {
    const NAME: &'static str = "record_restore";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for RecordRestore {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        record_restore(context, *self)
    }
}

fn record_restore(context: &Context<'_>, restored: RecordRestore) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let mut change = Change::default();
    change
        .record_project_event(EventType::LogRestored, context.actor())
        .with("last", restored.last)
        .with("hash", restored.hash);
    change.fence_floor = fence_floor(context.now);
    Ok(change)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tasuki_packet::leaf::Hash;

    use super::*;
    use crate::command::Command;
    use crate::model::Principal;
    use crate::testing::{World, claim, release, submit};

    #[test]
    fn a_fence_of_the_lost_time_is_never_issued_again() {
        let mut backup = World::new();
        backup.run("ana", submit(&json!({}))).unwrap();
        let id = backup.newest();

        let mut lost = backup.clone();
        lost.check("ben", claim(id), "claimed by ben, fence 1");
        let stale = lost.shown();

        let restored = |world: &mut World| {
            world.advance(1);
            let found = RecordRestore { last: 1, hash: Hash::ZERO };
            world.run_as(&Principal::system(), Command::RecordRestore(found)).unwrap();
            world.run("ben", claim(id)).unwrap();
            world.shown()
        };
        let (first, mut again) = (restored(&mut backup.clone()), backup.clone());
        again.advance(1);
        let second = restored(&mut again);
        assert!(stale.fence < first.fence && first.fence < second.fence, "{second:?}");
        for late in [stale, first] {
            let refusal = again.refusal("ben", release(late));
            assert!(refusal.starts_with("TK-CLAIM-STALE"), "{refusal}");
        }
        again.run("ben", release(second)).unwrap();
    }

    #[test]
    fn a_claim_in_the_backup_stays_valid() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
        let shown = world.shown();
        let found = RecordRestore { last: 2, hash: Hash::ZERO };
        world.run_as(&Principal::system(), Command::RecordRestore(found)).unwrap();
        world.run("ben", release(shown)).unwrap();
    }
}
