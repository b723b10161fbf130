//! The commands, one file each.
//!
//! `step.rs` has the traits that every command implements, `reasoned.rs` the shortcut for those that
//! carry nothing but a reason. The list of all commands is in `command/mod.rs`.

/// Operators change the project: parties, tokens, subscriptions, contracts, gates, rules, settings.
pub mod admin;

/// A party opens a task for itself.
pub mod begin;

/// The sender or a person cancels a handoff.
pub mod cancel;

/// A holder records progress.
pub mod checkpoint;

/// A receiver claims work under a lease, renews it, and hands it to its next process.
pub mod claim;

/// A person decides: accept, sign off, edit, reject, reroute, intercept.
pub mod decision;

/// A receiver declines an offer.
pub mod decline;

/// An operator halts a project, and lifts the halt.
pub mod halt;

/// A holder parks the work until an instant.
pub mod park;

/// A receiver asks before it claims, and the sender answers.
pub mod question;

/// Commands that carry nothing to prepare but a reason.
pub mod reasoned;

/// A holder releases the work.
pub mod release;

/// A holder asks a person to approve an exact action, and withdraws the request.
pub mod request_approval;

/// A holder returns the work.
pub mod return_packet;

/// The sender revises the packet.
pub mod revise;

/// The traits of a command.
pub mod step;

/// A sender hands work over, and a holder passes it on.
pub mod submit;

/// Commands that the exchange itself sends.
pub mod system;

/// A reviewer judges a return.
pub mod verify;

pub use admin::dead_letter::{Discard, Redrive};
pub use admin::{
    AddParty, AddSubscription, BeginAbsence, CreateToken, DisableSubscription, EnableSubscription,
    EndAbsence, NewChannel, PublishContract, PublishGate, RemoveSubscription, RevokeToken,
    RotateSecret, SetRules, SetSettings,
};
pub use begin::Begin;
pub use cancel::Cancel;
pub use checkpoint::Checkpoint;
pub use claim::{Adopt, Claim, Renew};
pub use decision::{Accept, Attention, Edit, Intercept, Reject, Reroute, SeenVersion, SignOff};
pub use decline::Decline;
pub use halt::Halt;
pub use park::Park;
pub use question::answer::Answer;
pub use question::ask::Ask;
pub use reasoned::ReasonedStep;
pub use release::Release;
pub use request_approval::{RequestApproval, Withdraw};
pub use return_packet::Return;
pub use revise::Revise;
pub use step::{Reads, Step};
pub use submit::Submit;
pub use submit::pass_on::PassOn;
pub use system::apply_due::ApplyDue;
pub use system::mark_delivered::MarkDelivered;
pub use system::outage::RecordOutage;
pub use system::reset_clock::ResetClock;
pub use system::restore::RecordRestore;
pub use system::undeliverable::RecordUndeliverable;
pub use verify::Verify;
