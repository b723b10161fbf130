//! The leaf: one entry of a project's append-only log.
//!
//! A leaf is RFC 8785 JSON with a closed set of members. It never contains packet text or personal
//! data: it commits to documents with salted hashes ([`Commitment`]), names parties by id, and has
//! only the attributes that [`EventType`] lists.
//!
//! Each leaf contains the hash of the previous leaf and the number of the last leaf of the same
//! handoff. [`check_chain`] uses them to find gaps in the log and in the history of one handoff.
//!
//! This module does not store leaves and has no tree heads or proofs.
//!
//! ```
//! use tasuki_packet::id::ProjectId;
//! use tasuki_packet::leaf::{
//!     Actor, ActorKind, Attribute, Attributes, Authentication, EventType, Hash, Leaf, check_chain,
//! };
//!
//! let project = ProjectId::from_bytes([1; 16]);
//! let leaf = Leaf {
//!     project,
//!     epoch: 1,
//!     index: 0,
//!     number: 0,
//!     time: "2026-11-16T08:00:00Z".parse().unwrap(),
//!     previous: Hash::ZERO,
//!     event: EventType::ProjectCreated,
//!     subject: None,
//!     document: None,
//!     attributes: Attributes::from([("project", Attribute::Id(project.into()))]),
//!     actor: Actor {
//!         party: None,
//!         kind: ActorKind::System,
//!         authentication: Authentication::None,
//!         credential: None,
//!         on_behalf_of: None,
//!     },
//!     class: None,
//!     taint: None,
//!     regulations: Vec::new(),
//!     policy: None,
//! };
//! let bytes = leaf.bytes()?;
//! assert_eq!(Leaf::read(&bytes)?, leaf);
//! assert_eq!(check_chain([bytes.as_slice()]), Ok(Hash::of_leaf(&bytes)));
//! # Ok::<(), tasuki_packet::leaf::ParseLeafError>(())
//! ```

mod attribute;
mod chain;
mod entry;
mod event;
mod hash;
mod read;
mod write;

pub use attribute::{Attribute, AttributeKind, Attributes};
pub use chain::{BrokenChain, Chain, check_chain, names_last_of_handoff};
pub use entry::{Actor, ActorKind, Authentication, Leaf, Regulation, Subject, class_of};
pub use event::EventType;
pub use hash::{Commitment, Hash, packet_salt};
pub use read::ParseLeafError;
