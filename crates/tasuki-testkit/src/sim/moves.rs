//! What somebody does next: mostly what fits, done by whoever it is up to, now and then neither.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tasuki_engine::authority::Shown;
use tasuki_engine::command::Command;
use tasuki_engine::decision::{Accept, Intercept, Looked, Reject, Reroute, SignOff};
use tasuki_engine::directory::Directory;
use tasuki_engine::engine::Call;
use tasuki_engine::fallback::{Dead, Decline};
use tasuki_engine::handoff::{Handoff, Hold, State};
use tasuki_engine::principal::{Principal, Scope, Scopes};
use tasuki_engine::release::{Park, Release};
use tasuki_engine::revise::{Edit, Revise};
use tasuki_engine::{ask, begin, cancel, checkpoint, claim, deliver, hold, return_packet, submit};
use tasuki_engine::{claim::Renew, verify};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf::Authentication;

use super::cast::{self, AGENTS, PEOPLE};
use super::papers;
use crate::random::Random;

/// What can be done with a handoff that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Revise,
    Ask,
    Answer,
    Decline,
    Claim,
    Renew,
    Checkpoint,
    Hold,
    Park,
    Release,
    Return,
    PassOn,
    Supersede,
    Verify,
    Accept,
    SignOff,
    Edit,
    Reject,
    Reroute,
    Intercept,
    Cancel,
    Redrive,
    Discard,
    Deliver,
}

use Verb::{
    Accept as Accepts, Answer, Ask, Cancel, Checkpoint, Claim, Decline as Declines, Deliver,
    Discard, Edit as Edits, Hold as Holds, Intercept as Intercepts, Park as Parks, PassOn, Redrive,
    Reject as Rejects, Release as Releases, Renew as Renews, Reroute as Reroutes, Return,
    Revise as Revises, SignOff as Signs, Supersede, Verify,
};

const ANY: [Verb; 24] = [
    Revises, Ask, Answer, Declines, Claim, Renews, Checkpoint, Holds, Parks, Releases, Return,
    PassOn, Supersede, Verify, Accepts, Signs, Edits, Rejects, Reroutes, Intercepts, Cancel,
    Redrive, Discard, Deliver,
];

/// What fits where a handoff stands; what happens more often is named more often.
fn fitting(handoff: &Handoff) -> &'static [Verb] {
    match &handoff.progress.state {
        State::Held(Hold { asked_by: Some(_), .. }) => {
            &[Accepts, Accepts, Rejects, Edits, Reroutes, Intercepts, Cancel, Renews]
        }
        State::Held(_) if !handoff.facts.terms.gates.is_empty() => {
            &[Signs, Signs, Signs, Signs, Signs, Accepts, Revises, Edits, Intercepts, Reroutes]
        }
        State::Held(_) => {
            &[Accepts, Accepts, Accepts, Accepts, Rejects, Edits, Revises, Reroutes, Intercepts]
        }
        State::Offered(_) if !handoff.progress.questions.is_empty() => &[Answer, Answer, Claim],
        State::Offered(_) => &[
            Claim, Claim, Claim, Claim, Claim, Claim, Claim, Claim, Ask, Declines, Revises, Edits,
            Deliver, Deliver, Reroutes, Intercepts, Supersede, Cancel,
        ],
        State::Claimed(_) => &[
            Checkpoint, Checkpoint, Checkpoint, Renews, Holds, Parks, Releases, Return, Return,
            Return, Return, PassOn, PassOn, PassOn, Intercepts, Reroutes, Cancel,
        ],
        State::Returned(_) => &[Verify, Verify, Verify, Verify, Cancel],
        State::Dead => &[Redrive, Redrive, Discard],
        _ => &ANY,
    }
}

/// What somebody knows when they decide what to do.
pub(super) struct Scene<'a> {
    pub project: ProjectId,
    pub now: Timestamp,
    pub directory: &'a Directory,
    pub handoffs: &'a [Handoff],
}

/// Something to do with one handoff, before it is written down.
pub(super) struct Intent<'a> {
    pub verb: Verb,
    pub handoff: &'a Handoff,
}

impl Scene<'_> {
    /// Something to do with a handoff; without one something else.
    pub(super) fn intent(&self, random: &mut Random) -> Option<Intent<'_>> {
        let open: Vec<&Handoff> = self.handoffs.iter().filter(|one| one.is_open()).collect();
        let is_about_one = random.chance(68);
        let handoff = match random.chance(88) && !open.is_empty() {
            true => *random.pick(&open),
            false if self.handoffs.is_empty() => return None,
            false => random.pick(self.handoffs),
        };
        let verb = match random.chance(90) {
            true => *random.pick(fitting(handoff)),
            false => *random.pick(&ANY),
        };
        is_about_one.then_some(Intent { verb, handoff })
    }

    /// A command that is not about a handoff that is there.
    pub(super) fn other(&self, random: &mut Random) -> Call {
        match random.below(100) {
            0..60 => {
                let source = papers::packet(random, self.now);
                let request = submit::Request {
                    source: source.to_string().into_bytes(),
                    hold: random.chance(5),
                    supersedes: random.chance(3).then(|| self.some_id(random)),
                    ..submit::Request::default()
                };
                let sender = source["from_agent"].as_str().filter(|_| random.chance(80));
                let sender = sender.unwrap_or_else(|| *random.pick(&AGENTS));
                self.call(random, sender, Command::Submit(request))
            }
            60..70 => {
                let mut source = papers::packet(random, self.now);
                let members = source.as_object_mut().expect("a packet is an object");
                members.shift_remove("to_agent");
                let request = begin::Request {
                    source: source.to_string().into_bytes(),
                    is_renewed: random.chance(50),
                    key: random.chance(50).then(|| "own".to_owned()),
                    ..begin::Request::default()
                };
                let who = *random.pick(&["ana", "ben", "cem", "pia"]);
                self.call(random, who, Command::Begin(request))
            }
            70..82 => {
                let who = self.anybody(random);
                self.call(random, who, Command::Claim(claim::Request::default()))
            }
            82..92 => {
                let who = if random.chance(95) { "olga" } else { "ana" };
                let command = cast::change(random);
                self.call(random, who, command)
            }
            92..98 => {
                let is_lift = random.chance(60);
                let reason = papers::reason(random);
                let halt = Command::Halt(cancel::HaltRequest { is_lift, reason });
                self.call(random, "olga", halt)
            }
            _ => self.call(random, "olga", Command::Settle),
        }
    }

    fn anybody(&self, random: &mut Random) -> &'static str {
        if random.chance(70) { *random.pick(&AGENTS) } else { *random.pick(&PEOPLE) }
    }

    fn some_id(&self, random: &mut Random) -> HandoffId {
        match self.handoffs.is_empty() || random.chance(10) {
            true => HandoffId::new(random.below(1 << 40), [9; 10]),
            false => random.pick(self.handoffs).id,
        }
    }

    /// Writes an intent down, for whoever it is up to or somebody else.
    pub(super) fn about(&self, random: &mut Random, intent: &Intent<'_>, packet: &Value) -> Call {
        let command = self.command(random, intent, packet);
        let doer = self.doer(random, intent);
        self.call_of(random, doer, command)
    }

    fn doer(&self, random: &mut Random, intent: &Intent<'_>) -> PartyId {
        if random.chance(7) {
            let name = self.anybody(random);
            return self.id(name);
        }
        let facts = &intent.handoff.facts;
        match intent.verb {
            Revises | Answer | Supersede | Cancel => facts.sender,
            Verify if random.chance(50) => facts.sender,
            Verify => self.id(*random.pick(&["dov", "quin", "pia", "rob"])),
            Reroutes if random.chance(50) => facts.sender,
            Ask | Declines | Claim | Deliver => self.receiver(random, facts.receiver),
            Renews | Checkpoint | Holds | Parks | Releases | Return | PassOn => {
                intent.handoff.claim().map_or(facts.receiver, |claim| claim.holder)
            }
            Redrive | Discard => self.id("olga"),
            _ => self.id(*random.pick(&["pia", "quin", "rob"])),
        }
    }

    /// The party itself, or any member of the role.
    fn receiver(&self, random: &mut Random, receiver: PartyId) -> PartyId {
        let members = self.directory.party(receiver).map_or(&[][..], |party| &party.members);
        if members.is_empty() { receiver } else { *random.pick(members) }
    }

    fn id(&self, name: &str) -> PartyId {
        self.directory.find(name).expect("the cast is on stage").id
    }

    fn call(&self, random: &mut Random, who: &str, command: Command) -> Call {
        let party = self.directory.find(who).map_or_else(|_| self.id("ana"), |party| party.id);
        self.call_of(random, party, command)
    }

    fn call_of(&self, random: &mut Random, party: PartyId, command: Command) -> Call {
        let key = match random.below(20) {
            0..12 => Some(format!("key-{}", random.number())),
            12 => Some("used-before".to_owned()),
            _ => None,
        };
        Call { project: self.project, principal: self.principal(random, party), command, key }
    }

    /// The party as it proves itself, now and then with a credential that is good for little.
    pub(super) fn principal(&self, random: &mut Random, party: PartyId) -> Principal {
        let kind = self.directory.party(party).map(|party| party.kind.actor());
        let mut principal =
            Principal::local(party, kind.unwrap_or_else(|| tasuki_packet::leaf::ActorKind::Agent));
        if principal.is_human() && random.chance(85) {
            principal.authentication = Authentication::Password;
        }
        if random.chance(2) {
            principal.scopes = Scopes::none().with(Scope::Read);
        }
        if random.chance(3) {
            principal.on_behalf_of = Some(self.id("rob"));
        }
        principal
    }

    /// What the doer has seen of a handoff: mostly what is there.
    fn looked(&self, random: &mut Random, handoff: &Handoff) -> Looked {
        let digest = match &handoff.progress.state {
            State::Held(Hold { asked_by: Some(asked), .. }) => asked.digest.clone(),
            _ => handoff.facts.sheet.digest.clone(),
        };
        let revision = handoff.facts.revision;
        let opened = vec!["packet".to_owned()];
        match random.below(20) {
            0 => Looked { revision: Some(revision + 1), digest: Some(digest), ..Looked::default() },
            1 => Looked { digest: Some("sha256:00".to_owned()), ..Looked::default() },
            2 => Looked::default(),
            3 => Looked { revision: Some(revision), digest: Some(digest), ..Looked::default() },
            _ => Looked {
                revision: Some(revision),
                digest: Some(digest),
                opened,
                ..Looked::default()
            },
        }
    }

    /// The claim as its holder shows it, now and then with a token that is none or no longer one.
    fn shown(&self, random: &mut Random, handoff: &Handoff) -> Shown {
        let token = handoff.progress.token;
        let token = match random.below(12) {
            0 => token.saturating_sub(1),
            1 if random.chance(30) => token + 1,
            _ => token,
        };
        Shown { handoff: handoff.id, token }
    }

    fn command(&self, random: &mut Random, intent: &Intent<'_>, packet: &Value) -> Command {
        let handoff = intent.handoff;
        let is_known = random.chance(98);
        let id = if is_known { handoff.id } else { HandoffId::new(random.below(99), [9; 10]) };
        let reason = papers::reason(random);
        let looked = self.looked(random, handoff);
        match intent.verb {
            Accepts => Command::Accept(Accept { handoff: id, looked, reason }),
            Signs => Command::SignOff(self.signature(random, handoff, looked, reason)),
            Rejects => Command::Reject(Reject { handoff: id, looked, reason }),
            Intercepts => Command::Intercept(Intercept { handoff: id, looked, reason }),
            Reroutes => {
                let to = cast::receiver(random).to_owned();
                Command::Reroute(Reroute { handoff: id, to, looked, reason })
            }
            Edits => {
                let source = self.edited(random, handoff, packet);
                Command::Edit(Edit { handoff: id, source, looked, reason })
            }
            Revises => {
                let source = papers::revised(random, packet).to_string().into_bytes();
                Command::Revise(Revise { handoff: id, source, looked })
            }
            Cancel => Command::Cancel(cancel::Cancel { handoff: id, reason }),
            Redrive => Command::Redrive(Dead { handoff: id, reason }),
            Discard => Command::Discard(Dead { handoff: id, reason }),
            Declines => Command::Decline(Decline { handoff: id, reason }),
            Verify => {
                let is_good = random.chance(50);
                Command::Verify(verify::Request { handoff: id, is_good, reason })
            }
            Deliver => {
                let is_delivery = random.chance(50);
                Command::Deliver(deliver::Request { handoff: id, is_delivery })
            }
            Ask => {
                let text = reason.unwrap_or_default();
                let is_blocking = random.chance(50);
                Command::Ask(ask::Ask { handoff: id, field: None, text, is_blocking })
            }
            Answer => self.answer(random, handoff, packet, reason),
            Claim => Command::Claim(self.claim(random, handoff)),
            Supersede => {
                let source = papers::revised(random, packet).to_string().into_bytes();
                let supersedes = random.chance(70).then_some(id);
                let request = submit::Request { source, supersedes, ..submit::Request::default() };
                Command::Submit(request)
            }
            _ => self.of_holder(random, intent, packet, reason),
        }
    }

    /// What only a holder does.
    fn of_holder(
        &self,
        random: &mut Random,
        intent: &Intent<'_>,
        packet: &Value,
        reason: Option<String>,
    ) -> Command {
        let shown = self.shown(random, intent.handoff);
        match intent.verb {
            Renews => {
                let lease = random.chance(30).then(|| "5m".parse().expect("a duration"));
                Command::Renew(Renew { shown, lease })
            }
            Checkpoint => {
                let source = papers::checkpoint(random).to_string().into_bytes();
                Command::Checkpoint(checkpoint::Request { shown, source })
            }
            Holds => {
                let action = json!({ "run": format!("deploy {}", random.below(100)) });
                Command::Hold(hold::Request { shown, action })
            }
            Parks => {
                let seconds = i64::try_from(random.below(7_200)).expect("two hours") - 600;
                let not_before = self.now + SignedDuration::from_secs(seconds);
                Command::Park(Park { shown, not_before, reason })
            }
            Releases => Command::Release(Release { shown, reason }),
            PassOn => {
                let source = papers::passed_on(random, packet, self.now);
                let source = source.to_string().into_bytes();
                let parent = Some(shown);
                Command::Submit(submit::Request { source, parent, ..submit::Request::default() })
            }
            _ => {
                let source = papers::return_packet(random, intent.handoff, packet);
                let source = source.to_string().into_bytes();
                Command::Return(return_packet::Request { shown, source })
            }
        }
    }

    fn claim(&self, random: &mut Random, handoff: &Handoff) -> claim::Request {
        claim::Request {
            handoff: Some(handoff.id),
            lease: random.chance(30).then(|| "2m".parse().expect("a duration")),
            is_renewed: random.chance(30),
            key: random.chance(40).then(|| "own".to_owned()),
            reads: if random.chance(5) { vec!["work@9.0".to_owned()] } else { Vec::new() },
            read_back: random.chance(10).then(|| json!({ "goal": "as I understand it" })),
            drift: None,
        }
    }

    fn signature(
        &self,
        random: &mut Random,
        handoff: &Handoff,
        looked: Looked,
        reason: Option<String>,
    ) -> SignOff {
        let gate = match random.below(20) {
            0 => Some("nowhere".to_owned()),
            1..10 => Some("release".to_owned()),
            _ => None,
        };
        let meaning = random.chance(30).then(|| "reviewed".to_owned());
        let is_denial = random.chance(8);
        SignOff { handoff: handoff.id, gate, meaning, is_denial, looked, reason }
    }

    /// The packet, or the action while the holder asks leave.
    fn edited(&self, random: &mut Random, handoff: &Handoff, packet: &Value) -> Vec<u8> {
        match &handoff.progress.state {
            State::Held(Hold { asked_by: Some(_), .. }) if random.chance(90) => {
                json!({ "run": "deploy nothing" }).to_string().into_bytes()
            }
            _ => papers::revised(random, packet).to_string().into_bytes(),
        }
    }

    fn answer(
        &self,
        random: &mut Random,
        handoff: &Handoff,
        packet: &Value,
        reason: Option<String>,
    ) -> Command {
        let open = &handoff.progress.questions;
        let question = (random.chance(50) && !open.is_empty()).then(|| random.pick(open).id);
        let source = random.chance(30);
        let source = source.then(|| papers::revised(random, packet).to_string().into_bytes());
        Command::Answer(ask::Answer { handoff: handoff.id, question, text: reason, source })
    }
}
