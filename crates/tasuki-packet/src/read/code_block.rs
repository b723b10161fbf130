//! Finds the fenced code blocks of a Markdown text, line by line as in `CommonMark`.
//!
//! It parses only the fences and the list items around them, at any depth. Fences in quotations are
//! ignored, because they quote another author.

/// One line of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'s> {
    /// The line number, from 1.
    pub(super) number: u32,
    /// The offset of the first byte.
    pub(super) start: usize,
    /// The offset after the line break.
    pub(super) end: usize,
    /// The text without the line break.
    pub(super) text: &'s str,
}

/// A fenced code block.
#[derive(Debug)]
pub(super) struct CodeBlock<'s> {
    /// The line of the opening fence.
    pub(super) opening: Line<'s>,
    /// The number of bytes before the opening fence in its line.
    pub(super) prefix_bytes: usize,
    /// The column of the opening fence, from 0.
    pub(super) indent: usize,
    /// The first word of the info string.
    pub(super) word: &'s str,
    /// The offset after the last byte of the content.
    pub(super) end: usize,
    /// `true` if there is a closing fence.
    pub(super) is_closed: bool,
}

/// Splits a text into lines that end with `\n` or `\r\n`.
pub(super) fn lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut number = 0;
    let mut start = 0;
    source.split_inclusive('\n').map(move |whole| {
        let text = whole.strip_suffix('\n').unwrap_or(whole);
        let text = text.strip_suffix('\r').unwrap_or(text);
        number += 1;
        let line = Line { number, start, end: start + whole.len(), text };
        start = line.end;
        line
    })
}

/// Returns every fenced block of a text, in order. A block inside another one is content.
pub(super) fn code_blocks(source: &str) -> Vec<CodeBlock<'_>> {
    let mut found = Vec::new();
    // Most texts have none, and this search is cheaper than parsing the lists of a hostile text.
    if !source.contains("```") && !source.contains("~~~") {
        return found;
    }
    let mut lists = Lists::default();
    let mut lines = lines(source);
    while let Some(line) = lines.next() {
        let Some(fence) = Fence::opened_by(line.text, &mut lists) else { continue };
        let closing = lines.by_ref().find(|line| fence.is_closed_by(line.text));
        found.push(CodeBlock {
            opening: line,
            prefix_bytes: fence.prefix_bytes,
            indent: fence.indent,
            word: fence.word,
            end: closing.map_or(source.len(), |closing| closing.start),
            is_closed: closing.is_some(),
        });
    }
    found
}

/// Returns the length of the longest run of `character` at the start of any line, after white
/// space.
pub(crate) fn longest_run(text: &str, character: char) -> usize {
    text.lines().map(|line| run(line.trim_start(), character)).max().unwrap_or(0)
}

/// Removes up to `columns` columns of white space; a tab extends to the next multiple of four.
pub(super) fn dedent(line: &str, columns: usize) -> &str {
    let mut column = 0;
    for (index, character) in line.char_indices() {
        let next = match character {
            ' ' => column + 1,
            '\t' => next_tab_stop(column),
            _ => return &line[index..],
        };
        if next > columns {
            return &line[index..];
        }
        column = next;
    }
    ""
}

/// Returns the columns of white space at the start of a line.
fn indentation(line: &str) -> usize {
    line.chars().take_while(|character| is_blank(*character)).fold(0, |column, character| {
        if character == '\t' { next_tab_stop(column) } else { column + 1 }
    })
}

fn next_tab_stop(column: usize) -> usize {
    (column / 4 + 1) * 4
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

fn run(text: &str, character: char) -> usize {
    text.chars().take_while(|other| *other == character).count()
}

struct Fence<'s> {
    character: char,
    length: usize,
    prefix_bytes: usize,
    indent: usize,
    /// The content column of the enclosing list item.
    base: usize,
    word: &'s str,
}

impl<'s> Fence<'s> {
    fn opened_by(line: &'s str, lists: &mut Lists) -> Option<Self> {
        let (rest, indent) = lists.enter(line)?;
        let base = lists.base();
        let character = rest.chars().next().filter(|first| matches!(first, '`' | '~'))?;
        let length = run(rest, character);
        let info = &rest[length..];
        let is_inline_code = character == '`' && info.contains('`');
        if length < 3 || is_inline_code {
            return None;
        }
        let word = info.split_whitespace().next().unwrap_or("");
        let prefix_bytes = line.len() - rest.len();
        Some(Self { character, length, prefix_bytes, indent, base, word })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let rest = line.trim_start_matches(is_blank);
        let length = run(rest, self.character);
        // By the letter of CommonMark, a closing fence left of its list item starts a new block.
        // Authors never mean that.
        length >= self.length
            && rest[length..].trim_matches(is_blank).is_empty()
            && indentation(line) <= self.base + 3
    }
}

/// The content columns of the open list items.
#[derive(Default)]
struct Lists {
    columns: Vec<usize>,
}

impl Lists {
    fn base(&self) -> usize {
        self.columns.last().copied().unwrap_or(0)
    }

    /// Consumes the list markers of a line and returns its text and column, or `None` if the line
    /// is blank or indented code.
    fn enter<'s>(&mut self, line: &'s str) -> Option<(&'s str, usize)> {
        let mut rest = line.trim_start_matches(is_blank);
        let mut column = indentation(line);
        if rest.is_empty() {
            return None;
        }
        self.columns.retain(|open| *open <= column);
        while column <= self.base() + 3 {
            let Some(width) = marker(rest) else { return Some((rest, column)) };
            let after = &rest[width..];
            let blanks = indentation(after);
            // Five blanks or more are one blank and indented code.
            column += width + if (1..=4).contains(&blanks) { blanks } else { 1 };
            rest = after.trim_start_matches(is_blank);
            self.columns.push(column);
            if rest.is_empty() || blanks > 4 {
                return None;
            }
        }
        None
    }
}

/// Returns the length of the list marker at the start of `text`.
fn marker(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let width = match (digits, text.as_bytes().get(digits)?) {
        (0, b'-' | b'+' | b'*') => 1,
        (1..=9, b'.' | b')') => digits + 1,
        _ => return None,
    };
    text[width..].chars().next().is_none_or(is_blank).then_some(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_follow_commonmark() {
        check("```yaml\na\n```\n", "yaml@0 [a]");
        check("~~~ json x=1\na\n~~~~\n", "json@0 [a]");
        check("   ```yaml\n   a\n  ```  \n", "yaml@3 [   a]");
        check("    ```yaml\na\n```\n", "@0 [] open");
        check("``yaml\na\n``\n", "");
        check("```a`b\n", "");
        check("````md\n```yaml\na\n```\n````\n", "md@0 [```yaml a ```]");
        check("```yaml\n~~~\na\n``` x\n", "yaml@0 [~~~ a ``` x] open");
        check("> ```yaml\n> a\n> ```\n", "");
        check("```yaml\r\na\r\n```\r\n", "yaml@0 [a]");
        check("```yaml\n```", "yaml@0 []");
    }

    #[test]
    fn fences_are_found_in_list_items() {
        check("- a\n\n  ```yaml\n  b\n  ```\n", "yaml@2 [  b]");
        check("1. a\n   - b\n     ```yaml\n     c\n     ```\n", "yaml@5 [     c]");
        check("10. a\n\n    ```yaml\n    b\n    ```\n", "yaml@4 [    b]");
        check("- ```yaml\n  a\n  ```\n", "yaml@2 [  a]");
        check("- a\n\ntext\n\n    ```yaml\n    b\n    ```\n", "");
        check("- a\n\t```yaml\n\tb\n\t```\n", "yaml@4 [\tb]");
        check("-     ```yaml\n", "");
        check("- a\n  ```yaml\n  b\n```\n", "yaml@2 [  b]");
    }

    #[test]
    fn dedent_removes_only_white_space() {
        for (line, columns, expected) in [
            ("    a", 2, "  a"),
            (" a", 2, "a"),
            ("\ta", 4, "a"),
            ("\ta", 2, "\ta"),
            ("  \ta", 4, "a"),
            ("  ", 4, ""),
        ] {
            assert_eq!(dedent(line, columns), expected, "{line:?}");
        }
    }

    fn check(source: &str, expected: &str) {
        let shown: Vec<_> = code_blocks(source)
            .iter()
            .map(|fenced| {
                let content = &source[fenced.opening.end..fenced.end];
                let content: Vec<_> = content.lines().collect();
                let open = if fenced.is_closed { "" } else { " open" };
                format!("{}@{} [{}]{open}", fenced.word, fenced.indent, content.join(" "))
            })
            .collect();
        assert_eq!(shown.join(", "), expected, "{source:?}");
    }
}
