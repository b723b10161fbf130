//! Finds the packet in a Markdown text: in its front matter or in a fenced code block.
//!
//! The packet is a range of the source, so that an edit can replace it and keep every other byte.
//! The YAML and JSON readers read its content.

use std::borrow::Cow;
use std::ops::Range;

use super::code_block::{self, CodeBlock, Line};
use crate::violation::{Code, Position, Span, Violation};

/// The keys that identify YAML or JSON as a packet.
const PACKET_KEYS: [&str; 2] = ["handoff_version", "packet_type"];

/// The location of a packet in a Markdown text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The bytes between the fence lines, including the last line break.
    pub range: Range<usize>,
    /// The column of the fence. This much white space at the start of a line is not content.
    pub indent: usize,
    /// The marking of the block.
    pub tag: Tag,
    /// The first line of the content, from 1.
    pub first_line: u32,
}

/// The marking of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// A fence tagged `tasuki`: YAML or JSON.
    Tasuki,
    /// A fence tagged `ahp-yaml`.
    AhpYaml,
    /// A fence tagged `yaml` or `yml`.
    Yaml,
    /// A fence tagged `json`.
    Json,
    /// YAML between `---` lines at the start of the text.
    FrontMatter,
}

/// Finds the packet in a Markdown text.
///
/// It is, in this order:
///
/// 1. front matter with a key of a packet,
/// 2. the first block tagged `tasuki` or `ahp-yaml`,
/// 3. the first `yaml` or `json` block with a key of a packet.
///
/// ```
/// use tasuki_packet::read::markdown;
///
/// let issue = "Please continue here.\n\n```yaml\npacket_type: handoff\n```\n";
/// let block = markdown::find(issue)?.unwrap();
/// assert_eq!(block.content(issue), "packet_type: handoff\n");
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Errors
///
/// `TK-MARKDOWN-FENCE` if the fence of that block is not closed.
pub fn find(source: &str) -> Result<Option<Block>, Violation> {
    if let Some(block) = front_matter(source) {
        return Ok(Some(block));
    }
    let blocks: Vec<_> = code_block::code_blocks(source)
        .into_iter()
        .filter_map(|fenced| Some((Block::of(&fenced)?, fenced)))
        .collect();
    let tagged = blocks.iter().find(|(block, _)| matches!(block.tag, Tag::Tasuki | Tag::AhpYaml));
    let chosen = tagged.or_else(|| {
        blocks.iter().find(|(block, _)| has_packet_key(block.tag, &block.content(source)))
    });
    match chosen {
        Some((_, fenced)) if !fenced.is_closed => Err(unclosed(fenced)),
        Some((block, _)) => Ok(Some(block.clone())),
        None => Ok(None),
    }
}

/// Returns the text with new content in the block, and every other byte unchanged.
///
/// The content is indented like the old one and gets the line breaks of the text. The fences are
/// lengthened if a line of the content would close them.
///
/// ```
/// use tasuki_packet::read::markdown;
///
/// let issue = "Note\n\n```tasuki\ngoal: a\n```\n";
/// let block = markdown::find(issue)?.unwrap();
/// assert_eq!(markdown::replace(issue, &block, "goal: b\n"), "Note\n\n```tasuki\ngoal: b\n```\n");
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
pub fn replace(source: &str, block: &Block, new_content: &str) -> String {
    let before = source.get(..block.range.start).unwrap_or(source);
    let after = source.get(block.range.end..).unwrap_or("");
    let (head, opening) = before.split_at(last_line_start(before));
    let extra = extra_fence(opening, block, new_content);

    let mut text = String::with_capacity(source.len() + new_content.len());
    text.push_str(head);
    push_fence_line(&mut text, opening, &extra);
    push_content(&mut text, opening, block.indent, new_content);
    push_fence_line(&mut text, after, &extra);
    text
}

impl Block {
    /// Returns the content without the indentation of the block.
    pub fn content<'s>(&self, source: &'s str) -> Cow<'s, str> {
        let content = source.get(self.range.clone()).unwrap_or("");
        if self.indent == 0 {
            return Cow::Borrowed(content);
        }
        content.split_inclusive('\n').map(|line| code_block::dedent(line, self.indent)).collect()
    }

    /// Returns the trimmed text before and after the block.
    pub fn prose<'s>(&self, source: &'s str) -> [&'s str; 2] {
        let before = source.get(..self.range.start).unwrap_or(source);
        let after = source.get(self.range.end..).unwrap_or("");
        let after_fence = after.split_once('\n').map_or("", |(_, rest)| rest);
        [before[..last_line_start(before)].trim(), after_fence.trim()]
    }

    fn of(fenced: &CodeBlock<'_>) -> Option<Self> {
        Some(Self {
            range: fenced.opening.end..fenced.end,
            indent: fenced.indent,
            tag: Tag::of(fenced.word)?,
            first_line: fenced.opening.number + 1,
        })
    }
}

impl Tag {
    fn of(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "tasuki" => Some(Self::Tasuki),
            "ahp-yaml" => Some(Self::AhpYaml),
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Finds front matter with a key of a packet. A first line `---` without a closing one is a rule.
fn front_matter(source: &str) -> Option<Block> {
    let mut lines = code_block::lines(source);
    let first = lines.next()?;
    if first.text.trim_start_matches('\u{feff}').trim_end() != "---" {
        return None;
    }
    let closing = lines.find(|line| matches!(line.text.trim_end(), "---" | "..."))?;
    let range = first.end..closing.start;
    has_packet_key(Tag::FrontMatter, &source[range.clone()]).then_some(Block {
        range,
        indent: 0,
        tag: Tag::FrontMatter,
        first_line: 2,
    })
}

/// Returns `true` if the text is a page: front matter, followed by a heading or a fence. A YAML
/// document after another one begins with an entry.
pub(super) fn has_front_matter(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim_end);
    lines.next() == Some("---")
        && lines.any(|line| line == "---")
        && lines
            .find(|line| !line.is_empty())
            .is_some_and(|line| ["#", "```", "~~~"].iter().any(|mark| line.starts_with(mark)))
}

/// Returns `true` if a line of the content has a key of a packet. It does not parse the content.
fn has_packet_key(tag: Tag, content: &str) -> bool {
    if tag == Tag::Json {
        return PACKET_KEYS.iter().any(|key| content.contains(&format!("\"{key}\"")));
    }
    if content.trim_start().starts_with('{') {
        return PACKET_KEYS.iter().any(|key| content.contains(key));
    }
    let is_entry =
        |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '%']);
    let mut entries = content.lines().filter(is_entry).filter(|line| line.trim_end() != "---");
    let Some(first) = entries.clone().next() else { return false };
    let margin = &first[..first.len() - first.trim_start().len()];
    entries.any(|line| line.strip_prefix(margin).is_some_and(is_packet_key))
}

/// Returns `true` if the line is an entry with a key of a packet.
pub(super) fn is_packet_key(line: &str) -> bool {
    let (quote, rest) = match line.chars().next() {
        Some('"') => ("\"", &line[1..]),
        Some('\'') => ("'", &line[1..]),
        _ => ("", line),
    };
    PACKET_KEYS.iter().any(|key| {
        let end = rest.strip_prefix(key).and_then(|rest| rest.strip_prefix(quote));
        end.is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

fn unclosed(fenced: &CodeBlock<'_>) -> Violation {
    let Line { number, start, text, end: _ } = fenced.opening;
    let (prefix, fence) = text.split_at(fenced.prefix_bytes);
    let position = Position {
        line: number,
        column: saturated(prefix.chars().count()).saturating_add(1),
        span: Span { start: saturated(start + prefix.len()), end: saturated(start + text.len()) },
    };
    let closing: String = fence.chars().take_while(|character| "`~".contains(*character)).collect();
    Violation::new(Code::MarkdownFence, "", "the code fence of the packet is not closed")
        .at(position)
        .found(fence.trim_end())
        .hint(format!("add the line `{closing}` after the packet"))
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the start of the last line, which includes a trailing line break.
fn last_line_start(text: &str) -> usize {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.rfind('\n').map_or(0, |index| index + 1)
}

/// Returns the characters to add to both fences so that no line of the content closes the block.
fn extra_fence(opening: &str, block: &Block, content: &str) -> String {
    let run = fence_start(opening).map(|start| &opening[start..]);
    let Some((run, character)) = run.and_then(|run| Some((run, run.chars().next()?))) else {
        return String::new();
    };
    if block.tag == Tag::FrontMatter {
        return String::new();
    }
    let length = run.chars().take_while(|other| *other == character).count();
    let needed = code_block::longest_run(content, character) + 1;
    std::iter::repeat_n(character, needed.saturating_sub(length)).collect()
}

fn fence_start(line: &str) -> Option<usize> {
    line.find(['`', '~'])
}

/// Appends the fence line at the start of `rest`, lengthened by `extra`, and everything after it.
fn push_fence_line(text: &mut String, rest: &str, extra: &str) {
    let start = if extra.is_empty() { 0 } else { fence_start(rest).unwrap_or(0) };
    let (prefix, fence) = rest.split_at(start);
    text.push_str(prefix);
    text.push_str(extra);
    text.push_str(fence);
}

fn push_content(text: &mut String, opening: &str, indent: usize, content: &str) {
    let line_break = if opening.ends_with("\r\n") { "\r\n" } else { "\n" };
    let prefix = &opening[..fence_start(opening).unwrap_or(0)];
    // Reuses the white space of the source, which may be tabs.
    let is_margin = indent > 0 && prefix.trim().is_empty();
    let margin = if is_margin { prefix.to_owned() } else { " ".repeat(indent) };
    for line in content.lines() {
        if !line.is_empty() {
            text.push_str(&margin);
            text.push_str(line);
        }
        text.push_str(line_break);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::write::arbitrary;

    const PACKET: &str = "handoff_version: \"1.0\"\ngoal: x\n";

    #[test]
    fn front_matter_counts_only_if_it_is_a_packet() {
        check(&format!("---\n{PACKET}---\ntext\n"), "FrontMatter from line 2");
        check(&format!("\u{feff}---\r\n{PACKET}...\r\n"), "FrontMatter from line 2");
        check("---\ntitle: x\n---\n```tasuki\na\n```\n", "Tasuki from line 5");
        check(&format!("---\n{PACKET}"), "none");
        check(&format!("\n---\n{PACKET}---\n"), "none");
        check("---\ncontext:\n  packet_type: x\n---\n", "none");
    }

    #[test]
    fn tagged_blocks_come_before_guessed_ones() {
        let guessed = format!("```yaml\n{PACKET}```\n");
        check(&guessed, "Yaml from line 2");
        check(&format!("{guessed}~~~ TASUKI x\ngoal: y\n~~~\n"), "Tasuki from line 6");
        check(&format!("{guessed}```ahp-yaml\ngoal: y\n```\n"), "AhpYaml from line 6");
        check(&format!("```yml\ngoal: y\n```\n\n{guessed}"), "Yaml from line 6");
        check("```json\n{\"packet_type\": \"return\"}\n```\n", "Json from line 2");
        check("```yaml\n{packet_type: return}\n```\n", "Yaml from line 2");
        check("```yaml\n# a\n---\n'packet_type' : return\n```\n", "Yaml from line 2");
        check("```yaml\n  goal: x\n  packet_type: return\n```\n", "Yaml from line 2");
        check("```yaml\ncontext:\n  packet_type: return\n```\n", "none");
        check("```yaml\npacket_types: return\n```\n", "none");
        check("```rust\nhandoff_version: 1\n```\n", "none");
        check("````md\n```tasuki\na\n```\n````\n", "none");
        check("handoff_version: 1\n", "none");
        check("", "none");
    }

    #[test]
    fn an_unclosed_block_is_named_by_its_fence() {
        check("text\n\n- ~~~tasuki\n  goal: x\n", "TK-MARKDOWN-FENCE at 3:3, bytes 8 to 17");
        check(&format!("```yaml\n{PACKET}"), "TK-MARKDOWN-FENCE at 1:1, bytes 0 to 7");
        check("```yaml\ngoal: x\n", "none");
    }

    #[test]
    fn content_is_dedented_and_prose_is_the_rest() {
        let source =
            "- do:\r\n\r\n  ```tasuki\r\n  a:\r\n    b: 1\r\n\r\n c: 2\r\n  ```\r\n\r\n  Thanks.";
        let block = find(source).unwrap().unwrap();
        assert_eq!(block.content(source), "a:\r\n  b: 1\r\n\r\nc: 2\r\n");
        assert_eq!(block.prose(source), ["- do:", "Thanks."]);

        let bare = "```tasuki\na: 1\n```";
        assert_eq!(find(bare).unwrap().unwrap().prose(bare), ["", ""]);
    }

    #[test]
    fn replacing_keeps_every_other_byte() {
        let cases = [
            ("x\n```tasuki\nold: 1\n```\ny", "new: 2\n", "x\n```tasuki\nnew: 2\n```\ny"),
            ("```tasuki\n```", "new: 2", "```tasuki\nnew: 2\n```"),
            (
                "x\r\n```tasuki\r\nold\r\n```\r\n",
                "a:\n\n  b\n",
                "x\r\n```tasuki\r\na:\r\n\r\n  b\r\n```\r\n",
            ),
            (
                "- ```tasuki\n  old\n  ```\n",
                "a: 1\n\nb: 2\n",
                "- ```tasuki\n  a: 1\n\n  b: 2\n  ```\n",
            ),
            ("- x\n\t~~~tasuki\n\told\n\t~~~\n", "a: 1\n", "- x\n\t~~~tasuki\n\ta: 1\n\t~~~\n"),
            ("---\npacket_type: x\n---\ny", "new: 2\n", "---\nnew: 2\n---\ny"),
            (
                "a\n```tasuki `\n```\n  ```tasuki k=v\nold\n ``` \n`z`",
                "t: |\n  ````\n",
                "a\n```tasuki `\n```\n  ```tasuki k=v\nold\n ``` \n`z`",
            ),
            (
                "  ```tasuki k=v\nold\n ``` \n`z`",
                "t: |\n  ````\n",
                "  `````tasuki k=v\n  t: |\n    ````\n ````` \n`z`",
            ),
        ];
        for (source, content, expected) in cases {
            let replaced = match find(source) {
                Ok(Some(block)) => replace(source, &block, content),
                _ => source.to_owned(),
            };
            assert_eq!(replaced, expected, "{source:?}");
        }
    }

    proptest! {
        #[test]
        fn replaced_content_is_found_again(
            before in arbitrary::text(),
            after in arbitrary::text(),
            content in arbitrary::text(),
            opening in prop::sample::select(vec!["```tasuki", "~~~~ tasuki x", "- ```tasuki", "1. a\n   ~~~tasuki"]),
        ) {
            let (fence, indent) = if opening.contains('`') { ("```", "") } else { ("~~~~", "   ") };
            let source = format!("{before}\n{opening}\nold: 1\n{indent}{fence}\n{after}");
            let Ok(Some(block)) = find(&source) else { return Ok(()) };
            let replaced = replace(&source, &block, &content);
            let found = find(&replaced).unwrap().unwrap();
            let lines: String = content.lines().flat_map(|line| [line, "\n"]).collect();
            let found_content = found.content(&replaced).replace("\r\n", "\n");
            prop_assert_eq!(found_content, lines.replace("\r\n", "\n"));
            prop_assert_eq!(found.prose(&replaced), block.prose(&source));
        }
    }

    fn check(source: &str, expected: &str) {
        let shown = match find(source) {
            Ok(None) => "none".to_owned(),
            Ok(Some(block)) => format!("{:?} from line {}", block.tag, block.first_line),
            Err(violation) => {
                let Position { line, column, span } = violation.position.unwrap();
                format!(
                    "{} at {line}:{column}, bytes {} to {}",
                    violation.code, span.start, span.end
                )
            }
        };
        assert_eq!(shown, expected, "{source:?}");
    }
}
