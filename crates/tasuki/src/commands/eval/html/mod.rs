//! The report as one HTML file with plots. It loads nothing, so it opens without network.

mod chart;
mod plots;

use super::Report;
use crate::evaluation::measure::CaseResult;

/// Colours follow the theme of the reader. Text contrast is at least 7:1 in both.
const STYLE: &str = include_str!("report.css");

pub(super) fn report(report: &Report) -> String {
    let evaluation = &report.evaluation;
    let totals = &evaluation.totals;
    let (date, version) = (report.date, report.version);
    let body = [
        format!(
            "<header><h1>Packets and prose</h1>\n<p>{} handoffs, each written twice: as a note and as \
             a packet. Run of {date}, tasuki {version}.</p></header>\n",
            totals.cases
        ),
        tiles(report),
        section(
            "Fields that a program recognizes",
            "Share of the cases in which a list of cue words finds a field in the note. From a packet, \
             every field is read. Fields that fewer than three notes state are left out.",
            &plots::fields(evaluation),
        ),
        section(
            "Tokens by form",
            "Average tokens of a case in o200k, by the length of its note. A packet has a fixed cost: \
             names of fields, and in a brief the words that fence it as data.",
            &plots::forms(&totals.by_length),
        ),
        section(
            "Tokens of each case",
            "Each line is one case, from its note to the brief that an agent gets, in o200k.",
            &plots::cases(&evaluation.cases),
        ),
        format!("<section>\n<h2>All cases</h2>\n{}</section>\n", table(&evaluation.cases)),
        caveats(),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Packets and prose, {date}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        body.concat()
    )
}

fn section(title: &str, text: &str, plot: &str) -> String {
    format!("<section>\n<h2>{title}</h2>\n<p>{text}</p>\n<figure>\n{plot}</figure>\n</section>\n")
}

fn tiles(report: &Report) -> String {
    let totals = &report.evaluation.totals;
    let difference = totals.difference["o200k"];
    let tiles = [
        (
            format!("{:.2}", totals.accuracy.prose_required),
            "required fields recognized in prose".to_owned(),
        ),
        (
            format!("{:.2}", totals.accuracy.packet_required),
            "required fields read from packets".to_owned(),
        ),
        (format!("{:+.0}", difference.wire), "tokens, wire form minus prose, average".to_owned()),
        (format!("{:+.0}", difference.brief), "tokens, brief minus prose, average".to_owned()),
        (
            format!("{} of {}", report.examples.valid, report.examples.packets),
            "example packets are valid".to_owned(),
        ),
    ];
    let mut text = "<ul class=\"tiles\">\n".to_owned();
    for (value, label) in tiles {
        text.push_str(&format!("<li><strong>{value}</strong> <span>{label}</span></li>\n"));
    }
    text + "</ul>\n"
}

fn table(results: &[CaseResult]) -> String {
    let mut text = "<div class=\"wide\"><table>\n<thead>\n<tr><th rowspan=\"2\">case</th>\
         <th rowspan=\"2\">words</th><th rowspan=\"2\">fields<br>in prose</th>\
         <th colspan=\"5\">o200k</th><th colspan=\"5\">cl100k</th></tr>\n<tr>"
        .to_owned();
    for form in ["prose", "YAML", "JSON", "wire", "brief"].repeat(2) {
        text.push_str(&format!("<th>{form}</th>"));
    }
    text.push_str("</tr>\n</thead>\n<tbody>\n");
    for result in results {
        let found = result.recognition;
        text.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}/{}</td>",
            chart::escape(&result.case),
            result.words,
            found.prose,
            found.stated
        ));
        for tokens in [result.tokens.o200k, result.tokens.cl100k] {
            let forms = [tokens.prose, tokens.yaml, tokens.json, tokens.wire, tokens.brief];
            text.extend(forms.map(|count| format!("<td>{count}</td>")));
        }
        text.push_str("</tr>\n");
    }
    text + "</tbody>\n</table></div>\n"
}

fn caveats() -> String {
    "<section>\n<h2>What this does not show</h2>\n<ul>\n\
     <li>The maintainers wrote both halves of every case and the cue words. The cases are invented.</li>\n\
     <li>Recognition says how well a program with cue words reads a note, not how well a person or a \
     model does.</li>\n\
     <li>A valid packet has its fields by definition. That they are right is another question.</li>\n\
     <li>Nothing here shows that agents finish more tasks with packets than with prose.</li>\n\
     </ul>\n</section>\n"
        .to_owned()
}
