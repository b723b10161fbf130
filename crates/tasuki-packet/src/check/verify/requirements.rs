//! The part of a handoff's packet that its return is judged by.

use crate::packet::Packet;

/// The members of a handoff that `judge` looks at.
const ASKED: [&str; 4] = ["task_id", "return_required", "acceptance", "expected_outputs"];

/// What a packet asks of its return, and nothing else of it: small enough to be kept at hand.
pub fn requirements(packet: Packet) -> Packet {
    let members = packet.into_members().into_iter();
    Packet::new(members.filter(|(name, _)| ASKED.contains(&name.as_str())).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::check::verify::judge;

    /// One packet that asks for all that can be asked, and what may come back on it.
    #[test]
    fn a_return_is_judged_the_same_by_it() {
        let packet = |value: Value| Packet::from_value(value).unwrap();
        let handoff = packet(json!({
            "task_id": "t-1",
            "goal": "g",
            "summary": "s",
            "return_required": ["status", "summary"],
            "acceptance": [{"id": "tests", "text": "npm test passes"}, "small"],
            "expected_outputs": ["the bundle", {"name": "report", "schema": {"type": "object"}}],
        }));
        let part = requirements(handoff.clone());
        assert_eq!(part.members().len(), 4);
        for answer in [
            json!({}),
            json!({"task_id": "t-2", "status": "completed", "summary": "s"}),
            json!({"task_id": "t-1", "status": "completed", "payload": {"report": 7}}),
            json!({"status": "completed", "summary": "s", "payload": {"report": {}},
                "verification": [{"criterion": "tests", "result": "pass", "evidence": "log:a"},
                    {"criterion": 1, "result": "pass", "evidence": "log:a"}]}),
        ] {
            let answer = packet(answer);
            assert_eq!(judge(&part, &answer, &()), judge(&handoff, &answer, &()));
        }
    }
}
