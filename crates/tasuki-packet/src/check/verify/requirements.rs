//! The part of a handoff's packet that its return is judged by.

use crate::packet::Packet;

/// The members of a handoff that `judge` reads, and the sign-offs that an exchange asks for.
const REQUIREMENTS: [&str; 5] =
    ["task_id", "return_required", "acceptance", "expected_outputs", "sign_offs_due"];

/// Reduces a packet to its requirements for the return, which is small enough to cache.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::check::verify::requirements;
///
/// let packet = json!({"task_id": "t-1", "goal": "Ship it", "acceptance": ["npm test passes"]});
/// let requirements = requirements(Packet::from_value(packet).unwrap());
/// assert!(requirements.get("acceptance").is_some());
/// assert!(requirements.get("goal").is_none());
/// ```
pub fn requirements(packet: Packet) -> Packet {
    let members = packet.into_members().into_iter();
    Packet::new(members.filter(|(name, _)| REQUIREMENTS.contains(&name.as_str())).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::check::verify::judge;

    /// A packet with every kind of requirement, and possible returns for it.
    #[test]
    fn the_requirements_give_the_same_verdict_as_the_packet() {
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
