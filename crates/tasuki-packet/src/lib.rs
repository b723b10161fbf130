//! Handoff packets: the typed document that one agent or person hands to the next.
//!
//! A packet states the goal of a task, the work that is done and left, the decisions made, the
//! request to the receiver, and the fields that must come back. It replaces chat logs and free
//! prose. This crate reads, validates, converts, patches, compares and renders packets, and checks
//! them against contracts and against each other.
//!
//! The crate is pure: it uses no files, network, clock, randomness or async. The caller provides
//! the bytes.
//!
//! # Read and validate
//!
//! [`open`](mod@open) reads a packet in any form: JSON, YAML, the wire form, or a block in a
//! Markdown text. It detects the form, the dialect and the variant, and reports every violation.
//!
//! ```
//! use tasuki_packet::open::{OpenOptions, open};
//! use tasuki_packet::read::Source;
//!
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
//! # Ok::<(), tasuki_packet::Violation>(())
//! ```
//!
//! A [`Violation`] has a stable code, the position of the value, and a hint:
//!
//! ```
//! use tasuki_packet::open::{OpenOptions, open};
//! use tasuki_packet::read::Source;
//!
//! let source = Source::packet(b"task_id: export-7\ntask_id: export-8\ngoal: Ship it\n")?;
//! let violation = open(&source, OpenOptions::default()).unwrap_err();
//! assert_eq!(violation.to_string(), "2:1: TK-YAML-DUPLICATE: duplicate key `task_id`");
//! # Ok::<(), tasuki_packet::Violation>(())
//! ```
//!
//! # Convert and render
//!
//! ```
//! use serde_json::json;
//! use tasuki_packet::read::Form;
//! use tasuki_packet::write::convert::to_form;
//! use tasuki_packet::{Packet, render};
//!
//! let packet = Packet::from_value(json!({
//!     "handoff_version": "1.0",
//!     "goal": "Ship the accessible web part",
//!     "confidence": 0.62,
//! }))
//! .unwrap();
//! let yaml = to_form(packet.members(), Form::Yaml, "")?;
//! assert!(yaml.ends_with("goal: Ship the accessible web part\nconfidence: 0.62\n"));
//! assert!(render::human_brief(&packet).contains("62 %"));
//! # Ok::<(), tasuki_packet::Violation>(())
//! ```
//!
//! # Modules
//!
//! - [`open`](mod@open): reads and validates a packet in one call.
//! - [`schema`]: the format. One table of fields defines the readers, the validation and the
//!   published JSON Schemas. Variants define which fields are required.
//! - [`read`] and [`write`](mod@write): the forms. [`dialect`]: documents of other systems.
//!   [`document`]: the tree that all of them are read into.
//! - [`check`]: validates a packet, verifies a return packet, lints, and finds secrets.
//! - [`draft`]: turns an issue or free text into a packet.
//! - [`chain`]: checks a packet against the one before it.
//! - [`policy`]: contracts, gates and rules. They define the content of a packet, when a person
//!   must approve it, and who signs it off.
//! - [`canonical`]: the bytes that are hashed. [`patch`]: changes and compares packets.
//! - [`save`](mod@save): writes an opened packet in another form or dialect, and reads it again.
//! - [`render`]: briefs for people and for models.
//! - [`leaf`]: the entries of an exchange's log. [`id`]: the ids in it. [`credential`]: tokens.
#![warn(missing_docs)]

pub mod canonical;
pub mod chain;
pub mod check;
pub mod dialect;
pub mod document;
pub mod draft;
pub mod leaf;
pub mod open;
pub mod packet;
pub mod patch;
pub mod policy;
pub mod read;
pub mod render;
pub mod save;
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
