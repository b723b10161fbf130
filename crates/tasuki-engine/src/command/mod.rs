//! The list of commands.
//!
//! Every command is a `Step` in `steps`; the list combines them into one enum. Permissions are in
//! `permissions`, idempotency keys in `idempotency` and responses in `reply`.

pub mod idempotency;
pub mod permissions;
pub mod reply;

use std::sync::Arc;

use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::scopes::RequiredScopes;
use crate::steps::step::PreparedStep;
use crate::steps::{
    Accept, AddParty, AddSubscription, Answer, ApplyDue, Ask, Begin, Cancel, Checkpoint, Claim,
    CreateToken, Decline, DisableSubscription, Discard, Edit, EnableSubscription, Halt, Intercept,
    MarkDelivered, Park, PassOn, PublishContract, PublishGate, Reads, RecordOutage, RecordRestore,
    RecordUndeliverable, Redrive, Reject, Release, RemoveSubscription, Renew, RequestApproval,
    Reroute, Return, Revise, RevokeToken, RotateSecret, SetRules, SetSettings, SignOff, Step,
    Submit, Verify,
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
                match self { $(Self::$step(step) => idempotency::digest(step),)+ }
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
    Checkpoint,
    RequestApproval,
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
    MarkDelivered,
    RecordUndeliverable,
    ApplyDue,
}
