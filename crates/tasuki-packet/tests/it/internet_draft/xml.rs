//! Writes the draft as RFCXML version 3.

use super::references;
use super::source::Block;

/// LIMIT: columns of code in the rendered text.
const CODE_COLUMNS: usize = 69;

const HEAD: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!-- Generated from internet-draft.source.md, the field table and the vectors. Do not edit. -->
<rfc xmlns:xi="http://www.w3.org/2001/XInclude" version="3" category="info" submissionType="IETF" consensus="false" ipr="trust200902" docName="draft-tasuki-handoff-packet-00" xml:lang="en" tocInclude="true" sortRefs="true" symRefs="true">
<front>
<title abbrev="Handoff Packet">The Handoff Packet: a Document for Handing Work between Agents and People</title>
<seriesInfo name="Internet-Draft" value="draft-tasuki-handoff-packet-00"/>
<author fullname="The Tasuki maintainers"><organization>Tasuki</organization></author>
<date year="2026" month="November" day="17"/>
<keyword>agents</keyword>
<keyword>handoff</keyword>
<abstract><t>This document specifies the packet, a JSON document that one agent or person hands to another so that work continues. It states what is done, what is left, what was decided and what must come back. The document defines the fields, four forms with the same meaning, canonical bytes, validation, and a media type. It describes the format of one project and has not been adopted by any body.</t></abstract>
</front>
"#;

/// Returns the whole document.
pub(super) fn document(blocks: &[Block]) -> String {
    let mut text = format!("{HEAD}<middle>\n");
    let mut open = 0;
    for block in blocks {
        if let Block::Heading(level, title) = block {
            while open >= *level {
                text.push_str("</section>\n");
                open -= 1;
            }
            let anchor = anchor(title);
            text.push_str(&format!(
                "<section anchor=\"{anchor}\">\n<name>{}</name>\n",
                escape(title)
            ));
            open += 1;
            assert_eq!(open, *level, "a level is missing before {title}");
        } else {
            text.push_str(&body(block));
        }
    }
    text.push_str(&"</section>\n".repeat(open));
    format!("{text}</middle>\n<back>\n{}</back>\n</rfc>\n", references::sections())
}

fn body(block: &Block) -> String {
    match block {
        Block::Heading(..) => String::new(),
        Block::Paragraph(text) => format!("<t>{}</t>\n", inline(text)),
        Block::List(items) => {
            let item = |item: &String| format!("<li>{}</li>\n", inline(item));
            format!("<ul>\n{}</ul>\n", items.iter().map(item).collect::<String>())
        }
        Block::Definitions(all) => {
            let entry = |(term, text): &(String, String)| {
                format!("<dt>{}:</dt>\n<dd>{}</dd>\n", inline(term), inline(text))
            };
            format!("<dl>\n{}</dl>\n", all.iter().map(entry).collect::<String>())
        }
        Block::Code(language, text) => {
            format!("<sourcecode type=\"{language}\"><![CDATA[\n{}\n]]></sourcecode>\n", folded(text.trim_end()))
        }
        Block::Bcp14 => "<t>The key words \"<bcp14>MUST</bcp14>\", \"<bcp14>MUST NOT</bcp14>\", \"<bcp14>REQUIRED</bcp14>\", \"<bcp14>SHALL</bcp14>\", \"<bcp14>SHALL NOT</bcp14>\", \"<bcp14>SHOULD</bcp14>\", \"<bcp14>SHOULD NOT</bcp14>\", \"<bcp14>RECOMMENDED</bcp14>\", \"<bcp14>NOT RECOMMENDED</bcp14>\", \"<bcp14>MAY</bcp14>\", and \"<bcp14>OPTIONAL</bcp14>\" in this document are to be interpreted as described in BCP 14 <xref target=\"RFC2119\"/> <xref target=\"RFC8174\"/> when, and only when, they appear in all capitals, as shown here.</t>\n".to_owned(),
    }
}

/// Folds long lines of code as RFC 8792 says.
fn folded(text: &str) -> String {
    if text.lines().all(|line| line.chars().count() <= CODE_COLUMNS) {
        return text.to_owned();
    }
    let mut lines = vec!["NOTE: '\\' line wrapping per RFC 8792".to_owned(), String::new()];
    for line in text.lines() {
        let mut rest: Vec<char> = line.chars().collect();
        while rest.len() > CODE_COLUMNS {
            // A continuation must not begin with a space, which would be lost.
            let mut end = CODE_COLUMNS - 1;
            while rest[end] == ' ' {
                end -= 1;
            }
            let after = rest.split_off(end);
            lines.push(rest.into_iter().collect::<String>() + "\\");
            rest = after;
        }
        lines.push(rest.into_iter().collect());
    }
    lines.join("\n")
}

/// Writes the marks of a paragraph: code, emphasis, citations and key words.
fn inline(text: &str) -> String {
    let mut written = String::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            1 => written.push_str(&format!("<tt>{}</tt>", escape(part))),
            _ => written.push_str(&words(part)),
        }
    }
    written
}

fn words(text: &str) -> String {
    let mut text = escape(text);
    for (mark, element) in [("**", "strong"), ("*", "em")] {
        while let Some((before, rest)) = text.split_once(mark) {
            let (inner, after) = rest.split_once(mark).expect("a mark is closed");
            text = format!("{before}<{element}>{inner}</{element}>{after}");
        }
    }
    while let Some((before, rest)) = text.split_once("{{") {
        let (anchor, after) = rest.split_once("}}").expect("a citation is closed");
        text = format!("{before}<xref target=\"{anchor}\"/>{after}");
    }
    // The longer key words come first.
    let key_words = regex::Regex::new("MUST NOT|SHOULD NOT|MUST|SHOULD|OPTIONAL").unwrap();
    key_words.replace_all(&text, "<bcp14>$0</bcp14>").into_owned()
}

fn anchor(title: &str) -> String {
    let name = title.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    format!("s-{name}")
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn marks_become_elements() {
    assert_eq!(
        inline("A **b** MUST NOT `x < y` {{RFC8259}}; it MUST."),
        "A <strong>b</strong> <bcp14>MUST NOT</bcp14> <tt>x &lt; y</tt> <xref target=\"RFC8259\"/>; it <bcp14>MUST</bcp14>."
    );
}

#[test]
fn long_lines_are_folded_and_can_be_unfolded() {
    let long = format!("{{\"a\":\"{}\"}}", "word ".repeat(40));
    let folded = folded(&long);
    assert!(folded.lines().all(|line| line.chars().count() <= CODE_COLUMNS), "{folded}");
    let unfolded = folded.split_once("\n\n").unwrap().1.replace("\\\n", "");
    assert_eq!(unfolded, long);
    assert_eq!(super::xml::folded("short"), "short");
}
