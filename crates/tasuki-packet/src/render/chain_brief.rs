//! The chain brief: all handoffs of a task on one page, for a person who takes the work over.
//!
//! It starts with the current state. The handoffs follow, oldest first, with packet, checkpoints,
//! questions, decisions and return, each as its own human brief below a heading. If a handoff has
//! many checkpoints, the earlier ones are counted and combined; everything else is shown.
//!
//! It is plain text in which every value is exactly that of the packet: the person copies commands
//! and patterns from it.
//!
//! The engine selects the handoffs of the chain and authorizes the reader.

use super::block::{Block, Line, Span};
use super::human_brief::page::Page;
use super::human_brief::{outline, sections};
use super::{facts, plain, text};
use crate::chain::continuation::{DecisionNote, compose, steps};
use crate::document::Members;
use crate::packet::Packet;

/// LIMIT: checkpoints of one handoff that are shown individually. A person reads the latest ones;
/// all earlier ones are combined.
const CHECKPOINTS_SHOWN_MAX: usize = 12;

/// One handoff of a chain, with its history.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::render::{ChainLink, chain_brief};
///
/// let packet = Packet::from_value(json!({"task_id": "docs-7", "goal": "Fix the links"})).unwrap();
/// let link = ChainLink {
///     handoff: "hof_1",
///     sender: "ana",
///     receiver: "ben",
///     packet: &packet,
///     checkpoints: Vec::new(),
///     questions: Vec::new(),
///     returned: None,
///     decisions: Vec::new(),
/// };
/// assert!(chain_brief(&[link]).starts_with("Handoff chain of task docs-7\n"));
/// ```
#[derive(Debug, Clone)]
pub struct ChainLink<'c> {
    /// The handoff's id.
    pub handoff: &'c str,
    /// The sending party.
    pub sender: &'c str,
    /// The receiving party. After a reroute, it differs from the one in the packet.
    pub receiver: &'c str,
    /// The latest revision of the packet.
    pub packet: &'c Packet,
    /// The checkpoints, oldest first.
    pub checkpoints: Vec<ChainCheckpoint<'c>>,
    /// The receivers' questions, oldest first.
    pub questions: Vec<ChainQuestion<'c>>,
    /// The return packet.
    pub returned: Option<&'c Packet>,
    /// The decisions, oldest first.
    pub decisions: Vec<DecisionNote<'c>>,
}

/// A checkpoint with its time and author.
#[derive(Debug, Clone, Copy)]
pub struct ChainCheckpoint<'c> {
    /// The time, as RFC 3339.
    pub at: &'c str,
    /// The party that recorded it.
    pub by: &'c str,
    /// The checkpoint itself.
    pub packet: &'c Packet,
}

/// A question about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainQuestion<'c> {
    /// The field in question, if there is one.
    pub field: Option<&'c str>,
    /// The text of the question.
    pub text: &'c str,
    /// `true` if the work waits for the answer.
    pub blocking: bool,
    /// The answer, if there is one.
    pub answer: Option<&'c str>,
}

/// Renders a whole chain as plain text for people. The first of `links` is the oldest.
pub fn chain_brief(links: &[ChainLink<'_>]) -> String {
    let mut outline = Outline::default();
    outline.block(&Block::Title(text::visible(&title(links))));
    let markings = markings(links);
    outline.markings(&markings);
    if let Some(last) = links.last() {
        outline.part("Current state");
        outline.words(&[("Handoffs:", &links.len().to_string()), ("Receiver:", last.receiver)]);
        outline.brief(&last.current_state());
        outline.brief(&outputs(links));
    }
    for (index, link) in links.iter().enumerate() {
        outline.part(&format!("Handoff {} of {}", index + 1, links.len()));
        outline.link(link);
    }
    outline.markings(&markings);
    outline.text
}

fn title(links: &[ChainLink<'_>]) -> String {
    match links.iter().find_map(|link| link.packet.text("task_id")) {
        Some(task) => format!("Handoff chain of task {task}"),
        None => "Handoff chain".to_owned(),
    }
}

/// Returns every distinct classification in the chain: a page is as sensitive as anything on it.
fn markings(links: &[ChainLink<'_>]) -> Vec<String> {
    let mut markings: Vec<String> = Vec::new();
    for packet in links.iter().flat_map(ChainLink::packets) {
        let words = packet.get("classification").map(facts::marking).unwrap_or_default();
        if text::has_text(&words) && !markings.contains(&words) {
            markings.push(words);
        }
    }
    markings
}

/// Returns every file of the chain, the newest of each path.
fn outputs(links: &[ChainLink<'_>]) -> Vec<Block> {
    let nothing = Packet::new(Members::new());
    let everything = compose(&nothing, links.iter().flat_map(ChainLink::packets), &[]);
    let artifacts = everything.get("artifacts").cloned();
    let files =
        Packet::new(artifacts.map(|list| ("artifacts".to_owned(), list)).into_iter().collect());
    let mut page = Page::new(&files);
    sections::results(&mut page);
    page.into_blocks()
}

impl<'c> ChainLink<'c> {
    fn packets(&self) -> impl Iterator<Item = &'c Packet> {
        std::iter::once(self.packet).chain(packets_of(&self.checkpoints)).chain(self.returned)
    }

    fn current_state(&self) -> Vec<Block> {
        let continuation = compose(self.packet, packets_of(&self.checkpoints), &self.decisions);
        let steps = steps(self.packet, packets_of(&self.checkpoints));
        outline::short_blocks_of_task(&continuation, &steps)
    }
}

fn packets_of<'c>(checkpoints: &[ChainCheckpoint<'c>]) -> impl Iterator<Item = &'c Packet> {
    checkpoints.iter().map(|checkpoint| checkpoint.packet)
}

/// A page under construction, with briefs below fixed headings.
#[derive(Debug, Default)]
struct Outline {
    text: String,
}

impl Outline {
    fn link(&mut self, link: &ChainLink<'_>) {
        let route = [("Handoff:", link.handoff), ("From:", link.sender), ("To:", link.receiver)];
        self.words(&route);
        self.heading("Packet");
        self.brief(&outline::blocks(link.packet));
        self.checkpoints(&link.checkpoints);
        self.list("Questions", link.questions.iter().map(question).collect());
        let decisions = link.decisions.iter().map(|note| vec![Span::text(&note.sentence())]);
        self.list("Decisions", decisions.collect());
        if let Some(returned) = link.returned {
            self.heading("Return packet");
            self.brief(&outline::blocks(returned));
        }
    }

    fn checkpoints(&mut self, checkpoints: &[ChainCheckpoint<'_>]) {
        let earlier = checkpoints.len().saturating_sub(CHECKPOINTS_SHOWN_MAX);
        let (earlier, shown) = checkpoints.split_at(earlier);
        self.earlier_checkpoints(earlier);
        for (index, checkpoint) in shown.iter().enumerate() {
            let number = earlier.len() + index + 1;
            self.heading(&format!("Checkpoint {number} of {}", checkpoints.len()));
            self.words(&[("At:", checkpoint.at), ("By:", checkpoint.by)]);
            self.brief(&outline::blocks(checkpoint.packet));
        }
    }

    fn earlier_checkpoints(&mut self, earlier: &[ChainCheckpoint<'_>]) {
        let Some((first, rest)) = earlier.split_first() else { return };
        self.heading("Earlier checkpoints");
        let left_out = format!("{} checkpoints, combined below", earlier.len());
        self.words(&[("Not shown individually:", &left_out)]);
        self.brief(&outline::blocks(&compose(first.packet, packets_of(rest), &[])));
    }

    fn list(&mut self, heading: &str, lines: Vec<Line>) {
        if !lines.is_empty() {
            self.heading(heading);
            self.block(&Block::List(lines));
        }
    }

    /// Adds a brief below a heading that replaces its title.
    fn brief(&mut self, blocks: &[Block]) {
        let is_shown = |block: &&Block| !matches!(block, Block::Title(_));
        blocks.iter().filter(is_shown).for_each(|block| self.block(block));
    }

    fn markings(&mut self, markings: &[String]) {
        for words in markings {
            self.block(&Block::Marking(text::visible(words)));
        }
    }

    fn words(&mut self, known: &[(&'static str, &str)]) {
        let mut line: Line = Vec::new();
        for (label, words) in known {
            let gap = if line.is_empty() { "" } else { " · " };
            let words = format!(" {}", text::one_line(&text::visible(words)));
            line.extend([Span::Text(gap.to_owned()), Span::Strong(label), Span::Text(words)]);
        }
        self.block(&Block::Paragraph(line));
    }

    /// Begins a part of the page. Headings never contain packet text.
    fn part(&mut self, words: &str) {
        self.text.push_str(&format!("\n== {words} ==\n"));
    }

    /// Adds a heading within a part.
    fn heading(&mut self, words: &str) {
        self.text.push_str(&format!("\n-- {words} --\n"));
    }

    fn block(&mut self, block: &Block) {
        plain::push_block(&mut self.text, block);
    }
}

/// Formats `blocking constraints: May I …? not answered`, or the question with its answer.
fn question(question: &ChainQuestion<'_>) -> Line {
    let mut line = Vec::new();
    if question.blocking {
        line.extend([Span::Strong("blocking"), Span::Text(" ".to_owned())]);
    }
    if let Some(field) = question.field {
        line.push(Span::text(&format!("{}: ", text::one_line(field))));
    }
    line.extend([Span::text(question.text.trim()), Span::Text("\n".to_owned())]);
    match question.answer {
        Some(answer) => {
            line.extend([Span::Strong("answer:"), Span::text(&format!(" {}", answer.trim()))]);
        }
        None => line.push(Span::Strong("not answered")),
    }
    line
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use serde_json::json;

    use super::*;
    use crate::document::pointer;
    use crate::render::samples::{self, HOSTILE, packet};
    use crate::render::text::is_hidden;

    fn link<'c>(handoff: &'c str, packet: &'c Packet) -> ChainLink<'c> {
        ChainLink {
            handoff,
            sender: "ana",
            receiver: "ben",
            packet,
            checkpoints: Vec::new(),
            questions: Vec::new(),
            returned: None,
            decisions: Vec::new(),
        }
    }

    /// Renders two handoffs of a task, with an example of everything.
    fn brief_of_two() -> String {
        let first = packet(json!({
            "task_id": "docs-7", "goal": "Fix the links", "completed": [],
            "remaining": ["Find them", "Mend them"],
        }));
        let second = packet(json!({
            "task_id": "docs-7", "goal": "Mend the links", "classification": "OFFICIAL",
            "completed": ["Find them"], "remaining": ["Mend them", "Tell ana"],
        }));
        let checkpoint = packet(json!({
            "packet_type": "checkpoint", "completed": ["Mend them"],
            "artifacts": [{ "kind": "output", "path": "links.csv" }],
        }));
        let returned = packet(
            json!({ "packet_type": "return", "status": "blocked", "summary": "No access." }),
        );
        let links = [
            ChainLink {
                questions: vec![
                    ChainQuestion {
                        field: Some("remaining"),
                        text: "Also those in the archive?",
                        blocking: true,
                        answer: Some("No."),
                    },
                    ChainQuestion { field: None, text: "By when?", blocking: false, answer: None },
                ],
                returned: Some(&returned),
                ..link("hof_1", &first)
            },
            ChainLink {
                sender: "ben",
                receiver: "cleo",
                checkpoints: vec![ChainCheckpoint { at: "noon", by: "cleo", packet: &checkpoint }],
                decisions: vec![DecisionNote {
                    decision: "intercept",
                    by: "dan",
                    reason: Some("it is late"),
                    at: "one",
                }],
                ..link("hof_2", &second)
            },
        ];
        chain_brief(&links)
    }

    #[test]
    fn a_chain_starts_with_its_current_state() {
        let brief = brief_of_two();
        let (opening, _) = brief.split_once("\n== Handoff 1 of 2 ==\n").unwrap();
        assert_snapshot!(opening, @"
        Handoff chain of task docs-7

        OFFICIAL

        == Current state ==
          Handoffs: 2 · Receiver: cleo

        OFFICIAL
          Request: Mend the links
          Deadline: none
          Task: docs-7

        Done:
          1. Find them
          2. Mend them

        Remaining:
          3. Tell ana

        Decisions:
          - dan intercepted at one, reason: it is late

        OFFICIAL

        Artifacts:
          - output: links.csv
        ");
    }

    #[test]
    fn the_oldest_handoff_comes_first() {
        let brief = brief_of_two();
        let (_, rest) = brief.split_once("\n== Handoff 1 of 2 ==\n").unwrap();
        let (first, second) = rest.split_once("\n== Handoff 2 of 2 ==\n").unwrap();
        assert_snapshot!(first, @"
          Handoff: hof_1 · From: ana · To: ben

        -- Packet --
          Request: Fix the links
          Deadline: none
          Task: docs-7

        Done:
          none

        Remaining:
          1. Find them
          2. Mend them

        -- Questions --
          - blocking remaining: Also those in the archive?
            answer: No.
          - By when?
            not answered

        -- Return packet --
          Status: blocked

        Summary:
          No access.

        Details:
          - Packet type: return
        ");
        assert_snapshot!(second, @"
          Handoff: hof_2 · From: ben · To: cleo

        -- Packet --

        OFFICIAL
          Request: Mend the links
          Deadline: none
          Task: docs-7

        Done:
          1. Find them

        Remaining:
          2. Mend them
          3. Tell ana

        Classification and regulation:
          - Classification: OFFICIAL

        OFFICIAL

        -- Checkpoint 1 of 1 --
          At: noon · By: cleo

        Done:
          - Mend them

        Artifacts:
          - output: links.csv

        Details:
          - Packet type: checkpoint

        -- Decisions --
          - dan intercepted at one, reason: it is late

        OFFICIAL
        ");
    }

    #[test]
    fn checkpoints_of_a_long_handoff_are_counted_and_combined() {
        let checkpoints: Vec<Packet> =
            (1..=30).map(|n| packet(json!({ "completed": [format!("step {n}.")] }))).collect();
        let first = packet(json!({ "goal": "ship" }));
        let left = |packet| ChainCheckpoint { at: "noon", by: "ben", packet };
        let long =
            ChainLink { checkpoints: checkpoints.iter().map(left).collect(), ..link("h", &first) };

        let brief = chain_brief(&[long]);
        assert!(
            brief.contains("Not shown individually: 18 checkpoints, combined below"),
            "{brief}"
        );
        assert!(!brief.contains("-- Checkpoint 18 of 30 --\n"));
        assert!(brief.contains("-- Checkpoint 19 of 30 --\n"));
        for step in 1..=30 {
            // The current state, and the checkpoint itself or the combination of the earlier ones.
            assert_eq!(brief.matches(&format!(" step {step}.")).count(), 2, "{step}");
        }
    }

    #[test]
    fn nothing_of_the_chain_is_hidden() {
        let [handoff, returned] = [samples::handoff(), samples::return_packet()];
        let links = [ChainLink {
            checkpoints: vec![ChainCheckpoint { at: "noon", by: "ben", packet: &handoff }],
            returned: Some(&returned),
            ..link("hof_1", &handoff)
        }];
        let brief = chain_brief(&links);
        for packet in [&handoff, &returned] {
            pointer::each_text(&packet.to_value(), &mut |place, words| {
                let is_reworded = place.ends_with("/on");
                assert!(is_reworded || brief.contains(words), "{place} is hidden in:\n{brief}");
            });
        }
    }

    #[test]
    fn a_page_is_marked_with_every_classification_on_it() {
        let [open, secret] = ["OFFICIAL", "SECRET"].map(|c| packet(json!({ "classification": c })));
        let brief = chain_brief(&[link("a", &open), link("b", &secret), link("c", &open)]);
        assert!(brief.starts_with("Handoff chain\n\nOFFICIAL\n\nSECRET\n\n== "), "{brief}");
        assert!(brief.ends_with("OFFICIAL\n\nOFFICIAL\n\nSECRET\n"), "{brief}");
    }

    #[test]
    fn hostile_text_stays_text() {
        for hostile in samples::hostile() {
            let note =
                DecisionNote { decision: HOSTILE, by: HOSTILE, reason: Some(HOSTILE), at: HOSTILE };
            let question = ChainQuestion {
                field: Some(HOSTILE),
                text: HOSTILE,
                blocking: true,
                answer: Some(HOSTILE),
            };
            let brief = chain_brief(&[ChainLink {
                handoff: HOSTILE,
                sender: HOSTILE,
                receiver: HOSTILE,
                packet: &hostile,
                checkpoints: vec![
                    ChainCheckpoint { at: HOSTILE, by: HOSTILE, packet: &hostile };
                    14
                ],
                questions: vec![question, ChainQuestion { answer: None, ..question }],
                returned: Some(&hostile),
                decisions: vec![note],
            }]);
            check_harmless(&brief);
        }
    }

    /// Only our own lines begin at the margin: packet text is indented, or a whole marking.
    fn check_harmless(brief: &str) {
        assert!(!brief.chars().any(|c| is_hidden(c) || (c.is_control() && c != '\n')));
        let marking = text::one_line(&text::visible(HOSTILE));
        let mut at_margin = brief.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
        let title = at_margin.next().unwrap_or_default();
        assert!(title.starts_with("Handoff chain"), "{title}");
        for line in at_margin {
            let words = line.trim_matches(['=', '-', ' ', ':']);
            let is_ours = words.chars().all(|c| c.is_ascii_alphanumeric() || " -".contains(c));
            assert!(is_ours || line == marking, "{line}");
        }
    }

    #[test]
    fn every_value_is_exactly_that_of_the_packet() {
        let value = r"test $(grep -c '<img' a_b.html) -lt 5 && echo `x` | *[~] &lt; \n";
        let given = packet(json!({
            "goal": value, "acceptance": [{ "id": "a", "text": value }], "context": { "p": value },
        }));
        let question = ChainQuestion { field: None, text: value, blocking: false, answer: None };
        let brief = chain_brief(&[ChainLink { questions: vec![question], ..link("h", &given) }]);
        // The goal and the criterion are also part of the current state.
        assert!(brief.matches(value).count() >= 4, "{brief}");
    }
}
