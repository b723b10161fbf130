//! Variants and profiles: the fields that a packet must, may and must not have.
//!
//! A variant has one row per kind of packet. The built-in variants are below. A team can write its
//! own as a small file that extends one of them.

use std::sync::LazyLock;

use serde_json::Value;

use super::Kind;
use super::field::{self, FIELDS, Field, FieldSet, Shape};
use crate::document::{Members, member, pointer};
use crate::violation::{Code, Violation, suggest};

/// A variant or profile.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Variant;
/// use tasuki_packet::schema::variant::Unknown;
///
/// let own = json!({"variant": "our-team", "extends": "strict", "unknown": "keep"});
/// let own = Variant::from_document(&own).unwrap();
/// assert_eq!((own.name(), own.unknown()), ("our-team", Unknown::Keep));
///
/// let packet = json!({"packet_type": "task", "goal": "Ship it"});
/// assert_eq!(Variant::detect(packet.as_object().unwrap()), "ahp");
/// ```
#[derive(Debug, Clone)]
pub struct Variant {
    name: String,
    rows: [Row; 4],
    /// Lists that must not be empty if they are present.
    filled: FieldSet,
    refused: FieldSet,
    unknown: Unknown,
    packet_types: &'static [&'static str],
    shapes: &'static [(&'static str, &'static Shape)],
    /// Members outside the table that a team's own variant requires.
    required_beside: Vec<String>,
}

/// The required fields of one kind of packet.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    required: FieldSet,
}

/// The treatment of unknown members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// Unknown members are kept.
    Keep,
    /// Unknown members are violations, except below `extensions`.
    Refuse,
}

/// The presence that a variant requires of a field.
///
/// ```
/// use tasuki_packet::schema::field::{FIELDS, index_of};
/// use tasuki_packet::schema::variant::Presence;
/// use tasuki_packet::{Kind, Variant};
///
/// let baseline = Variant::named("baseline").unwrap();
/// let task_id = &FIELDS[index_of("task_id").unwrap()];
/// assert_eq!(baseline.presence(task_id, Kind::Handoff), Presence::Required);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The field is required.
    Required,
    /// The field is required, and its list must not be empty.
    Filled,
    /// The field is optional.
    Optional,
    /// The field is not allowed.
    Refused,
}

/// A built-in variant.
struct BuiltIn {
    name: &'static str,
    purpose: &'static str,
    extends: Option<&'static str>,
    handoff: &'static [&'static str],
    checkpoint: &'static [&'static str],
    return_packet: &'static [&'static str],
    decision: &'static [&'static str],
    filled: &'static [&'static str],
    unknown: Unknown,
    packet_types: &'static [&'static str],
    shapes: &'static [(&'static str, &'static Shape)],
}

const PLAIN: BuiltIn = BuiltIn {
    name: "",
    purpose: "",
    extends: None,
    handoff: &[],
    checkpoint: &[],
    return_packet: &[],
    decision: &[],
    filled: &[],
    unknown: Unknown::Keep,
    packet_types: &[],
    shapes: &[],
};

const AHP_REQUIRED: &[&str] =
    &["packet_type", "goal", "constraints", "acceptance", "failure_boundary", "return_required"];

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "baseline",
        purpose: "the open format: parties, task and progress",
        handoff: &["handoff_version", "task_id", "from_agent", "to_agent", "status"],
        checkpoint: &["handoff_version", "packet_type"],
        return_packet: &["handoff_version", "packet_type", "status"],
        decision: &["handoff_version", "packet_type", "decision"],
        ..PLAIN
    },
    BuiltIn {
        name: "ahp",
        purpose: "Agent Handoff Packet 0.1: its six required fields",
        handoff: AHP_REQUIRED,
        checkpoint: AHP_REQUIRED,
        return_packet: AHP_REQUIRED,
        decision: AHP_REQUIRED,
        filled: &["constraints", "acceptance", "failure_boundary", "return_required"],
        packet_types: &["handoff", "context", "task", "verification_report", "decision_record"],
        // AHP does not restrict them to names.
        shapes: &[("return_required", &field::shapes::ITEMS)],
        ..PLAIN
    },
    BuiltIn {
        name: "strict",
        purpose: "everything a receiver needs to start and a reviewer needs to verify; no unknown fields",
        extends: Some("baseline"),
        handoff: &[
            "goal",
            "summary",
            "next_request",
            "constraints",
            "acceptance",
            "failure_boundary",
            "return_required",
            "scope",
            "confidence",
            "provenance",
            "fallback",
        ],
        return_packet: &[
            "task_id",
            "summary",
            "changed_paths",
            "verification",
            "blockers",
            "assumptions",
        ],
        decision: &["revision", "digest"],
        filled: &["acceptance", "return_required"],
        unknown: Unknown::Refuse,
        ..PLAIN
    },
    BuiltIn {
        name: "regulated",
        purpose: "health care, finance and government: classification, regulations, sign-off, retention",
        extends: Some("baseline"),
        handoff: &["goal", "classification", "regulation_refs", "sign_off_gates", "retention"],
        decision: &["revision", "digest", "meaning"],
        filled: &["regulation_refs", "sign_off_gates"],
        ..PLAIN
    },
    BuiltIn {
        name: "nhs",
        purpose: "regulated, for clinical work: hazards, safety case, purpose and records schedule",
        extends: Some("regulated"),
        handoff: &["clinical", "purpose", "lawful_basis", "contains"],
        shapes: &[("retention", &field::shapes::RETENTION_BY_SCHEDULE)],
        ..PLAIN
    },
    BuiltIn {
        name: "fca",
        purpose: "regulated, for financial services: accountable person, retention of at least five years",
        extends: Some("regulated"),
        handoff: &["accountable_person"],
        shapes: &[("retention", &field::shapes::RETENTION_OF_FIVE_YEARS)],
        ..PLAIN
    },
    BuiltIn {
        name: "gov",
        purpose: "regulated, for the UK government: classification by tier",
        extends: Some("regulated"),
        handoff: &["purpose"],
        shapes: &[("classification", &field::shapes::GOVERNMENT_CLASSIFICATION)],
        ..PLAIN
    },
    BuiltIn {
        name: "executor",
        purpose: "bounded work: files, constraints, acceptance criteria and required return fields",
        extends: Some("baseline"),
        handoff: &["goal", "inputs", "constraints", "acceptance", "return_required"],
        filled: &["inputs", "constraints", "acceptance", "return_required"],
        ..PLAIN
    },
    BuiltIn {
        name: "reviewer",
        purpose: "a review: the return packet has evidence, blockers, assumptions and a verdict",
        extends: Some("baseline"),
        handoff: &["goal", "inputs", "acceptance"],
        return_packet: &["evidence_refs", "blockers", "assumptions", "verdict"],
        filled: &["inputs", "acceptance"],
        ..PLAIN
    },
    BuiltIn {
        name: "researcher",
        purpose: "a scoped question: sources, uncertainty and expected outputs",
        extends: Some("baseline"),
        handoff: &["goal", "question", "source_rules", "uncertainty", "expected_outputs"],
        filled: &["source_rules", "expected_outputs"],
        ..PLAIN
    },
    BuiltIn {
        name: "coding",
        purpose: "code: failed approaches, even if there are none",
        extends: Some("baseline"),
        handoff: &["goal", "failed_approaches"],
        ..PLAIN
    },
];

/// The required fields of a dialect's documents, under the names of the imported packet.
///
/// The other dialects use the built-in variants.
const OF_DIALECTS: &[BuiltIn] = &[
    BuiltIn { name: "card", handoff: &["from_agent", "to_agent", "goal", "summary"], ..PLAIN },
    BuiltIn { name: "incident", handoff: &["task_id", "payload"], ..PLAIN },
    BuiltIn {
        name: "works-with-agents",
        handoff: &["task_id", "from_agent", "goal"],
        return_packet: &["status"],
        ..PLAIN
    },
];

/// A field that is required by the value of another field.
pub(crate) struct Condition {
    pub(crate) kind: Kind,
    pub(crate) field: &'static str,
    pub(crate) word: &'static str,
    pub(crate) requires: &'static str,
}

/// The conditions of every variant.
pub(crate) const CONDITIONS: &[Condition] = &[
    Condition { kind: Kind::Decision, field: "decision", word: "reject", requires: "reason" },
    Condition { kind: Kind::Decision, field: "decision", word: "reroute", requires: "to" },
];

/// The field by which a packet names its variant.
pub const PROFILE_FIELD: &str = "profile";

/// The field that makes a packet a regulated one. Others, such as `classification`, are useful in
/// any packet.
pub const REGULATED_FIELD: &str = "sign_off_gates";

impl Variant {
    /// Returns the names of the built-in variants.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|built_in| built_in.name)
    }

    /// Returns the purpose of a built-in variant, in one line.
    pub fn purpose(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|built_in| built_in.name == name).map(|built_in| built_in.purpose)
    }

    /// Returns a built-in variant.
    pub fn named(name: &str) -> Option<Self> {
        Self::shared(name).cloned()
    }

    /// Returns a built-in variant from the cache.
    pub(crate) fn shared(name: &str) -> Option<&'static Self> {
        static SHARED: LazyLock<Vec<Variant>> =
            LazyLock::new(|| BUILT_IN.iter().map(Variant::built_in).collect());
        SHARED.iter().find(|variant| variant.name == name)
    }

    /// Returns the variant of a dialect that has its own. It has the name of the dialect.
    pub(crate) fn of_dialect(name: &str) -> Option<&'static Self> {
        static SHARED: LazyLock<Vec<Variant>> =
            LazyLock::new(|| OF_DIALECTS.iter().map(Variant::built_in).collect());
        SHARED.iter().find(|variant| variant.name == name)
    }

    fn built_in(built_in: &BuiltIn) -> Self {
        let named = |name| BUILT_IN.iter().find(|built_in| built_in.name == name);
        let base = built_in.extends.and_then(named).map(Self::built_in);
        let base_row =
            |kind| base.as_ref().map_or_else(FieldSet::default, |base| base.required(kind));
        let row = |kind, names| Row { required: base_row(kind).union(FieldSet::of(names)) };
        let base_filled = base.as_ref().map_or_else(FieldSet::default, |base| base.filled);
        Self {
            name: built_in.name.to_owned(),
            rows: [
                row(Kind::Handoff, built_in.handoff),
                row(Kind::Checkpoint, built_in.checkpoint),
                row(Kind::Return, built_in.return_packet),
                row(Kind::Decision, built_in.decision),
            ],
            filled: base_filled.union(FieldSet::of(built_in.filled)),
            refused: FieldSet::default(),
            unknown: built_in.unknown,
            packet_types: built_in.packet_types,
            shapes: built_in.shapes,
            required_beside: Vec::new(),
        }
    }

    /// Detects the variant of a packet from its fields.
    ///
    /// A packet that names its variant in [`PROFILE_FIELD`] needs no detection.
    ///
    /// - `regulated`, if it has [`REGULATED_FIELD`].
    /// - `ahp`, if it has AHP's `packet_type` and no version.
    /// - `baseline` otherwise.
    pub fn detect(members: &Members) -> &'static str {
        let has = |name: &str| member(members, name).is_some();
        let packet_type = member(members, "packet_type").and_then(Value::as_str);
        if Kind::of(packet_type) == Kind::Handoff && has(REGULATED_FIELD) {
            return "regulated";
        }
        let is_ours = matches!(packet_type, Some("checkpoint" | "return" | "decision"));
        if has("packet_type") && !has("handoff_version") && !is_ours { "ahp" } else { "baseline" }
    }

    /// Reads a team's own variant.
    ///
    /// The document has the members `variant`, `extends`, `require`, `optional`, `refuse`, `filled`
    /// and `unknown`.
    ///
    /// # Errors
    ///
    /// Every member that is unknown or invalid.
    pub fn from_document(document: &Value) -> Result<Self, Vec<Violation>> {
        let mut reader = VariantReader { violations: Vec::new() };
        let variant = reader.variant(document);
        match variant {
            Some(variant) if reader.violations.is_empty() => Ok(variant),
            _ => Err(reader.violations),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the presence of a field in packets of this kind.
    pub fn presence(&self, field: &Field, kind: Kind) -> Presence {
        let Some(index) = field::index_of(field.name) else { return Presence::Optional };
        let required = self.required(kind).contains(index);
        match (self.refused.contains(index), required, self.filled.contains(index)) {
            (true, ..) => Presence::Refused,
            (_, true, true) => Presence::Filled,
            (_, true, false) => Presence::Required,
            (_, false, _) => Presence::Optional,
        }
    }

    /// Returns `true` if the variant requires everything that `regulated` requires of a handoff.
    pub(crate) fn is_regulated(&self) -> bool {
        Self::shared("regulated").is_some_and(|regulated| self.requires_fields_of(regulated))
    }

    /// Returns `true` if a handoff that satisfies this variant also satisfies the other one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let has_more = !other.shapes.is_empty()
            || !other.packet_types.is_empty()
            || !other.required_beside.is_empty();
        self.name == other.name
            || self.requires_fields_of(other)
                && other.filled.without(self.filled).is_empty()
                && other.refused.without(self.refused).is_empty()
                && (other.unknown == Unknown::Keep || self.unknown == Unknown::Refuse)
                && !has_more
    }

    fn requires_fields_of(&self, other: &Self) -> bool {
        other.required(Kind::Handoff).without(self.required(Kind::Handoff)).is_empty()
    }

    /// Returns the treatment of unknown members.
    pub fn unknown(&self) -> Unknown {
        self.unknown
    }

    pub(crate) fn required(&self, kind: Kind) -> FieldSet {
        self.rows[kind as usize].required
    }

    pub(crate) fn filled(&self) -> FieldSet {
        self.filled
    }

    pub(crate) fn refused(&self) -> FieldSet {
        self.refused
    }

    pub(crate) fn required_beside(&self) -> &[String] {
        &self.required_beside
    }

    /// Returns the allowed values of `packet_type`, if the variant restricts them.
    pub(crate) fn packet_types(&self) -> &'static [&'static str] {
        self.packet_types
    }

    /// Returns the shape of a field in this variant.
    pub fn shape(&self, field: &'static Field) -> &'static Shape {
        if self.shapes.is_empty() {
            return field.shape;
        }
        let own = self.shapes.iter().find(|(name, _)| *name == field.name);
        own.map_or(field.shape, |(_, shape)| shape)
    }
}

/// Reads a team's own variant and collects violations.
struct VariantReader {
    violations: Vec<Violation>,
}

const VARIANT_MEMBERS: &[&str] =
    &["variant", "extends", "require", "optional", "refuse", "filled", "unknown"];

impl VariantReader {
    fn variant(&mut self, document: &Value) -> Option<Variant> {
        let Some(members) = document.as_object() else {
            self.wrong("", "a variant file must be an object");
            return None;
        };
        for name in members.keys().filter(|name| !VARIANT_MEMBERS.contains(&name.as_str())) {
            let hint = suggest(name, VARIANT_MEMBERS.iter().copied());
            let violation = Violation::new(
                Code::VariantInvalid,
                pointer::join("", name),
                format!("unknown member `{name}` in a variant file"),
            );
            self.violations.push(match hint {
                Some(near) => violation.hint(format!("did you mean `{near}`?")),
                None => violation.allowed(VARIANT_MEMBERS.join(", ")),
            });
        }
        let mut variant = self.base(members)?;
        match members.get("variant").and_then(Value::as_str) {
            Some(name) => name.clone_into(&mut variant.name),
            None => self.wrong("/variant", "missing required member `variant`"),
        }
        self.lists(members, &mut variant);
        match members.get("unknown").map(Value::as_str) {
            None => {}
            Some(Some("keep")) => variant.unknown = Unknown::Keep,
            Some(Some("refuse")) => variant.unknown = Unknown::Refuse,
            Some(_) => self.wrong("/unknown", "`unknown` must be `keep` or `refuse`"),
        }
        Some(variant)
    }

    fn base(&mut self, members: &Members) -> Option<Variant> {
        let name = members.get("extends").map_or(Some("baseline"), Value::as_str);
        let base = name.and_then(Variant::named);
        if base.is_none() {
            let names: Vec<_> = Variant::names().map(|name| format!("`{name}`")).collect();
            self.wrong("/extends", &format!("`extends` must be one of {}", names.join(", ")));
        }
        base
    }

    fn lists(&mut self, members: &Members, variant: &mut Variant) {
        for (index, name) in self.names(members, "require") {
            match index {
                Some(index) => variant.rows[0].required.insert(index),
                None => variant.required_beside.push(name),
            }
        }
        for (index, name) in self.names(members, "optional") {
            match index {
                Some(index) => {
                    variant.rows.iter_mut().for_each(|row| row.required.remove(index));
                    variant.filled.remove(index);
                }
                None => self.wrong("/optional", &format!("unknown field `{name}`")),
            }
        }
        for (index, name) in self.names(members, "refuse") {
            match index {
                Some(index) => variant.refused.insert(index),
                None => self.wrong("/refuse", &format!("unknown field `{name}`")),
            }
        }
        for (index, name) in self.names(members, "filled") {
            match index.filter(|&index| FIELDS[index].shape.item().is_some()) {
                Some(index) => variant.filled.insert(index),
                None => self.wrong("/filled", &format!("`{name}` is not a list field")),
            }
        }
    }

    fn names(&mut self, members: &Members, list: &str) -> Vec<(Option<usize>, String)> {
        let Some(value) = members.get(list) else { return Vec::new() };
        let names: Option<Vec<_>> =
            value.as_array().and_then(|items| items.iter().map(Value::as_str).collect());
        let Some(names) = names else {
            self.wrong(
                &pointer::join("", list),
                &format!("`{list}` must be a list of field names"),
            );
            return Vec::new();
        };
        names.into_iter().map(|name| (field::index_of(name), name.to_owned())).collect()
    }

    fn wrong(&mut self, pointer: &str, message: &str) {
        self.violations.push(Violation::new(Code::VariantInvalid, pointer, message));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_team_defines_its_own_variant() {
        let document = json!({
            "variant": "our-team", "extends": "executor",
            "require": ["confidence", "ticket"], "optional": ["inputs"], "refuse": ["cost"],
            "filled": ["constraints"], "unknown": "refuse",
        });
        let variant = Variant::from_document(&document).unwrap();
        let presence =
            |name: &str| variant.presence(&FIELDS[field::index_of(name).unwrap()], Kind::Handoff);
        assert_eq!(variant.name(), "our-team");
        assert_eq!(presence("confidence"), Presence::Required);
        assert_eq!(presence("inputs"), Presence::Optional);
        assert_eq!(presence("constraints"), Presence::Filled);
        assert_eq!(presence("cost"), Presence::Refused);
        assert_eq!(variant.required_beside(), ["ticket"]);
        assert_eq!(variant.unknown(), Unknown::Refuse);
    }

    #[test]
    fn every_error_of_a_variant_file_is_reported() {
        let document = json!({ "extends": "nope", "requires": [], "unknown": "maybe" });
        let violations = Variant::from_document(&document).unwrap_err();
        let shown: Vec<_> = violations.iter().map(|violation| violation.pointer.as_str()).collect();
        assert_eq!(shown, ["/requires", "/extends"]);
        let document =
            json!({ "extends": "ahp", "refuse": ["x"], "filled": ["goal"], "unknown": 1 });
        assert_eq!(Variant::from_document(&document).unwrap_err().len(), 4);
    }

    #[test]
    fn every_variant_but_baseline_requires_a_goal() {
        let goal = &FIELDS[field::index_of("goal").unwrap()];
        for name in Variant::names() {
            let presence = Variant::named(name).unwrap().presence(goal, Kind::Handoff);
            let expected = if name == "baseline" { Presence::Optional } else { Presence::Required };
            assert_eq!(presence, expected, "{name}");
        }
    }
}
