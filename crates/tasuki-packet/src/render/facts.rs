//! Single facts of a packet as people read them: a percentage, a cost, a ladder, a deadline.

use serde_json::Value;

use super::describe;
use crate::document::Members;
use crate::schema::Kind;

/// LIMIT: hex digits of a shortened digest, which only has to be recognizable.
const DIGEST_DIGITS_SHORT: usize = 12;

pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Handoff => "Handoff",
        Kind::Checkpoint => "Checkpoint",
        Kind::Return => "Return packet",
        Kind::Decision => "Decision",
    }
}

/// Returns a confidence as a percentage; a value that is not one is shown unchanged.
pub(super) fn confidence(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if (0.0..=1.0).contains(&number) => {
            let percent = format!("{:.2}", number * 100.0);
            format!("{} %", percent.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => describe::plain(value),
    }
}

/// Returns a cost or a budget: `0.45 USD, 41200 tokens, 310 s`.
pub(super) fn cost(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let mut parts = Vec::new();
    let amount = members.get("amount").map(describe::plain);
    let currency = members.get("currency").map(describe::plain);
    parts.extend(amount.map(|amount| match currency {
        Some(currency) => format!("{amount} {currency}"),
        None => amount,
    }));
    parts.extend(members.get("tokens").map(|tokens| format!("{} tokens", describe::plain(tokens))));
    parts.extend(members.get("seconds").map(|seconds| format!("{} s", describe::plain(seconds))));
    let without_amount = if members.contains_key("amount") { "currency" } else { "" };
    let more = describe::pairs(members, &["amount", without_amount, "tokens", "seconds"]);
    parts.extend((!more.is_empty()).then_some(more));
    parts.join(", ")
}

/// Returns a scope: `…; not: …`.
pub(super) fn scope(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let mut parts = Vec::new();
    parts.extend(members.get("is").map(describe::plain));
    if let Some(is_not) = members.get("is_not") {
        parts.push(format!("not: {}", joined(is_not)));
    }
    let more = describe::pairs(members, &["is", "is_not"]);
    parts.extend((!more.is_empty()).then_some(more));
    parts.join("; ")
}

pub(super) fn joined(value: &Value) -> String {
    let Value::Array(values) = value else { return describe::plain(value) };
    describe::joined(values.iter().map(|value| describe::Entry::of(value).sentence()))
}

/// Returns a trigger: `session_ended: time limit reached`.
pub(super) fn trigger(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let kind = members.get("kind").map(describe::plain);
    let detail = members.get("detail").map(describe::plain);
    let more = describe::pairs(members, &["kind", "detail"]);
    let known = [kind, detail].into_iter().flatten().collect::<Vec<_>>().join(": ");
    [known, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Returns a ladder on one line: `after 300s without progress to role:oncall, then to dead_letter`.
pub(super) fn fallback(value: &Value) -> String {
    let rungs: Vec<String> = match value {
        Value::Array(rungs) if rungs.is_empty() => return describe::NONE.to_owned(),
        Value::Array(rungs) => rungs.iter().map(any_rung).collect(),
        Value::String(line) => {
            vec![one_line_rung(line).map_or_else(|| line.clone(), |members| rung(&members))]
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            vec![describe::plain(value)]
        }
    };
    rungs.join(", then ")
}

/// Returns the first time limit of a ladder: `300s without progress, then role:oncall`.
pub(super) fn fallback_deadline(value: &Value) -> Option<String> {
    match value {
        Value::Array(rungs) => rungs
            .iter()
            .filter_map(Value::as_object)
            .find(|rung| rung.contains_key("after"))
            .map(limit),
        Value::String(line) => one_line_rung(line).map(|rung| limit(&rung)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Parses `escalate_to_<name>_if_not_progressed_within_<n>s` as a rung.
fn one_line_rung(line: &str) -> Option<Members> {
    let rest = line.strip_prefix("escalate_to_")?;
    let (to, after) = rest.split_once("_if_not_progressed_within_")?;
    let members = [("after", after), ("on", "no_progress"), ("to", to)];
    Some(members.map(|(name, word)| (name.to_owned(), Value::from(word))).into_iter().collect())
}

fn any_rung(value: &Value) -> String {
    value.as_object().map_or_else(|| describe::plain(value), rung)
}

fn rung(members: &Members) -> String {
    let mut parts = Vec::new();
    parts.extend(member(members, "after").map(|after| format!("after {after}")));
    parts.extend(cause(members));
    parts.extend(member(members, "to").map(|to| format!("to {to}")));
    let more = describe::pairs(members, &["after", "on", "to"]);
    parts.extend((!more.is_empty()).then(|| format!("({more})")));
    parts.join(" ")
}

fn limit(members: &Members) -> String {
    let limit: Vec<String> =
        [member(members, "after"), cause(members)].into_iter().flatten().collect();
    let then = member(members, "to").map(|to| format!(", then {to}")).unwrap_or_default();
    format!("{}{then}", limit.join(" "))
}

fn cause(members: &Members) -> Option<String> {
    let on = member(members, "on")?;
    Some(if on == "no_progress" { "without progress".to_owned() } else { format!("when {on}") })
}

/// Returns an artifact as a reference, never its content.
pub(super) fn artifact(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let mut parts = Vec::new();
    let named: Vec<String> =
        ["kind", "path"].into_iter().filter_map(|name| member(members, name)).collect();
    parts.push(named.join(" "));
    parts.extend(member(members, "bytes").map(|bytes| format!("{bytes} bytes")));
    parts.extend(member(members, "digest").map(|digest| short_digest(&digest)));
    let more = describe::pairs(members, &["kind", "path", "bytes", "digest"]);
    parts.extend((!more.is_empty()).then_some(more));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

pub(super) fn failed_approach(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let Some(tried) = member(members, "tried") else {
        return describe::Entry::of(value).sentence();
    };
    let result = member(members, "result").map(|result| format!(": {result}")).unwrap_or_default();
    let more = describe::pairs(members, &["tried", "result", pin(members)]);
    let more = if more.is_empty() { more } else { format!(" ({more})") };
    format!("{tried}{result}{more}")
}

/// Returns the name of the pin, if it is one: it is shown as a mark.
fn pin(members: &Members) -> &'static str {
    if members.get("pinned").is_some_and(Value::is_boolean) { "pinned" } else { "" }
}

/// Returns an expected output: its name, its text and its other members.
pub(super) fn expected_output(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let named = [member(members, "name"), member(members, "text")];
    let named: Vec<String> = named.into_iter().flatten().collect();
    let more = describe::pairs(members, &["name", "text", pin(members)]);
    let more = if more.is_empty() { more } else { format!(" ({more})") };
    format!("{}{more}", named.join(": "))
}

/// Returns an entry of a payload: `Cost incurred: $0.45`.
pub(super) fn payload_entry(value: &Value) -> String {
    let Some(members) = value.as_object() else { return describe::plain(value) };
    let (Some(label), Some(shown)) = (member(members, "label"), member(members, "value")) else {
        return describe::plain(value);
    };
    let more = describe::pairs(members, &["label", "value"]);
    let more = if more.is_empty() { more } else { format!(" ({more})") };
    format!("{label}: {shown}{more}")
}

/// Returns the classification: the text, or the tier of the object.
pub(super) fn marking(value: &Value) -> String {
    match value.as_object().and_then(|members| member(members, "tier")) {
        Some(tier) => tier,
        None => describe::plain(value),
    }
}

/// Returns a shortened digest, which is recognizable and can be read aloud.
pub(super) fn short_digest(digest: &str) -> String {
    let (scheme, digits) = digest.split_once(':').unwrap_or(("", digest));
    if digits.chars().count() <= DIGEST_DIGITS_SHORT {
        return digest.to_owned();
    }
    let start: String = digits.chars().take(DIGEST_DIGITS_SHORT).collect();
    if scheme.is_empty() { format!("{start}…") } else { format!("{scheme}:{start}…") }
}

pub(super) fn member(members: &Members, name: &str) -> Option<String> {
    members.get(name).filter(|value| !describe::is_empty(value)).map(describe::plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn confidence_is_a_percentage() {
        let cases = [
            (json!(0.62), "62 %"),
            (json!(0.625), "62.5 %"),
            (json!(0), "0 %"),
            (json!(1), "100 %"),
            (json!(0.07), "7 %"),
            (json!(74), "74"),
            (json!("high"), "high"),
        ];
        for (value, expected) in cases {
            assert_eq!(confidence(&value), expected);
        }
    }

    #[test]
    fn ladders_read_as_sentences() {
        let ladder = json!([{ "after": "300s", "on": "no_progress", "to": "role:oncall" }, { "on": "declined", "to": "ana", "why": "x" }, { "to": "dead_letter" }]);
        assert_eq!(
            fallback(&ladder),
            "after 300s without progress to role:oncall, then when declined to ana (why: x), then to dead_letter"
        );
        let line = json!("escalate_to_oncall_if_not_progressed_within_300s");
        assert_eq!(fallback_deadline(&line).unwrap(), "300s without progress, then oncall");
        assert_eq!(fallback(&line), "after 300s without progress to oncall");
        assert_eq!(fallback_deadline(&json!([{ "to": "dead_letter" }])), None);
        assert_eq!(fallback(&json!("ask around")), "ask around");
        assert_eq!(fallback(&json!([])), "none");
    }

    #[test]
    fn costs_show_all_they_have() {
        let all = json!({ "amount": "0.45", "currency": "USD", "tokens": 41200, "seconds": 310, "calls": 3 });
        assert_eq!(cost(&all), "0.45 USD, 41200 tokens, 310 s, calls: 3");
        assert_eq!(cost(&json!({ "currency": "USD" })), "currency: USD");
        assert_eq!(cost(&json!("cheap")), "cheap");
    }

    #[test]
    fn artifacts_are_references() {
        let digest = format!("sha256:{}", "ab".repeat(32));
        let value = json!({ "kind": "output", "path": "dist/b.js", "bytes": 12, "digest": digest, "name": "b" });
        assert_eq!(artifact(&value), "output dist/b.js, 12 bytes, sha256:abababababab…, name: b");
    }
}
