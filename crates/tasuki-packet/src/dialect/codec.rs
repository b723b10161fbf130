//! Codecs: the representation of a field in a dialect, in both directions.
//!
//! `read` rejects a value that would be invalid in the packet. `write` reports whether the result
//! holds the whole value. The importer uses a codec only if writing the value read gives the source
//! again, so a codec need not be its own inverse to be safe.

use serde_json::{Map, Number, Value, json};

use crate::schema::field::{Format, derive_task_id};

/// The representation of a field in a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    /// Any value, valid or not.
    Any,
    Text,
    Flag,
    Number,
    Object,
    Texts,
    /// A list of plain texts. Other values stay in place for `validate` to report.
    TextsOrAny,
    /// AHP's five packet types.
    AhpType,
    /// The status of a completion event, which has one value.
    Completed,
    /// A number between 0 and 1, or a percentage.
    Percent,
    /// One regulation as a text, several as a list.
    RegulationRef,
    /// Pairs of label and value, both texts.
    LabelledValues,
    /// The one-line form of a fallback.
    FallbackLine,
    /// The id of a task. One that a packet does not allow is read as the id derived from it.
    TaskId,
    /// The id of a task. Other values stay in place for `validate` to report.
    TaskIdOrAny,
}

/// The result of writing a field's value.
#[derive(Debug, PartialEq)]
pub(super) struct WrittenValue {
    /// The value for the document, if the codec can represent any of it.
    pub(super) value: Option<Value>,
    /// `true` if the value represents the whole field.
    pub(super) is_whole: bool,
}

impl Codec {
    /// Returns the field's value for a value of the document, or `None` if it does not fit the
    /// field.
    pub(super) fn read(self, value: &Value) -> Option<Value> {
        match self {
            Self::Any | Self::TextsOrAny => Some(value.clone()),
            Self::Text | Self::FallbackLine => value.is_string().then(|| value.clone()),
            Self::TaskId => value.as_str().map(read_task_id),
            Self::TaskIdOrAny => Some(value.as_str().map_or_else(|| value.clone(), read_task_id)),
            Self::Flag => value.is_boolean().then(|| value.clone()),
            Self::Number => value.is_number().then(|| value.clone()),
            Self::Object => value.is_object().then(|| value.clone()),
            Self::Texts => is_list_of(value, Value::is_string).then(|| value.clone()),
            Self::AhpType => Some(match value.as_str() {
                Some("verification_report") => json!("return"),
                Some("decision_record") => json!("decision"),
                _ => value.clone(),
            }),
            Self::Completed => (value == "completed").then(|| value.clone()),
            Self::Percent => read_percent(value),
            Self::RegulationRef => {
                Some(if value.is_string() { json!([value]) } else { value.clone() })
            }
            Self::LabelledValues => {
                (value.is_object() || is_list_of(value, is_labelled)).then(|| value.clone())
            }
        }
    }

    pub(super) fn write(self, value: &Value) -> WrittenValue {
        match self {
            Self::Any | Self::TaskIdOrAny => WrittenValue::whole(value.clone()),
            Self::TaskId => Self::Text.write(value),
            Self::Text | Self::Flag | Self::Number | Self::Object | Self::Completed => {
                self.read(value).map_or_else(WrittenValue::nothing, WrittenValue::whole)
            }
            Self::Texts => match value.as_array() {
                Some(items) if items.iter().all(is_item) => write_texts(items),
                _ => WrittenValue::nothing(),
            },
            Self::TextsOrAny => match value.as_array() {
                Some(items) => write_texts(items),
                None => WrittenValue::whole(value.clone()),
            },
            Self::AhpType => match value.as_str() {
                Some("return") => WrittenValue::whole(json!("verification_report")),
                Some("decision") => WrittenValue::whole(json!("decision_record")),
                // The closest of AHP's types: the known facts, without new work.
                Some("checkpoint") => WrittenValue::part(json!("context")),
                _ => WrittenValue::whole(value.clone()),
            },
            Self::Percent => WrittenValue::nothing(),
            Self::RegulationRef => match (value, value.as_array().map(Vec::as_slice)) {
                (_, Some([Value::String(only)])) => WrittenValue::whole(json!(only)),
                // An import would turn it into a list.
                (Value::String(_), _) => WrittenValue::part(value.clone()),
                _ => WrittenValue::whole(value.clone()),
            },
            Self::LabelledValues => write_labelled(value),
            Self::FallbackLine => write_fallback(value),
        }
    }

    /// Describes the loss if `write` could not represent the whole value.
    pub(super) fn loss(self) -> &'static str {
        match self {
            Self::LabelledValues => "labels and values are written as text",
            Self::FallbackLine => "only the first rung is written, as one line",
            Self::AhpType => "the packet type is replaced by the closest one",
            Self::Texts | Self::TextsOrAny => {
                "items are written as plain text, without their state"
            }
            Self::Any
            | Self::Text
            | Self::TaskId
            | Self::TaskIdOrAny
            | Self::Flag
            | Self::Number
            | Self::Object
            | Self::Completed
            | Self::Percent
            | Self::RegulationRef => "the value cannot be represented",
        }
    }
}

impl WrittenValue {
    fn whole(value: Value) -> Self {
        Self { value: Some(value), is_whole: true }
    }

    fn part(value: Value) -> Self {
        Self { value: Some(value), is_whole: false }
    }

    fn nothing() -> Self {
        Self { value: None, is_whole: false }
    }
}

fn is_list_of(value: &Value, is_item: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(is_item))
}

fn is_item(value: &Value) -> bool {
    value.is_string() || value.is_object()
}

fn is_labelled(value: &Value) -> bool {
    value.get("label").is_some_and(Value::is_string) && value.get("value").is_some()
}

fn write_texts(items: &[Value]) -> WrittenValue {
    let texts: Vec<Value> = items.iter().map(plain).collect();
    let is_whole = texts == items;
    WrittenValue { value: Some(Value::Array(texts)), is_whole }
}

/// Returns an item as a plain text: its text, its name, or its JSON.
fn plain(item: &Value) -> Value {
    let Some(members) = item.as_object() else { return item.clone() };
    let stated = ["text", "name"].iter().find_map(|name| members.get(*name)?.as_str());
    json!(stated.map_or_else(|| item.to_string(), str::to_owned))
}

/// Returns the id that a packet has for this one. A blank text stays, for `validate` to report.
pub(super) fn read_task_id(text: &str) -> Value {
    let derived = (!Format::TaskId.holds(text)).then(|| derive_task_id(text)).flatten();
    json!(derived.as_deref().unwrap_or(text))
}

fn read_percent(value: &Value) -> Option<Value> {
    let number = value.as_f64()?;
    if !(number > 1.0 && number <= 100.0) {
        return Some(value.clone());
    }
    // Twelve digits: 73.3 / 100 is 0.733, not 0.7329999999999999.
    let share: f64 = format!("{:.12}", number / 100.0).parse().ok()?;
    Number::from_f64(share).map(Value::Number)
}

fn write_labelled(value: &Value) -> WrittenValue {
    let rows: Vec<Value> = match value {
        Value::Array(items) => items.iter().filter_map(labelled_row).collect(),
        Value::Object(members) => members.iter().map(|(label, value)| row(label, value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return WrittenValue::nothing();
        }
    };
    let rows = Value::Array(rows);
    if rows == *value { WrittenValue::whole(rows) } else { WrittenValue::part(rows) }
}

fn labelled_row(item: &Value) -> Option<Value> {
    Some(row(item.get("label")?.as_str()?, item.get("value")?))
}

fn row(label: &str, value: &Value) -> Value {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut row = Map::new();
    row.insert("label".to_owned(), json!(label));
    row.insert("value".to_owned(), json!(text));
    Value::Object(row)
}

fn write_fallback(value: &Value) -> WrittenValue {
    if value.is_string() {
        return WrittenValue::whole(value.clone());
    }
    let rung = value.as_array().and_then(|rungs| rungs.first());
    rung.and_then(fallback_line)
        .map_or_else(WrittenValue::nothing, |line| WrittenValue::part(json!(line)))
}

fn fallback_line(rung: &Value) -> Option<String> {
    let is_progress = rung.get("on").is_none_or(|on| on == "no_progress");
    let to = rung.get("to")?.as_str()?;
    let seconds = seconds(rung.get("after")?.as_str()?)?;
    let name = to.strip_prefix("role:").unwrap_or(to);
    is_progress.then(|| format!("escalate_to_{name}_if_not_progressed_within_{seconds}s"))
}

fn seconds(duration: &str) -> Option<u64> {
    let digits = duration.trim_end_matches(|character: char| character.is_ascii_lowercase());
    let per_unit = match &duration[digits.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(per_unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(codec: Codec, value: &Value, expected: &WrittenValue) {
        assert_eq!(codec.write(value), *expected, "{codec:?} of {value}");
    }

    #[test]
    fn items_become_plain_texts() {
        check(Codec::Texts, &json!(["a"]), &WrittenValue::whole(json!(["a"])));
        check(
            Codec::Texts,
            &json!(["a", {"text": "b", "state": "assumed"}, {"name": "c", "schema": {}}, {"run": 1}]),
            &WrittenValue::part(json!(["a", "b", "c", r#"{"run":1}"#])),
        );
        check(Codec::Texts, &json!([1]), &WrittenValue::nothing());
        check(Codec::Texts, &json!("a"), &WrittenValue::nothing());
        check(Codec::TextsOrAny, &json!([1]), &WrittenValue::whole(json!([1])));
        check(Codec::TextsOrAny, &json!("a"), &WrittenValue::whole(json!("a")));
    }

    #[test]
    fn a_percentage_becomes_a_share_without_stray_digits() {
        for (percent, share) in [
            (json!(87), json!(0.87)),
            (json!(73.3), json!(0.733)),
            (json!(100), json!(1.0)),
            (json!(1), json!(1)),
            (json!(0.5), json!(0.5)),
            (json!(250), json!(250)),
        ] {
            assert_eq!(Codec::Percent.read(&percent), Some(share));
        }
        assert_eq!(Codec::Percent.read(&json!("high")), None);
    }

    #[test]
    fn the_first_rung_fits_in_one_line() {
        check(
            Codec::FallbackLine,
            &json!([{"after": "5m", "on": "no_progress", "to": "role:oncall"}, {"to": "dead_letter"}]),
            &WrittenValue::part(json!("escalate_to_oncall_if_not_progressed_within_300s")),
        );
        check(Codec::FallbackLine, &json!([{"to": "dead_letter"}]), &WrittenValue::nothing());
        check(Codec::FallbackLine, &json!([{"after": "5é", "to": "x"}]), &WrittenValue::nothing());
        check(
            Codec::FallbackLine,
            &json!([{"after": "5m", "on": "declined", "to": "x"}]),
            &WrittenValue::nothing(),
        );
    }

    #[test]
    fn a_typed_payload_becomes_labels_and_texts() {
        check(
            Codec::LabelledValues,
            &json!({"pages": 42, "rule": "tables"}),
            &WrittenValue::part(
                json!([{"label": "pages", "value": "42"}, {"label": "rule", "value": "tables"}]),
            ),
        );
        let rows = json!([{"label": "Cost", "value": "$0.45"}]);
        check(Codec::LabelledValues, &rows, &WrittenValue::whole(rows.clone()));
        check(Codec::LabelledValues, &json!("text"), &WrittenValue::nothing());
    }
}
