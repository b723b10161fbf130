//! Blocks as HTML: a fragment for a page with its own style, and a standalone document.
//!
//! The output has no script, no link, and no packet text in attributes. The document's Content
//! Security Policy forbids loading anything, so that even a defect here could not fetch remote
//! content.

use super::block::{Block, Line, Span, Table};
use super::human_brief::outline;
use super::text;
use crate::packet::Packet;

/// Text contrast is at least 7:1 in both themes, border contrast at least 3:1.
const STYLE: &str = "\
:root { color-scheme: light dark; --ground: #ffffff; --text: #1b1f24; --soft: #4a525c; --line: #7d8590; --mark: #8c1d18; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --text: #e6e9ec; --soft: #b3bac2; --line: #7d8590; --mark: #ffb4ab; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
.tasuki-brief { max-width: 48rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
.tasuki-brief h1 { font-size: 1.5rem; }
.tasuki-brief h2 { font-size: 1.1rem; margin: 1.5rem 0 0.25rem; }
.tasuki-brief blockquote { margin: 1rem 0; padding: 0.25rem 1rem; border-left: 4px solid var(--line); }
.tasuki-brief table { border-collapse: collapse; }
.tasuki-brief th, .tasuki-brief td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
.tasuki-brief th { color: var(--soft); }
.tasuki-brief .marking { color: var(--mark); font-weight: bold; text-align: center; }
";

/// Renders the human brief as a standalone HTML document.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::{Packet, render};
///
/// let packet = Packet::from_value(json!({"goal": "Fix <the> links"})).unwrap();
/// let page = render::html_document(&packet);
/// assert!(page.starts_with("<!DOCTYPE html>"));
/// assert!(page.contains("Fix &lt;the&gt; links"));
/// ```
pub fn html_document(packet: &Packet) -> String {
    let title = escape(&text::one_line(&text::visible(&outline::title(packet))));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        html_fragment(packet)
    )
}

/// Renders the human brief as one `<article class="tasuki-brief">`, without style.
pub fn html_fragment(packet: &Packet) -> String {
    fragment(&outline::blocks(packet))
}

fn fragment(blocks: &[Block]) -> String {
    let mut page = String::from("<article class=\"tasuki-brief\">\n");
    for block in blocks {
        write_block(&mut page, block);
    }
    page.push_str("</article>\n");
    page
}

fn write_block(page: &mut String, block: &Block) {
    match block {
        Block::Title(title) => element(page, "h1", &escape(&text::one_line(title))),
        Block::Marking(words) => {
            page.extend(["<p class=\"marking\">", &escape(&text::one_line(words)), "</p>\n"]);
        }
        Block::Heading(heading) => element(page, "h2", &escape(heading)),
        Block::Paragraph(line) => element(page, "p", &spans(line)),
        Block::Quote(words) => element(page, "blockquote", &escape_lines(words)),
        Block::List(items) => {
            page.push_str("<ul>\n");
            for item in items {
                element(page, "li", &spans(item));
            }
            page.push_str("</ul>\n");
        }
        Block::Steps(steps) => {
            page.push_str("<ol>\n");
            for (number, step) in steps {
                page.push_str(&format!("<li value=\"{number}\">{}</li>\n", spans(step)));
            }
            page.push_str("</ol>\n");
        }
        Block::Table(table) => write_table(page, table),
    }
}

fn write_table(page: &mut String, table: &Table) {
    page.push_str("<table>\n<thead><tr>");
    for name in &table.head {
        page.extend(["<th scope=\"col\">", &escape(name), "</th>"]);
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let cells: Vec<String> =
            row.iter().map(|cell| format!("<td>{}</td>", spans(cell))).collect();
        element(page, "tr", &cells.concat());
    }
    page.push_str("</tbody>\n</table>\n");
}

fn element(page: &mut String, name: &str, content: &str) {
    page.extend(["<", name, ">", content, "</", name, ">\n"]);
}

fn spans(line: &Line) -> String {
    let mut written = String::new();
    for span in line {
        match span {
            Span::Text(words) => written.push_str(&escape_lines(words)),
            Span::Strong(label) => written.extend(["<strong>", &escape(label), "</strong>"]),
            Span::Code(words) => written.extend(["<code>", &escape(words), "</code>"]),
        }
    }
    written
}

fn escape_lines(words: &str) -> String {
    escape(words).replace('\n', "<br>\n")
}

fn escape(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::render::samples;
    use crate::render::text::is_hidden;

    #[test]
    fn a_handoff_is_an_article() {
        let page = html_fragment(&samples::handoff());
        let (opening, _) = page.split_once("<h2>Remaining</h2>").unwrap();
        assert_snapshot!(opening, @r#"
        <article class="tasuki-brief">
        <h1>Handoff build-spfx-webpart-42</h1>
        <p class="marking">OFFICIAL-SENSITIVE</p>
        <p><strong>Request:</strong> Write the component logic and its tests.</p>
        <p><strong>Deadline:</strong> 2026-11-16T18:00:00Z</p>
        <blockquote>Please finish the component and report evidence.</blockquote>
        <h2>Goal</h2>
        <p>Ship the accessible web part</p>
        <p><strong>From:</strong> hermes-main · <strong>To:</strong> hermes-worker-3 · <strong>Task:</strong> build-spfx-webpart-42 · <strong>Status:</strong> in_progress</p>
        <h2>Summary</h2>
        <p>Scaffolded and configured; component logic is not written.</p>
        <h2>Done</h2>
        <ol>
        <li value="1">Scaffolded web part structure</li>
        <li value="2"><strong>verified</strong> Installed dependencies (evidence: log:npm-1)</li>
        </ol>
        "#);
    }

    #[test]
    fn a_return_packet_is_an_article() {
        assert_snapshot!(html_fragment(&samples::return_packet()), @r#"
        <article class="tasuki-brief">
        <h1>Return packet build-spfx-webpart-42</h1>
        <p><strong>Status:</strong> completed · <strong>Verdict:</strong> pass</p>
        <h2>Verification</h2>
        <table>
        <thead><tr><th scope="col">Criterion</th><th scope="col">Result</th><th scope="col">Evidence</th></tr></thead>
        <tbody>
        <tr><td>tests</td><td>pass</td><td>log:npm-7</td></tr>
        <tr><td>Bundle is below 300 kB</td><td>not_run</td><td></td></tr>
        </tbody>
        </table>
        <p><strong>From:</strong> hermes-worker-3 · <strong>To:</strong> hermes-main · <strong>Task:</strong> build-spfx-webpart-42</p>
        <h2>Summary</h2>
        <p>Component and tests written.</p>
        <h2>Changed paths</h2>
        <ul>
        <li>src/Part.tsx</li>
        <li>src/Part.test.tsx</li>
        </ul>
        <h2>Blockers</h2>
        <p>none</p>
        <h2>Assumptions</h2>
        <ul>
        <li>The tenant has Fluent UI v9</li>
        </ul>
        <h2>Artifacts</h2>
        <table>
        <thead><tr><th scope="col">Kind</th><th scope="col">Path</th><th scope="col">Size</th></tr></thead>
        <tbody>
        <tr><td>output</td><td><code>dist/bundle.js</code></td><td>274000 bytes</td></tr>
        </tbody>
        </table>
        <h2>Evidence references</h2>
        <ul>
        <li>commit:77ab01c</li>
        </ul>
        <h2>Cost and budget</h2>
        <table>
        <thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
        <tbody>
        <tr><td>Cost</td><td>0.80 USD</td></tr>
        </tbody>
        </table>
        <h2>Details</h2>
        <table>
        <thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
        <tbody>
        <tr><td>Confidence</td><td>90 %</td></tr>
        <tr><td>Packet type</td><td>return</td></tr>
        </tbody>
        </table>
        </article>
        "#);
    }

    #[test]
    fn the_document_holds_the_fragment_and_loads_nothing() {
        let packet = samples::handoff();
        let document = html_document(&packet);
        assert!(document.contains(&html_fragment(&packet)));
        assert!(document.contains("default-src 'none'"));
        assert!(document.contains("color-scheme: light dark"));
        for loading in ["src=", "href=", "url(", "@import", "<script"] {
            assert!(!document.contains(loading), "{loading}");
        }
    }

    #[test]
    fn hostile_text_makes_no_tags() {
        const TAGS: [&str; 16] = [
            "article",
            "h1",
            "h2",
            "p",
            "p class=\"marking\"",
            "blockquote",
            "ul",
            "li",
            "table",
            "thead",
            "tbody",
            "tr",
            "td",
            "th scope=\"col\"",
            "strong",
            "code",
        ];
        for packet in samples::hostile() {
            let page = html_fragment(&packet);
            let page =
                page.replace("<article class=\"tasuki-brief\">", "<article>").replace("<br>", "");
            // The value of a step is its number.
            let page = page.replace("<li value=\"", "<li>").replace("<ol>", "<ul>");
            let page = page.replace("</ol>", "</ul>");
            for after in page.split('<').skip(1) {
                let tag = after.split('>').next().unwrap_or_default();
                let is_ours = TAGS.contains(&tag) || tag == "/th" || tag == "/p";
                assert!(is_ours || TAGS.contains(&tag.trim_start_matches('/')), "<{tag}>");
            }
            assert!(!page.chars().any(|c| is_hidden(c) || (c.is_control() && c != '\n')));
        }
    }

    #[test]
    fn every_colour_has_enough_contrast() {
        let themes: Vec<&str> = STYLE.lines().filter(|line| line.contains("--ground:")).collect();
        assert_eq!(themes.len(), 2, "light and dark");
        for theme in themes {
            let ground = luminance(theme, "--ground: #");
            for (name, least) in
                [("--text: #", 7.0), ("--soft: #", 7.0), ("--mark: #", 7.0), ("--line: #", 3.0)]
            {
                let (one, other) = (luminance(theme, name), ground);
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= least, "{name} {contrast}");
            }
        }
    }

    /// Returns the relative luminance of a colour as defined by WCAG.
    fn luminance(theme: &str, name: &str) -> f64 {
        let start = theme.find(name).unwrap() + name.len();
        let part = |index: usize| {
            let digits = &theme[start + 2 * index..start + 2 * index + 2];
            let share = f64::from(u8::from_str_radix(digits, 16).unwrap()) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2)
    }
}
