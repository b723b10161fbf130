//! The client of a Tasuki server: hand work over, claim it, leave checkpoints, return it, decide.
//!
//! One method of [`Client`] asks for one operation of the HTTP interface and gives the body that it
//! answers with, as [`tasuki_api`] has it. What the exchange refuses is [`Error::Refused`], with
//! the stable code and what to do next; everything else says why there is no answer.
//!
//! Calls block. [`Client::follow`] reads events as they happen and goes on where it was after a lost
//! connection. A request that changes something carries an `Idempotency-Key`, so that it is sent again
//! after a broken connection and still happens at most once.
//!
//! ```no_run
//! use tasuki_client::{Client, Submit};
//!
//! # fn main() -> Result<(), tasuki_client::Error> {
//! let client = Client::new("http://127.0.0.1:7420", "tasuki_agent_…")?;
//! let packet = br#"{"handoff_version":"1.0","to_agent":"coder","goal":"Fix the build"}"#;
//! let answer = client.submit(&Submit::of(packet))?;
//! println!("{:?}", answer.handoff.map(|handoff| handoff.id));
//! # Ok(())
//! # }
//! ```

mod address;
mod ask;
mod client;
mod error;
mod gives;
mod operations;
mod request;
mod stream;
mod tls;

pub use ask::{
    AddParty, Answering, Asking, Begin, Channel, Claiming, CreateToken, Decide, Decision, Events,
    Filter, Holder, Listing, Park, PublishContract, Revision, SignOff, Signing, Submit, Subscribe,
    Verdict,
};
pub use client::Client;
pub use error::Error;
pub use gives::{
    ContractLine, ContractShown, Document, Found, GateLine, HandoffDetails, LogChecked, Page,
    Project, Replayed, Trail, Validated, Whoami,
};
pub use stream::{Stream, StreamItem};
pub use tasuki_api as api;
pub use tasuki_api::problem::Problem;
