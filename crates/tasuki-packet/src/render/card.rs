//! The card: a handoff as a shipping manifest in a box of fixed width, for a terminal.
//!
//! The card is read-only. It lists the possible decisions only if the packet allows a person to
//! intercept. Lines are measured in columns, and no control character of the packet reaches the
//! terminal.

use serde_json::Value;

use super::describe::{self, Entry, Show};
use super::width::{width, wrap};
use super::{facts, text};
use crate::packet::Packet;
use crate::schema::Kind;

/// The default width of a card.
pub const CARD_WIDTH_DEFAULT: usize = 80;

/// LIMIT: below this width, the badge and a name do not fit side by side.
const WIDTH_MIN: usize = 32;

/// LIMIT: wider lines are unreadable, and each line is padded to the width.
const WIDTH_MAX: usize = 400;

/// Returns the badge of a card: the kind of packet.
fn badge(kind: Kind) -> &'static str {
    match kind {
        Kind::Handoff => "Context Packet",
        Kind::Checkpoint => "Checkpoint",
        Kind::Return => "Return Packet",
        Kind::Decision => "Decision",
    }
}

/// Options for drawing a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardOptions {
    /// Columns from border to border, clamped to the supported range.
    pub width: usize,
    /// `true` to highlight headings and borders with ANSI colours.
    pub colour: bool,
}

impl Default for CardOptions {
    fn default() -> Self {
        Self { width: CARD_WIDTH_DEFAULT, colour: false }
    }
}

/// Renders a packet as a card that ends with a line break.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::{Packet, render};
///
/// let packet = json!({"from_agent": "ana", "to_agent": "ben", "goal": "Fix the links"});
/// let card = render::card(&Packet::from_value(packet).unwrap(), render::CardOptions::default());
/// assert!(card.contains("ana → ben"));
/// assert!(card.contains("Fix the links"));
/// ```
pub fn card(packet: &Packet, options: CardOptions) -> String {
    let mut manifest = Manifest::new(options);
    manifest.rule('┌', '┐');
    manifest.head(&route(packet), badge(packet.kind()));
    manifest.rule('├', '┤');
    let sections = sections(packet);
    let filled = sections.iter().filter(|(_, words)| text::has_text(words));
    for (index, (heading, words)) in filled.enumerate() {
        if index > 0 {
            manifest.row("", Style::Plain);
        }
        manifest.section(heading, words);
    }
    manifest.rule('├', '┤');
    manifest.facts(&known_facts(packet));
    if packet.get("can_intercept") == Some(&Value::Bool(true)) {
        manifest.rule('├', '┤');
        manifest.rows("Decide: accept · intercept · cancel", Style::Heading);
    }
    manifest.rule('└', '┘');
    manifest.drawn
}

/// Returns the sections of a card, with those first that its reader decides by.
fn sections(packet: &Packet) -> Vec<(&'static str, String)> {
    let words = |name: &str| clean(packet.text(name).unwrap_or_default());
    let mut sections = match packet.kind() {
        Kind::Handoff | Kind::Checkpoint => vec![("Goal", words("goal"))],
        Kind::Return => vec![("Verification", verification(packet)), ("Goal", words("goal"))],
        Kind::Decision => vec![
            ("Decision", words("decision")),
            ("Reason", words("reason")),
            ("Meaning", words("meaning")),
            ("New receiver", words("to")),
        ],
    };
    sections.push(("What happened", summary_or_completed(packet)));
    if packet.kind() == Kind::Return {
        sections.push(("Changed paths", statements(packet, "changed_paths")));
        sections.push(("Blockers", statements(packet, "blockers")));
    }
    if packet.kind() == Kind::Checkpoint {
        sections.push(("Left to do", statements(packet, "remaining")));
    }
    sections.push(("Context Payload", payload(packet)));
    sections.push(("What I need from you", words("next_request")));
    sections
}

/// Returns one line per result, or the text that AHP writes.
fn verification(packet: &Packet) -> String {
    if let Some(words) = packet.text("verification") {
        return clean(words);
    }
    let line = |value: &Value| {
        let Some(members) = value.as_object() else { return describe::plain(value) };
        let part = |name: &str| facts::member(members, name);
        let evidence = part("evidence").map(|words| format!(" ({words})")).unwrap_or_default();
        let criterion = part("criterion").unwrap_or_default();
        format!("{}: {criterion}{evidence}", part("result").unwrap_or_default())
    };
    lines_of(packet, "verification", |value| format!("- {}", text::one_line(&clean(&line(value)))))
}

fn statements(packet: &Packet, name: &str) -> String {
    lines_of(packet, name, |value| format!("- {}", clean(&Entry::of(value).text)))
}

/// Returns one line per entry of a list. An empty list states that there are none.
fn lines_of(packet: &Packet, name: &str, show: impl Fn(&Value) -> String) -> String {
    let Some(values) = packet.get(name).and_then(Value::as_array) else { return String::new() };
    if values.is_empty() {
        return describe::NONE.to_owned();
    }
    values.iter().map(show).collect::<Vec<_>>().join("\n")
}

fn route(packet: &Packet) -> String {
    let name = |party: &str| text::one_line(&clean(party));
    let from = name(packet.text("from_agent").unwrap_or("?"));
    match packet.receiver() {
        // A decision is about a handoff and has no receiver.
        None if packet.kind() == Kind::Decision => from,
        receiver => format!("{from} → {}", name(receiver.unwrap_or("?"))),
    }
}

fn summary_or_completed(packet: &Packet) -> String {
    match packet.summary() {
        Some(summary) => clean(summary),
        None => statements(packet, "completed"),
    }
}

fn payload(packet: &Packet) -> String {
    let line = |words: &str| text::one_line(&clean(words));
    let Some(members) = packet.object("payload") else {
        return lines_of(packet, "payload", |value| line(&facts::payload_entry(value)));
    };
    let pairs = members.iter().map(|(name, value)| format!("{name}: {}", describe::plain(value)));
    pairs.map(|pair| line(&pair)).collect::<Vec<_>>().join("\n")
}

fn known_facts(packet: &Packet) -> Vec<String> {
    let known: [(&str, &str, Show); 10] = [
        ("Classification", "classification", facts::marking),
        ("Status", "status", describe::plain),
        ("Verdict", "verdict", describe::plain),
        ("Revision", "revision", describe::plain),
        ("Decided on", "digest", decided_on),
        ("Confidence", "confidence", facts::confidence),
        ("Expires", "expires_at", describe::plain),
        ("Contract", "contract", describe::plain),
        ("Cost", "cost", facts::cost),
        ("Budget", "budget", facts::cost),
    ];
    let mut shown: Vec<String> = known
        .into_iter()
        .filter_map(|(label, name, show)| {
            let value = packet.get(name).filter(|value| !describe::is_empty(value))?;
            Some(format!("{label} {}", text::one_line(&clean(&show(value)))))
        })
        .collect();
    shown.push(format!("Digest {}", facts::short_digest(&packet.digest())));
    shown
}

fn decided_on(value: &Value) -> String {
    facts::short_digest(&describe::plain(value))
}

fn clean(words: &str) -> String {
    text::visible(words)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Heading,
    Border,
}

#[derive(Debug)]
struct Manifest {
    drawn: String,
    inner: usize,
    has_colour: bool,
}

impl Manifest {
    fn new(options: CardOptions) -> Self {
        // Two borders, and a space inside each.
        let inner = options.width.clamp(WIDTH_MIN, WIDTH_MAX) - 4;
        Self { drawn: String::new(), inner, has_colour: options.colour }
    }

    fn head(&mut self, route: &str, badge: &str) {
        let badge_width = width(badge);
        if width(route) + badge_width < self.inner {
            let gap = self.inner - width(route) - badge_width;
            self.row(&format!("{route}{}{badge}", " ".repeat(gap)), Style::Heading);
            return;
        }
        self.rows(route, Style::Heading);
        self.row(&format!("{}{badge}", " ".repeat(self.inner - badge_width)), Style::Heading);
    }

    fn section(&mut self, heading: &str, words: &str) {
        self.row(heading, Style::Heading);
        for line in wrap(words.trim(), self.inner - 2) {
            self.row(&format!("  {line}"), Style::Plain);
        }
    }

    /// Draws facts side by side, as many per line as fit.
    fn facts(&mut self, facts: &[String]) {
        let mut line = String::new();
        for fact in facts {
            if !line.is_empty() && width(&line) + 3 + width(fact) > self.inner {
                self.rows(&std::mem::take(&mut line), Style::Plain);
            }
            line.push_str(if line.is_empty() { "" } else { " · " });
            line.push_str(fact);
        }
        self.rows(&line, Style::Plain);
    }

    fn rows(&mut self, words: &str, style: Style) {
        for line in wrap(words, self.inner) {
            self.row(&line, style);
        }
    }

    fn row(&mut self, words: &str, style: Style) {
        let pad = self.inner.saturating_sub(width(words));
        self.paint("│", Style::Border);
        self.drawn.push(' ');
        self.paint(words, style);
        self.drawn.push_str(&" ".repeat(pad + 1));
        self.paint("│", Style::Border);
        self.drawn.push('\n');
    }

    fn rule(&mut self, left: char, right: char) {
        let line = "─".repeat(self.inner + 2);
        self.paint(&format!("{left}{line}{right}"), Style::Border);
        self.drawn.push('\n');
    }

    fn paint(&mut self, words: &str, style: Style) {
        let code = match style {
            Style::Heading => "1",
            Style::Border => "2",
            Style::Plain => "",
        };
        if self.has_colour && !code.is_empty() && !words.is_empty() {
            self.drawn.extend(["\u{1b}[", code, "m", words, "\u{1b}[0m"]);
        } else {
            self.drawn.push_str(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;
    use crate::render::samples::{self, packet};
    use crate::render::text::is_hidden;

    #[test]
    fn a_handoff_is_a_manifest() {
        assert_snapshot!(card(&samples::handoff(), CardOptions::default()), @"
        ┌──────────────────────────────────────────────────────────────────────────────┐
        │ hermes-main → hermes-worker-3                                 Context Packet │
        ├──────────────────────────────────────────────────────────────────────────────┤
        │ Goal                                                                         │
        │   Ship the accessible web part                                               │
        │                                                                              │
        │ What happened                                                                │
        │   Scaffolded and configured; component logic is not written.                 │
        │                                                                              │
        │ Context Payload                                                              │
        │   Cost incurred: $0.45                                                       │
        │                                                                              │
        │ What I need from you                                                         │
        │   Write the component logic and its tests.                                   │
        ├──────────────────────────────────────────────────────────────────────────────┤
        │ Classification OFFICIAL-SENSITIVE · Status in_progress · Confidence 62 %     │
        │ Expires 2026-11-16T18:00:00Z · Contract correlation-to-investigation@1.2     │
        │ Cost 0.45 USD, 41200 tokens, 310 s · Budget 5.00 USD                         │
        │ Digest sha256:42866477def8…                                                  │
        ├──────────────────────────────────────────────────────────────────────────────┤
        │ Decide: accept · intercept · cancel                                          │
        └──────────────────────────────────────────────────────────────────────────────┘
        ");
    }

    #[test]
    fn a_return_packet_is_a_manifest_without_decisions() {
        assert_snapshot!(card(&samples::return_packet(), CardOptions::default()), @"
        ┌──────────────────────────────────────────────────────────────────────────────┐
        │ hermes-worker-3 → hermes-main                                  Return Packet │
        ├──────────────────────────────────────────────────────────────────────────────┤
        │ Verification                                                                 │
        │   - pass: tests (log:npm-7)                                                  │
        │   - not_run: Bundle is below 300 kB                                          │
        │                                                                              │
        │ What happened                                                                │
        │   Component and tests written.                                               │
        │                                                                              │
        │ Changed paths                                                                │
        │   - src/Part.tsx                                                             │
        │   - src/Part.test.tsx                                                        │
        │                                                                              │
        │ Blockers                                                                     │
        │   none                                                                       │
        ├──────────────────────────────────────────────────────────────────────────────┤
        │ Status completed · Verdict pass · Confidence 90 % · Cost 0.80 USD            │
        │ Digest sha256:b13fc08ca469…                                                  │
        └──────────────────────────────────────────────────────────────────────────────┘
        ");
    }

    #[test]
    fn a_decision_shows_what_was_decided_and_why() {
        let decision = packet(json!({
            "packet_type": "decision", "decision": "reject", "reason": "Needs tests",
            "from_agent": "ana", "revision": 2, "digest": "sha256:9f86d081884c7d659a2f",
        }));
        assert_snapshot!(card(&decision, CardOptions { width: 60, colour: false }), @"
        ┌──────────────────────────────────────────────────────────┐
        │ ana                                             Decision │
        ├──────────────────────────────────────────────────────────┤
        │ Decision                                                 │
        │   reject                                                 │
        │                                                          │
        │ Reason                                                   │
        │   Needs tests                                            │
        ├──────────────────────────────────────────────────────────┤
        │ Revision 2 · Decided on sha256:9f86d081884c…             │
        │ Digest sha256:9840604ec666…                              │
        └──────────────────────────────────────────────────────────┘
        ");
    }

    #[test]
    fn wide_characters_keep_the_border_straight() {
        let wide = packet(json!({
            "from_agent": "走者",
            "target_agent": "次",
            "goal": "襷をつなぐ 襷をつなぐ 襷をつなぐ",
            "completed": ["一区", { "text": "二区" }],
            "payload": { "距離": 21.3, "区間": ["一", "二"] }
        }));
        assert_snapshot!(card(&wide, CardOptions { width: 36, colour: false }), @"
        ┌──────────────────────────────────┐
        │ 走者 → 次         Context Packet │
        ├──────────────────────────────────┤
        │ Goal                             │
        │   襷をつなぐ 襷をつなぐ          │
        │   襷をつなぐ                     │
        │                                  │
        │ What happened                    │
        │   - 一区                         │
        │   - 二区                         │
        │                                  │
        │ Context Payload                  │
        │   距離: 21.3                     │
        │   区間: 一, 二                   │
        ├──────────────────────────────────┤
        │ Digest sha256:523d7b6bd650…      │
        └──────────────────────────────────┘
        ");
    }

    #[test]
    fn every_line_has_the_width_and_no_control_character() {
        let mut packets = samples::hostile();
        packets.extend([samples::handoff(), packet(json!({}))]);
        for packet in &packets {
            for (asked, drawn) in [(0, 32), (33, 33), (80, 80), (usize::MAX, 400)] {
                let card = card(packet, CardOptions { width: asked, colour: false });
                for line in card.lines() {
                    assert_eq!(width(line), drawn, "{line}");
                    assert!(!line.chars().any(|c| c.is_control() || is_hidden(c)), "{line}");
                }
            }
        }
    }

    #[test]
    fn decisions_are_listed_only_if_a_person_may_intercept() {
        for (value, is_named) in [
            (json!({ "can_intercept": true }), true),
            (json!({ "can_intercept": false }), false),
            (json!({ "can_intercept": "true" }), false),
            (json!({}), false),
        ] {
            let card = card(&packet(value), CardOptions::default());
            assert_eq!(card.contains("accept · intercept · cancel"), is_named, "{card}");
        }
    }

    #[test]
    fn colour_changes_nothing_but_colour() {
        let packet = samples::handoff();
        let mut coloured = card(&packet, CardOptions { colour: true, ..CardOptions::default() });
        assert!(coloured.contains("\u{1b}[1mGoal\u{1b}[0m"));
        for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m"] {
            coloured = coloured.replace(code, "");
        }
        assert_eq!(coloured, card(&packet, CardOptions::default()));
    }
}
