//! The handoff packet: one typed document in place of chat logs and free prose.
//!
//! When one party stops, the next continues from a packet: what is done, what is left, what was
//! decided, what is asked, and what must come back. This crate reads packets in any form, says
//! everything that is wrong with them, converts, patches, compares and renders them, and checks
//! them against contracts and against each other.
//!
//! It is pure: no files, no network, no clock, no randomness, no async. The caller brings the
//! bytes.
//!
//! ```
//! use tasuki_packet::open::{OpenOptions, open};
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
//! let opened = open(&source, OpenOptions::default())?;
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
//! - [`open`](mod@open) does everything that a tool or a server does with a document it is given.
//! - [`schema`] is the format: one table of fields from which readers, validation and the published
//!   JSON Schemas come, and the variants that say which fields a packet must have.
//! - [`read`] and [`write`](mod@write) are the forms, [`dialect`] the documents of other systems, and
//!   [`document`] the tree that all of them are read into.
//! - [`check`] looks at one packet: is it valid, does a return satisfy it, is it good, has it secrets.
//!   [`chain`] looks at one packet after another.
//! - [`policy`] holds contracts, gates and rules: what must be in a packet, when a person must look
//!   at it, and who signs it off.
//! - [`canonical`] gives the bytes that are hashed; [`patch`] changes and compares packets.
//! - [`render`] shows a packet to people and to models.
//! - [`leaf`] is what the log of an exchange says of it; [`id`] names what the log speaks of, and
//!   [`credential`] is how a caller proves its identity.
#![warn(missing_docs)]

pub mod canonical;
pub mod chain;
pub mod check;
pub mod dialect;
pub mod document;
pub mod leaf;
pub mod open;
pub mod packet;
pub mod patch;
pub mod policy;
pub mod read;
pub mod render;
pub mod schema;
mod types;
pub mod violation;
pub mod write;

pub use document::Members;
pub use packet::{Certainty, Item, Packet};
pub use schema::Kind;
pub use schema::variant::Variant;
pub use types::{credential, duration, id, instant, string_enum};
pub use violation::{Code, Position, Span, Violation};
