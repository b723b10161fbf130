//! The content that the receiver of a packet will not see, because its brief is cut to a token budget.

use serde::Serialize;
use tasuki_packet::render::{self, AgentBrief, BUDGET_TOKENS_DEFAULT, tokens};
use tasuki_packet::{Kind, Packet};

/// LIMIT: pointers that a notice names; the rest is counted.
const POINTERS_SHOWN_MAX: usize = 4;

/// The content that a brief leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    /// The tokens of the brief.
    tokens: usize,
    /// The tokens of the brief with everything in it.
    tokens_whole: usize,
    /// Pointers to what is left out.
    #[serde(rename = "left_out")]
    pointers: Vec<String>,
}

impl LeftOut {
    /// Returns what the brief of the receiver leaves out at the default budget.
    pub(crate) fn of(packet: &Packet) -> Option<Self> {
        if packet.kind() != Kind::Handoff {
            return None;
        }
        // A token has at least one byte, so most packets need no tokenizer.
        let length = |text: &str| text.len();
        let whole = render::agent_brief(packet, None, &length).ok()?.tokens_whole;
        if whole <= BUDGET_TOKENS_DEFAULT {
            return None;
        }
        Self::of_brief(&render::agent_brief(packet, None, &tokens::count).ok()?)
    }

    /// Returns what a brief leaves out, if anything.
    pub(crate) fn of_brief(brief: &AgentBrief) -> Option<Self> {
        (!brief.left_out.is_empty()).then(|| Self {
            tokens: brief.tokens,
            tokens_whole: brief.tokens_whole,
            pointers: brief.left_out.clone(),
        })
    }
}

/// Completes a sentence that begins with the name of the brief.
impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown: Vec<&str> =
            self.pointers.iter().take(POINTERS_SHOWN_MAX).map(String::as_str).collect();
        write!(f, "leaves out {}", shown.join(", "))?;
        let more = self.pointers.len() - shown.len();
        if more > 0 {
            write!(f, " and {more} more")?;
        }
        write!(f, "; it has {} tokens and needs {} for everything", self.tokens, self.tokens_whole)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn packet(steps: usize) -> Packet {
        let steps: Vec<String> =
            (0..steps).map(|n| format!("Step {n} of the migration is done")).collect();
        Packet::from_value(json!({"goal": "Ship it", "completed": steps})).unwrap()
    }

    #[test]
    fn a_packet_that_fits_leaves_nothing_out() {
        assert_eq!(LeftOut::of(&packet(3)), None);
    }

    #[test]
    fn a_packet_that_does_not_fit_names_what_is_left_out_and_what_it_needs() {
        let notice = LeftOut::of(&packet(600)).unwrap();
        assert!(notice.tokens <= BUDGET_TOKENS_DEFAULT && notice.tokens_whole > 2_000);
        let text = notice.to_string();
        assert!(text.starts_with("leaves out /completed/0, /completed/1, "), "{text}");
        assert!(text.contains(" more; it has "), "{text}");
    }
}
