//! Who is in a role has changed: its offers may have nobody left to take them, or somebody again.

use std::sync::Arc;

use tasuki_packet::id::PartyId;

use super::first_use::directory_after;
use crate::change::Change;
use crate::context::Context;
use crate::handoff::Handoff;
use crate::lapse;

/// When the clock moves an offer depends on who is left to take it. What the change of a role makes
/// due, or no longer due, is written again; the clock does the rest, so many at a time.
pub(super) fn look_again_at_offers(context: &Context<'_>, role: PartyId, change: &mut Change) {
    let (before, after) = (&context.state.directory, directory_after(context, change));
    let offers = context.state.handoffs().filter(|handoff| {
        handoff.facts.receiver == role
            && lapse::due_at(before, handoff) != lapse::due_at(&after, handoff)
    });
    let mut offers: Vec<Arc<Handoff>> = offers.cloned().map(Arc::new).collect();
    offers.sort_by_key(|handoff| handoff.id);
    change.handoffs.extend(offers);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::command::Command;
    use crate::decision::{Accept, Looked};
    use crate::enrol::AddParty;
    use crate::testing::{World, claim, decline, submit};

    fn members(with: &[&str], without: &[&str]) -> Command {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Command::AddParty(AddParty {
            name: "role:team".to_owned(),
            members: owned(with),
            without_members: owned(without),
            ..AddParty::default()
        })
    }

    fn offered() -> World {
        let mut world = World::new();
        world.contract(&json!({}));
        world.check("ana", submit(&json!({ "to_agent": "role:team" })), "offered to role:team");
        world
    }

    fn due(world: &World) -> Option<jiff::Timestamp> {
        crate::lapse::due_at(&world.state.directory, world.handoff())
    }

    #[test]
    fn what_was_offered_to_a_role_that_is_empty_now_goes_to_the_next_rung() {
        let mut world = offered();
        world.done("pia", members(&[], &["ben"]));
        world.settle();
        assert_eq!((world.standing().as_str(), due(&world)), ("offered to role:team", None));
        let from = world.leaves.len();
        world.done("pia", members(&[], &["cem"]));
        assert_eq!(due(&world), Some(world.now));
        world.settle();
        assert_eq!(world.standing(), "offered to role:people");
        insta::assert_snapshot!(world.story(from), @"
        party.changed by pia
        handoff.moved_on by clock
        ");
    }

    #[test]
    fn who_has_declined_is_nobody_either() {
        let mut world = offered();
        world.check("ben", decline(world.newest()), "offered to role:team");
        world.done("pia", members(&[], &["cem"]));
        world.settle();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn somebody_who_comes_in_time_takes_it() {
        let mut world = offered();
        world.done("pia", members(&[], &["ben", "cem"]));
        // The next command finds both changes before the clock has looked.
        let before = world.clone();
        world.change("role:team", |role, id| role.members = vec![id("cem")]);
        world.settle();
        assert_eq!((world.standing().as_str(), due(&world)), ("offered to role:team", None));
        world.check("cem", claim(world.newest()), "claimed by cem, token 1");
        let mut world = before;
        world.settle();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn what_a_person_releases_to_an_empty_role_goes_on_too() {
        let mut world = World::new();
        world.contract(&json!({}));
        let more = json!({ "to_agent": "role:team", "can_intercept": true });
        world.check("ana", submit(&more), "held for asked");
        world.done("pia", members(&[], &["ben", "cem"]));
        world.settle();
        assert_eq!(world.standing(), "held for asked");
        let handoff = world.newest();
        let accept = Accept { handoff, looked: Looked::default(), reason: None };
        world.done("pia", Command::Accept(accept));
        world.settle();
        assert_eq!(world.standing(), "held for asked");
        assert_eq!(world.handoff().facts.receiver, world.id("role:people"));
    }
}
