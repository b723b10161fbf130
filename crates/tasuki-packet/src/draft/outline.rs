//! The outline of a text: sections with paragraphs and list items.
//!
//! Headings are `#` lines, lines that are bold as a whole, and short lines that end with a colon
//! before a list. Code blocks are kept as text of their section. It is a small part of Markdown,
//! enough for issues and comments, and reads anything without failing.

/// A part of a text under one heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// The heading; `None` before the first one.
    pub(super) heading: Option<String>,
    /// `true` if it is a `#` heading of the first level.
    pub(super) is_title: bool,
    pub(super) paragraphs: Vec<String>,
    pub(super) items: Vec<ListItem>,
}

/// An item of a list, with the items below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListItem {
    pub(super) text: String,
    /// The state of its check box, if it has one.
    pub(super) checked: Option<bool>,
}

impl Section {
    fn is_empty(&self) -> bool {
        self.heading.is_none() && self.paragraphs.is_empty() && self.items.is_empty()
    }
}

/// Splits a text into its sections, in order.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut reader = Reader::default();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let next = lines[index + 1..].iter().find(|line| !line.trim().is_empty());
        reader.line(line, next.is_some_and(|next| list_marker(next).is_some()));
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    done: Vec<Section>,
    section: Section,
    paragraph: Vec<String>,
    /// The indentation of the items of the list that is open, if one is.
    list_indent: Option<usize>,
    /// The marker that closes a code block.
    fence: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &str, is_before_list: bool) {
        if let Some(fence) = &self.fence {
            let is_end = line.trim().starts_with(fence.as_str());
            self.paragraph.push(line.trim_end().to_owned());
            if is_end {
                self.fence = None;
                self.end_paragraph();
            }
            return;
        }
        let trimmed = line.trim();
        if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence)) {
            self.end_paragraph();
            self.fence = Some(fence.to_owned());
            self.paragraph.push(trimmed.to_owned());
        } else if trimmed.is_empty() {
            self.end_paragraph();
        } else if let Some((level, heading)) = heading(trimmed, is_before_list) {
            self.start_section(heading, level == 1);
        } else if let Some(content) = list_marker(line) {
            self.item(line, content);
        } else if self.list_indent.is_some() && self.paragraph.is_empty() && line.starts_with(' ') {
            self.continue_item(trimmed);
        } else {
            self.list_indent = None;
            self.paragraph.push(trimmed.to_owned());
        }
    }

    fn start_section(&mut self, heading: String, is_title: bool) {
        self.end_paragraph();
        let next = Section { heading: Some(heading), is_title, ..Section::default() };
        let section = std::mem::replace(&mut self.section, next);
        if !section.is_empty() {
            self.done.push(section);
        }
        self.list_indent = None;
    }

    fn item(&mut self, line: &str, content: &str) {
        self.end_paragraph();
        let indent = line.len() - line.trim_start().len();
        let outer = *self.list_indent.get_or_insert(indent);
        let (checked, text) = check_box(content);
        let is_below = indent > outer && checked.is_none();
        match self.section.items.last_mut() {
            Some(above) if is_below => {
                let joint = if above.text.contains(": ") { "; " } else { ": " };
                above.text.push_str(&format!("{joint}{text}"));
            }
            _ => self.section.items.push(ListItem { text: text.to_owned(), checked }),
        }
    }

    fn continue_item(&mut self, words: &str) {
        if let Some(item) = self.section.items.last_mut() {
            item.text.push_str(&format!(" {words}"));
        }
    }

    fn end_paragraph(&mut self) {
        if !self.paragraph.is_empty() {
            let lines = std::mem::take(&mut self.paragraph);
            self.section.paragraphs.push(lines.join("\n"));
        }
    }

    fn finish(mut self) -> Vec<Section> {
        self.end_paragraph();
        if !self.section.is_empty() {
            self.done.push(self.section);
        }
        self.done
    }
}

/// LIMIT: characters of a label. A longer line before a list is a sentence.
const LABEL_CHARS_MAX: usize = 40;

/// Returns the level and the text of a heading.
fn heading(line: &str, is_before_list: bool) -> Option<(usize, String)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = line.trim_start_matches('#');
    if (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Some((level, rest.trim().trim_end_matches('#').trim().to_owned()));
    }
    let bold = line.strip_prefix("**").and_then(|rest| {
        rest.trim_end_matches(':').strip_suffix("**").map(|words| words.trim_end_matches(':'))
    });
    if let Some(words) = bold.filter(|words| !words.contains("**")) {
        return Some((6, words.trim().to_owned()));
    }
    let label = line.strip_suffix(':').filter(|words| words.chars().count() <= LABEL_CHARS_MAX);
    label.filter(|_| is_before_list).map(|words| (6, words.trim().to_owned()))
}

/// Returns the content of a line that starts a list item.
fn list_marker(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let plain = line.strip_prefix(['-', '*', '+']);
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered =
        (numbered.len() < line.len()).then(|| numbered.strip_prefix(['.', ')'])).flatten();
    let content = plain.or(numbered)?;
    content.starts_with([' ', '\t']).then(|| content.trim())
}

/// Returns the state of a check box and the text behind it.
fn check_box(content: &str) -> (Option<bool>, &str) {
    for (mark, checked) in [("[ ]", false), ("[x]", true), ("[X]", true)] {
        if let Some(text) = content.strip_prefix(mark) {
            return (Some(checked), text.trim());
        }
    }
    (None, content)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows sections as `heading|paragraphs|items`.
    fn shown(text: &str) -> Vec<String> {
        let section = |section: &Section| {
            let items: Vec<_> = section
                .items
                .iter()
                .map(|item| match item.checked {
                    None => item.text.clone(),
                    Some(checked) => format!("{} {}", if checked { "x" } else { "o" }, item.text),
                })
                .collect();
            let heading = section.heading.as_deref().unwrap_or("-");
            format!("{heading}|{}|{}", section.paragraphs.join("/"), items.join(", "))
        };
        sections(text).iter().map(section).collect()
    }

    #[test]
    fn headings_lists_and_boxes_are_read() {
        assert_eq!(
            shown("intro\nmore\n\n# A #\ntext\n## B\n- a\n* [x] b\n2) [ ] c\n"),
            ["-|intro\nmore|", "A|text|", "B||a, x b, o c"]
        );
        assert_eq!(shown("**Done:**\n- a\n\nTo do:\n\n- b\n"), ["Done||a", "To do||b"]);
        assert_eq!(
            shown("Note: this is text\n#5 is an issue\n"),
            ["-|Note: this is text\n#5 is an issue|"]
        );
    }

    #[test]
    fn an_item_takes_its_lines_and_the_items_below() {
        assert_eq!(shown("- a\n  b\n  - c\n  - d\n- e\n"), ["-||a b: c; d, e"]);
        assert_eq!(shown("- a\n  - [ ] b\n"), ["-||a, o b"]);
    }

    #[test]
    fn code_is_text() {
        assert_eq!(
            shown("```sh\n# not a heading\n- no item\n```\nafter\n"),
            ["-|```sh\n# not a heading\n- no item\n```/after|"]
        );
        assert_eq!(shown("```\nnever closed"), ["-|```\nnever closed|"]);
    }
}
