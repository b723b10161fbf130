//! The commands, one file each.

/// A party opens a task for itself.
pub mod begin;

/// A packet arrives.
pub mod submit;

/// A new revision, by its sender or by a person.
pub mod revise;

/// A receiver takes the work under a lease.
pub mod claim;

/// A holder leaves progress behind.
pub mod checkpoint;

/// A holder asks leave for an exact action.
pub mod request_approval;

/// A holder gives the work back.
pub mod release;

/// It comes back.
pub mod return_packet;

/// Somebody judges it.
pub mod verify;

/// It is taken back; everything stops.
pub mod cancel;

/// A person decides.
pub mod decision;

/// Parties, contracts, gates, rules and settings come in.
pub mod admin;

/// Commands that the exchange itself sends.
pub mod system;

/// A receiver declines.
pub mod decline;

/// A holder parks the work.
pub mod park;

/// The stop button.
pub mod halt;

/// The traits of a command.
pub mod step;

/// Commands that carry a reason.
pub mod reasoned;

/// Questions and answers.
pub mod question;
