//! The report as Markdown: totals first, then every case.

use super::Report;
use crate::evaluation::measure::{CaseResult, Difference, FormTokens, LengthResult};

pub(super) fn report(report: &Report) -> String {
    let totals = &report.evaluation.totals;
    let mut text = format!(
        "Run of {}, tasuki {}: {} cases with {} planted facts.\n\n",
        report.date, report.version, totals.cases, totals.facts
    );
    text.push_str(&accuracy(report));
    text.push_str(&tokens(report));
    text.push_str(&lengths(&totals.by_length));
    text.push_str(&fields(report));
    text.push_str(&cases(&report.evaluation.cases));
    text
}

fn accuracy(report: &Report) -> String {
    let totals = &report.evaluation.totals;
    let accuracy = totals.accuracy;
    let examples = &report.examples;
    let mut text = format!(
        "| average over the cases | prose | packet |\n|---|---:|---:|\n\
         | required fields recognized | {:.2} | {:.2} |\n\
         | all stated fields recognized | {:.2} | {:.2} |\n\n\
         In prose, {:.0} % of the recognizer's finds are right. \
         Of the packets in `examples/`, {} of {} are valid.\n\n",
        accuracy.prose_required,
        accuracy.packet_required,
        accuracy.prose,
        accuracy.packet,
        totals.prose_precision * 100.0,
        examples.valid,
        examples.packets,
    );
    if !examples.invalid.is_empty() {
        let files: Vec<_> = examples.invalid.iter().map(|file| format!("`{file}`")).collect();
        text.push_str(&format!("Not valid on its own: {}.\n\n", files.join(", ")));
    }
    text
}

fn tokens(report: &Report) -> String {
    let totals = &report.evaluation.totals;
    let mut text = "| tokens of all cases | prose | YAML | JSON | wire | brief |\n\
                    |---|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for (name, sums) in [("o200k", totals.tokens.o200k), ("cl100k", totals.tokens.cl100k)] {
        text.push_str(&format!("| {name} | {} |\n", form_cells(sums)));
        let Difference { yaml, json, wire, brief } = totals.difference[name];
        text.push_str(&format!(
            "| {name}, average difference to prose | | {yaml:+.1} | {json:+.1} | {wire:+.1} | {brief:+.1} |\n"
        ));
    }
    text + "\n"
}

fn lengths(results: &[LengthResult]) -> String {
    let mut text = "| notes | cases | fields in prose | prose | YAML | JSON | wire | brief |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for LengthResult { length, cases, accuracy_prose, tokens } in results {
        text.push_str(&format!(
            "| {length} | {cases} | {accuracy_prose:.2} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |\n",
            tokens.prose, tokens.yaml, tokens.json, tokens.wire, tokens.brief
        ));
    }
    text + "\nTokens are averages per case, in o200k.\n\n"
}

fn fields(report: &Report) -> String {
    let mut text =
        "| field | cases that state it | recognized in prose |\n|---|---:|---:|\n".to_owned();
    let mut rows: Vec<_> = report.evaluation.fields.iter().collect();
    rows.sort_by_key(|(name, result)| (std::cmp::Reverse(result.stated), *name));
    for (name, result) in rows {
        text.push_str(&format!("| `{name}` | {} | {} |\n", result.stated, result.prose));
    }
    text + "\n"
}

fn cases(results: &[CaseResult]) -> String {
    let mut text = "| case | words | fields in prose | o200k: prose | YAML | JSON | wire | brief \
                    | cl100k: prose | YAML | JSON | wire | brief |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for result in results {
        let found = result.recognition;
        text.push_str(&format!(
            "| {} | {} | {} of {} | {} | {} |\n",
            result.case,
            result.words,
            found.prose,
            found.stated,
            form_cells(result.tokens.o200k),
            form_cells(result.tokens.cl100k),
        ));
    }
    text
}

fn form_cells(tokens: FormTokens) -> String {
    let FormTokens { prose, yaml, json, wire, brief } = tokens;
    format!("{prose} | {yaml} | {json} | {wire} | {brief}")
}
