//! Reevaluates the offers to a role whose members have changed.

use tasuki_packet::id::PartyId;

use crate::model::{Change, Context, Handoff, Offer, State};
use crate::rules::auto_register::directory_after;
use crate::rules::deadlines;
use crate::rules::offer::{offer, reasons_for_agents};

/// Reevaluates the offers to a role. An offer without an eligible receiver becomes due. Offers
/// whose due time changes are written again, and the clock moves them in batches. An offer that was
/// for people only and now includes agents is decided again, because no person has looked at it.
pub(super) fn reevaluate_offers(context: &Context<'_>, role: PartyId, change: &mut Change) {
    let (before, after) = (&context.state.directory, directory_after(context, change));
    let offers = context.state.handoffs().filter(|handoff| handoff.facts.receiver == role);
    let mut offers: Vec<Handoff> = offers.cloned().collect();
    offers.sort_by_key(|handoff| handoff.id);
    for mut handoff in offers {
        if let State::Offered(Offer { not_before, .. }) = handoff.progress.state
            && !reasons_for_agents(&after, &handoff, context.now).is_empty()
        {
            offer(&after, &mut handoff, not_before, context.now, context.actor(), change);
            change.put(handoff);
        } else if deadlines::due_at(before, &handoff) != deadlines::due_at(&after, &handoff) {
            change.put(handoff);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::command::Command;
    use crate::steps::{Accept, AddParty, SeenVersion};
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
        crate::rules::deadlines::due_at(&world.state.directory, world.handoff())
    }

    #[test]
    fn an_offer_to_a_role_that_becomes_empty_goes_to_the_next_rung() {
        let mut world = offered();
        world.done("pia", members(&[], &["ben"]));
        world.apply_due();
        assert_eq!((world.standing().as_str(), due(&world)), ("offered to role:team", None));
        let from = world.leaves.len();
        world.done("pia", members(&[], &["cem"]));
        assert_eq!(due(&world), Some(world.now));
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
        insta::assert_snapshot!(world.story(from), @"
        party.changed by pia
        handoff.moved_on by clock
        ");
    }

    #[test]
    fn a_member_that_declined_is_not_eligible() {
        let mut world = offered();
        world.check("ben", decline(world.newest()), "offered to role:team");
        world.done("pia", members(&[], &["cem"]));
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn a_member_that_joins_in_time_can_claim() {
        let mut world = offered();
        world.done("pia", members(&[], &["ben", "cem"]));
        // Both changes are made before the clock runs.
        let before = world.clone();
        world.change("role:team", |role, id| role.members = vec![id("cem")]);
        world.apply_due();
        assert_eq!((world.standing().as_str(), due(&world)), ("offered to role:team", None));
        world.check("cem", claim(world.newest()), "claimed by cem, fence 1");
        let mut world = before;
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }

    /// Returns a world with an offer to people, which was not held.
    fn offered_to_people() -> World {
        let mut world = World::new();
        let team = json!({ "to": ["role:team"], "confidence": { "hold_below": 0.7 } });
        world.contract(&team);
        world.change("role:team", |role, id| role.members = vec![id("pia")]);
        let more = json!({
            "to_agent": "role:team", "confidence": 0.1, "trigger": { "kind": "critical_action" },
        });
        world.check("ana", submit(&more), "offered to role:team");
        world
    }

    #[test]
    fn an_offer_to_people_is_held_when_an_agent_joins_the_role() {
        let mut world = offered_to_people();
        let from = world.leaves.len();
        world.done("quin", members(&["quin"], &[]));
        assert_eq!(world.standing(), "offered to role:team");
        world.done("quin", members(&["ben"], &[]));
        assert_eq!(world.standing(), "held for confidence, trigger");
        insta::assert_snapshot!(world.story(from), @"
        party.changed by quin
        party.changed by quin
        handoff.held by quin
        ");
        let handoff = world.newest();
        let seen = SeenVersion::at(&world.state.directory, world.handoff());
        let accept = Accept { handoff, seen, reason: None };
        world.done("quin", Command::Accept(accept));
        world.check("ben", claim(handoff), "claimed by ben, fence 1");
    }

    #[test]
    fn an_agent_cannot_claim_an_offer_that_no_person_has_looked_at() {
        let mut world = offered_to_people();
        // As if both had happened at once.
        world.change("role:team", |role, id| role.members = vec![id("ben"), id("pia")]);
        let id = world.newest();
        insta::assert_snapshot!(world.refused("ben", claim(id)), @"
        TK-PERSON-NEEDED: handoff hof_… needs a person first: confidence, trigger
          a person of the role must claim it
        ");
        world.check("pia", claim(id), "claimed by pia, fence 1");
    }

    #[test]
    fn an_accepted_offer_to_an_empty_role_goes_to_the_next_rung() {
        let mut world = World::new();
        world.contract(&json!({}));
        let more = json!({ "to_agent": "role:team", "can_intercept": true });
        world.check("ana", submit(&more), "held for asked");
        world.done("pia", members(&[], &["ben", "cem"]));
        world.apply_due();
        assert_eq!(world.standing(), "held for asked");
        let handoff = world.newest();
        let seen = SeenVersion::at(&world.state.directory, world.handoff());
        let accept = Accept { handoff, seen, reason: None };
        world.done("pia", Command::Accept(accept));
        world.apply_due();
        assert_eq!(world.standing(), "held for asked");
        assert_eq!(world.handoff().facts.receiver, world.id("role:people"));
    }
}
