//! Reads the source of the draft: headings, paragraphs, lists and placeholders.

/// A part of the draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    Heading(usize, String),
    Paragraph(String),
    List(Vec<String>),
    /// Terms with their descriptions.
    Definitions(Vec<(String, String)>),
    /// A language and the text.
    Code(String, String),
    /// The paragraph that defines the key words.
    Bcp14,
}

/// Reads the source; `include` returns the block of a placeholder.
pub(super) fn read(text: &str, include: &dyn Fn(&str) -> Option<Block>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let level = line.len() - line.trim_start_matches('#').len();
        if line.is_empty() {
            continue;
        }
        if level > 0 {
            blocks.push(Block::Heading(level, line[level..].trim().to_owned()));
        } else if let Some(name) = line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"))
        {
            blocks.push(include(name).unwrap_or_else(|| panic!("unknown placeholder {name}")));
        } else if let Some(item) = line.strip_prefix("- ") {
            match blocks.last_mut() {
                Some(Block::List(items)) => items.push(item.to_owned()),
                _ => blocks.push(Block::List(vec![item.to_owned()])),
            }
        } else {
            blocks.push(Block::Paragraph(line.to_owned()));
        }
    }
    blocks
}

impl Block {
    /// Returns the number of lines on a page of this width, with the empty line after the block.
    pub(super) fn lines(&self, columns: usize) -> usize {
        match self {
            Self::Heading(..) => 2,
            Self::Paragraph(text) => wrapped(text, columns) + 1,
            // Renderers put an empty line after each item and indent the text.
            Self::List(items) => items.iter().map(|item| wrapped(item, columns - 3) + 1).sum(),
            Self::Definitions(all) => {
                all.iter().map(|(_, text)| wrapped(text, columns - 3) + 2).sum()
            }
            Self::Code(_, text) => text.lines().count() + 1,
            Self::Bcp14 => 7,
        }
    }
}

fn wrapped(text: &str, columns: usize) -> usize {
    let (mut lines, mut used) = (1, 0);
    for word in text.split_whitespace().map(|word| word.chars().count()) {
        if used > 0 && used + 1 + word > columns {
            lines += 1;
            used = word;
        } else {
            used += word + usize::from(used > 0);
        }
    }
    lines
}
