//! The rules of a handoff, with no database and no network in sight.
//!
//! Read the modules in the order they are declared. First what the rules speak of, then the steps
//! in the order in which a packet travels, then the line that makes decisions durable.
//!
//! Every step is one file with one pure `decide`: what is known, what is asked, who asks, when, and
//! the randomness drawn for it. It answers with a [`Change`](change::Change) or a
//! [`Refusal`](refusal::Refusal), and does nothing itself.

/// A handoff and its state.
pub mod handoff;

/// What the rules need to know of a packet.
pub mod sheet;

/// What contract, gates and project have fixed for one handoff.
pub mod terms;

/// Who can send and receive.
pub mod party;

/// Parties, contracts, gates, rules and settings of a project.
pub mod directory;

/// The authenticated caller.
pub mod principal;

/// How a caller proves itself to a server.
pub mod token;

/// Where a token may be used from.
pub mod network;

/// What each command and each question needs of a credential.
pub mod scope;

/// Who is told of which events.
pub mod subscription;

/// Packets, checkpoints, returns, reasons: the texts that events bring.
pub mod document;

/// Every expected "no".
pub mod refusal;

/// A refusal, or a fault.
pub mod error;

/// What one decision asks for, committed together.
pub mod change;

/// What a caller hears.
pub mod reply;

/// What is known while a batch is decided.
pub mod state;

/// How instants are stored.
mod stored_instant;

/// The randomness of one command.
pub mod draw;

/// What a step is handed.
pub mod context;

/// Who may ask for what.
pub mod authority;

/// Reasons, and the documents they stand in.
pub mod reason;

/// Everything anybody can ask for.
pub mod command;

/// Before the line: read, validate, find the contract, scan for secrets, seal.
pub mod prepare;

/// A party opens a task for itself.
pub mod begin;

/// A packet arrives.
pub mod submit;

/// The chain it continues.
pub mod chain;

/// Every offer is decided like the first: does a person have to look?
pub mod offer;

/// What must be signed off before.
pub mod gate;

/// A new revision, by its sender or by a person.
pub mod revise;

/// Questions before acceptance, and their answers.
pub mod ask;

/// A person decides.
pub mod decision;

/// The receiver has seen it.
pub mod deliver;

/// What waits for a person, and who is told of it.
pub mod tell;

/// A receiver takes the work under a lease.
pub mod claim;

/// A holder leaves progress behind.
pub mod checkpoint;

/// A holder asks leave for an exact action.
pub mod hold;

/// A holder gives the work back.
pub mod release;

/// It comes back.
pub mod return_packet;

/// Somebody judges it.
pub mod verify;

/// Gates and rules of the project on one edge.
pub mod edge;

/// Another receiver.
pub mod route;

/// The receiver cannot go on.
pub mod fallback;

/// Time that does not count.
pub mod pause;

/// What time does.
pub mod lapse;

/// Nobody could be told of what waits for a person.
pub mod untold;

/// It is taken back; everything stops.
pub mod cancel;

/// Parties, contracts, gates, rules and settings come in.
pub mod enrol;

/// A backup was put back.
pub mod restore;

/// The exchange was away.
pub mod absence;

/// The rule.
pub mod decide;

/// What doors show.
pub mod view;

/// What somebody is given to go on from, and a person to take over with.
pub mod resume;

/// What came back, what was judged of it, and what the claimer said.
mod came_back;

/// What each event of a change moves.
mod passage;

/// From events to leaves.
pub mod record;

/// What a search looks at.
pub mod search;

/// What the exchange needs of its memory.
pub mod store;

/// What a door keeps of people.
pub mod people;

/// What whoever delivers keeps of deliveries.
pub mod delivery;

/// Time and randomness.
pub mod clock;

/// Which handoff is meant.
pub mod find;

/// What waits for a party.
pub mod inbox;

/// How urgent a handoff is.
pub mod urgency;

/// What happened, as streams show it.
pub mod events;

/// Does the log hold together, and do the documents hold to it?
pub mod log_check;

/// Is every handoff that came in still somewhere?
pub mod audit;

/// How work flows, edge by edge.
pub mod stats;

/// What people decided, with what they saw.
pub mod decisions;

/// What is remembered between commands.
mod known;

/// One project's commands, in batches.
pub mod line;

/// What an operator may set for a project.
pub mod settings;

/// What makes two requests the same.
pub mod same_request;

/// A project begins.
pub mod project;

/// The handle that doors have.
pub mod engine;

/// Every bound and every default.
pub mod limits;

mod address;

/// HMAC-SHA-256.
pub mod hmac;

#[cfg(test)]
mod testing;

#[cfg(test)]
mod transitions;
