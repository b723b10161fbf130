//! Everything anybody can ask for.
//!
//! A `Command` is what a door hands in, with documents as they were sent. `Prepared` is the same
//! after reading, validating and sealing them; only that enters the line.

/// What makes two requests the same.
pub mod idempotency;

/// What a caller hears.
pub mod reply;

use serde_json::{Map, Value};

use crate::model::directory::{ContractRecord, GateRecord, Published, RulesRecord};
use crate::model::document::Sealed;
use crate::model::reason::Reason;
use crate::prepare::Paper;
use crate::prepare::checkpoint::Progress;
use crate::prepare::contract::Onward;
use crate::prepare::returns::Returning;
use crate::refusal::Refusal;
use crate::rules::fallback::{Dead, Decline};
use crate::steps::admin::{
    AddParty, AddSubscription, CreateToken, DisableSubscription, EnableSubscription,
    RemoveSubscription, RevokeToken, RotateSecret,
};
use crate::steps::claim::Renew;
use crate::steps::decision::{Accept, Intercept, Reject, Reroute, SignOff};
use crate::steps::release::{Park, Release};
use crate::steps::revise::{Edit, Edited, Revise};
use crate::steps::system::outage::Resume;
use crate::steps::system::restore::Restored;
use crate::steps::system::{mark_delivered, undeliverable};
use crate::steps::{
    ask, begin, cancel, checkpoint, claim, request_approval, return_packet, submit, verify,
};

/// Everything anybody can ask for.
#[derive(Debug, Clone)]
pub enum Command {
    /// Open a task for oneself.
    Begin(begin::Request),
    /// Hand work over, or pass it on.
    Submit(submit::Request),
    /// Make a new revision.
    Revise(Revise),
    /// Want to know something.
    Ask(ask::Ask),
    /// Say it.
    Answer(ask::Answer),
    /// Not take it.
    Decline(Decline),
    /// Take it.
    Claim(claim::Request),
    /// Make the lease longer.
    Renew(Renew),
    /// Leave progress behind.
    Checkpoint(checkpoint::Request),
    /// Ask leave for an action.
    Hold(request_approval::Request),
    /// Give it back until an instant.
    Park(Park),
    /// Give it back.
    Release(Release),
    /// Return what was asked for.
    Return(return_packet::Request),
    /// Judge it.
    Verify(verify::Request),
    /// Let it go on.
    Accept(Accept),
    /// Sign at a gate.
    SignOff(SignOff),
    /// Change it as a person.
    Edit(Edit),
    /// Refuse it.
    Reject(Reject),
    /// Send it elsewhere.
    Reroute(Reroute),
    /// Take it over.
    Intercept(Intercept),
    /// Take it back.
    Cancel(cancel::Cancel),
    /// Start a dead one again.
    Redrive(Dead),
    /// Give a dead one up.
    Discard(Dead),
    /// Stop everything, or go on.
    Halt(cancel::HaltRequest),
    /// Add or change a party.
    AddParty(AddParty),
    /// Create a token.
    CreateToken(CreateToken),
    /// Let a token work no longer.
    RevokeToken(RevokeToken),
    /// Tell somebody of events.
    AddSubscription(AddSubscription),
    /// Let a subscription wait.
    DisableSubscription(DisableSubscription),
    /// Let a subscription go on.
    EnableSubscription(EnableSubscription),
    /// Tell somebody no longer.
    RemoveSubscription(RemoveSubscription),
    /// Give a webhook a new secret.
    RotateSecret(RotateSecret),
    /// Publish a contract.
    PublishContract(ContractRecord),
    /// Publish a gate.
    PublishGate(GateRecord),
    /// Set the rules.
    SetRules(RulesRecord),
    /// Set the settings.
    SetSettings(Map<String, Value>),
    /// Write down that a backup was put back.
    NoteRestore(Restored),
    /// Write down that the exchange was away.
    Resume(Resume),
    /// Say that the receiver has seen it.
    Deliver(mark_delivered::Request),
    /// Say that nobody could be told.
    NoteUntold(undeliverable::Request),
    /// Do what the clock has made due.
    Settle,
}

/// A command whose documents are read, checked and sealed.
#[derive(Debug)]
pub enum Prepared {
    /// See [`Command::Begin`].
    Begin(begin::Request, Box<Paper>),
    /// See [`Command::Submit`].
    Submit(submit::Request, Box<Paper>),
    /// See [`Command::Revise`].
    Revise(Revise, Box<Paper>),
    /// See [`Command::Ask`].
    Ask(ask::Ask, Reason),
    /// See [`Command::Answer`].
    Answer(ask::Answer, Reason, Box<Paper>),
    /// See [`Command::Decline`].
    Decline(Decline, Reason),
    /// See [`Command::Claim`]; how many secrets were cut out of what the claimer says.
    Claim(claim::Request, usize),
    /// See [`Command::Renew`].
    Renew(Renew),
    /// See [`Command::Checkpoint`].
    Checkpoint(checkpoint::Request, Progress),
    /// See [`Command::Hold`].
    Hold(request_approval::Request, Sealed),
    /// See [`Command::Park`].
    Park(Park, Reason),
    /// See [`Command::Release`].
    Release(Release, Reason),
    /// See [`Command::Return`].
    Return(return_packet::Request, Box<Returning>),
    /// See [`Command::Verify`].
    Verify(verify::Request, Reason),
    /// See [`Command::Accept`].
    Accept(Accept, Reason),
    /// See [`Command::SignOff`].
    SignOff(SignOff, Reason),
    /// See [`Command::Edit`].
    Edit(Edit, Edited, Reason),
    /// See [`Command::Reject`].
    Reject(Reject, Reason),
    /// See [`Command::Reroute`].
    Reroute(Reroute, Reason, Box<Onward>),
    /// See [`Command::Intercept`].
    Intercept(Intercept, Reason),
    /// See [`Command::Cancel`].
    Cancel(cancel::Cancel, Reason),
    /// See [`Command::Redrive`].
    Redrive(Dead, Reason),
    /// See [`Command::Discard`].
    Discard(Dead, Reason),
    /// See [`Command::Halt`].
    Halt(cancel::HaltRequest, Reason),
    /// See [`Command::AddParty`].
    AddParty(AddParty),
    /// See [`Command::CreateToken`].
    CreateToken(CreateToken),
    /// See [`Command::RevokeToken`].
    RevokeToken(RevokeToken),
    /// See [`Command::AddSubscription`].
    AddSubscription(AddSubscription),
    /// See [`Command::DisableSubscription`].
    DisableSubscription(DisableSubscription),
    /// See [`Command::EnableSubscription`].
    EnableSubscription(EnableSubscription),
    /// See [`Command::RemoveSubscription`].
    RemoveSubscription(RemoveSubscription),
    /// See [`Command::RotateSecret`].
    RotateSecret(RotateSecret),
    /// See [`Command::PublishContract`].
    PublishContract(ContractRecord, Box<Published>),
    /// See [`Command::PublishGate`].
    PublishGate(GateRecord, Box<tasuki_packet::gate::Gate>),
    /// See [`Command::SetRules`].
    SetRules(RulesRecord, Box<tasuki_packet::rules::Rules>),
    /// See [`Command::SetSettings`].
    SetSettings(Map<String, Value>),
    /// See [`Command::NoteRestore`].
    NoteRestore(Restored),
    /// See [`Command::Resume`].
    Resume(Resume),
    /// See [`Command::Deliver`].
    Deliver(mark_delivered::Request),
    /// See [`Command::NoteUntold`].
    NoteUntold(undeliverable::Request),
    /// See [`Command::Settle`].
    Settle,
    /// Refused already; only its idempotency key may still have an answer.
    Refused(Box<Refusal>),
}

impl Command {
    /// All words.
    pub const WORDS: &[&str] = &[
        "begin",
        "pass_on",
        "submit",
        "revise",
        "ask",
        "answer",
        "decline",
        "claim",
        "renew",
        "checkpoint",
        "hold",
        "park",
        "release",
        "return",
        "verify",
        "accept",
        "sign_off",
        "edit",
        "reject",
        "reroute",
        "intercept",
        "cancel",
        "redrive",
        "discard",
        "halt",
        "add_party",
        "create_token",
        "revoke_token",
        "add_subscription",
        "disable_subscription",
        "enable_subscription",
        "remove_subscription",
        "rotate_secret",
        "publish_contract",
        "publish_gate",
        "set_rules",
        "set_settings",
        "note_restore",
        "resume",
        "deliver",
        "note_untold",
        "settle",
    ];

    /// The word of the command, which is part of an idempotency key's scope.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Begin(_) => "begin",
            Self::Submit(request) => match request.parent {
                Some(_) => "pass_on",
                None => "submit",
            },
            Self::Revise(_) => "revise",
            Self::Ask(_) => "ask",
            Self::Answer(_) => "answer",
            Self::Decline(_) => "decline",
            Self::Claim(_) => "claim",
            Self::Renew(_) => "renew",
            Self::Checkpoint(_) => "checkpoint",
            Self::Hold(_) => "hold",
            Self::Park(_) => "park",
            Self::Release(_) => "release",
            Self::Return(_) => "return",
            Self::Verify(_) => "verify",
            Self::Accept(_) => "accept",
            Self::SignOff(_) => "sign_off",
            Self::Edit(_) => "edit",
            Self::Reject(_) => "reject",
            Self::Reroute(_) => "reroute",
            Self::Intercept(_) => "intercept",
            Self::Cancel(_) => "cancel",
            Self::Redrive(_) => "redrive",
            Self::Discard(_) => "discard",
            Self::Halt(_) => "halt",
            Self::AddParty(_) => "add_party",
            Self::CreateToken(_) => "create_token",
            Self::RevokeToken(_) => "revoke_token",
            Self::AddSubscription(_) => "add_subscription",
            Self::DisableSubscription(_) => "disable_subscription",
            Self::EnableSubscription(_) => "enable_subscription",
            Self::RemoveSubscription(_) => "remove_subscription",
            Self::RotateSecret(_) => "rotate_secret",
            Self::PublishContract(_) => "publish_contract",
            Self::PublishGate(_) => "publish_gate",
            Self::SetRules(_) => "set_rules",
            Self::SetSettings(_) => "set_settings",
            Self::NoteRestore(_) => "note_restore",
            Self::Resume(_) => "resume",
            Self::Deliver(_) => "deliver",
            Self::NoteUntold(_) => "note_untold",
            Self::Settle => "settle",
        }
    }
}
