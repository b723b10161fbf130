//! The list of commands.
//!
//! Every command is a `Step` in `steps`; the list combines them into one enum. Permissions are in
//! `permissions`, responses in `reply`, and what a caller may do next in `allowed`.

pub mod allowed;
pub mod permissions;
pub mod reply;

use std::sync::Arc;

use crate::model::idempotency;
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::scopes::RequiredScopes;
use crate::steps::step::PreparedStep;
use crate::steps::{
    Accept, AddParty, AddSubscription, Adopt, Answer, ApplyDue, Ask, Begin, BeginAbsence, Cancel,
    Checkpoint, Claim, CreateToken, Decline, DisableSubscription, Discard, Edit,
    EnableSubscription, EndAbsence, Halt, Intercept, MarkDelivered, Park, PassOn, PublishContract,
    PublishGate, Reads, RecordOutage, RecordRestore, RecordUndeliverable, Redrive, Reject, Release,
    RemoveSubscription, Renew, RequestApproval, Reroute, ResetClock, Return, Revise, RevokeToken,
    RotateSecret, SetRules, SetSettings, SignOff, Step, Submit, Verify, Withdraw,
};

macro_rules! commands {
    ($($step:ident),+ $(,)?) => {
        /// A command, as submitted by a caller.
        #[derive(Debug, Clone)]
        pub enum Command {
            $(#[doc = concat!("See [`", stringify!($step), "`].")] $step($step),)+
        }

        impl Command {
            /// The names of all commands.
            pub const NAMES: &[&str] = &[$(<$step as Step>::NAME),+];

            /// Returns the name of the command.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$step(_) => <$step as Step>::NAME,)+ }
            }

            /// Returns the scopes that it requires.
            pub const fn scopes(&self) -> RequiredScopes {
                match self { $(Self::$step(_) => <$step as Step>::SCOPES,)+ }
            }

            /// Returns what must be read from the store before preparing it.
            pub fn reads(&self) -> Reads {
                match self { $(Self::$step(step) => Step::reads(step),)+ }
            }

            /// Returns the digest that an idempotency key is bound to.
            pub fn digest(&self) -> String {
                match self { $(Self::$step(step) => idempotency::digest(<$step as Step>::NAME, step),)+ }
            }

            /// Parses, validates and seals its input.
            pub fn prepare(&self, input: &PrepareInput) -> Result<Arc<dyn PreparedStep>, Refusal> {
                match self { $(Self::$step(step) => Ok(Arc::new(Step::prepare(step, input)?)),)+ }
            }
        }

        $(impl From<$step> for Command {
            fn from(step: $step) -> Self {
                Self::$step(step)
            }
        })+
    };
}

commands! {
    Begin,
    Submit,
    PassOn,
    Revise,
    Ask,
    Answer,
    Decline,
    Claim,
    Renew,
    Adopt,
    Checkpoint,
    RequestApproval,
    Withdraw,
    Park,
    Release,
    Return,
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
    Halt,
    AddParty,
    BeginAbsence,
    EndAbsence,
    CreateToken,
    RevokeToken,
    AddSubscription,
    DisableSubscription,
    EnableSubscription,
    RemoveSubscription,
    RotateSecret,
    PublishContract,
    PublishGate,
    SetRules,
    SetSettings,
    RecordRestore,
    RecordOutage,
    ResetClock,
    MarkDelivered,
    RecordUndeliverable,
    ApplyDue,
}

#[cfg(test)]
mod tests {
    use tasuki_packet::id::{HandoffId, ReturnId, TokenId};

    use super::*;
    use crate::rules::fencing::ClaimProof;
    use crate::steps::{
        Accept, AddParty, Attention, Claim, CreateToken, Discard, Halt, PassOn, Redrive, Reject,
        Release, RevokeToken, SeenVersion, Submit, Verify,
    };

    #[test]
    fn everything_the_caller_states_is_part_of_the_digest() {
        let handoff = HandoffId::new(1, [1; 10]);
        let claim = ClaimProof { handoff, fence: 1 };
        let text = || Some("because".to_owned());
        let from = vec!["10.0.0.0/8".parse().unwrap()];
        let attention = || Attention { seconds: Some(3), ..Attention::default() };
        let seen = || SeenVersion { attention: attention(), ..SeenVersion::default() };
        let bare = Submit { source: b"{}".to_vec(), ..Default::default() };
        let return_packet = Some(ReturnId::new(1, [1; 10]));
        let verdict =
            Verify { handoff, return_packet, is_good: true, reason: None, attention: attention() };
        let commands = [
            Command::Submit(bare.clone()),
            Command::Submit(Submit { source: b"{ }".to_vec(), ..bare.clone() }),
            Command::Submit(Submit { hold: true, ..bare.clone() }),
            Command::Submit(Submit { to: text(), ..bare.clone() }),
            Command::Submit(Submit { variant: Some("v".into()), ..bare.clone() }),
            Command::PassOn(PassOn::new(claim, b"{}".to_vec())),
            Command::Submit(Submit { supersedes: Some(handoff), ..bare }),
            Command::Claim(Claim { handoff: Some(handoff), ..Default::default() }),
            Command::Claim(Claim { key: text(), ..Default::default() }),
            Command::Claim(Claim::default()),
            Command::Release(Release { claim, reason: None }),
            Command::Release(Release { claim, reason: text() }),
            Command::Release(Release { claim: ClaimProof { fence: 2, ..claim }, reason: None }),
            Command::Verify(verdict.clone()),
            Command::Verify(Verify { is_good: false, ..verdict.clone() }),
            Command::Verify(Verify { return_packet: None, ..verdict }),
            Command::Accept(Accept { handoff, seen: seen(), reason: None }),
            Command::Accept(Accept { handoff, seen: SeenVersion::default(), reason: None }),
            Command::Reject(Reject { handoff, seen: seen(), reason: None }),
            Command::Redrive(Redrive { handoff, reason: None, attention: attention() }),
            Command::Discard(Discard { handoff, reason: None, attention: attention() }),
            Command::Halt(Halt { is_lift: true, reason: None }),
            Command::Halt(Halt { is_lift: false, reason: None }),
            Command::AddParty(AddParty { name: "ana".to_owned(), ..Default::default() }),
            Command::AddParty(AddParty { name: "ben".to_owned(), ..Default::default() }),
            Command::CreateToken(CreateToken { party: "ana".to_owned(), ..Default::default() }),
            Command::CreateToken(CreateToken { name: text(), ..Default::default() }),
            Command::CreateToken(CreateToken { from, ..Default::default() }),
            Command::RevokeToken(RevokeToken { token: TokenId::new(1, [1; 10]) }),
        ];
        let mut digests: Vec<String> = commands.iter().map(Command::digest).collect();
        let again: Vec<String> = commands.iter().map(Command::digest).collect();
        assert_eq!(digests, again);
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), commands.len());
    }

    #[test]
    fn a_stored_digest_never_changes() {
        let command = Command::Submit(Submit {
            source: br#"{"goal":"Ship"}"#.to_vec(),
            to: Some("ben".to_owned()),
            ..Default::default()
        });
        insta::assert_snapshot!(command.digest(), @"sha256:0bb6f1bc7da901e92a8da28a5c64aaf1c45c6fe37592465d820852f69adc606f");
    }
}
