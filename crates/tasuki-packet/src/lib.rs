//! The handoff packet: one typed document in place of chat logs and free prose.
//!
//! When one party stops, the next continues from a packet: what is done, what is left, what was
//! decided, what is asked, and what must come back. This crate reads packets in any form, says
//! everything that is wrong with them, converts, patches, compares and renders them, and checks
//! them against contracts and against each other.
//!
//! It is pure: no files, no network, no clock, no randomness, no async. Whoever calls it brings the
//! bytes.
//!
//! ```
//! use tasuki_packet::open::{Terms, open};
//! use tasuki_packet::read::Source;
//! use tasuki_packet::render;
//!
//! // A packet in a comment, between two paragraphs of prose.
//! let comment = br#"I have to stop here.
//!
//! ~~~yaml
//! handoff_version: "1.0"
//! task_id: build-spfx-webpart-42
//! from_agent: hermes-main
//! to_agent: hermes-worker-3
//! status: in_progress
//! goal: Ship the accessible web part
//! completed: [Scaffolded web part structure]
//! remaining: [Write component logic, Add tests]
//! confidence: 0.62
//! ~~~
//! "#;
//!
//! let source = Source::packet(comment)?;
//! let opened = open(&source, Terms::default())?;
//! assert_eq!(opened.variant, "baseline");
//! assert!(opened.violations.is_empty());
//! assert_eq!(opened.packet.receiver(), Some("hermes-worker-3"));
//! assert!(opened.packet.digest().starts_with("sha256:"));
//! assert!(render::human_brief(&opened.packet).contains("62 %"));
//! # Ok::<(), tasuki_packet::Violation>(())
//! ```
//!
//! # Where to look
//!
//! - [`open`](mod@open) does everything that a tool or a door does with a document it is given.
//! - [`field`] is the one table from which readers, [`validate`], [`schema`] and the specification
//!   come; [`variant`] says which fields a packet must have.
//! - [`read`], [`write`](mod@write) and [`convert`] are the forms, [`dialect`] the documents of other systems.
//! - [`contract`], [`verify`] and [`chain`] look at a packet in its place: under an agreement, as an
//!   answer, in a chain. [`secrets`] and [`lint`] look at its content.
//! - [`trigger`], [`risk`], [`gate`] and [`rules`] say when a person must look at it, and who signs it off.
//! - [`render`] shows it to people and to models.
//! - [`leaf`] is what the log of an exchange says of it; [`id`] names what the log speaks of, and
//!   [`credential`] is how a caller proves who it is.
#![warn(missing_docs)]

mod aliases;
pub mod api;
pub mod canonical;
pub mod chain;
pub mod continuation;
pub mod contract;
pub mod convert;
pub mod credential;
pub mod dialect;
pub mod diff;
pub mod duration;
mod escape;
pub mod field;
pub mod gate;
pub mod id;
pub mod instant;
pub mod kind;
pub mod leaf;
pub mod limits;
pub mod lint;
mod measure;
pub mod members;
mod number;
pub mod open;
pub mod packet;
pub mod patch;
mod path;
mod places;
pub mod pointer;
pub mod problem;
mod put_off;
pub mod read;
mod rearrange;
pub mod render;
pub mod risk;
pub mod rules;
pub mod schema;
pub mod secrets;
mod shorten;
pub mod suggest;
#[cfg(feature = "tokens")]
pub mod tokens;
pub mod tree;
pub mod trigger;
pub mod validate;
pub mod variant;
pub mod verify;
pub mod violation;
pub mod word;
pub mod write;

pub use kind::Kind;
pub use members::Members;
pub use packet::{Certainty, Item, Packet};
pub use variant::Variant;
pub use violation::{Code, Position, Span, Violation};
