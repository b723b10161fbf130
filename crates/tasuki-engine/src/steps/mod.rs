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

pub use admin::dead_letter::{Discard, Redrive};
pub use admin::{
    AddParty, AddSubscription, CreateToken, DisableSubscription, EnableSubscription, NewChannel,
    PublishContract, PublishGate, RemoveSubscription, RevokeToken, RotateSecret, SetRules,
    SetSettings,
};
pub use begin::Begin;
pub use cancel::Cancel;
pub use checkpoint::Checkpoint;
pub use claim::{Claim, Renew};
pub use decision::{Accept, Edit, Intercept, Reject, Reroute, SeenVersion, SignOff};
pub use decline::Decline;
pub use halt::Halt;
pub use park::Park;
pub use question::answer::Answer;
pub use question::ask::Ask;
pub use reasoned::ReasonedStep;
pub use release::Release;
pub use request_approval::RequestApproval;
pub use return_packet::Return;
pub use revise::Revise;
pub use step::{Reads, Step};
pub use submit::Submit;
pub use submit::pass_on::PassOn;
pub use system::apply_due::ApplyDue;
pub use system::mark_delivered::MarkDelivered;
pub use system::outage::RecordOutage;
pub use system::restore::RecordRestore;
pub use system::undeliverable::RecordUndeliverable;
pub use verify::Verify;
