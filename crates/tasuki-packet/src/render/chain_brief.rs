//! The chain brief: all handoffs of a task as one page, for a person who takes the work over.
//!
//! It opens with where the work stands now. Then each handoff follows, oldest first, with its packet,
//! checkpoints, questions, decisions and what came back, each as its own human brief one level down.
//! Nothing is left out but checkpoints of a very long row, and those are counted and added up.
//!
//! Not here: which handoffs are the chain and who may see them; the engine knows.

use super::block::{Block, Line, Span};
use super::human_brief::page::Page;
use super::human_brief::{outline, sections};
use super::{facts, markdown, text};
use crate::chain::continuation::{DecisionNote, compose};
use crate::document::Members;
use crate::packet::Packet;

/// LIMIT: checkpoints of one handoff that are shown as they were written. A person reads the last
/// ones; what all earlier ones add up to is shown as one.
const CHECKPOINTS_SHOWN_MAX: usize = 12;

/// One handoff of a chain, with all that was said about it.
#[derive(Debug, Clone)]
pub struct ChainLink<'c> {
    /// The handoff's id.
    pub handoff: &'c str,
    /// Who handed over.
    pub sender: &'c str,
    /// To whom; after a reroute not the one that the packet names.
    pub receiver: &'c str,
    /// The packet, in its last revision.
    pub packet: &'c Packet,
    /// What holders left behind, oldest first.
    pub checkpoints: Vec<ChainCheckpoint<'c>>,
    /// What receivers asked, oldest first.
    pub questions: Vec<ChainQuestion<'c>>,
    /// What came back.
    pub returned: Option<&'c Packet>,
    /// What people decided, oldest first.
    pub decisions: Vec<DecisionNote<'c>>,
}

/// A checkpoint, and who left it when.
#[derive(Debug, Clone, Copy)]
pub struct ChainCheckpoint<'c> {
    /// When, as RFC 3339.
    pub at: &'c str,
    /// Who: a party.
    pub by: &'c str,
    /// What it says.
    pub packet: &'c Packet,
}

/// A question about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainQuestion<'c> {
    /// The field it is about, if it is about one.
    pub field: Option<&'c str>,
    /// What is asked.
    pub text: &'c str,
    /// Whether the work waits for the answer.
    pub blocking: bool,
    /// The answer, once there is one.
    pub answer: Option<&'c str>,
}

/// The whole chain as Markdown for people; `links` are oldest first.
pub fn chain_brief(links: &[ChainLink<'_>]) -> String {
    let mut outline = Outline::default();
    outline.block(&Block::Title(text::visible(&title(links))));
    let markings = markings(links);
    outline.markings(&markings);
    if let Some(last) = links.last() {
        outline.heading(2, "Where it stands");
        outline.words(&[("Handoffs:", &links.len().to_string()), ("Last to:", last.receiver)]);
        outline.brief(3, &outline::short_blocks(&last.continuation()));
        outline.brief(3, &outputs(links));
    }
    for (index, link) in links.iter().enumerate() {
        outline.heading(2, &format!("Handoff {} of {}", index + 1, links.len()));
        outline.link(link);
    }
    outline.markings(&markings);
    outline.text
}

fn title(links: &[ChainLink<'_>]) -> String {
    match links.iter().find_map(|link| link.packet.text("task_id")) {
        Some(task) => format!("Chain of task {task}"),
        None => "Chain of a task".to_owned(),
    }
}

/// Every classification in the chain, once: a page is as sensitive as anything on it.
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

/// Every file of the chain in one place, the newest of each path.
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

    fn continuation(&self) -> Packet {
        compose(self.packet, packets_of(&self.checkpoints), &self.decisions)
    }
}

fn packets_of<'c>(checkpoints: &[ChainCheckpoint<'c>]) -> impl Iterator<Item = &'c Packet> {
    checkpoints.iter().map(|checkpoint| checkpoint.packet)
}

/// Markdown under construction, in which briefs stand below headings of ours.
#[derive(Debug, Default)]
struct Outline {
    text: String,
}

impl Outline {
    fn link(&mut self, link: &ChainLink<'_>) {
        let route = [("Handoff:", link.handoff), ("From:", link.sender), ("To:", link.receiver)];
        self.words(&route);
        self.heading(3, "Packet");
        self.brief(4, &outline::blocks(link.packet));
        self.checkpoints(&link.checkpoints);
        self.list("Questions", link.questions.iter().map(question).collect());
        let decisions = link.decisions.iter().map(|note| vec![Span::text(&note.sentence())]);
        self.list("Decisions", decisions.collect());
        if let Some(returned) = link.returned {
            self.heading(3, "Return packet");
            self.brief(4, &outline::blocks(returned));
        }
    }

    fn checkpoints(&mut self, checkpoints: &[ChainCheckpoint<'_>]) {
        let earlier = checkpoints.len().saturating_sub(CHECKPOINTS_SHOWN_MAX);
        let (earlier, shown) = checkpoints.split_at(earlier);
        self.earlier_checkpoints(earlier);
        for (index, checkpoint) in shown.iter().enumerate() {
            let number = earlier.len() + index + 1;
            self.heading(3, &format!("Checkpoint {number} of {}", checkpoints.len()));
            self.words(&[("At:", checkpoint.at), ("By:", checkpoint.by)]);
            self.brief(4, &outline::blocks(checkpoint.packet));
        }
    }

    fn earlier_checkpoints(&mut self, earlier: &[ChainCheckpoint<'_>]) {
        let Some((first, rest)) = earlier.split_first() else { return };
        self.heading(3, "Earlier checkpoints");
        let left_out = format!(
            "{} checkpoints as they were written; what they add up to follows",
            earlier.len()
        );
        self.words(&[("Left out:", &left_out)]);
        self.brief(4, &outline::blocks(&compose(first.packet, packets_of(rest), &[])));
    }

    fn list(&mut self, heading: &str, lines: Vec<Line>) {
        if !lines.is_empty() {
            self.heading(3, heading);
            self.block(&Block::List(lines));
        }
    }

    /// A brief below a heading of ours, which stands in for its title.
    fn brief(&mut self, level: usize, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Title(_) => {}
                Block::Heading(heading) => self.heading(level, heading),
                other => self.block(other),
            }
        }
    }

    fn markings(&mut self, markings: &[String]) {
        for words in markings {
            self.block(&Block::Marking(text::visible(words)));
        }
    }

    /// One line of labels with a few words each.
    fn words(&mut self, known: &[(&'static str, &str)]) {
        let mut line: Line = Vec::new();
        for (label, words) in known {
            let gap = if line.is_empty() { "" } else { " · " };
            let words = format!(" {}", text::one_line(&text::visible(words)));
            line.extend([Span::Text(gap.to_owned()), Span::Strong(label), Span::Text(words)]);
        }
        self.block(&Block::Paragraph(line));
    }

    /// A heading in words of ours; text of a packet never stands in one.
    fn heading(&mut self, level: usize, words: &str) {
        self.push(&format!("{} {words}\n", "#".repeat(level)));
    }

    fn block(&mut self, block: &Block) {
        self.push(&markdown::markdown(std::slice::from_ref(block)));
    }

    fn push(&mut self, written: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(written);
    }
}

/// `blocking constraints: May I …? open`, or with its answer.
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

    /// Two handoffs of a task, with something of everything.
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
    fn a_chain_opens_with_where_it_stands() {
        let brief = brief_of_two();
        let (opening, _) = brief.split_once("\n## Handoff 1 of 2\n").unwrap();
        assert_snapshot!(opening, @"
        # Chain of task docs-7

        **OFFICIAL**

        ## Where it stands

        **Handoffs:** 2 · **Last to:** cleo

        **OFFICIAL**

        **Asked:** Mend the links

        **Until:** no deadline

        **Task:** docs-7

        ### Done

        - **unknown** Find them
        - **unknown** Mend them

        ### Left to do

        - Tell ana

        ### Decisions

        - dan intercepted at one, reason: it is late

        **OFFICIAL**

        ### Where the outputs are

        | Kind | Path |
        | --- | --- |
        | output | `links.csv` |
        ");
    }

    #[test]
    fn the_oldest_handoff_comes_first() {
        let brief = brief_of_two();
        let (_, rest) = brief.split_once("\n## Handoff 1 of 2\n").unwrap();
        let (first, second) = rest.split_once("\n## Handoff 2 of 2\n").unwrap();
        assert_snapshot!(first, @"
        **Handoff:** hof_1 · **From:** ana · **To:** ben

        ### Packet

        **Asked:** Fix the links

        **Until:** no deadline

        **Task:** docs-7

        #### Left to do

        - Find them
        - Mend them

        ### Questions

        - **blocking** remaining: Also those in the archive?  
          **answer:** No.
        - By when?  
          **not answered**

        ### Return packet

        **Status:** blocked

        #### What happened

        No access.

        #### GateContext

        | Fact | Value |
        | --- | --- |
        | Packet type | return |
        ");
        assert_snapshot!(second, @"
        **Handoff:** hof_2 · **From:** ben · **To:** cleo

        ### Packet

        **OFFICIAL**

        **Asked:** Mend the links

        **Until:** no deadline

        **Task:** docs-7

        #### Done

        - **unknown** Find them

        #### Left to do

        - Mend them
        - Tell ana

        #### Classification and regulation

        | Fact | Value |
        | --- | --- |
        | Classification | OFFICIAL |

        **OFFICIAL**

        ### Checkpoint 1 of 1

        **At:** noon · **By:** cleo

        #### Done

        - **unknown** Mend them

        #### Where the outputs are

        | Kind | Path |
        | --- | --- |
        | output | `links.csv` |

        #### GateContext

        | Fact | Value |
        | --- | --- |
        | Packet type | checkpoint |

        ### Decisions

        - dan intercepted at one, reason: it is late

        **OFFICIAL**
        ");
    }

    #[test]
    fn checkpoints_of_a_long_row_are_counted_and_added_up() {
        let checkpoints: Vec<Packet> =
            (1..=30).map(|n| packet(json!({ "completed": [format!("step {n}.")] }))).collect();
        let first = packet(json!({ "goal": "ship" }));
        let left = |packet| ChainCheckpoint { at: "noon", by: "ben", packet };
        let long =
            ChainLink { checkpoints: checkpoints.iter().map(left).collect(), ..link("h", &first) };

        let brief = chain_brief(&[long]);
        assert!(brief.contains("**Left out:** 18 checkpoints as they were written;"), "{brief}");
        assert!(!brief.contains("### Checkpoint 18 of 30\n"));
        assert!(brief.contains("### Checkpoint 19 of 30\n"));
        for step in 1..=30 {
            // Where it stands, and the checkpoint itself or the sum of the earlier ones.
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
        assert!(brief.starts_with("# Chain of a task\n\n**OFFICIAL**\n\n**SECRET**\n\n## "));
        assert!(brief.ends_with("**OFFICIAL**\n\n**OFFICIAL**\n\n**SECRET**\n"), "{brief}");
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

    fn check_harmless(brief: &str) {
        assert!(!brief.contains('<'), "no tag");
        assert!(!brief.contains("!["), "no image");
        assert!(!brief.chars().any(|c| is_hidden(c) || (c.is_control() && c != '\n')));
        assert_eq!(brief.lines().filter(|line| line.starts_with("# ")).count(), 1, "one title");
        for line in brief.lines() {
            let is_safe = line.is_empty() || STARTS.iter().any(|start| line.starts_with(start));
            assert!(is_safe, "{line}");
            let is_heading = line.starts_with("##");
            let is_ours = |c: char| c.is_ascii_alphanumeric() || " #-".contains(c);
            assert!(!is_heading || line.chars().all(is_ours), "{line}");
        }
    }

    /// How a line of a chain brief may begin.
    const STARTS: [&str; 9] = ["# ", "## ", "### ", "#### ", "**", "> ", "- ", "  ", "| "];
}
