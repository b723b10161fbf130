//! Measures cases: fields that a program recognizes, and tokens of each form.
//!
//! Averages are taken over cases, so that a long case counts as much as a short one.

use std::collections::BTreeMap;

use serde::Serialize;
use tasuki_packet::render::tokens::Encoding;
use tasuki_packet::schema::field::FIELDS;
use tasuki_packet::schema::variant::Presence;
use tasuki_packet::write::convert::to_form;
use tasuki_packet::{Violation, read::Form, render};

use super::Case;
use super::recognition::Recognition;

/// The result of all cases.
#[derive(Debug, Serialize)]
pub(crate) struct Evaluation {
    pub(crate) cases: Vec<CaseResult>,
    pub(crate) totals: Totals,
    /// By field: in how many cases it is stated, and in how many the recognizer finds it in prose.
    pub(crate) fields: BTreeMap<String, FieldResult>,
}

/// The result of one case.
#[derive(Debug, Serialize)]
pub(crate) struct CaseResult {
    pub(crate) case: String,
    pub(crate) area: String,
    pub(crate) length: String,
    pub(crate) words: usize,
    pub(crate) facts: usize,
    pub(crate) recognition: Recognized,
    pub(crate) tokens: ByEncoding,
}

/// Fields of one case that were recognized.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Recognized {
    /// Fields that note and packet state.
    pub(crate) stated: usize,
    /// Those of them that the variant requires.
    pub(crate) required: usize,
    /// Recognized in the note.
    pub(crate) prose: usize,
    pub(crate) prose_required: usize,
    /// Recognized in the note although it does not state them there.
    pub(crate) prose_wrong: usize,
    /// Read from the packet.
    pub(crate) packet: usize,
    pub(crate) packet_required: usize,
}

/// The number of cases for one field.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct FieldResult {
    pub(crate) stated: usize,
    pub(crate) prose: usize,
}

/// Tokens by vocabulary.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct ByEncoding {
    pub(crate) o200k: FormTokens,
    pub(crate) cl100k: FormTokens,
}

/// Tokens by form. The brief is the one for an agent, with nothing left out.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct FormTokens {
    pub(crate) prose: usize,
    pub(crate) yaml: usize,
    pub(crate) json: usize,
    pub(crate) wire: usize,
    pub(crate) brief: usize,
}

/// Averages over the cases, and sums.
#[derive(Debug, Serialize)]
pub(crate) struct Totals {
    pub(crate) cases: usize,
    pub(crate) facts: usize,
    /// The share of stated fields that were recognized.
    pub(crate) accuracy: Accuracy,
    /// The share of the recognizer's finds in prose that are right.
    pub(crate) prose_precision: f64,
    pub(crate) tokens: ByEncoding,
    /// Average tokens per case, minus those of prose.
    pub(crate) difference: BTreeMap<&'static str, Difference>,
    pub(crate) by_length: Vec<LengthResult>,
}

/// Shares of recognized fields.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Accuracy {
    pub(crate) prose: f64,
    pub(crate) packet: f64,
    pub(crate) prose_required: f64,
    pub(crate) packet_required: f64,
}

/// The average difference to prose, in tokens.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Difference {
    pub(crate) yaml: f64,
    pub(crate) json: f64,
    pub(crate) wire: f64,
    pub(crate) brief: f64,
}

/// The average of the cases of one length.
#[derive(Debug, Serialize)]
pub(crate) struct LengthResult {
    pub(crate) length: &'static str,
    pub(crate) cases: usize,
    pub(crate) accuracy_prose: f64,
    /// Average tokens of each form, in the default vocabulary.
    pub(crate) tokens: FormAverages,
}

/// Average tokens by form.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct FormAverages {
    pub(crate) prose: f64,
    pub(crate) yaml: f64,
    pub(crate) json: f64,
    pub(crate) wire: f64,
    pub(crate) brief: f64,
}

/// The lengths of notes, shortest first.
const LENGTHS: [&str; 3] = ["short", "medium", "long"];

impl Evaluation {
    /// Measures every case.
    pub(crate) fn of(cases: &[Case]) -> Result<Self, Violation> {
        let mut fields: BTreeMap<String, FieldResult> = BTreeMap::new();
        let mut results = Vec::new();
        for case in cases {
            let recognition = Recognition::of(case);
            for field in case.fields() {
                let entry = fields.entry(field.to_owned()).or_default();
                entry.stated += 1;
                entry.prose += usize::from(recognition.found.contains(field));
            }
            results.push(CaseResult {
                case: case.name.clone(),
                area: case.area.clone(),
                length: case.length.clone(),
                words: case.prose.split_whitespace().count(),
                facts: case.facts.len(),
                recognition: Recognized::of(case, &recognition),
                tokens: ByEncoding {
                    o200k: FormTokens::of(case, Encoding::O200kBase)?,
                    cl100k: FormTokens::of(case, Encoding::Cl100kBase)?,
                },
            });
        }
        Ok(Self { totals: Totals::of(&results), cases: results, fields })
    }
}

impl Recognized {
    fn of(case: &Case, recognition: &Recognition) -> Self {
        let is_required = |name: &str| {
            let field = FIELDS.iter().find(|field| field.name == name);
            let presence = field.map(|field| case.variant.presence(field, case.packet.kind()));
            matches!(presence, Some(Presence::Required | Presence::Filled))
        };
        let mut counts = Self { prose_wrong: recognition.wrong.len(), ..Self::default() };
        for field in case.fields() {
            let required = usize::from(is_required(field));
            let in_prose = usize::from(recognition.found.contains(field));
            // The packet is valid, so a member that is there was read.
            let in_packet = usize::from(case.packet.get(field).is_some());
            counts.stated += 1;
            counts.required += required;
            counts.prose += in_prose;
            counts.prose_required += in_prose * required;
            counts.packet += in_packet;
            counts.packet_required += in_packet * required;
        }
        counts
    }
}

impl FormTokens {
    fn of(case: &Case, encoding: Encoding) -> Result<Self, Violation> {
        let count = |text: &str| encoding.count(text);
        let form = |form| -> Result<usize, Violation> {
            Ok(count(&to_form(case.packet.members(), form, "")?))
        };
        let brief = render::agent_brief(&case.packet, Some(usize::MAX), &count);
        Ok(Self {
            prose: count(&case.prose),
            yaml: form(Form::Yaml)?,
            json: form(Form::Json)?,
            wire: form(Form::Wire)?,
            brief: brief.expect("every brief fits this budget").tokens,
        })
    }

    fn add(&mut self, other: Self) {
        self.prose += other.prose;
        self.yaml += other.yaml;
        self.json += other.json;
        self.wire += other.wire;
        self.brief += other.brief;
    }

    fn sum(results: &[&CaseResult], encoding: impl Fn(&ByEncoding) -> Self) -> Self {
        let mut sum = Self::default();
        for result in results {
            sum.add(encoding(&result.tokens));
        }
        sum
    }

    fn average(self, cases: usize) -> FormAverages {
        let each = |tokens: usize| share(tokens, cases);
        FormAverages {
            prose: each(self.prose),
            yaml: each(self.yaml),
            json: each(self.json),
            wire: each(self.wire),
            brief: each(self.brief),
        }
    }
}

impl Totals {
    fn of(results: &[CaseResult]) -> Self {
        let all: Vec<_> = results.iter().collect();
        let o200k = FormTokens::sum(&all, |tokens| tokens.o200k);
        let cl100k = FormTokens::sum(&all, |tokens| tokens.cl100k);
        let right: usize = all.iter().map(|result| result.recognition.prose).sum();
        let wrong: usize = all.iter().map(|result| result.recognition.prose_wrong).sum();
        Self {
            cases: all.len(),
            facts: all.iter().map(|result| result.facts).sum(),
            accuracy: Accuracy {
                prose: average(&all, |found| share(found.prose, found.stated)),
                packet: average(&all, |found| share(found.packet, found.stated)),
                prose_required: average(&all, |found| share(found.prose_required, found.required)),
                packet_required: average(&all, |found| {
                    share(found.packet_required, found.required)
                }),
            },
            prose_precision: share(right, right + wrong),
            tokens: ByEncoding { o200k, cl100k },
            difference: BTreeMap::from([
                ("o200k", Difference::of(o200k.average(all.len()))),
                ("cl100k", Difference::of(cl100k.average(all.len()))),
            ]),
            by_length: LENGTHS
                .iter()
                .filter_map(|length| LengthResult::of(length, results))
                .collect(),
        }
    }
}

impl Difference {
    fn of(average: FormAverages) -> Self {
        let FormAverages { prose, yaml, json, wire, brief } = average;
        Self { yaml: yaml - prose, json: json - prose, wire: wire - prose, brief: brief - prose }
    }
}

impl LengthResult {
    fn of(length: &'static str, results: &[CaseResult]) -> Option<Self> {
        let these: Vec<_> = results.iter().filter(|result| result.length == length).collect();
        (!these.is_empty()).then(|| Self {
            length,
            cases: these.len(),
            accuracy_prose: average(&these, |found| share(found.prose, found.stated)),
            tokens: FormTokens::sum(&these, |tokens| tokens.o200k).average(these.len()),
        })
    }
}

fn average(results: &[&CaseResult], of: impl Fn(&Recognized) -> f64) -> f64 {
    let sum: f64 = results.iter().map(|result| of(&result.recognition)).sum();
    if results.is_empty() { 0.0 } else { sum / number(results.len()) }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

/// Converts a count, which is far below the limit of exact integers.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::case::tests::sample;

    #[test]
    fn fields_and_tokens_are_counted() {
        let evaluation = Evaluation::of(&[sample(), sample()]).unwrap();
        let result = &evaluation.cases[0];
        let Recognized { stated, packet, required, packet_required, prose, .. } =
            result.recognition;
        assert_eq!((stated, packet, required, packet_required), (7, 7, 4, 4));
        assert!((5..7).contains(&prose), "{prose}");
        assert_eq!(result.tokens.o200k.prose, Encoding::O200kBase.count(&sample().prose));
        let totals = &evaluation.totals;
        assert_eq!(totals.tokens.o200k.wire, 2 * result.tokens.o200k.wire);
        assert!((totals.accuracy.packet - 1.0).abs() < 1e-9);
        assert!((totals.accuracy.prose - number(prose) / 7.0).abs() < 1e-9);
        let expected = number(result.tokens.o200k.brief) - number(result.tokens.o200k.prose);
        assert!((totals.difference["o200k"].brief - expected).abs() < 1e-9);
        assert_eq!(evaluation.fields["status"].stated, 2);
        assert_eq!(totals.by_length.len(), 1);
    }

    #[test]
    fn no_cases_give_zeros() {
        let evaluation = Evaluation::of(&[]).unwrap();
        assert_eq!(evaluation.totals.cases, 0);
        assert!(evaluation.totals.accuracy.prose.abs() < 1e-9);
    }
}
