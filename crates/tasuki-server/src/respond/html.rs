//! HTML pages: one layout, one stylesheet, no script. Document content is escaped, never markup.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_SECURITY_POLICY};
use axum::response::Response;

use crate::respond::headers;
use crate::respond::json::typed;

const STYLE: &str = include_str!("style.css");

/// The content security policy of our pages, which allows only their own stylesheet.
const POLICY: &str = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; \
                      base-uri 'none'; form-action 'none'";

/// Returns `true` if the caller accepts HTML.
pub(crate) fn is_accepted(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

pub(crate) fn page(title: &str, body: &str) -> Response {
    let title = escaped(title);
    let text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Tasuki</title>\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n\
         <body>\n<nav><a href=\"/docs\">Tasuki</a> · <a href=\"/docs/errors\">error codes</a> · \
         <a href=\"/v1/handoff/schema\">packet schema</a> · <a href=\"/v1/openapi.json\">OpenAPI</a></nav>\n\
         <main>\n{body}\n</main>\n</body>\n</html>\n"
    );
    let mut response = typed("text/html; charset=utf-8", text);
    headers::insert(response.headers_mut(), CONTENT_SECURITY_POLICY, POLICY);
    response
}

pub(crate) async fn style() -> Response {
    typed("text/css; charset=utf-8", STYLE)
}

/// Escapes a text for an element or for an attribute in either kind of quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
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

/// Returns a link. Both the address and the text are escaped.
pub(crate) fn link(address: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(address), escaped(text))
}

/// Returns the text with a capital first letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Renders the Markdown of our own pages: headings, paragraphs, lists, tables, code blocks and
/// links.
pub(crate) fn from_markdown(markdown: &str) -> String {
    let mut html = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let block: Vec<&str> =
                lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            html.push_str(&format!("<pre>{}</pre>\n", escaped(&block.join("\n"))));
        } else if let Some((level, text)) = heading(line) {
            html.push_str(&format!("<h{level}>{}</h{level}>\n", inline(text)));
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            html.push_str(&table(&rows));
        } else if !line.trim().is_empty() {
            let mut paragraph = line.to_owned();
            while let Some(more) = lines.next_if(|line| is_text(line)) {
                paragraph.push(' ');
                paragraph.push_str(more);
            }
            html.push_str(&paragraph_or_item(&paragraph));
        }
    }
    // Consecutive items form one list.
    html.replace("</ul>\n<ul>\n", "")
}

fn paragraph_or_item(paragraph: &str) -> String {
    match paragraph.strip_prefix("- ").or_else(|| paragraph.strip_prefix("* ")) {
        Some(item) => format!("<ul>\n<li>{}</li>\n</ul>\n", inline(item)),
        None => format!("<p>{}</p>\n", inline(paragraph)),
    }
}

fn is_text(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with(['#', '`', '|', '-', '*'])
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..)?.strip_prefix(' ')?;
    (1..=4).contains(&level).then_some((level, text))
}

fn table(rows: &[&str]) -> String {
    let is_rule = |row: &&&str| !row.chars().all(|c| matches!(c, '|' | '-' | ' ' | ':'));
    let mut html = "<table>\n".to_owned();
    for (at, row) in rows.iter().filter(is_rule).enumerate() {
        let tag = if at == 0 { "th" } else { "td" };
        html.push_str("<tr>");
        for cell in row.trim_matches('|').split(" | ") {
            html.push_str(&format!("<{tag}>{}</{tag}>", inline(cell.trim())));
        }
        html.push_str("</tr>\n");
    }
    html + "</table>\n"
}

/// Renders code, emphasis and links within a line. Links to our own pages lose `.md`.
pub(crate) fn inline(text: &str) -> String {
    let mut html = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            html.push_str(&format!("<code>{}</code>", escaped(part)));
        } else {
            html.push_str(&links(part));
        }
    }
    html
}

fn links(text: &str) -> String {
    let mut html = String::new();
    let mut rest = text;
    while let Some((before, name, target, behind)) = next_link(rest) {
        let target = target.strip_suffix(".md").unwrap_or(target);
        html.push_str(&emphasised(before));
        if is_code(target) {
            html.push_str(&link(&format!("/docs/errors/{target}"), name));
        } else {
            html.push_str(&escaped(name));
        }
        rest = behind;
    }
    html + &emphasised(rest)
}

/// Returns `true` for an error code. Messages quote other parties, so any other target is no link.
fn is_code(target: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-';
    target.starts_with("TK-") && target.bytes().all(is_part)
}

/// Renders `*word*` as emphasis. An unpaired star stays a star.
fn emphasised(text: &str) -> String {
    let parts: Vec<String> = text.split('*').map(escaped).collect();
    if parts.len().is_multiple_of(2) {
        return parts.join("*");
    }
    let drawn = parts.iter().enumerate().map(|(at, part)| match at % 2 {
        1 => format!("<em>{part}</em>"),
        _ => part.clone(),
    });
    drawn.collect()
}

fn next_link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, behind) = text.split_once('[')?;
    let (name, behind) = behind.split_once("](")?;
    let (target, behind) = behind.split_once(')')?;
    Some((before, name, target, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_target_never_leaves_its_attribute() {
        for target in [
            r#"TK-X" onmouseover="alert"#,
            "TK-X'><script>alert</script>",
            "TK-../../v1/handoffs",
            "TK-X&quot; autofocus",
        ] {
            assert_eq!(inline(&format!("[here]({target})")), "here", "{target}");
        }
        assert_eq!(inline("[here](TK-X-1.md)"), r#"<a href="/docs/errors/TK-X-1">here</a>"#);
    }

    /// Removes our own markup; `None` if a tag is not ours.
    fn without_tags(html: &str) -> Option<String> {
        let mut text = String::new();
        let mut rest = html;
        while let Some((before, behind)) = rest.split_once('<') {
            let (tag, behind) = behind.split_once('>')?;
            let name = tag.strip_prefix('/').unwrap_or(tag);
            let code = tag
                .strip_prefix("a href=\"/docs/errors/TK-")
                .and_then(|code| code.strip_suffix('"'));
            let is_link = code.is_some_and(|code| !code.contains(['"', '\'', '&', '/', ' ']));
            let is_ours = ["a", "em", "code", "h1", "h2", "h3", "h4", "p", "ul", "li", "pre"]
                .into_iter()
                .chain(["table", "tr", "th", "td"])
                .any(|ours| ours == name);
            if !is_ours && !is_link || tag == "a" {
                return None;
            }
            text.push_str(before);
            rest = behind;
        }
        Some(text + rest)
    }

    proptest::proptest! {
        #[test]
        fn no_text_becomes_markup(text in r#"([a-z<>"'&/=`*|#\[\]() \n-]|\[x\]\(TK-|\.md\)|onload=){0,40}"#) {
            let html = from_markdown(&text);
            let shown = without_tags(&html);
            proptest::prop_assert!(
                shown.is_some_and(|shown| !shown.contains(['>', '"', '\''])),
                "{}", html
            );
        }
    }

    #[test]
    fn markdown_becomes_markup_and_nothing_in_it_does() {
        let text = "# A <b>\n\nSay *both* `a < b` and [this](TK-X-Y.md).\nMore & more.\n\n```text\n<script>\n```\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | `2` |\n";
        insta::assert_snapshot!(from_markdown(text), @r#"
        <h1>A &lt;b&gt;</h1>
        <p>Say <em>both</em> <code>a &lt; b</code> and <a href="/docs/errors/TK-X-Y">this</a>. More &amp; more.</p>
        <pre>&lt;script&gt;</pre>
        <ul>
        <li>one</li>
        <li>two</li>
        </ul>
        <table>
        <tr><th>a</th><th>b</th></tr>
        <tr><td>1</td><td><code>2</code></td></tr>
        </table>
        "#);
    }
}
