//! The content that the receiver of a packet will not see, because its brief is cut to a token budget.

use serde::Serialize;
use tasuki_packet::render::{self, AgentBrief, BUDGET_TOKENS_DEFAULT, tokens};
use tasuki_packet::{Kind, Packet};

use super::escape::excerpt;
use super::printer::counted;

/// LIMIT: members that a notice names; the rest is counted.
const MEMBERS_SHOWN_MAX: usize = 12;

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

/// Completes a sentence that begins with the name of the brief: `leaves out 26 entries of
/// /completed, all of /context and /secret_ref; it has …`.
impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (tokens, whole) = (self.tokens, self.tokens_whole);
        let parts = self.parts().join(", ");
        write!(f, "leaves out {parts}; it has {tokens} tokens and needs {whole} for everything")
    }
}

impl LeftOut {
    /// Describes what is left out: entries by their list, then whole members.
    fn parts(&self) -> Vec<String> {
        let (lists, wholes) = self.by_member();
        let shown_lists = &lists[..lists.len().min(MEMBERS_SHOWN_MAX)];
        let shown_wholes = &wholes[..wholes.len().min(MEMBERS_SHOWN_MAX - shown_lists.len())];
        let of_list = |(member, count): &(String, usize)| {
            let entries =
                if *count == 1 { "1 entry".to_owned() } else { format!("{count} entries") };
            format!("{entries} of {member}")
        };
        let mut parts: Vec<String> = shown_lists.iter().map(of_list).collect();
        parts.extend(all_of(shown_wholes));
        match lists.len() + wholes.len() - shown_lists.len() - shown_wholes.len() {
            0 => {}
            more => parts.push(format!("and {}", counted(more, "other field"))),
        }
        parts
    }

    /// Returns the members with entries that are left out, with their number, and the members that
    /// are left out as a whole.
    fn by_member(&self) -> (Vec<(String, usize)>, Vec<String>) {
        let (mut lists, mut wholes) = (Vec::<(String, usize)>::new(), Vec::new());
        for pointer in &self.pointers {
            let Some((member, _)) = pointer.trim_start_matches('/').split_once('/') else {
                wholes.push(excerpt(pointer));
                continue;
            };
            let member = excerpt(&format!("/{member}"));
            match lists.iter_mut().find(|(known, _)| *known == member) {
                Some((_, count)) => *count += 1,
                None => lists.push((member, 1)),
            }
        }
        (lists, wholes)
    }
}

/// Names members that are left out as a whole: `all of /context and /secret_ref`.
fn all_of(members: &[String]) -> Option<String> {
    let (last, others) = members.split_last()?;
    Some(match others {
        [] => format!("all of {last}"),
        others => format!("all of {} and {last}", others.join(", ")),
    })
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
        let entries =
            format!("leaves out {} entries of /completed; it has ", notice.pointers.len());
        assert!(text.starts_with(&entries), "{text}");
    }

    #[test]
    fn a_notice_groups_by_member_and_is_bounded() {
        let notice = |pointers: &[String]| {
            LeftOut { tokens: 1, tokens_whole: 2, pointers: pointers.to_vec() }.to_string()
        };
        let pointers = ["/completed/0", "/context", "/completed/7", "/notes/3", "/secret_ref"];
        let shown = notice(&pointers.map(str::to_owned));
        assert_eq!(
            shown,
            "leaves out 2 entries of /completed, 1 entry of /notes, all of /context and \
             /secret_ref; it has 1 tokens and needs 2 for everything"
        );
        let many: Vec<String> = (0..20).map(|n| format!("/x_{n}")).collect();
        let shown = notice(&many);
        assert!(shown.contains("/x_10 and /x_11, and 8 other fields; it has"), "{shown}");
    }
}
