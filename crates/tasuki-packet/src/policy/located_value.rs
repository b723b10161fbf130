//! A value of a document together with its pointer, and the questions a reader asks it.
//!
//! Each question either answers or adds a violation to the list and answers nothing, so that a
//! reader goes on and names everything that is wrong at once. Contracts, gates and rules are read
//! this way; what their members mean is said where they are read.

use std::str::FromStr;

use serde_json::Value;

use super::name::{Version, is_name};
use crate::document::limits::{LIST_ITEMS_MAX, TEXT_CHARS_MAX};
use crate::document::pointer;
use crate::violation::{shorten, suggest};
use crate::{Code, Members, Violation};

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct LocatedValue<'v> {
    pub(crate) value: &'v Value,
    pub(crate) pointer: String,
}

/// An object whose member names are known ones.
#[derive(Debug)]
pub(crate) struct Fields<'v> {
    members: &'v Members,
    pointer: String,
}

impl<'v> LocatedValue<'v> {
    /// The whole document.
    pub(crate) fn root(value: &'v Value) -> Self {
        Self { value, pointer: String::new() }
    }

    /// A violation at this place that shows what was found.
    pub(crate) fn violation(&self, code: Code, message: impl Into<String>) -> Violation {
        Violation::new(code, self.pointer.clone(), message).found(shorten::value(self.value))
    }

    /// The object here; members that are not among `known` are named.
    pub(crate) fn fields(&self, known: &[&str], found: &mut Vec<Violation>) -> Option<Fields<'v>> {
        let members = self.object(found)?;
        for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
            found.push(unknown_member(&self.pointer, name, known));
        }
        Some(Fields { members, pointer: self.pointer.clone() })
    }

    /// The members of the object here with their places, whatever their names.
    pub(crate) fn entries(&self, found: &mut Vec<Violation>) -> Vec<(&'v str, Self)> {
        let members = self.object(found).into_iter().flatten();
        members.map(|(name, value)| (name.as_str(), self.below(name, value))).collect()
    }

    /// The items of the list here.
    pub(crate) fn list(&self, found: &mut Vec<Violation>) -> Vec<Self> {
        let Some(items) = self.value.as_array() else {
            found.push(self.wrong_type("a list"));
            return Vec::new();
        };
        if items.len() > LIST_ITEMS_MAX {
            let message = format!("{} items, the limit is {LIST_ITEMS_MAX}", items.len());
            found.push(Violation::new(Code::ListLength, self.pointer.clone(), message));
            return Vec::new();
        }
        let places = items.iter().enumerate();
        places.map(|(index, item)| self.below(&index.to_string(), item)).collect()
    }

    /// The text here, which says something and is not too long.
    pub(crate) fn text(&self, found: &mut Vec<Violation>) -> Option<&'v str> {
        let Some(text) = self.value.as_str() else {
            found.push(self.wrong_type("a text"));
            return None;
        };
        if text.trim().is_empty() {
            found.push(self.violation(Code::FieldBlank, format!("{self} is blank")));
            return None;
        }
        let characters = text.chars().count();
        if characters > TEXT_CHARS_MAX {
            let message =
                format!("{self} has {characters} characters, the limit is {TEXT_CHARS_MAX}");
            found.push(self.violation(Code::FieldLength, message));
            return None;
        }
        Some(text)
    }

    /// The text here, read as a name, a version, a duration.
    pub(crate) fn parsed<T: FromStr<Err: std::fmt::Display>>(
        &self,
        found: &mut Vec<Violation>,
    ) -> Option<T> {
        match self.text(found)?.parse() {
            Ok(parsed) => Some(parsed),
            Err(form) => {
                let message = format!("{self} does not have the form it must have");
                let violation = self.violation(Code::FieldFormat, message);
                found.push(violation.allowed(form.to_string()));
                None
            }
        }
    }

    /// One of the words that are allowed here.
    pub(crate) fn word<T: Copy>(
        &self,
        words: &[(&'static str, T)],
        found: &mut Vec<Violation>,
    ) -> Option<T> {
        let text = self.text(found)?;
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*meaning);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let violation = self.violation(Code::FieldValue, format!("{self} is not an allowed word"));
        found.push(suggested(violation.allowed(known.join(", ")), text, &known));
        None
    }

    /// The truth value here.
    pub(crate) fn boolean(&self, found: &mut Vec<Violation>) -> Option<bool> {
        let answer = self.value.as_bool();
        if answer.is_none() {
            found.push(self.wrong_type("true or false"));
        }
        answer
    }

    /// The number here, between 0 and 1.
    pub(crate) fn fraction(&self, found: &mut Vec<Violation>) -> Option<f64> {
        let Some(number) = self.value.as_f64() else {
            found.push(self.wrong_type("a number"));
            return None;
        };
        if (0.0..=1.0).contains(&number) {
            return Some(number);
        }
        let violation = self.violation(Code::FieldRange, format!("{self} is out of range"));
        let violation = violation.allowed("a number from 0 to 1");
        found.push(if (1.0..=100.0).contains(&number) {
            violation.hint(format!("write a percentage as a fraction: {}", number / 100.0))
        } else {
            violation
        });
        None
    }

    /// The integer here, from `least` to `most`.
    pub(crate) fn integer(&self, least: u32, most: u32, found: &mut Vec<Violation>) -> Option<u32> {
        if !self.value.is_number() {
            found.push(self.wrong_type("an integer"));
            return None;
        }
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let violation = self.violation(Code::FieldRange, format!("{self} is out of range"));
            found.push(violation.allowed(format!("an integer from {least} to {most}")));
        }
        number
    }

    /// A violation: something else stands here than `expected`.
    pub(crate) fn wrong_type(&self, expected: &str) -> Violation {
        let message = format!("{self} must be {expected}, not {}", type_of(self.value));
        self.violation(Code::FieldType, message).allowed(expected)
    }

    fn object(&self, found: &mut Vec<Violation>) -> Option<&'v Members> {
        let members = self.value.as_object();
        if members.is_none() {
            found.push(self.wrong_type("an object"));
        }
        members
    }

    fn below(&self, token: &str, value: &'v Value) -> Self {
        Self { value, pointer: pointer::join(&self.pointer, token) }
    }
}

impl std::fmt::Display for LocatedValue<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pointer.is_empty() {
            return f.write_str("the document");
        }
        write!(f, "`{}`", self.pointer)
    }
}

impl<'v> Fields<'v> {
    /// A member, if it is there.
    pub(crate) fn get(&self, name: &str) -> Option<LocatedValue<'v>> {
        let value = self.members.get(name)?;
        Some(LocatedValue { value, pointer: pointer::join(&self.pointer, name) })
    }

    /// A member that must be there.
    pub(crate) fn require(
        &self,
        name: &str,
        found: &mut Vec<Violation>,
    ) -> Option<LocatedValue<'v>> {
        let place = self.get(name);
        if place.is_none() {
            let pointer = pointer::join(&self.pointer, name);
            let message = format!("`{name}` is missing");
            found.push(Violation::new(Code::FieldMissing, pointer, message));
        }
        place
    }
}

/// The text here, which must be a name of the form that contracts, gates, rules and profiles share.
pub(crate) fn name(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.text(found)?;
    if !is_name(written) {
        let violation = place.violation(Code::FieldFormat, format!("{place} is not a name"));
        found.push(violation.allowed("1 to 63 of `a-z`, `0-9`, `.`, `_`, `-`"));
        return None;
    }
    Some(written.to_owned())
}

/// The version here, `major.minor`.
pub(crate) fn version(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Version> {
    if place.value.is_number() {
        let hint = "put it in quotes: as a number, 1.10 and 1.1 are the same";
        found.push(place.wrong_type("a text").hint(hint));
        return None;
    }
    place.parsed(found)
}

/// The text here, as its own.
pub(crate) fn text(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    place.text(found).map(str::to_owned)
}

/// What `read` makes of a member, if it is there.
pub(crate) fn optional<'v, T>(
    fields: &Fields<'v>,
    name: &str,
    read: impl FnOnce(&LocatedValue<'v>, &mut Vec<Violation>) -> Option<T>,
    found: &mut Vec<Violation>,
) -> Option<T> {
    fields.get(name).and_then(|place| read(&place, found))
}

/// What `read` makes of each item of a list; an absent list has none.
pub(crate) fn items<'v, T>(
    fields: &Fields<'v>,
    name: &str,
    read: impl Fn(&LocatedValue<'v>, &mut Vec<Violation>) -> Option<T>,
    found: &mut Vec<Violation>,
) -> Vec<T> {
    let places = fields.get(name).map_or_else(Vec::new, |place| place.list(found));
    places.iter().filter_map(|place| read(place, found)).collect()
}

fn unknown_member(parent: &str, name: &str, known: &[&str]) -> Violation {
    let pointer = pointer::join(parent, name);
    let violation =
        Violation::new(Code::FieldUnknown, pointer, format!("`{name}` is not a known member"))
            .found(name)
            .allowed(known.join(", "));
    suggested(violation, name, known)
}

/// Adds the known word that was probably meant, if one is near.
fn suggested(violation: Violation, written: &str, known: &[&str]) -> Violation {
    match suggest(written, known.iter().copied()) {
        Some(word) => violation.hint(format!("did you mean `{word}`?")),
        None => violation,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
