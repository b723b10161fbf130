//! Writes Markdown: a brief for people, then the packet as YAML in a code block tagged `tasuki`.
//!
//! The brief may contain text of any party. The fence is therefore longer than any fence in it. If
//! a block of the brief would hide the packet or be found in its place, the fences of the brief are
//! escaped.

use super::yaml;
use crate::Members;
use crate::read::longest_run;
use crate::read::markdown::find;

const FENCE_LENGTH_MIN: usize = 3;

/// Writes a brief, followed by the packet.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::write;
///
/// let packet = json!({"packet_type": "handoff"});
/// assert_eq!(
///     write::markdown("# Ship it", packet.as_object().unwrap()),
///     "# Ship it\n\n```tasuki\npacket_type: handoff\n```\n",
/// );
/// ```
pub fn markdown(brief: &str, members: &Members) -> String {
    let packet = yaml(members);
    let text = with_packet(brief, &packet);
    match find(&text) {
        Ok(Some(block)) if block.content(&text) == packet => text,
        _ => with_packet(&without_blocks(brief), &packet),
    }
}

fn with_packet(brief: &str, packet: &str) -> String {
    let longest = longest_run(brief, '`').max(longest_run(packet, '`'));
    let fence = "`".repeat(FENCE_LENGTH_MIN.max(longest + 1));
    let brief = brief.trim_end();
    let gap = if brief.is_empty() { "" } else { "\n\n" };
    format!("{brief}{gap}{fence}tasuki\n{packet}{fence}\n")
}

/// Escapes every fence and the front matter of a brief.
fn without_blocks(brief: &str) -> String {
    let mut text = String::with_capacity(brief.len() + 8);
    if brief.trim_start_matches('\u{feff}').starts_with("---") {
        text.push('\n');
    }
    for line in brief.split_inclusive('\n') {
        let fence = [line.find("```"), line.find("~~~")].into_iter().flatten().min();
        let (before, after) = line.split_at(fence.unwrap_or(line.len()));
        text.push_str(before);
        text.push_str(if fence.is_some() { "\\" } else { "" });
        text.push_str(after);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::write::arbitrary;

    #[test]
    fn the_fence_is_longer_than_any_other() {
        check(
            "a\n  ````\nb\n  ````\n",
            "x",
            "a\n  ````\nb\n  ````\n\n`````tasuki\ngoal: x\n`````\n",
        );
        check("", "a\n```\n", "````tasuki\ngoal: |\n  a\n  ```\n````\n");
    }

    #[test]
    fn a_brief_cannot_replace_the_packet() {
        check(
            "```tasuki\ngoal: y\n```",
            "x",
            "\\```tasuki\ngoal: y\n\\```\n\n```tasuki\ngoal: x\n```\n",
        );
        check("- ~~~yaml", "x", "- \\~~~yaml\n\n```tasuki\ngoal: x\n```\n");
        check(
            "---\npacket_type: y\n---",
            "x",
            "\n---\npacket_type: y\n---\n\n```tasuki\ngoal: x\n```\n",
        );
    }

    proptest! {
        #[test]
        fn the_packet_is_found_below_any_brief(
            lines in prop::collection::vec(arbitrary::text(), 0..5),
            members in arbitrary::members(),
        ) {
            let text = markdown(&lines.join("\n"), &members);
            let block = find(&text).unwrap().unwrap();
            prop_assert_eq!(block.content(&text), yaml(&members));
            prop_assert!(text.ends_with('\n'));
        }
    }

    fn check(brief: &str, goal: &str, expected: &str) {
        let packet = json!({"goal": goal});
        assert_eq!(markdown(brief, packet.as_object().unwrap()), expected);
    }
}
