//! Blocks as Markdown (`CommonMark` with tables) in which packet text stays plain text.
//!
//! Every character that could start a heading, list, fence, link, image, tag or table is escaped
//! where it could do so. Other characters are not escaped, because people read the source as well.
//! A URL stays readable and is at most a link to itself; a remote image is impossible.

use super::block::{Block, Line, Span, Table};
use super::text;

pub(super) fn markdown(blocks: &[Block]) -> String {
    let mut page = String::new();
    for block in blocks {
        if !page.is_empty() {
            page.push('\n');
        }
        write_block(&mut page, block);
    }
    page
}

fn write_block(page: &mut String, block: &Block) {
    match block {
        Block::Title(title) => {
            push_line(page, &format!("# {}", escape(&text::one_line(title), true)));
        }
        Block::Marking(words) => {
            push_line(page, &format!("**{}**", escape(&text::one_line(words), false)));
        }
        Block::Heading(heading) => push_line(page, &format!("## {heading}")),
        Block::Paragraph(line) => push_line(page, &lines(line).join("  \n")),
        Block::Quote(words) => write_quote(page, words),
        Block::List(items) => {
            for item in items {
                push_line(page, &format!("- {}", lines(item).join("  \n  ")));
            }
        }
        Block::Steps(steps) => {
            for (number, step) in steps {
                push_line(page, &format!("{number}. {}", lines(step).join("  \n   ")));
            }
        }
        Block::Table(table) => write_table(page, table),
    }
}

fn write_quote(page: &mut String, words: &str) {
    let quoted: Vec<String> = words
        .lines()
        .map(|line| format!("> {}", escape_line(line)).trim_end().to_owned())
        .collect();
    let mut rest = quoted.iter().peekable();
    while let Some(line) = rest.next() {
        page.push_str(line);
        // Without two trailing spaces, a line end inside a quote would be rendered as a space.
        if line != ">" && rest.peek().is_some_and(|next| *next != ">") {
            page.push_str("  ");
        }
        page.push('\n');
    }
}

fn write_table(page: &mut String, table: &Table) {
    push_line(page, &format!("| {} |", table.head.join(" | ")));
    push_line(page, &format!("|{}", " --- |".repeat(table.head.len())));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        push_line(page, &format!("| {} |", cells.join(" | ")));
    }
}

fn push_line(page: &mut String, line: &str) {
    page.push_str(line);
    page.push('\n');
}

/// Returns the lines of a paragraph or item, without blank lines, which would end it.
fn lines(line: &Line) -> Vec<String> {
    let mut written = String::new();
    for span in line {
        match span {
            Span::Text(words) => written.push_str(&escape(words, written.is_empty())),
            Span::Strong(label) => written.extend(["**", label, "**"]),
            Span::Code(words) => written.push_str(&code(words)),
        }
    }
    written.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

fn cell(line: &Line) -> String {
    let mut written = String::new();
    for span in line {
        match span {
            Span::Text(words) => written.push_str(&escape(&text::one_line(words), false)),
            Span::Strong(label) => written.extend(["**", label, "**"]),
            // A table is split at its bars before code is parsed, so a bar must be escaped text.
            Span::Code(words) if words.contains('|') => written.push_str(&escape(words, false)),
            Span::Code(words) => written.push_str(&code(words)),
        }
    }
    written
}

fn code(words: &str) -> String {
    let fence = "`".repeat(longest_backtick_run(words) + 1);
    let pad = if words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{words}{pad}{fence}")
}

fn longest_backtick_run(content: &str) -> usize {
    content.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// Escapes a text of several lines. The first line is escaped as a line start only if it is at one.
fn escape(words: &str, at_line_start: bool) -> String {
    let mut escaped: Vec<String> = Vec::new();
    for (index, line) in words.split('\n').enumerate() {
        let is_start = index > 0 || at_line_start;
        escaped.push(if is_start { escape_line(line) } else { escape_inline(line) });
    }
    escaped.join("\n")
}

/// Escapes text at the start of a line.
fn escape_line(line: &str) -> String {
    let body = line.trim_start_matches(' ');
    // Four plain spaces would make a code block. Non-breaking spaces look the same.
    let indent = "\u{a0}".repeat(line.len() - body.len());
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = body.split_at(digits);
    let is_marker = match after.chars().next() {
        Some('.' | ')') => digits > 0,
        Some('#' | '>' | '+' | '-' | '=') => digits == 0,
        _ => false,
    };
    // `escape_inline` already escapes a leading `#`.
    let escape = if is_marker && !after.starts_with('#') { "\\" } else { "" };
    format!("{indent}{number}{escape}{}", escape_inline(after))
}

/// Escapes markup that can occur anywhere in a line.
fn escape_inline(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut before = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let after = characters.peek().copied();
        match character {
            // Uses the entity, because not every Markdown reader supports a backslash here.
            '<' => escaped.push_str("&lt;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => escaped.extend(['\\', character]),
            '_' if is_word(before) && is_word(after) => escaped.push('_'),
            '#' if before.is_some_and(|before| before != ' ') => escaped.push('#'),
            '&' if !after.is_some_and(|after| after == '#' || after.is_ascii_alphabetic()) => {
                escaped.push('&');
            }
            '$' if after.is_some_and(|after| after.is_ascii_digit()) => escaped.push('$'),
            '_' | '#' | '&' | '$' => escaped.extend(['\\', character]),
            other => escaped.push(other),
        }
        before = Some(character);
    }
    escaped
}

fn is_word(character: Option<char>) -> bool {
    character.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraph(words: &str) -> String {
        markdown(&[Block::Paragraph(vec![Span::text(words)])])
    }

    #[test]
    fn ordinary_text_stays_unchanged() {
        for words in ["build-spfx-webpart-42", "snake_case: 1 > 0", "C#, R & D, $0.45", "a -> b!"] {
            assert_eq!(paragraph(words), format!("{words}\n"));
        }
    }

    #[test]
    fn nothing_in_a_line_is_markup() {
        let cases = [
            ("# head", r"\# head"),
            ("- item", r"\- item"),
            ("12. item", r"12\. item"),
            ("2) item", r"2\) item"),
            ("> quote", r"\> quote"),
            ("===", r"\==="),
            ("---", r"\---"),
            ("***", r"\*\*\*"),
            ("___", r"\_\_\_"),
            ("```tasuki", r"\`\`\`tasuki"),
            ("~~~", r"\~\~\~"),
            ("    code", "\u{a0}\u{a0}\u{a0}\u{a0}code"),
            ("![x](http://evil/p.png)", r"!\[x\](http://evil/p.png)"),
            ("[x]: http://evil", r"\[x\]: http://evil"),
            ("<img src=x onerror=y>", "&lt;img src=x onerror=y>"),
            ("a | b", r"a \| b"),
            ("&lt;b&gt;", r"\&lt;b\&gt;"),
            (r"\<b>", r"\\&lt;b>"),
            ("\u{202e}x", "&lt;U+202E>x"),
        ];
        for (words, expected) in cases {
            assert_eq!(paragraph(words), format!("{expected}\n"), "{words:?}");
        }
    }

    #[test]
    fn lines_of_an_item_stay_in_the_item() {
        let list = Block::List(vec![vec![Span::Strong("verified"), Span::text(" a\n\n# b\n- c")]]);
        assert_eq!(markdown(&[list]), "- **verified** a  \n  \\# b  \n  \\- c\n");
        let quote = Block::prose("a\n\n```\nb");
        assert_eq!(markdown(&[quote]), "> a\n>\n> \\`\\`\\`  \n> b\n");
    }

    #[test]
    fn a_cell_cannot_leave_its_cell() {
        let row = vec![
            vec![Span::text("a | b\n| c |")],
            vec![Span::code("x|y`z")],
            vec![Span::code("``q`")],
        ];
        let table = Table { head: vec!["One", "Two", "Three"], rows: vec![row] };
        assert_eq!(
            markdown(&[Block::Table(table)]),
            "| One | Two | Three |\n| --- | --- | --- |\n| a \\| b ↵ \\| c \\| | x\\|y\\`z | ``` ``q` ``` |\n"
        );
    }
}
