//! The human brief: the request, its deadline, and everything a person needs to continue, as
//! Markdown or as plain text.
//!
//! The sections are in `outline` and `sections`, shared with the HTML writer; escaping is in
//! `markdown`, and `plain` escapes nothing. The caller validates the packet first.

pub(super) mod outline;
pub(super) mod page;
pub(super) mod sections;

use super::{markdown, plain, text};
use crate::packet::Packet;

/// Renders a packet as Markdown for people.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::{Packet, render};
///
/// let packet = Packet::from_value(json!({ "task_id": "docs-7", "goal": "Fix the links" })).unwrap();
/// assert_eq!(
///     render::human_brief(&packet),
///     "# Handoff docs-7\n\n**Request:** Fix the links\n\n**Deadline:** none\n\n**Task:** docs-7\n"
/// );
/// ```
pub fn human_brief(packet: &Packet) -> String {
    markdown::markdown(&outline::blocks(packet))
}

/// Renders a packet as plain text for people, with every value exactly as it is in the packet.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::{Packet, render};
///
/// let packet = Packet::from_value(json!({ "task_id": "docs-7", "goal": "Keep a < 5" })).unwrap();
/// assert!(render::brief_text(&packet).contains("Request: Keep a < 5\n"));
/// ```
pub fn brief_text(packet: &Packet) -> String {
    plain::plain(&outline::blocks(packet))
}

/// Renders a packet like [`brief_text`], with a sender for packets that do not name one.
pub fn brief_text_from(packet: &Packet, sender: &str) -> String {
    if packet.text("from_agent").is_some_and(text::has_text) {
        return brief_text(packet);
    }
    let mut named = packet.clone().into_members();
    named.insert("from_agent".to_owned(), sender.into());
    brief_text(&Packet::new(named))
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;
    use crate::document::pointer;
    use crate::render::samples::{self, packet};
    use crate::render::text::is_hidden;

    #[test]
    fn a_supplied_sender_is_shown() {
        let unnamed = packet(json!({ "goal": "Ship", "task_id": "t" }));
        let brief = brief_text_from(&unnamed, "ana");
        assert!(brief.contains("From: ana · Task: t\n"), "{brief}");
        let named = packet(json!({ "goal": "Ship", "from_agent": "Web Scraper" }));
        assert_eq!(brief_text_from(&named, "ana"), brief_text(&named));
    }

    #[test]
    fn a_handoff_starts_with_the_request() {
        let brief = human_brief(&samples::handoff());
        let (opening, _) = brief.split_once("\n## Acceptance").unwrap();
        assert_snapshot!(opening, @"
        # Handoff build-spfx-webpart-42

        **OFFICIAL-SENSITIVE**

        **Request:** Write the component logic and its tests.

        **Deadline:** 2026-11-16T18:00:00Z

        > Please finish the component and report evidence.

        ## Goal

        Ship the accessible web part

        **From:** hermes-main · **To:** hermes-worker-3 · **Task:** build-spfx-webpart-42 · **Status:** in_progress

        ## Summary

        Scaffolded and configured; component logic is not written.

        ## Done

        1. Scaffolded web part structure
        2. **verified** Installed dependencies (evidence: log:npm-1)

        ## Remaining

        3. Write component logic
        4. Add tests
        5. Bundle and verify

        ## Failed approaches

        - yo generator with flags: ignored them (evidence: log:yo-1)

        ## Pitfalls

        - SCSS alias: @fluentui needs explicit path in config/sass.json

        ## Decisions

        - Used React hooks instead of class components

        ## Assumptions

        - The tenant has Fluent UI v9

        ## Constraints

        - Do not modify protected runtime data **pinned**
        - Keep the public API

        ## Authority

        - write:src/
        - deploy:staging
        ");
    }

    #[test]
    fn a_handoff_continues_with_the_agreement_and_the_artifacts() {
        let brief = human_brief(&samples::handoff());
        let start = brief.find("## Acceptance").unwrap();
        assert_snapshot!(&brief[start..], @"
        ## Acceptance

        - npm test passes (id: tests; run: npm test)
        - Bundle is below 300 kB

        ## Failure boundary

        - Stop before publishing external resources

        ## Required in the return

        - status
        - changed_paths
        - verification
        - blockers
        - handoff_summary

        ## Expected outputs

        - bundle
        - changed paths

        ## Artifacts

        | Kind | Path | Size | Digest | Type |
        | --- | --- | --- | --- | --- |
        | output | `dist/bundle.js` | 281034 bytes | `sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08` | text/javascript |

        ## Evidence references

        - commit:9f2c1e0
        - trace:abc123

        ## Inputs

        - schemas/packet.schema.json

        ## Payload

        | Label | Value |
        | --- | --- |
        | Cost incurred | $0.45 |

        ## Context

        | Field | Value |
        | --- | --- |
        | node_version | 22.11.0 |
        | spfx_version | 1.22.2 |

        ## Details

        | Field | Value |
        | --- | --- |
        | Confidence | 62 % |
        | Scope | a scaffold with decisions; not: a deployable package |
        | Contract | correlation-to-investigation@1.2 |
        | Trigger | session_ended: time limit reached |
        | Fallback | after 300s without progress to role:oncall, then to dead_letter |
        | Can be intercepted | yes |
        | Packet type | handoff |
        | Format version | 1.0 |

        ## Cost and budget

        | Field | Value |
        | --- | --- |
        | Cost | 0.45 USD, 41200 tokens, 310 s |
        | Budget | 5.00 USD |

        ## Provenance

        | Kind | Entries |
        | --- | --- |
        | inputs | issue 42 |
        | sources | docs/spfx.md |
        | tools | npm |
        | model | hermes-4 |

        ## Classification and regulation

        | Field | Value |
        | --- | --- |
        | Classification | OFFICIAL-SENSITIVE |
        | Regulation | UK-DCB0129 4.2 |

        ## Other fields

        | Field | Value |
        | --- | --- |
        | x_team | lead: ana |

        **OFFICIAL-SENSITIVE**
        ");
    }

    #[test]
    fn a_return_packet_starts_with_its_verdict() {
        assert_snapshot!(human_brief(&samples::return_packet()), @"
        # Return packet build-spfx-webpart-42

        **Status:** completed · **Verdict:** pass

        ## Verification

        | Criterion | Result | Evidence |
        | --- | --- | --- |
        | tests | pass | log:npm-7 |
        | Bundle is below 300 kB | not_run |  |

        **From:** hermes-worker-3 · **To:** hermes-main · **Task:** build-spfx-webpart-42

        ## Summary

        Component and tests written.

        ## Changed paths

        - src/Part.tsx
        - src/Part.test.tsx

        ## Blockers

        none

        ## Assumptions

        - The tenant has Fluent UI v9

        ## Artifacts

        | Kind | Path | Size |
        | --- | --- | --- |
        | output | `dist/bundle.js` | 274000 bytes |

        ## Evidence references

        - commit:77ab01c

        ## Cost and budget

        | Field | Value |
        | --- | --- |
        | Cost | 0.80 USD |

        ## Details

        | Field | Value |
        | --- | --- |
        | Confidence | 90 % |
        | Packet type | return |
        ");
    }

    #[test]
    fn a_decision_shows_the_revision_it_is_bound_to() {
        let decision = packet(json!({
            "packet_type": "decision",
            "task_id": "docs-7",
            "from_agent": "ana",
            "decision": "reroute",
            "revision": 3,
            "digest": "sha256:9f86d081",
            "reason": "needs a reviewer who knows the API",
            "to": "role:reviewer",
            "meaning": "I have read revision 3."
        }));
        assert_snapshot!(human_brief(&decision), @"
        # Decision docs-7

        **Decision:** reroute

        **By:** ana

        **Reason:** needs a reviewer who knows the API

        **Meaning:** I have read revision 3.

        **To:** role:reviewer

        **Revision:** 3 · **Digest:** sha256:9f86d081

        **Task:** docs-7

        ## Details

        | Field | Value |
        | --- | --- |
        | Packet type | decision |
        ");
    }

    #[test]
    fn a_deadline_is_the_expiry_or_the_ladder_or_none() {
        let cases = [
            (
                json!({ "expires_at": "2026-11-16T18:00:00Z", "fallback": [{ "after": "5m", "to": "ana" }] }),
                "2026-11-16T18:00:00Z",
            ),
            (
                json!({ "fallback": [{ "on": "declined", "to": "ben" }, { "after": "5m", "to": "ana" }] }),
                "5m, then ana",
            ),
            (
                json!({ "fallback": "escalate_to_oncall_if_not_progressed_within_300s" }),
                "300s without progress, then oncall",
            ),
            (json!({ "fallback": [{ "to": "dead_letter" }] }), "none"),
        ];
        for (value, expected) in cases {
            let brief = human_brief(&packet(value));
            assert!(brief.contains(&format!("\n**Deadline:** {expected}\n")), "{brief}");
        }
    }

    #[test]
    fn every_member_of_a_packet_is_shown() {
        // Values of unexpected types, and unknown members.
        let odd = packet(json!({
            "goal": ["text-goal"],
            "completed": "text-completed",
            "remaining": [{ "what": "text-what" }, 7041],
            "artifacts": ["text-artifact", { "path": "text-path", "hash": "text-hash" }],
            "verification": [{ "criterion": "text-criterion", "by": "text-by" }, "text-verified"],
            "payload": [{ "label": "text-label" }, "text-payload"],
            "cost": { "amount": "text-amount", "note": "text-note" },
            "scope": "text-scope",
            "fallback": { "to": "text-to" },
            "classification": { "tier": "text-tier", "caveat": "text-caveat" },
            "expected_outputs": [{ "name": "text-name", "schema": { "$ref": "text-ref" } }],
            "failed_approaches": [{ "tried": "text-tried" }, { "text": "text-failed" }],
            "extensions": { "deep": [{ "er": { "text": "text-deep" } }] },
            "text-key": { "text-inner": [] }
        }));
        for packet in [odd, samples::handoff(), samples::return_packet()] {
            let brief = human_brief(&packet);
            pointer::each_text(&packet.to_value(), &mut |place, words| {
                let is_reworded = place.ends_with("/on");
                assert!(is_reworded || brief.contains(words), "{place} is hidden in:\n{brief}");
            });
        }
    }

    #[test]
    fn hostile_text_stays_text() {
        for packet in samples::hostile() {
            let brief = human_brief(&packet);
            assert!(!brief.contains('<'), "no tag");
            assert!(!brief.contains("!["), "no image");
            assert!(!brief.chars().any(|character| is_hidden(character) || is_control(character)));
            let titles = brief.lines().filter(|line| line.starts_with("# ")).count();
            assert_eq!(titles, 1, "one title:\n{brief}");
            for line in brief.lines() {
                // A step starts with its number.
                let line = line.trim_start_matches(|c: char| c.is_ascii_digit());
                let line =
                    line.strip_prefix(". ").map_or(line.to_owned(), |text| format!("- {text}"));
                let is_empty = line.is_empty() || line == "none";
                let is_safe = is_empty || STARTS.iter().any(|start| line.starts_with(start));
                assert!(is_safe, "{line}");
                let is_heading = line.starts_with("## ");
                assert!(
                    !is_heading
                        || line.chars().all(|c| c.is_ascii_alphabetic() || " #-".contains(c))
                );
            }
        }
    }

    /// The allowed starts of lines in a brief.
    const STARTS: [&str; 7] = ["# ", "## ", "**", "> ", "- ", "  ", "| "];

    fn is_control(character: char) -> bool {
        character.is_control() && character != '\n'
    }
}
