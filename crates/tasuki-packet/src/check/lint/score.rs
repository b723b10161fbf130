//! The completeness score. See the module doc of `lint` for the formula.

use serde::Serialize;
use serde_json::Value;

use crate::packet::Packet;
use crate::schema::Kind;

/// The completeness of a packet.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::check::lint::Score;
///
/// let score = Score::of(&Packet::from_value(json!({"goal": "Ship it", "task_id": "t-1"})).unwrap());
/// assert_eq!(score.total, 14);
/// assert_eq!((score.parts[0].name, score.parts[0].points), ("context", 8));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Score {
    /// The points of all parts, from 0 to 100.
    pub total: u32,
    /// The points by part.
    pub parts: Vec<ScorePart>,
}

/// One part of a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScorePart {
    /// The name of the part.
    pub name: &'static str,
    /// The maximum number of points.
    pub weight: u32,
    /// The number of points.
    pub points: u32,
    /// The fields that are present or lacking.
    pub reason: String,
}

impl Score {
    /// Returns the score of a packet, using the table of its kind.
    pub fn of(packet: &Packet) -> Self {
        let parts: Vec<ScorePart> =
            table(packet.kind()).iter().map(|part| part.score(packet)).collect();
        Self { total: parts.iter().map(|part| part.points).sum(), parts }
    }
}

/// A part and its questions: the points, and the members of which one must have content.
struct Part {
    name: &'static str,
    questions: &'static [(u32, &'static [&'static str])],
}

fn table(kind: Kind) -> &'static [Part] {
    match kind {
        Kind::Handoff => HANDOFF,
        Kind::Checkpoint => CHECKPOINT,
        Kind::Return => RETURN,
        Kind::Decision => DECISION,
    }
}

const HANDOFF: &[Part] = &[
    Part {
        name: "context",
        questions: &[
            (8, &["goal"]),
            (7, &["summary", "handoff_summary"]),
            (5, &["decisions", "pitfalls_hit", "failed_approaches"]),
            (5, &["constraints", "assumptions", "context"]),
        ],
    },
    Part {
        name: "ownership",
        questions: &[(6, &["task_id"]), (7, &["from_agent"]), (7, &["to_agent", "target_agent"])],
    },
    Part {
        name: "next action",
        questions: &[
            (10, &["next_request"]),
            (5, &["remaining", "expected_outputs"]),
            (10, &["acceptance"]),
            (5, &["return_required"]),
        ],
    },
    Part {
        name: "reproducibility",
        questions: &[(15, &["evidence_refs"]), (10, &["artifacts", "inputs"])],
    },
];

const CHECKPOINT: &[Part] = &[
    Part {
        name: "progress",
        questions: &[
            (15, &["completed"]),
            (15, &["remaining"]),
            (10, &["summary", "handoff_summary"]),
        ],
    },
    Part { name: "ownership", questions: &[(8, &["task_id"]), (7, &["from_agent"])] },
    Part {
        name: "lessons",
        questions: &[(10, &["decisions"]), (10, &["pitfalls_hit", "failed_approaches"])],
    },
    Part {
        name: "reproducibility",
        questions: &[
            (10, &["evidence_refs"]),
            (5, &["artifacts", "context"]),
            (10, &["next_request"]),
        ],
    },
];

const RETURN: &[Part] = &[
    Part {
        name: "outcome",
        questions: &[(15, &["status"]), (15, &["summary", "handoff_summary"])],
    },
    Part { name: "ownership", questions: &[(8, &["task_id"]), (7, &["from_agent"])] },
    Part {
        name: "verification",
        questions: &[(20, &["verification", "verdict"]), (10, &["evidence_refs"])],
    },
    Part {
        name: "reproducibility",
        questions: &[
            (15, &["changed_paths", "artifacts", "payload"]),
            (5, &["assumptions", "blockers"]),
            (5, &["confidence"]),
        ],
    },
];

const DECISION: &[Part] = &[
    Part { name: "outcome", questions: &[(40, &["decision"])] },
    Part { name: "reason", questions: &[(20, &["reason", "meaning"])] },
    Part { name: "ownership", questions: &[(10, &["task_id", "handoff"]), (10, &["from_agent"])] },
    Part { name: "binding", questions: &[(10, &["revision"]), (10, &["digest"])] },
];

impl Part {
    fn weight(&self) -> u32 {
        self.questions.iter().map(|(points, _)| points).sum()
    }

    fn score(&self, packet: &Packet) -> ScorePart {
        let (there, lacking): (Vec<_>, Vec<_>) =
            self.questions.iter().partition(|(_, members)| is_answered(packet, members));
        let points = there.iter().map(|(points, _)| points).sum();
        let lacking: Vec<String> = lacking.iter().map(|(_, members)| any_of(members)).collect();
        let reason = if lacking.is_empty() {
            "complete".to_owned()
        } else {
            format!("lacks {}", lacking.join("; "))
        };
        ScorePart { name: self.name, weight: self.weight(), points, reason }
    }
}

/// Lists that may be empty: `blockers: []` states that there are none.
const MAY_BE_EMPTY: &[&str] = &["blockers", "assumptions", "changed_paths"];

fn is_answered(packet: &Packet, members: &[&str]) -> bool {
    members.iter().any(|member| match packet.get(member) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(items)) => !items.is_empty() || MAY_BE_EMPTY.contains(member),
        Some(Value::Object(members)) => !members.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => true,
    })
}

fn any_of(members: &[&str]) -> String {
    let quoted: Vec<String> = members.iter().map(|member| format!("`{member}`")).collect();
    quoted.join(" or ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_weights_of_every_table_add_up_to_a_hundred() {
        for kind in [Kind::Handoff, Kind::Checkpoint, Kind::Return, Kind::Decision] {
            assert_eq!(table(kind).len(), 4, "{kind:?}");
            assert_eq!(table(kind).iter().map(Part::weight).sum::<u32>(), 100, "{kind:?}");
        }
    }

    #[test]
    fn a_part_lists_the_lacking_fields() {
        let packet = json!({"goal": "Ship it", "summary": " ", "from_agent": "a", "to_agent": "b",
            "task_id": "t", "decisions": ["x"], "acceptance": ["y"]});
        let score = Score::of(&Packet::from_value(packet).unwrap());
        let lines: Vec<String> = score
            .parts
            .iter()
            .map(|part| format!("{} {}/{}: {}", part.name, part.points, part.weight, part.reason))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        context 13/25: lacks `summary` or `handoff_summary`; `constraints` or `assumptions` or `context`
        ownership 20/20: complete
        next action 10/30: lacks `next_request`; `remaining` or `expected_outputs`; `return_required`
        reproducibility 0/25: lacks `evidence_refs`; `artifacts` or `inputs`
        ");
        assert_eq!(score.total, 43);
    }

    #[test]
    fn only_some_empty_lists_count_as_answers() {
        for (packet, total) in [
            (json!({}), 0),
            (json!({"evidence_refs": [], "acceptance": []}), 0),
            (json!({"packet_type": "return", "verification": [], "blockers": []}), 5),
        ] {
            assert_eq!(Score::of(&Packet::from_value(packet).unwrap()).total, total);
        }
    }
}
