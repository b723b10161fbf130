//! The table itself: every field of a packet, in the order in which packets are written.

use super::format::Format;
use super::shape::{Member, Object, Shape, Text};
use crate::document::limits::{NAME_CHARS_MAX, TEXT_CHARS_MAX};

/// One field of a packet.
#[derive(Debug)]
pub struct Field {
    /// Its name in every form.
    pub name: &'static str,
    /// What it may hold.
    pub shape: &'static Shape,
    /// What it is for, in one sentence.
    pub purpose: &'static str,
}

/// A set of fields of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldSet(u128);

/// Where a field stands in the table.
pub fn index_of(name: &str) -> Option<usize> {
    // The names of most packets are decided by length and first byte; the compiler builds the rest.
    FIELDS.iter().position(|field| field.name.len() == name.len() && field.name == name)
}

impl FieldSet {
    /// The set of these names, which must be in the table.
    ///
    /// # Panics
    ///
    /// If a name is not in the table; the names are constants of this crate.
    pub fn of(names: &[&str]) -> Self {
        let mut set = Self::default();
        for name in names {
            set.insert(index_of(name).unwrap_or_else(|| panic!("`{name}` is not in the table")));
        }
        set
    }

    /// Adds the field at `index`.
    pub fn insert(&mut self, index: usize) {
        self.0 |= 1 << index;
    }

    /// Takes the field at `index` out.
    pub fn remove(&mut self, index: usize) {
        self.0 &= !(1 << index);
    }

    /// Whether the field at `index` is in it.
    pub fn contains(self, index: usize) -> bool {
        self.0 & (1 << index) != 0
    }

    /// Both sets together.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The fields in it, in the order of the table.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().enumerate().filter(move |(index, _)| self.contains(*index)).map(|pair| pair.1)
    }
}

macro_rules! fields {
    ($($name:ident: $shape:expr, $purpose:literal;)+) => {
        /// Every field, in the order in which packets are written.
        pub const FIELDS: &[Field] =
            &[$(Field { name: stringify!($name), shape: $shape, purpose: $purpose }),+];

        /// The shape of a whole packet.
        pub static PACKET: Shape = Shape::Object(Object {
            members: &[$(Member { name: stringify!($name), shape: $shape }),+],
            required: &[],
            together: &[],
        });
    };
}

fields! {
    handoff_version: &Shape::Format(Format::Version), "The version of this format.";
    packet_type: &shapes::PACKET_TYPE, "What the packet is for; without it, a handoff.";
    handoff: &Shape::Format(Format::HandoffId), "The handoff's id, in a status file.";
    state: &shapes::NAME, "The handoff's state, in a status file.";
    updated_at: &Shape::Format(Format::Timestamp), "When a status file was written.";
    task_id: &shapes::NAME, "The work itself, over its whole life.";
    from_agent: &shapes::NAME, "The sender: a party.";
    to_agent: &shapes::NAME, "The receiver: a party, or a role such as role:reviewer.";
    target_agent: &shapes::NAME, "AHP's name for the receiver.";
    status: &Shape::Word(&["in_progress", "blocked", "failed", "completed"]), "How the work stands.";
    goal: &shapes::SAYING, "The intent behind the work.";
    summary: &shapes::TEXT, "What has happened so far.";
    handoff_summary: &shapes::TEXT, "AHP's name for the summary of a return.";
    next_request: &shapes::TEXT, "What the sender asks of the receiver.";
    question: &shapes::SAYING, "The question that a researcher is asked.";
    completed: &shapes::ITEMS, "What is done.";
    remaining: &shapes::ITEMS, "What is left.";
    decisions: &shapes::ITEMS, "What was decided, so that nobody decides it again.";
    pitfalls_hit: &shapes::ITEMS, "The traps found on the way.";
    failed_approaches: &shapes::FAILED_APPROACHES, "What was tried and did not work.";
    assumptions: &shapes::ITEMS, "What was taken for granted.";
    context: &Shape::Map, "Facts of the environment: versions, paths.";
    payload: &shapes::PAYLOAD, "The data handed over: labelled values, or an object under a contract.";
    constraints: &shapes::ITEMS, "What the receiver must not break.";
    inputs: &shapes::ITEMS, "What the receiver should read.";
    expected_outputs: &shapes::EXPECTED_OUTPUTS, "What should come out, by name and perhaps with a schema.";
    acceptance: &shapes::ACCEPTANCE, "How one sees that the work is done.";
    failure_boundary: &shapes::ITEMS, "Where the receiver must stop.";
    return_required: &shapes::ITEMS, "The fields that the return packet must have.";
    source_rules: &shapes::ITEMS, "Which sources a researcher may use.";
    uncertainty: &shapes::TEXT_OR_ITEMS, "How much uncertainty is tolerated.";
    human_brief: &shapes::TEXT, "The request in words for a person.";
    notes: &shapes::ITEMS, "Anything else worth saying.";
    scope: &shapes::SCOPE, "What the packet is, and what it is not.";
    confidence: &Shape::Number { min: 0.0, max: 1.0 }, "How sure the sender is, from 0 to 1.";
    provenance: &shapes::PROVENANCE, "What the sender saw and used.";
    authority: &shapes::AUTHORITY, "What the receiver may do in the sender's name.";
    cost: &shapes::MONEY, "What the work has cost so far.";
    budget: &shapes::MONEY, "What the work may still cost.";
    expires_at: &Shape::Format(Format::Timestamp), "Until when the handoff is good.";
    supersedes: &Shape::Format(Format::HandoffId), "The live handoff of this task that this one replaces.";
    evidence_refs: &shapes::EVIDENCE_REFS, "Pointers to evidence, as kind:id.";
    artifacts: &shapes::ARTIFACTS, "Files by reference, with digest and size.";
    trigger: &shapes::TRIGGER, "Why the work is handed over now.";
    fallback: &shapes::FALLBACK, "The ladder of steps when the receiver cannot go on.";
    contract: &Shape::Format(Format::ContractRef), "The agreement that the packet is under.";
    can_intercept: &Shape::Flag, "Whether a person may step in before the receiver starts.";
    classification: &shapes::CLASSIFICATION, "How sensitive the content is.";
    regulation_refs: &shapes::REGULATION_REFS, "The rules that apply.";
    sign_off_gates: &shapes::SIGN_OFF_GATES, "Who must sign off before the receiver may claim.";
    retention: &shapes::RETENTION, "How long the record is kept.";
    audit_trail: &shapes::AUDIT_TRAIL, "The leaves of the log that belong to the handoff.";
    clinical: &shapes::CLINICAL, "Hazards and safety case of clinical work.";
    purpose: &shapes::SAYING, "Why personal data is used.";
    lawful_basis: &shapes::SAYING, "The legal ground for using it.";
    contains: &shapes::NAMES, "Kinds of protected data inside, such as patient_data.";
    accountable_person: &shapes::NAME, "The senior manager who answers for the work.";
    changed_paths: &shapes::ITEMS, "What the receiver changed.";
    verification: &shapes::VERIFICATION, "The result for each acceptance criterion, with evidence.";
    verdict: &Shape::Word(&["pass", "fail"]), "A reviewer's judgement.";
    blockers: &shapes::ITEMS, "What stands in the way.";
    decision: &Shape::Word(&["accept", "edit", "reject", "reroute", "intercept", "cancel", "sign_off"]), "What a person did with a handoff.";
    revision: &Shape::Integer { min: 1 }, "The revision that the person saw.";
    digest: &Shape::Format(Format::Digest), "The digest of the revision that the person saw.";
    reason: &shapes::SAYING, "Why.";
    to: &shapes::NAME, "Where a rerouted handoff goes.";
    meaning: &shapes::NAME, "What a signature means.";
    trace: &shapes::TRACE, "W3C trace context.";
    extensions: &Shape::Map, "What other dialects have and this format has no place for.";
}

/// The members of a contract whose YAML scalars are text, whatever they look like: `version: 1.10`.
pub static CONTRACT: Shape = Shape::Object(Object {
    members: &[
        Member { name: "contract", shape: &shapes::NAME },
        Member { name: "version", shape: &shapes::NAME },
        Member { name: "description", shape: &shapes::TEXT },
        Member { name: "from", shape: &shapes::NAMES },
        Member { name: "to", shape: &shapes::NAMES },
        Member { name: "scope", shape: &shapes::SCOPE },
        Member { name: "gates", shape: &shapes::NAMES },
        Member { name: "compatible_with", shape: &shapes::NAMES },
    ],
    required: &[],
    together: &[],
});

/// The shapes of the fields, by name.
pub(crate) mod shapes {
    use super::{Format, Member, NAME_CHARS_MAX, Object, Shape, TEXT_CHARS_MAX, Text};

    macro_rules! object {
        ($($name:literal: $shape:expr),* ; required: [$($required:literal),*] ; together: [$($together:expr),*]) => {
            Shape::Object(Object {
                members: &[$(Member { name: $name, shape: $shape }),*],
                required: &[$($required),*],
                together: &[$($together),*],
            })
        };
        ($($name:literal: $shape:expr),* ; required: [$($required:literal),*]) => {
            object!($($name: $shape),* ; required: [$($required),*] ; together: [])
        };
    }

    /// A name or an id.
    pub(crate) static NAME: Shape =
        Shape::Text(Text { chars_max: NAME_CHARS_MAX, non_blank: true });
    /// A text that may be empty.
    pub(crate) static TEXT: Shape =
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: false });
    /// A text that must say something.
    pub(crate) static SAYING: Shape =
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true });

    pub(crate) static PACKET_TYPE: Shape = Shape::Word(&[
        "handoff",
        "checkpoint",
        "return",
        "decision",
        "context",
        "task",
        "verification_report",
        "decision_record",
    ]);

    static STATE: Shape = Shape::Word(&["verified", "assumed", "unknown"]);
    /// Evidence in place: one text or several.
    static EVIDENCE: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        Shape::List { item: &SAYING },
    ]);

    static ITEM: Shape = Shape::Named(
        "item",
        &Shape::Either(&[
            Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
            object!("text": &SAYING, "state": &STATE, "evidence": &EVIDENCE, "pinned": &Shape::Flag; required: ["text"]),
        ]),
    );
    pub(crate) static ITEMS: Shape = Shape::List { item: &ITEM };
    pub(crate) static NAMES: Shape = Shape::List { item: &NAME };
    pub(crate) static TEXT_OR_ITEMS: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        Shape::List { item: &ITEM },
    ]);

    static CRITERION: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        object!("id": &NAME, "text": &SAYING, "run": &SAYING, "state": &STATE, "evidence": &EVIDENCE, "pinned": &Shape::Flag; required: ["text"]),
    ]);
    pub(crate) static ACCEPTANCE: Shape = Shape::List { item: &CRITERION };

    static EXPECTED_OUTPUT: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        object!("name": &NAME, "schema": &Shape::Map, "text": &SAYING, "pinned": &Shape::Flag; required: ["name"]),
    ]);
    pub(crate) static EXPECTED_OUTPUTS: Shape = Shape::List { item: &EXPECTED_OUTPUT };

    static LABELLED_VALUE: Shape = object!(
        "label": &NAME,
        "value": &Shape::Either(&[
            Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: false }),
            Shape::Number { min: f64::NEG_INFINITY, max: f64::INFINITY },
            Shape::Flag,
        ]);
        required: ["label", "value"]
    );
    pub(crate) static PAYLOAD: Shape =
        Shape::Either(&[Shape::List { item: &LABELLED_VALUE }, Shape::Map]);

    static FAILED_APPROACH: Shape = object!("tried": &SAYING, "result": &SAYING, "evidence": &EVIDENCE; required: ["tried", "result"]);
    pub(crate) static FAILED_APPROACHES: Shape = Shape::List { item: &FAILED_APPROACH };

    pub(crate) static SCOPE: Shape = object!("is": &SAYING, "is_not": &ITEMS; required: []);
    pub(crate) static PROVENANCE: Shape = object!(
        "inputs": &ITEMS, "sources": &ITEMS, "tools": &ITEMS, "model": &NAME, "parents": &NAMES;
        required: []
    );
    static PERMISSION: Shape = Shape::Format(Format::Authority);
    pub(crate) static AUTHORITY: Shape = Shape::List { item: &PERMISSION };

    pub(crate) static MONEY: Shape = Shape::Named(
        "money",
        &object!(
            "amount": &Shape::Format(Format::Amount), "currency": &Shape::Format(Format::Currency),
            "tokens": &Shape::Integer { min: 0 }, "seconds": &Shape::Integer { min: 0 };
            required: [] ; together: [("amount", "currency")]
        ),
    );

    static EVIDENCE_REF: Shape = Shape::Either(&[
        Shape::Format(Format::EvidenceRef),
        object!("text": &Shape::Format(Format::EvidenceRef), "state": &STATE, "pinned": &Shape::Flag; required: ["text"]),
    ]);
    pub(crate) static EVIDENCE_REFS: Shape = Shape::List { item: &EVIDENCE_REF };

    static ARTIFACT: Shape = object!(
        "kind": &Shape::Word(&["output", "input", "log", "transcript", "evidence"]),
        "path": &SAYING, "name": &NAME, "digest": &Shape::Format(Format::Digest),
        "bytes": &Shape::Integer { min: 0 }, "media_type": &NAME;
        required: ["kind", "path"]
    );
    pub(crate) static ARTIFACTS: Shape = Shape::List { item: &ARTIFACT };

    static TRIGGER_KIND: Shape = Shape::Word(&[
        "confidence_below",
        "critical_action",
        "error",
        "completion",
        "sensitive_topic",
        "required_step",
        "session_ended",
        "context_limit",
        "stuck",
        "misrouted",
        "no_progress",
        "manual",
    ]);
    pub(crate) static TRIGGER: Shape =
        object!("kind": &TRIGGER_KIND, "detail": &TEXT; required: ["kind"]);

    static RUNG: Shape = object!(
        "after": &Shape::Format(Format::Duration),
        "on": &Shape::Word(&["no_progress", "declined", "rejected", "invalid", "expired", "lapsed", "parked"]),
        "to": &NAME;
        required: ["to"]
    );
    pub(crate) static FALLBACK: Shape =
        Shape::Either(&[Shape::Format(Format::OneLineFallback), Shape::List { item: &RUNG }]);

    pub(crate) static CLASSIFICATION: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: NAME_CHARS_MAX, non_blank: true }),
        object!(
            "tier": &NAME, "sensitive": &Shape::Flag, "handling": &NAMES, "descriptors": &NAMES,
            "prefix": &NAME, "caveats": &NAMES, "originator": &NAME;
            required: ["tier"]
        ),
    ]);
    /// The classification of the `gov` sub-profile.
    pub(crate) static GOVERNMENT_CLASSIFICATION: Shape = Shape::Either(&[
        Shape::Format(Format::GovernmentTier),
        object!(
            "tier": &Shape::Word(&["OFFICIAL", "SECRET", "TOP SECRET"]), "sensitive": &Shape::Flag,
            "handling": &NAMES, "descriptors": &NAMES, "prefix": &NAME, "caveats": &NAMES,
            "originator": &NAME;
            required: ["tier", "originator"]
        ),
    ]);

    static REGULATION_REF: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: NAME_CHARS_MAX, non_blank: true }),
        object!(
            "scheme": &NAME, "ref": &NAME, "version": &NAME, "url": &SAYING, "note": &TEXT;
            required: ["scheme", "ref"]
        ),
    ]);
    pub(crate) static REGULATION_REFS: Shape = Shape::List { item: &REGULATION_REF };

    static SIGN_OFF_GATE: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: NAME_CHARS_MAX, non_blank: true }),
        object!("gate": &NAME, "role": &NAME; required: ["gate"]),
    ]);
    pub(crate) static SIGN_OFF_GATES: Shape = Shape::List { item: &SIGN_OFF_GATE };

    static DISPOSITION: Shape = Shape::Word(&["review", "destroy", "transfer"]);
    pub(crate) static RETENTION: Shape = Shape::Either(&[
        Shape::Format(Format::Period),
        object!(
            "period": &Shape::Format(Format::Period), "schedule_ref": &NAME,
            "retain_until": &Shape::Format(Format::Timestamp), "disposition": &DISPOSITION;
            required: []
        ),
    ]);
    /// The retention of the `nhs` sub-profile: by records schedule.
    pub(crate) static RETENTION_BY_SCHEDULE: Shape = object!(
        "period": &Shape::Format(Format::Period), "schedule_ref": &NAME,
        "retain_until": &Shape::Format(Format::Timestamp), "disposition": &DISPOSITION;
        required: ["schedule_ref"]
    );
    /// The retention of the `fca` sub-profile: five years at least.
    pub(crate) static RETENTION_OF_FIVE_YEARS: Shape = Shape::Either(&[
        Shape::Format(Format::PeriodOfFiveYears),
        object!(
            "period": &Shape::Format(Format::PeriodOfFiveYears), "schedule_ref": &NAME,
            "retain_until": &Shape::Format(Format::Timestamp), "disposition": &DISPOSITION;
            required: ["period"]
        ),
    ]);

    static ENTRY: Shape = Shape::Map;
    pub(crate) static AUDIT_TRAIL: Shape = Shape::List { item: &ENTRY };
    pub(crate) static CLINICAL: Shape = object!(
        "hazard_refs": &NAMES, "safety_case_ref": &NAME, "deployment_id": &NAME;
        required: ["hazard_refs", "safety_case_ref"]
    );

    static RESULT: Shape = object!(
        "criterion": &Shape::Either(&[
            Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
            Shape::Integer { min: 0 },
        ]),
        "result": &Shape::Word(&["pass", "fail", "not_run"]),
        "evidence": &EVIDENCE;
        required: ["criterion", "result"]
    );
    static RESULT_OR_TEXT: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        Shape::Named("result", &RESULT),
    ]);
    /// AHP writes a plain text or a list of texts; only results decide anything.
    pub(crate) static VERIFICATION: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        Shape::List { item: &RESULT_OR_TEXT },
    ]);

    pub(crate) static TRACE: Shape = object!(
        "traceparent": &Shape::Format(Format::Traceparent), "tracestate": &TEXT;
        required: ["traceparent"]
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_a_set_and_names_each_field_once() {
        assert!(FIELDS.len() <= 128);
        let names: std::collections::HashSet<_> = FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), FIELDS.len());
    }

    #[test]
    fn alternatives_are_told_apart_by_their_type() {
        fn walk(shape: &'static Shape) {
            match shape.resolved() {
                Shape::Either(shapes) => {
                    let types: Vec<_> = shapes.iter().map(Shape::json_type).collect();
                    for (index, found) in types.iter().enumerate() {
                        assert!(found.is_some() && !types[..index].contains(found), "{shape:?}");
                    }
                    shapes.iter().for_each(walk);
                }
                Shape::List { item } => walk(item),
                Shape::Object(object) => object.members.iter().for_each(|m| walk(m.shape)),
                _ => {}
            }
        }
        for field in FIELDS {
            walk(field.shape);
        }
    }
}
