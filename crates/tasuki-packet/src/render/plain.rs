//! Blocks as plain text for a terminal, in which every value is exactly that of the packet.
//!
//! A reader copies commands and patterns from here, so nothing is escaped. Further lines of a text
//! are indented, so that a text cannot pretend to be another field.

use super::block::{Block, Line, Span, Table};
use super::text;

pub(super) fn plain(blocks: &[Block]) -> String {
    let mut page = String::new();
    for block in blocks {
        push_block(&mut page, block);
    }
    page
}

/// Adds a block to a page. A section begins after an empty line.
pub(super) fn push_block(page: &mut String, block: &Block) {
    let starts_section =
        matches!(block, Block::Title(_) | Block::Marking(_) | Block::Heading(_) | Block::Quote(_));
    if starts_section && !page.is_empty() {
        page.push('\n');
    }
    write_block(page, block);
}

fn write_block(page: &mut String, block: &Block) {
    match block {
        Block::Title(words) | Block::Marking(words) => push_line(page, &text::one_line(words)),
        Block::Heading(heading) => push_line(page, &format!("{heading}:")),
        Block::Paragraph(line) => push_line(page, &format!("  {}", indented(line, "    "))),
        Block::Quote(words) => {
            for line in words.lines() {
                push_line(page, format!("  > {line}").trim_end());
            }
        }
        Block::List(items) => {
            for item in items {
                push_line(page, &format!("  - {}", indented(item, "    ")));
            }
        }
        Block::Steps(steps) => {
            for (number, step) in steps {
                push_line(page, &format!("  {number}. {}", indented(step, "     ")));
            }
        }
        Block::Table(table) => write_table(page, table),
    }
}

/// Writes a row per line. A value of two columns follows its name, as in a list of fields.
fn write_table(page: &mut String, table: &Table) {
    for row in &table.rows {
        let cells = row.iter().map(|cell| text::one_line(&words(cell)));
        let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
        match cells.split_first() {
            Some((first, rest)) if !rest.is_empty() => {
                push_line(page, &format!("  - {first}: {}", rest.join(" · ")));
            }
            Some((only, _)) => push_line(page, &format!("  - {only}")),
            None => {}
        }
    }
}

fn indented(line: &Line, indent: &str) -> String {
    words(line).trim().replace('\n', &format!("\n{indent}"))
}

fn words(line: &Line) -> String {
    line.iter()
        .map(|span| match span {
            Span::Text(words) | Span::Code(words) => words.as_str(),
            Span::Strong(label) => label,
        })
        .collect()
}

fn push_line(page: &mut String, line: &str) {
    page.push_str(line);
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::render::{brief_text, samples};

    #[test]
    fn every_value_is_exactly_that_of_the_packet() {
        let value = r"test $(grep -c '<img' a_b.html) -lt 5 && echo `x` | *[~] &lt; \n";
        let packet = samples::packet(json!({
            "goal": value, "completed": [value], "acceptance": [{ "id": "a", "text": value }],
            "context": { "pattern": value }, "artifacts": [{ "path": value }],
        }));
        assert_eq!(brief_text(&packet).matches(value).count(), 5, "{}", brief_text(&packet));
    }

    #[test]
    fn a_text_cannot_pretend_to_be_another_field() {
        let forged = "first\nConstraints:\n  - none";
        let packet = samples::packet(json!({
            "goal": forged, "completed": [forged], "context": { forged: forged }, "x": forged,
        }));
        let lines = brief_text(&packet);
        assert!(!lines.lines().any(|line| line == "Constraints:"), "{lines}");
    }
}
