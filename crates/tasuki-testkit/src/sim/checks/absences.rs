//! Absences of people, derived from the log alone, and the decisions of their deputies.
//!
//! A deputy decides only while the person is away, never at gates, and never about the work of
//! either of the two.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::model::{Directory, PartyKind};
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{ActorKind, EventType, Leaf};

use super::attributes::{id, instant};
use super::history::{Checked, must};

/// The documented limit of an absence.
const LONGEST: SignedDuration = SignedDuration::from_hours(90 * 24);

/// The last absence of each person, which may be over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Absences(BTreeMap<PartyId, Absence>);

#[derive(Debug, Clone, Copy)]
struct Absence {
    deputy: PartyId,
    from: Timestamp,
    until: Timestamp,
}

/// The parties of the handoff of a decision.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OwnWork {
    pub sender: Option<PartyId>,
    pub returned_by: Option<PartyId>,
}

impl Absences {
    /// Applies the next leaf. Returns `true` if a deputy decided.
    pub(crate) fn follow(
        &mut self,
        leaf: &Leaf,
        directory: &Directory,
        work: OwnWork,
    ) -> Result<bool, super::history::Violation> {
        match leaf.event {
            EventType::PartyAway => self.begin(leaf).map(|()| false),
            EventType::PartyBack => {
                if let Some(person) = id(leaf, "party") {
                    self.0.remove(&person);
                }
                Ok(false)
            }
            _ => self.decision(leaf, directory, work),
        }
    }

    fn begin(&mut self, leaf: &Leaf) -> Checked {
        const RULE: &str = "an absence is bounded and has a deputy who is there";
        let describe = || format!("leaf {}: {:?}", leaf.number, leaf.attributes);
        let times = instant(leaf, "from").zip(instant(leaf, "until"));
        let parties = id::<PartyId>(leaf, "party").zip(id::<PartyId>(leaf, "deputy"));
        let Some(((from, until), (person, deputy))) = times.zip(parties) else {
            return must(false, RULE, describe);
        };
        let is_away = |own: &Absence| own.from < until && from < own.until;
        let is_right = leaf.time <= from
            && from < until
            && until.duration_since(leaf.time) <= LONGEST
            && person != deputy
            && !self.0.get(&deputy).is_some_and(is_away);
        must(is_right, RULE, describe)?;
        self.0.insert(person, Absence { deputy, from, until });
        Ok(())
    }

    /// Checks a decision in the place of a person.
    fn decision(
        &self,
        leaf: &Leaf,
        directory: &Directory,
        work: OwnWork,
    ) -> Result<bool, super::history::Violation> {
        const RULE: &str = "a deputy decides for a person who is away, and never at gates";
        let is_person = |party: &PartyId| {
            directory.party(*party).is_some_and(|party| party.kind == PartyKind::Human)
        };
        let (caller, person) = (leaf.actor.party, leaf.actor.on_behalf_of.filter(is_person));
        let is_human = leaf.actor.kind == ActorKind::Human;
        let Some((caller, person)) = caller.zip(person).filter(|_| is_human) else {
            return Ok(false);
        };
        let describe =
            || format!("leaf {}, {} by {:?}", leaf.number, leaf.event.name(), leaf.actor);
        let covers =
            |own: &Absence| own.deputy == caller && own.from <= leaf.time && leaf.time < own.until;
        must(self.0.get(&person).is_some_and(covers), RULE, describe)?;
        let is_signature = matches!(leaf.event, EventType::SignedOff | EventType::Denied);
        must(!is_signature, RULE, describe)?;
        let own = match leaf.event {
            EventType::Verified | EventType::FailedVerification => work.returned_by,
            _ => work.sender,
        };
        let is_own = own.is_some_and(|own| [caller, person].contains(&own));
        must(!is_own, "a deputy never decides about own work", describe)?;
        Ok(true)
    }
}
