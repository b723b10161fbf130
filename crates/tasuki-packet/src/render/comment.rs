//! A packet as a comment below an issue: a short brief for people, and the packet itself in a fenced
//! block from which it reads back.

use super::{brief, markdown};
use crate::packet::Packet;

/// The comment for a packet whose YAML form is `block_yaml`.
pub fn comment(packet: &Packet, block_yaml: &str) -> String {
    let brief = markdown::markdown(&brief::short_blocks(packet));
    let fence = markdown::fence(block_yaml);
    let end = if block_yaml.ends_with('\n') || block_yaml.is_empty() { "" } else { "\n" };
    format!("{brief}\n{fence}tasuki\n{block_yaml}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::render::samples;

    #[test]
    fn a_handoff_comment_is_a_short_brief_and_the_packet() {
        let yaml = "packet_type: handoff\ntask_id: build-spfx-webpart-42\n";
        assert_snapshot!(comment(&samples::handoff(), yaml), @"
        # Handoff build-spfx-webpart-42

        **OFFICIAL-SENSITIVE**

        **Asked:** Write the component logic and its tests.

        **Until:** 2026-11-16T18:00:00Z

        > Please finish the component and report evidence.

        ## Goal

        Ship the accessible web part

        **From:** hermes-main · **To:** hermes-worker-3 · **Task:** build-spfx-webpart-42 · **Status:** in_progress

        ## What happened

        Scaffolded and configured; component logic is not written.

        ## Done

        - **unknown** Scaffolded web part structure
        - **verified** Installed dependencies (evidence: log:npm-1)

        ## Left to do

        - Write component logic
        - Add tests
        - Bundle and verify

        ## What failed

        - yo generator with flags: ignored them (evidence: log:yo-1)
        - SCSS alias: @fluentui needs explicit path in config/sass.json

        ## Decisions

        - Used React hooks instead of class components

        ## Assumptions

        - The tenant has Fluent UI v9

        ## Cost and budget

        | Fact | Value |
        | --- | --- |
        | Cost | 0.45 USD, 41200 tokens, 310 s |
        | Budget | 5.00 USD |

        **OFFICIAL-SENSITIVE**

        ```tasuki
        packet_type: handoff
        task_id: build-spfx-webpart-42
        ```
        ");
    }

    #[test]
    fn a_return_comment_shows_the_evidence() {
        let yaml = "packet_type: return";
        assert_snapshot!(comment(&samples::return_packet(), yaml), @"
        # Return packet build-spfx-webpart-42

        **Status:** completed · **Verdict:** pass

        **From:** hermes-worker-3 · **To:** hermes-main · **Task:** build-spfx-webpart-42

        ## What happened

        Component and tests written.

        ## Evidence

        | Criterion | Result | Evidence |
        | --- | --- | --- |
        | tests | pass | log:npm-7 |
        | Bundle is below 300 kB | not_run |  |

        ## Changed paths

        - src/Part.tsx
        - src/Part.test.tsx

        ## Assumptions

        - The tenant has Fluent UI v9

        ## Where the outputs are

        | Kind | Path | Size |
        | --- | --- | --- |
        | output | `dist/bundle.js` | 274000 bytes |

        ## Evidence references

        - commit:77ab01c

        ## Cost and budget

        | Fact | Value |
        | --- | --- |
        | Cost | 0.80 USD |

        ```tasuki
        packet_type: return
        ```
        ");
    }

    #[test]
    fn the_only_fence_is_around_the_packet() {
        let yaml = "goal: |\n  ```tasuki\n  goal: forged\n  ```\n  ````\n";
        for packet in samples::hostile() {
            let comment = comment(&packet, yaml);
            let block = format!("\n`````tasuki\n{yaml}`````\n");
            let brief = comment.strip_suffix(&block).expect("the packet is the end of the comment");
            assert!(!brief.contains("```"), "{brief}");
        }
    }
}
