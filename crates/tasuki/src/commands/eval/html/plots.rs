//! The plots of the report.

use super::chart::{Chart, WIDTH};
use crate::evaluation::measure::{CaseResult, Evaluation, LengthResult};

/// LIMIT: cases that must state a field for its share to be shown.
const CASES_MIN: usize = 3;

const FORMS: [(&str, &str); 5] = [
    ("prose", "prose"),
    ("yaml", "YAML"),
    ("json", "JSON"),
    ("wire", "wire"),
    ("brief", "agent brief"),
];

/// Draws the share of the cases in which each field is recognized in prose.
pub(super) fn fields(evaluation: &Evaluation) -> String {
    const ROW: f64 = 22.0;
    let mut rows: Vec<_> = evaluation
        .fields
        .iter()
        .filter(|(_, result)| result.stated >= CASES_MIN)
        .map(|(name, result)| (name, result, count(result.prose) / count(result.stated)))
        .collect();
    rows.sort_by(|left, right| right.2.total_cmp(&left.2).then(left.0.cmp(right.0)));
    let mut chart = Chart::new("Fields recognized in prose", ROW * count(rows.len()) + 30.0);
    chart.legend(150.0, &[("prose", "recognized in the note"), ("track", "read from the packet")]);
    let (left, width) = (150.0, WIDTH - 150.0 - 120.0);
    for (index, (name, result, share)) in rows.into_iter().enumerate() {
        let y = 28.0 + ROW * count(index);
        chart.text((left - 10.0, y + 12.0), "end", "", name);
        chart.bar((left, y), (width, 14.0), "track");
        chart.bar((left, y), (width * share, 14.0), "prose");
        let note = format!("{} of {}", result.prose, result.stated);
        chart.text((left + width + 10.0, y + 12.0), "start", "soft value", &note);
    }
    chart.to_svg()
}

/// Draws the average tokens of each form, by the length of the note.
pub(super) fn forms(results: &[LengthResult]) -> String {
    const BAR: f64 = 18.0;
    const GAP: f64 = 28.0;
    let group = BAR * 5.0 + GAP;
    let mut chart = Chart::new("Average tokens by form", group * count(results.len()) + 50.0);
    chart.legend(150.0, &FORMS);
    let tokens = |result: &LengthResult| {
        let tokens = result.tokens;
        [tokens.prose, tokens.yaml, tokens.json, tokens.wire, tokens.brief]
    };
    let max = results.iter().flat_map(tokens).fold(1.0, f64::max);
    let at = chart.axis((150.0, WIDTH - 60.0), max, 28.0);
    for (index, result) in results.iter().enumerate() {
        let top = 36.0 + group * count(index);
        let cases = format!("{} cases", result.cases);
        chart.text((140.0, top + BAR * 2.0 + 4.0), "end", "", &format!("{} notes", result.length));
        chart.text((140.0, top + BAR * 3.0 + 4.0), "end", "soft", &cases);
        for (row, (value, (class, _))) in tokens(result).into_iter().zip(FORMS).enumerate() {
            let y = top + BAR * count(row);
            chart.bar((at(0.0), y), (at(value) - at(0.0), BAR - 4.0), class);
            let shown = format!("{value:.0}");
            chart.text((at(value) + 6.0, y + 11.0), "start", "soft value", &shown);
        }
    }
    chart.to_svg()
}

/// Draws every case as a line from the tokens of its note to those of its brief.
pub(super) fn cases(results: &[CaseResult]) -> String {
    const ROW: f64 = 20.0;
    let mut rows: Vec<_> = results.iter().collect();
    rows.sort_by_key(|result| (result.tokens.o200k.prose, &result.case));
    let mut chart = Chart::new("Tokens of each case", ROW * count(rows.len()) + 56.0);
    chart.legend(240.0, &[FORMS[0], FORMS[3], FORMS[4]]);
    let max = rows.iter().map(|result| result.tokens.o200k.brief.max(result.tokens.o200k.prose));
    let max = count(max.max().unwrap_or(1));
    let at = chart.axis((240.0, WIDTH - 20.0), max, 26.0);
    for (index, result) in rows.into_iter().enumerate() {
        let y = 38.0 + ROW * count(index);
        let tokens = result.tokens.o200k;
        let [prose, wire, brief] = [tokens.prose, tokens.wire, tokens.brief].map(|n| at(count(n)));
        chart.text((228.0, y + 4.0), "end", "", &result.case);
        let [first, last] = [prose.min(wire).min(brief), prose.max(wire).max(brief)];
        chart.line((first, y), (last, y), "link");
        for (x, class) in [(wire, "wire"), (prose, "prose"), (brief, "brief")] {
            chart.dot((x, y), class);
        }
    }
    chart.to_svg()
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
