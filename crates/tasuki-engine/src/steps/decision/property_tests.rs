//! Property test of a gated handoff: random actions of five people in three roles.
//!
//! The model does not use the engine's types. It tracks authors and signatures, predicts before
//! every step whether the engine must allow it, and compares the resulting state afterwards. It
//! checks the invariants of gates:
//!
//! - G2: a new revision or another receiver voids every signature permanently;
//! - G3: an author never signs; G4: an agent never signs; G5: one person counts once;
//! - G8: signatures expire, and so does the wait; G9: no one gets the work past an unsigned gate.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::Authentication;

use super::testing::{people, release_gate, seen_now};
use crate::command::Command;
use crate::model::{Change, CommandSeed, Context, Principal, ProjectState, Reason, State};
use crate::prepare::{PrepareInput, PreparedPacket};
use crate::refusal::Refusal;
use crate::rules::deadlines;
use crate::rules::fencing::ClaimProof;
use crate::steps::decision::edit::{Edited, PreparedEdit};
use crate::steps::revise::PreparedRevise;
use crate::steps::step::PreparedStep;
use crate::steps::{
    Accept, Edit, Intercept, Release, Reroute, Revise, SeenVersion, SignOff, Step as _, claim,
};
use crate::testing::{World, packet, submit};
use crate::worker::decide::decide;

const SEQUENCES: u64 = 5_000;
const STEPS: usize = 8;
const TTL_HOURS: i64 = 72;
const PEOPLE: [&str; 5] = ["pia", "quin", "rex", "sam", "tia"];
const RECEIVERS: [&str; 3] = ["ben", "cem", "role:people"];

/// Marsaglia's generator: the same seed gives the same sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The next action.
#[derive(Debug, Clone, Copy)]
enum Action {
    Sign(&'static str),
    /// A person without a password, or an agent with one.
    Forge(&'static str),
    Edit(&'static str),
    Reroute(&'static str),
    /// Accepts, then tries one way to get the work, and gives it back on success.
    Grasp(&'static str, usize),
    Wait(i64),
}

fn action(random: &mut Random) -> Action {
    match random.below(12) {
        0..=5 => Action::Sign(random.pick(&PEOPLE)),
        6 => Action::Forge(random.pick(&["pia", "quin", "ben", "cem"])),
        7 => Action::Edit(random.pick(&["pia", "quin", "tia", "ana"])),
        8 => Action::Reroute(random.pick(&RECEIVERS)),
        9 | 10 => Action::Grasp(random.pick(&PEOPLE), random.below(5)),
        _ => Action::Wait(random.pick(&[1, 24, 48, 72])),
    }
}

/// Returns `true` if a person is in the role of the gate's first factor.
fn is_safety(person: &str) -> bool {
    ["pia", "rex"].contains(&person)
}

fn is_reviewer(person: &str) -> bool {
    ["quin", "rex", "sam"].contains(&person)
}

/// The expected state.
#[derive(Debug)]
struct Model {
    hours: i64,
    receiver: &'static str,
    writers: BTreeSet<&'static str>,
    /// The signatures for the current revision and receiver: person, factor, hour.
    signed: Vec<(&'static str, &'static str, i64)>,
    is_open: bool,
}

impl Model {
    fn new() -> Self {
        let (writers, signed) = (BTreeSet::from(["ana"]), Vec::new());
        Self { hours: 0, receiver: "ben", writers, signed, is_open: true }
    }

    fn fresh(&self, factor: &str) -> usize {
        let counts =
            |(_, as_what, at): &&(_, &str, i64)| *as_what == factor && self.hours < at + TTL_HOURS;
        self.signed.iter().filter(counts).count()
    }

    fn is_signed(&self) -> bool {
        self.fresh("safety") >= 1 && self.fresh("eyes") >= 2
    }

    /// Returns the factor that a signature would count for now, if any.
    fn may_sign(&self, person: &str) -> Option<&'static str> {
        let has = |(who, _, at): &(&str, &str, i64)| *who == person && self.hours < at + TTL_HOURS;
        if self.writers.contains(person) || self.signed.iter().any(has) {
            return None;
        }
        if is_safety(person) && self.fresh("safety") < 1 {
            return Some("safety");
        }
        (is_reviewer(person) && self.fresh("eyes") < 2).then_some("eyes")
    }
}

/// The engine's side: one handoff, decided without a store.
struct Machine<'a> {
    start: &'a Start,
    state: ProjectState,
    now: Timestamp,
    drawn: u64,
    model: Model,
}

/// The starting point of every sequence.
struct Start {
    world: World,
    handoff: HandoffId,
    prepared_packets: [PreparedPacket; 2],
    input: PrepareInput,
}

impl Start {
    fn new() -> Self {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        world.contract(&json!({ "gates": ["release"] }));
        world.run("ana", submit(&json!({ "can_intercept": true }))).unwrap();
        let handoff = world.newest();
        let prepared_packets =
            ["Ship the part well", "Ship the part"].map(|goal| prepare_packet(&world, goal));
        let input = input(&world);
        Self { world, handoff, prepared_packets, input }
    }
}

fn input(world: &World) -> PrepareInput {
    PrepareInput {
        directory: world.state.directory.clone(),
        caller: world.id("ana"),
        authentication: Authentication::Local,
        receivers: Vec::new(),
        fingerprint_key: [7; 32],
        seed: CommandSeed::new([9; 32]),
        handoff: Some(world.handoff().clone()),
        chain: Vec::new(),
        facts: None,
        work: None,
        question: None,
    }
}

fn prepare_packet(world: &World, goal: &str) -> PreparedPacket {
    let source = packet(&json!({ "can_intercept": true, "goal": goal }));
    let request = Revise { handoff: world.newest(), source, seen: seen_now(world) };
    *request.prepare(&input(world)).unwrap().packet
}

impl<'a> Machine<'a> {
    fn new(start: &'a Start) -> Self {
        let (state, now) = (start.world.state.clone(), start.world.now);
        Self { start, state, now, drawn: 0, model: Model::new() }
    }

    fn run(&mut self, principal: &Principal, command: impl Into<Command>) -> Result<(), Refusal> {
        let step = command.into().prepare(&self.start.input)?;
        self.ask(principal, &*step)
    }

    fn ask(&mut self, principal: &Principal, prepared: &dyn PreparedStep) -> Result<(), Refusal> {
        self.drawn += 1;
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.drawn.to_be_bytes());
        let seed = CommandSeed::new(seed);
        let context = Context { state: &self.state, principal, now: self.now, seed: &seed };
        let change: Change = decide(&context, prepared)?;
        self.state.apply(&change);
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state.handoff(self.start.handoff).unwrap().progress.state
    }

    fn receiver(&self) -> String {
        let receiver = self.state.handoff(self.start.handoff).unwrap().facts.receiver;
        self.state.directory.name(receiver)
    }

    fn seen_now(&self) -> SeenVersion {
        SeenVersion::at(&self.state.directory, self.state.handoff(self.start.handoff).unwrap())
    }

    fn step(&mut self, action: Action) {
        match action {
            Action::Sign(name) => self.sign(name),
            Action::Forge(name) => self.forge(name),
            Action::Edit(name) => self.edit(name),
            Action::Reroute(to) => self.reroute(to),
            Action::Grasp(name, way) => self.grasp(name, way),
            Action::Wait(hours) => self.wait(hours),
        }
        self.agree();
    }

    fn signature(&self) -> SignOff {
        SignOff {
            handoff: self.start.handoff,
            gate: None,
            meaning: None,
            is_denial: false,
            seen: self.seen_now(),
            reason: None,
        }
    }

    fn sign(&mut self, name: &'static str) {
        let waits = matches!(self.state(), State::Held(_)) && !self.model.is_signed();
        let factor = self.model.may_sign(name).filter(|_| waits);
        let taken = self.run(&self.start.world.signed_in(name), self.signature());
        assert_eq!(taken.is_ok(), factor.is_some(), "{name} signs: {taken:?}, {:?}", self.model);
        if let Some(factor) = factor {
            self.model.signed.push((name, factor, self.model.hours));
        }
    }

    fn forge(&mut self, name: &str) {
        let world = &self.start.world;
        let is_person = PEOPLE.contains(&name);
        let principal = if is_person { world.principal(name) } else { world.signed_in(name) };
        let taken = self.run(&principal, self.signature());
        assert!(taken.is_err(), "{name} forges a signature: {:?}", self.model);
    }

    fn edit(&mut self, name: &'static str) {
        let prepared_packets = &self.start.prepared_packets;
        let mut prepared =
            Box::new(prepared_packets[usize::try_from(self.drawn).unwrap() % 2].clone());
        let (handoff, seen) = (self.start.handoff, self.seen_now());
        let facts = &self.state.handoff(handoff).unwrap().facts;
        prepared.base = Some((facts.revision, facts.receiver));
        let principal = self.start.world.principal(name);
        let taken = if name == "ana" {
            let request = Revise { handoff, source: Vec::new(), seen };
            self.ask(&principal, &PreparedRevise { request, packet: prepared })
        } else {
            let request = Edit { handoff, source: Vec::new(), seen, reason: None };
            let (edited, reason) = (Edited::Packet(prepared), Reason::default());
            self.ask(&principal, &PreparedEdit { request, edited, reason })
        };
        assert_eq!(taken.is_ok(), self.model.is_open, "{name} edits: {taken:?}");
        if taken.is_ok() {
            self.model.writers.insert(name);
            self.model.signed.clear();
        }
    }

    fn reroute(&mut self, to: &'static str) {
        let (handoff, seen) = (self.start.handoff, self.seen_now());
        let request = Reroute { handoff, to: to.to_owned(), seen, reason: None };
        let taken = self.run(&self.start.world.principal("tia"), request);
        let is_other = to != self.model.receiver;
        assert_eq!(taken.is_ok(), self.model.is_open && is_other, "reroute to {to}: {taken:?}");
        if taken.is_ok() {
            self.model.receiver = to;
            self.model.signed.clear();
        }
    }

    fn grasp(&mut self, name: &'static str, way: usize) {
        let handoff = self.start.handoff;
        let world = &self.start.world;
        let seen = self.seen_now();
        let accept = Accept { handoff, seen: seen.clone(), reason: None };
        drop(self.run(&world.principal(name), accept));
        let by_id = claim::Claim { handoff: Some(handoff), ..Default::default() };
        let (who, command): (_, Command) = match way {
            0 => ("ben", by_id.into()),
            1 => ("cem", by_id.into()),
            2 => (name, by_id.into()),
            3 => (self.model.receiver, claim::Claim::default().into()),
            _ => (name, Intercept { handoff, seen, reason: None }.into()),
        };
        let taken = self.run(&world.principal(who), command);
        let is_past = self.model.is_open && self.model.is_signed();
        assert!(taken.is_err() || is_past, "{who} got past the gate: {:?}", self.model);
        if taken.is_ok() {
            self.give_back(who);
        }
    }

    fn give_back(&mut self, who: &str) {
        let handoff = self.start.handoff;
        let fence = self.state.handoff(handoff).unwrap().progress.fence;
        let release = Release { claim: ClaimProof { handoff, fence }, reason: None };
        self.run(&self.start.world.principal(who), release).unwrap();
    }

    fn wait(&mut self, hours: i64) {
        self.now += SignedDuration::from_hours(hours);
        self.model.hours += hours;
        loop {
            let handoff = self.state.handoff(self.start.handoff).unwrap();
            let Some(change) = deadlines::apply_due(&self.state, handoff, self.now) else { break };
            self.state.apply(&change);
        }
        self.follow();
    }

    /// Follows the clock, which moves this handoff only because of the gate.
    fn follow(&mut self) {
        let receiver = self.receiver();
        if receiver != self.model.receiver {
            assert!(!self.model.is_signed(), "moved on although signed: {:?}", self.model);
            self.model.receiver = RECEIVERS.into_iter().find(|one| *one == receiver).unwrap();
            self.model.signed.clear();
        }
        if *self.state() == State::Dead {
            assert!(!self.model.is_signed(), "dead although signed: {:?}", self.model);
            self.model.is_open = false;
        }
    }

    fn agree(&self) {
        match self.state() {
            State::Held(_) | State::Dead => {}
            // A released handoff stays offered until its signatures expire.
            State::Offered(_) => assert!(!self.model.signed.is_empty(), "{:?}", self.model),
            other => panic!("{other:?} without a holder: {:?}", self.model),
        }
        assert_eq!(self.receiver(), self.model.receiver);
    }
}

#[test]
fn no_sequence_of_actions_bypasses_a_gate() {
    let start = Start::new();
    let mut passed = 0;
    for seed in 1..=SEQUENCES {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut machine = Machine::new(&start);
        let actions: Vec<Action> = (0..STEPS).map(|_| action(&mut random)).collect();
        for action in actions {
            machine.step(action);
        }
        passed += u64::from(machine.state.handoff(start.handoff).unwrap().progress.fence > 0);
    }
    // The test is not vacuous: gates are signed, and work passes them.
    assert!(passed > SEQUENCES / 100, "only {passed} of {SEQUENCES} got through");
}
