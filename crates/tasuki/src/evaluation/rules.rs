//! The rules of a case, as `evals/README.md` states them. A case that breaks one would measure
//! something else.

use serde_json::Value;
use tasuki_packet::render::agent_brief;

use super::Case;
use super::case::Fact;

/// The number of words of each length, and of facts that it needs at least.
const LENGTHS: &[(&str, std::ops::RangeInclusive<usize>, usize)] =
    &[("short", 60..=160, 3), ("medium", 161..=400, 5), ("long", 401..=900, 8)];

/// Returns everything that is wrong with a case.
pub(crate) fn defects(case: &Case) -> Vec<String> {
    let mut defects = Vec::new();
    check_length(case, &mut defects);
    check_units(case, &mut defects);
    for stated in &case.stated {
        for words in stated.words.iter().filter(|words| !case.prose.contains(words.as_str())) {
            defects.push(format!("{}: the note does not say `{words}`", stated.pointer));
        }
    }
    let brief = agent_brief(&case.packet, Some(usize::MAX), &|text| text.len());
    let brief = brief.map_or_else(|_| String::new(), |brief| brief.text);
    for fact in &case.facts {
        check_fact(case, fact, &brief, &mut defects);
    }
    defects
}

fn check_length(case: &Case, defects: &mut Vec<String>) {
    let words = case.prose.split_whitespace().count();
    let Some((_, range, facts)) = LENGTHS.iter().find(|(name, ..)| *name == case.length) else {
        return defects.push(format!("unknown length `{}`", case.length));
    };
    if !range.contains(&words) {
        defects.push(format!("a {} note has {words} words", case.length));
    }
    if case.facts.len() < *facts {
        defects.push(format!("{} facts, at least {facts} are needed", case.facts.len()));
    }
    if !case.name.starts_with(&format!("{}-", case.area)) {
        defects.push(format!("the name does not begin with the area `{}`", case.area));
    }
}

/// Checks that every unit of the packet is stated once, and nothing else is.
fn check_units(case: &Case, defects: &mut Vec<String>) {
    let units = units(case);
    for unit in &units {
        let count = case.stated.iter().filter(|stated| stated.pointer == *unit).count();
        if count != 1 {
            defects.push(format!("{unit} is stated {count} times"));
        }
    }
    for stated in case.stated.iter().filter(|stated| !units.contains(&stated.pointer)) {
        defects.push(format!("{} is not a unit of the packet", stated.pointer));
    }
}

/// Returns the pointers of the units: items of lists, members of objects, and other members.
fn units(case: &Case) -> Vec<String> {
    let members = case.packet.members().iter();
    let stated = members.filter(|(name, _)| !case.unstated.contains(name));
    stated
        .flat_map(|(name, value)| match value {
            Value::Array(items) if !items.is_empty() => {
                (0..items.len()).map(|index| format!("/{name}/{index}")).collect()
            }
            Value::Object(members) if !members.is_empty() => {
                members.keys().map(|member| format!("/{name}/{member}")).collect()
            }
            _ => vec![format!("/{name}")],
        })
        .collect()
}

fn check_fact(case: &Case, fact: &Fact, brief: &str, defects: &mut Vec<String>) {
    let value = case.packet.to_value();
    // A member of an object may be understood from the whole object only.
    let parent = fact.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    let object = value.pointer(parent).filter(|value| value.is_object() && !parent.is_empty());
    let unit = object.or_else(|| value.pointer(&fact.pointer)).map(texts);
    let places = [
        ("the note", case.prose.as_str()),
        ("its answer", fact.answer.as_str()),
        ("its field", unit.as_deref().unwrap_or_default()),
        ("the brief", brief),
    ];
    for (place, _) in places.iter().filter(|(_, text)| !fact.is_kept(text)) {
        defects.push(format!("fact `{}`: the pattern is not found in {place}", fact.id));
    }
    if fact.is_kept(&fact.question) {
        defects.push(format!("fact `{}`: the question has the answer", fact.id));
    }
}

/// Returns all texts and numbers of a value, separated by spaces.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(texts).collect::<Vec<_>>().join(" "),
        Value::Object(members) => members.values().map(texts).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::case::tests::sample;

    #[test]
    fn every_rule_is_checked() {
        let mut case = sample();
        let expected = ["a short note has 24 words", "2 facts, at least 3 are needed"];
        assert_eq!(defects(&case), expected);
        case.stated[0].words = vec!["EXP-8".to_owned()];
        case.stated.remove(1);
        case.stated[1].pointer = "/status/0".to_owned();
        case.facts[0].answer = "all".to_owned();
        case.facts[1].question = "May the schema change?".to_owned();
        case.facts[1].pointer = "/goal".to_owned();
        case.name = "parser".to_owned();
        assert_eq!(
            defects(&case)[2..],
            [
                "the name does not begin with the area `coding`",
                "/from_agent is stated 0 times",
                "/to_agent is stated 0 times",
                "/status/0 is not a unit of the packet",
                "/task_id: the note does not say `EXP-8`",
                "fact `tests`: the pattern is not found in its answer",
                "fact `schema`: the pattern is not found in its field",
                "fact `schema`: the question has the answer",
            ]
        );
    }
}
