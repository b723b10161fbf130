//! Intents: which party does what next. Usually both fit, sometimes neither.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tasuki_engine::command::Command;
use tasuki_engine::engine::Call;
use tasuki_engine::model::{Directory, Handoff, Principal, Scope, Scopes};
use tasuki_engine::steps::{ApplyDue, BeginAbsence, EndAbsence, Halt, begin, claim, submit};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf::{ActorKind, Authentication};

use super::commands::Request;
use super::documents;
use super::parties::{self, AGENTS, PEOPLE, one_of};
use super::verbs::{ANY, Verb, fitting};
use crate::random::Random;

/// The state in which an intent is chosen.
pub(crate) struct IntentContext<'a> {
    pub project: ProjectId,
    pub now: Timestamp,
    pub directory: &'a Directory,
    pub handoffs: &'a [Handoff],
}

/// An action on one handoff, before it becomes a command.
pub(crate) struct Intent<'a> {
    pub verb: Verb,
    pub handoff: &'a Handoff,
}

impl IntentContext<'_> {
    /// Returns an intent about a handoff, if there is one.
    pub(crate) fn intent(&self, random: &mut Random) -> Option<Intent<'_>> {
        let open: Vec<&Handoff> = self.handoffs.iter().filter(|one| one.is_open()).collect();
        let is_about_one = random.chance(68);
        let handoff = match random.chance(88) && !open.is_empty() {
            true => *random.pick(&open),
            false if self.handoffs.is_empty() => return None,
            false => random.pick(self.handoffs),
        };
        let is_halted = self.directory.pauses.is_halted();
        let verbs = if random.chance(90) { fitting(handoff, is_halted) } else { &ANY };
        let verb = *random.pick(verbs);
        is_about_one.then_some(Intent { verb, handoff })
    }

    /// Returns a command that is not about an existing handoff.
    pub(crate) fn other(&self, random: &mut Random) -> Call {
        match random.below(100) {
            0..60 => {
                let source = documents::packet(random, self.now);
                let request = submit::Submit {
                    source: source.to_string().into_bytes(),
                    hold: random.chance(5),
                    supersedes: random.chance(3).then(|| self.some_id(random)),
                    ..submit::Submit::default()
                };
                let sender = source["from_agent"].as_str().filter(|_| random.chance(80));
                let sender = sender.unwrap_or_else(|| one_of(random, &AGENTS));
                self.call(random, sender, Command::Submit(request))
            }
            60..70 => {
                let mut source = documents::packet(random, self.now);
                let members = source.as_object_mut().expect("a packet is an object");
                members.shift_remove("to_agent");
                let request = begin::Begin {
                    source: source.to_string().into_bytes(),
                    is_renewed: random.chance(50),
                    key: random.chance(50).then(|| "own".to_owned()),
                    ..begin::Begin::default()
                };
                let who = *random.pick(&["ana", "ben", "cem", "pia"]);
                self.call(random, who, Command::Begin(request))
            }
            70..82 => {
                let who = any_party(random);
                self.call(random, who, Command::Claim(claim::Claim::default()))
            }
            82..90 => {
                let who = if random.chance(95) { "olga" } else { "ana" };
                let command = parties::change(random);
                self.call(random, who, command)
            }
            90..94 => self.absence(random),
            94..98 => {
                let is_lift = random.chance(60);
                let reason = documents::reason(random);
                let halt = Command::Halt(Halt { is_lift, reason });
                self.call(random, "olga", halt)
            }
            _ => self.call(random, "olga", Command::ApplyDue(ApplyDue)),
        }
    }

    /// Returns the beginning or end of an absence, usually by the person or the operator.
    fn absence(&self, random: &mut Random) -> Call {
        let person = if random.chance(95) { one_of(random, &PEOPLE) } else { "ben" };
        let who = match random.below(10) {
            0..6 => person,
            6..9 => "olga",
            _ => any_party(random),
        };
        let person = person.to_owned();
        let command = if random.chance(25) {
            Command::EndAbsence(EndAbsence { person })
        } else {
            let hours = |random: &mut Random, choices: &[i64]| {
                self.now + SignedDuration::from_hours(*random.pick(choices))
            };
            let deputies = if random.chance(95) { &PEOPLE } else { &AGENTS };
            let deputy = one_of(random, deputies);
            let from = random.chance(30).then(|| hours(random, &[-1, 1, 48]));
            let until = hours(random, &[1, 5, 72, 72, 720, 720, 4_800, -1]);
            Command::BeginAbsence(BeginAbsence { person, deputy: deputy.to_owned(), from, until })
        };
        self.call(random, who, command)
    }

    fn some_id(&self, random: &mut Random) -> HandoffId {
        if self.handoffs.is_empty() || random.chance(10) {
            return HandoffId::new(random.below(1 << 40), [9; 10]);
        }
        random.pick(self.handoffs).id
    }

    /// Turns an intent into a call, usually by a party that may make it.
    pub(crate) fn about(&self, random: &mut Random, intent: &Intent<'_>, packet: &Value) -> Call {
        let command =
            Request { now: self.now, directory: self.directory, handoff: intent.handoff, packet }
                .command(random, intent.verb);
        if let Command::RecordUndeliverable(_) = command {
            // Usually sent by the exchange itself, sometimes by a party that must not.
            let principal = if random.chance(90) {
                Principal::system()
            } else {
                self.principal(random, self.id("olga"))
            };
            return Call { project: self.project, principal, command, key: None };
        }
        let doer = self.doer(random, intent);
        self.call_of(random, doer, command)
    }

    fn doer(&self, random: &mut Random, intent: &Intent<'_>) -> PartyId {
        if random.chance(7) {
            return self.id(any_party(random));
        }
        let facts = &intent.handoff.facts;
        match intent.verb {
            Verb::Revise | Verb::Answer | Verb::Supersede | Verb::Cancel => facts.sender,
            Verb::Verify if random.chance(50) => facts.sender,
            Verb::Verify => self.id(one_of(random, &["dov", "quin", "pia", "rob"])),
            Verb::Reroute if random.chance(50) => facts.sender,
            Verb::Ask | Verb::Decline | Verb::Claim | Verb::Deliver => {
                self.receiver(random, facts.receiver)
            }
            Verb::Renew
            | Verb::Adopt
            | Verb::Checkpoint
            | Verb::Hold
            | Verb::Withdraw
            | Verb::Park
            | Verb::Release
            | Verb::Return
            | Verb::PassOn => intent.handoff.claim().map_or(facts.receiver, |claim| claim.holder),
            Verb::Redrive | Verb::Discard => self.id("olga"),
            _ => self.decider(random),
        }
    }

    /// Returns a person, preferably one who stands in for another or did so.
    fn decider(&self, random: &mut Random) -> PartyId {
        let deputies = self.directory.people().filter_map(|person| Some(person.absence?.deputy));
        let deputies: Vec<PartyId> = deputies.collect();
        if !deputies.is_empty() && random.chance(50) {
            return *random.pick(&deputies);
        }
        self.id(one_of(random, &["pia", "quin", "rob"]))
    }

    /// Returns the party itself, or a member of the role.
    fn receiver(&self, random: &mut Random, receiver: PartyId) -> PartyId {
        let members = self.directory.party(receiver).map_or(&[][..], |party| &party.members);
        if members.is_empty() { receiver } else { *random.pick(members) }
    }

    fn id(&self, name: &str) -> PartyId {
        self.directory.find(name).expect("every party was added").id
    }

    fn call(&self, random: &mut Random, who: &str, command: Command) -> Call {
        let party = self.directory.find(who).map_or_else(|_| self.id("ana"), |party| party.id);
        self.call_of(random, party, command)
    }

    fn call_of(&self, random: &mut Random, party: PartyId, command: Command) -> Call {
        let key = match random.below(20) {
            0..12 => Some(format!("key-{}", random.number()).into()),
            12 => Some("used-before".to_owned().into()),
            _ => None,
        };
        Call { project: self.project, principal: self.principal(random, party), command, key }
    }

    /// Returns the principal of a party, sometimes with a weak credential.
    pub(crate) fn principal(&self, random: &mut Random, party: PartyId) -> Principal {
        let kind = self.directory.party(party).map(|party| party.kind.actor());
        let mut principal = Principal::local(party, kind.unwrap_or(ActorKind::Agent));
        if principal.is_human() && random.chance(85) {
            principal.authentication = Authentication::Password;
        }
        if random.chance(2) {
            principal.scopes = Scopes::none().with(Scope::Read);
        }
        if random.chance(3) {
            // A person acts for another person only as a deputy.
            let represented = if principal.is_human() { "ana" } else { "rob" };
            principal.on_behalf_of = Some(self.id(represented));
        }
        principal
    }
}

fn any_party(random: &mut Random) -> &'static str {
    if random.chance(70) { one_of(random, &AGENTS) } else { one_of(random, &PEOPLE) }
}
