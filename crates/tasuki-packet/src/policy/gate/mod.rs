//! Gates: the sign-offs that a handoff needs before it is released.
//!
//! A gate is a document (`gates/*.yaml`), read like a contract: unknown members are errors, and
//! every violation is reported at once. A gate applies in two cases:
//!
//! - A contract or a packet's `sign_off_gates` names it.
//! - Its own conditions on classification, regulation, trigger or edge match the handoff.
//!
//! The exchange records signatures and decides whether a gate is open. It binds the digest of the
//! gate when the handoff is submitted.
//!
//! ```
//! use serde_json::json;
//! use tasuki_packet::policy::gate::Gate;
//!
//! let gate = Gate::read(&json!({
//!     "gate": "clinical-release",
//!     "version": "1.0",
//!     "factors": [{"name": "safety", "roles": ["clinical-safety"], "approvals": 2}],
//! }))
//! .unwrap();
//! assert_eq!(gate.identity().to_string(), "clinical-release@1.0");
//! assert_eq!(gate.approvals(), 2);
//! assert!(gate.factors[0].admits("ana", &|_, role| role == "role:clinical-safety"));
//! ```

pub(crate) mod conditions;

pub(crate) mod packet_fields;

mod document;
mod read;
pub use conditions::{Conditions, Edge, GateContext};
pub use document::{Distinct, Factor, Gate, Members, Opened};
pub use packet_fields::{classification, regulations, sign_off_gates};
pub(crate) use read::{check_filled, conditions, duplicate};
