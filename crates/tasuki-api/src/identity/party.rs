//! Parties, and the identity of the caller.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_packet::leaf::ActorKind;

#[cfg(feature = "schema")]
use crate::Scopes;
#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::{instant, null_default};
use crate::word_enum::word_enum;

word_enum! {
    /// The kind of a party.
    pub enum PartyKind {
        /// A program.
        Agent = "agent",
        /// A person.
        Human = "human",
        /// A role, whose members share its work.
        Role = "role",
    }
}

impl PartyKind {
    /// Returns the kind of actor in the log. A role never acts, only its members do.
    pub const fn actor(self) -> ActorKind {
        match self {
            Self::Human => ActorKind::Human,
            Self::Agent | Self::Role => ActorKind::Agent,
        }
    }
}

/// A party of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Party {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::PartyId"))]
    pub id: String,
    /// The name.
    pub name: String,
    /// The kind.
    #[cfg_attr(feature = "schema", schemars(with = "PartyKind"))]
    pub kind: String,
    /// Other names of the party.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The members of a role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// The skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// The last absence of a person, which may be over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absence: Option<Absence>,
    /// The contract versions that the party reads. Lists leave this and the following members out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// The most authority that the party may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<Vec<String>>,
    /// The parties on whose behalf it may send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sends_for: Vec<String>,
    /// The mailbox of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// A time in which a person is away and another one stands in for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Absence {
    /// The person who stands in.
    pub deputy: String,
    /// The beginning.
    #[serde(serialize_with = "instant")]
    pub from: Timestamp,
    /// The end. Nothing has to be done then.
    #[serde(serialize_with = "instant")]
    pub until: Timestamp,
}

/// The absence of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AbsenceRequest {
    /// The person who stands in.
    pub deputy: String,
    /// The beginning; now by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// The end, at most 90 days from now.
    #[serde(serialize_with = "instant")]
    pub until: Timestamp,
}

/// A new party, or additions to an existing one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartyRequest {
    /// The name. The name of a role begins with `role:`.
    pub name: String,
    /// The kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<PartyKind>,
    /// Other names to add.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub aliases: Vec<String>,
    /// Members to add to a role.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub members: Vec<String>,
    /// Members to remove from a role.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub without_members: Vec<String>,
    /// Skills to add.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub skills: Vec<String>,
    /// The contract versions that the party reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<Vec<String>>,
    /// The most authority that the party may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<Vec<String>>,
    /// Parties to add to those on whose behalf it may send.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub sends_for: Vec<String>,
    /// The mailbox of a person. An empty text removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// The identity of the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Whoami {
    /// The name of the party.
    pub party: String,
    /// The kind of the party.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = ["agent", "human", "clock", "system"]))
    )]
    pub kind: String,
    /// The project of the credential.
    pub project: Option<String>,
    /// The projects that the person is a member of, if the caller signed in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<Membership>,
    /// The scopes of the credential.
    #[cfg_attr(feature = "schema", schemars(with = "Scopes"))]
    pub scopes: Vec<String>,
}

/// A project that a person is a member of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Membership {
    /// The name of the project, for the header `Tasuki-Project`.
    pub project: String,
    /// The id.
    pub id: String,
    /// `true` while the project is halted.
    pub halted: bool,
}
