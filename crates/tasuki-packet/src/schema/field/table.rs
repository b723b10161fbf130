//! The table of fields, in the order in which packets are written.

use super::format::Format;
use super::shape::{Member, Object, Shape, Text};
use crate::document::limits::{NAME_CHARS_MAX, TEXT_CHARS_MAX};

/// One field of a packet.
#[derive(Debug)]
pub struct Field {
    /// The name, the same in every form.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: &'static Shape,
    /// The purpose, in one sentence.
    pub purpose: &'static str,
}

/// A set of fields of the table.
///
/// ```
/// use tasuki_packet::schema::field::FieldSet;
///
/// let set = FieldSet::of(&["remaining", "goal"]);
/// let names: Vec<_> = set.fields().map(|field| field.name).collect();
/// assert_eq!(names, ["goal", "remaining"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldSet(u128);

/// Returns the index of a field in the table.
pub fn index_of(name: &str) -> Option<usize> {
    // Length and first byte decide most comparisons.
    FIELDS.iter().position(|field| field.name.len() == name.len() && field.name == name)
}

impl FieldSet {
    /// Creates a set of fields from their names.
    ///
    /// # Panics
    ///
    /// If a name is not in the table. The names are constants of this crate.
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

    /// Removes the field at `index`.
    pub fn remove(&mut self, index: usize) {
        self.0 &= !(1 << index);
    }

    /// Returns `true` if the field at `index` is in the set.
    pub fn contains(self, index: usize) -> bool {
        self.0 & (1 << index) != 0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the fields that are in this set but not in the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns `true` for the empty set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the fields of the set, in the order of the table.
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
    packet_type: &shapes::PACKET_TYPE, "The kind of packet. The default is a handoff.";
    profile: &shapes::NAME, "The variant that the packet follows, such as `strict`. The default is detected.";
    handoff: &Shape::Format(Format::HandoffId), "The id of the handoff, in a status file.";
    state: &shapes::NAME, "The state of the handoff, in a status file.";
    updated_at: &Shape::Format(Format::Timestamp), "The time at which a status file was written.";
    task_id: &Shape::Format(Format::TaskId), "The id of the task, the same in all its handoffs.";
    from_agent: &shapes::NAME, "The sender: a party.";
    to_agent: &shapes::NAME, "The receiver: a party, or a role such as `role:reviewer`.";
    target_agent: &shapes::NAME, "AHP's name for the receiver.";
    status: &Shape::Word(&["in_progress", "blocked", "failed", "completed"]), "The status of the work.";
    goal: &shapes::NON_BLANK_TEXT, "The intent behind the work.";
    summary: &shapes::TEXT, "A summary of the work so far.";
    handoff_summary: &shapes::TEXT, "AHP's name for the summary of a return packet.";
    next_request: &shapes::TEXT, "The request of the sender to the receiver.";
    question: &shapes::NON_BLANK_TEXT, "The question for a researcher.";
    completed: &shapes::ITEMS, "The work that is done.";
    remaining: &shapes::ITEMS, "The work that is left.";
    decisions: &shapes::ITEMS, "Decisions that were made and need not be made again.";
    pitfalls_hit: &shapes::ITEMS, "Pitfalls found during the work.";
    failed_approaches: &shapes::FAILED_APPROACHES, "Approaches that were tried and did not work.";
    assumptions: &shapes::ITEMS, "Assumptions that were not checked.";
    context: &Shape::Map, "Facts about the environment, such as versions and paths.";
    payload: &shapes::PAYLOAD, "The data that is handed over: labelled values, or an object under a contract.";
    constraints: &shapes::ITEMS, "Constraints that the receiver must respect.";
    inputs: &shapes::ITEMS, "Inputs that the receiver should read.";
    secret_ref: &shapes::SECRET_REFS, "Where the receiver gets each secret, by name. A packet never contains the secret.";
    expected_outputs: &shapes::EXPECTED_OUTPUTS, "The expected outputs, by name and with an optional schema.";
    acceptance: &shapes::ACCEPTANCE, "The acceptance criteria of the work.";
    failure_boundary: &shapes::ITEMS, "Conditions under which the receiver must stop.";
    return_required: &shapes::RETURN_FIELDS, "Names of fields that the return packet must have. They bind every hop: work that is passed on keeps them.";
    source_rules: &shapes::ITEMS, "Rules for the sources that a researcher may use.";
    uncertainty: &shapes::TEXT_OR_ITEMS, "The uncertainty that is acceptable.";
    human_brief: &shapes::TEXT, "The request in plain words, for a person.";
    notes: &shapes::ITEMS, "Other notes.";
    scope: &shapes::SCOPE, "The scope of the packet: what it covers and what it does not.";
    confidence: &Shape::Number { min: 0.0, max: 1.0 }, "The confidence of the sender, from 0 to 1.";
    provenance: &shapes::PROVENANCE, "The sources that the sender saw and used.";
    authority: &shapes::AUTHORITY, "Permissions of the receiver to act on behalf of the sender.";
    cost: &shapes::MONEY, "The cost of the work so far.";
    budget: &shapes::MONEY, "The budget that remains.";
    expires_at: &Shape::Format(Format::Timestamp), "The time at which the handoff expires.";
    supersedes: &Shape::Format(Format::HandoffId), "The live handoff of this task that this one replaces.";
    evidence_refs: &shapes::EVIDENCE_REFS, "References to evidence, as `kind:id`.";
    artifacts: &shapes::ARTIFACTS, "References to files, with digest and size.";
    trigger: &shapes::TRIGGER, "The reason why the work is handed over now.";
    fallback: &shapes::FALLBACK, "The fallback ladder: where the handoff goes when the receiver cannot continue.";
    contract: &Shape::Format(Format::ContractRef), "The contract that the packet follows.";
    can_intercept: &Shape::Flag, "`true` if a person may intercept the handoff before the receiver starts.";
    classification: &shapes::CLASSIFICATION, "The classification of the content.";
    regulation_refs: &shapes::REGULATION_REFS, "The regulations that apply.";
    sign_off_gates: &shapes::SIGN_OFF_GATES, "The gates that must be signed off before the receiver can claim.";
    sign_offs_due: &shapes::SIGN_OFFS_DUE, "Sign-offs that are due before a later step, not before the claim.";
    retention: &shapes::RETENTION, "The retention period of the record.";
    audit_trail: &shapes::AUDIT_TRAIL, "The leaves of the log for this handoff.";
    clinical: &shapes::CLINICAL, "The hazards and the safety case of clinical work.";
    purpose: &shapes::NON_BLANK_TEXT, "The purpose of processing personal data.";
    lawful_basis: &shapes::NON_BLANK_TEXT, "The lawful basis of processing personal data.";
    contains: &shapes::NAMES, "The kinds of protected data in the packet, such as `patient_data`.";
    accountable_person: &shapes::NAME, "The senior manager who is accountable for the work.";
    changed_paths: &shapes::ITEMS, "The paths that the receiver changed.";
    verification: &shapes::VERIFICATION, "The result for each acceptance criterion, with evidence.";
    verdict: &Shape::Word(&["pass", "fail"]), "The verdict of a reviewer.";
    blockers: &shapes::ITEMS, "Blockers of the work.";
    decision: &Shape::Word(&["accept", "edit", "reject", "reroute", "intercept", "cancel", "sign_off"]), "The decision of a person on a handoff.";
    revision: &Shape::Integer { min: 1 }, "The revision that the person decided on.";
    digest: &Shape::Format(Format::Digest), "The digest of the revision that the person decided on.";
    reason: &shapes::NON_BLANK_TEXT, "The reason for the decision.";
    to: &shapes::NAME, "The new receiver of a rerouted handoff.";
    meaning: &shapes::NAME, "The meaning of a signature.";
    trace: &shapes::TRACE, "The W3C trace context.";
    extensions: &Shape::Map, "Data of other dialects that has no field in this format.";
}

/// The member that pins an item of a list.
pub(crate) const PIN: &str = "pinned";

/// The fields with data of the sender, in which a pin can be misplaced. `extensions` has data of
/// other formats, where the name may mean anything.
pub(crate) const FREE_FIELDS: &[&str] = &["context", "payload"];

/// The members of a contract whose unquoted YAML scalars are text, such as `version: 1.10`.
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

/// The shapes of the fields.
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
    /// A text that must not be blank.
    pub(crate) static NON_BLANK_TEXT: Shape =
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
    /// Inline evidence: one text or several.
    static EVIDENCE: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        Shape::List { item: &NON_BLANK_TEXT },
    ]);

    static ITEM: Shape = Shape::Named(
        "item",
        &Shape::Either(&[
            Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
            object!("text": &NON_BLANK_TEXT, "state": &STATE, "evidence": &EVIDENCE, "pinned": &Shape::Flag; required: ["text"]),
        ]),
    );
    pub(crate) static ITEMS: Shape = Shape::List { item: &ITEM };
    pub(crate) static NAMES: Shape = Shape::List { item: &NAME };
    pub(crate) static TEXT_OR_ITEMS: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        Shape::List { item: &ITEM },
    ]);

    static RETURN_FIELD: Shape = Shape::Either(&[
        Shape::Format(Format::FieldName),
        object!("text": &Shape::Format(Format::FieldName), "state": &STATE, "evidence": &EVIDENCE, "pinned": &Shape::Flag; required: ["text"]),
    ]);
    pub(crate) static RETURN_FIELDS: Shape = Shape::List { item: &RETURN_FIELD };

    static SECRET_REF: Shape =
        object!("name": &NAME, "ref": &NON_BLANK_TEXT; required: ["name", "ref"]);
    pub(crate) static SECRET_REFS: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: NAME_CHARS_MAX, non_blank: true }),
        Shape::List { item: &SECRET_REF },
    ]);

    static CRITERION: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        object!("id": &NAME, "text": &NON_BLANK_TEXT, "run": &NON_BLANK_TEXT, "state": &STATE, "evidence": &EVIDENCE, "pinned": &Shape::Flag; required: ["text"]),
    ]);
    pub(crate) static ACCEPTANCE: Shape = Shape::List { item: &CRITERION };

    static EXPECTED_OUTPUT: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: TEXT_CHARS_MAX, non_blank: true }),
        object!("name": &NAME, "schema": &Shape::Map, "text": &NON_BLANK_TEXT, "pinned": &Shape::Flag; required: ["name"]),
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

    static FAILED_APPROACH: Shape = object!("tried": &NON_BLANK_TEXT, "result": &NON_BLANK_TEXT, "evidence": &EVIDENCE, "pinned": &Shape::Flag; required: ["tried", "result"]);
    pub(crate) static FAILED_APPROACHES: Shape = Shape::List { item: &FAILED_APPROACH };

    pub(crate) static SCOPE: Shape = object!("is": &NON_BLANK_TEXT, "is_not": &ITEMS; required: []);
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
        "path": &NON_BLANK_TEXT, "name": &NAME, "digest": &Shape::Format(Format::Digest),
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
    /// The classification of the `gov` profile.
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
            "scheme": &NAME, "ref": &NAME, "version": &NAME, "url": &NON_BLANK_TEXT, "note": &TEXT;
            required: ["scheme", "ref"]
        ),
    ]);
    pub(crate) static REGULATION_REFS: Shape = Shape::List { item: &REGULATION_REF };

    static SIGN_OFF_GATE: Shape = Shape::Either(&[
        Shape::Text(Text { chars_max: NAME_CHARS_MAX, non_blank: true }),
        object!("gate": &NAME, "role": &NAME; required: ["gate"]),
    ]);
    pub(crate) static SIGN_OFF_GATES: Shape = Shape::List { item: &SIGN_OFF_GATE };

    static SIGN_OFF_DUE: Shape = object!(
        "text": &NON_BLANK_TEXT, "before": &NON_BLANK_TEXT, "by": &NAME, "pinned": &Shape::Flag;
        required: ["text", "before"]
    );
    pub(crate) static SIGN_OFFS_DUE: Shape = Shape::List { item: &SIGN_OFF_DUE };

    static DISPOSITION: Shape = Shape::Word(&["review", "destroy", "transfer"]);
    pub(crate) static RETENTION: Shape = Shape::Either(&[
        Shape::Format(Format::Period),
        object!(
            "period": &Shape::Format(Format::Period), "schedule_ref": &NAME,
            "retain_until": &Shape::Format(Format::Timestamp), "disposition": &DISPOSITION;
            required: []
        ),
    ]);
    /// The retention of the `nhs` profile, by records schedule.
    pub(crate) static RETENTION_BY_SCHEDULE: Shape = object!(
        "period": &Shape::Format(Format::Period), "schedule_ref": &NAME,
        "retain_until": &Shape::Format(Format::Timestamp), "disposition": &DISPOSITION;
        required: ["schedule_ref"]
    );
    /// The retention of the `fca` profile, at least five years.
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
    /// AHP writes a text or a list of texts; only results count for a verdict.
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
    fn the_table_fits_a_set_and_has_no_duplicates() {
        assert!(FIELDS.len() <= 128);
        let names: std::collections::HashSet<_> = FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), FIELDS.len());
    }

    #[test]
    fn alternatives_have_different_types() {
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
