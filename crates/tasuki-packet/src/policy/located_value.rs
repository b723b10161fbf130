//! A value of a policy document together with its JSON pointer, and the accessors that read it.
//!
//! An accessor returns the value, or adds a violation to the list and returns nothing. The reader
//! continues either way, so it reports every violation at once. Contracts, gates and rules are read
//! this way.

use std::str::FromStr;

use serde_json::Value;

use super::name::{Version, is_name};
use crate::document::limits::{LIST_ITEMS_MAX, TEXT_CHARS_MAX};
use crate::document::pointer;
use crate::violation::{shorten, suggest};
use crate::{Code, Members, Violation};

#[derive(Debug, Clone)]
pub(crate) struct LocatedValue<'v> {
    pub(crate) value: &'v Value,
    pub(crate) pointer: String,
}

/// An object whose member names have been checked.
#[derive(Debug)]
pub(crate) struct Fields<'v> {
    members: &'v Members,
    pointer: String,
}

impl<'v> LocatedValue<'v> {
    pub(crate) fn root(value: &'v Value) -> Self {
        Self { value, pointer: String::new() }
    }

    /// Returns a violation at this pointer that shows the value.
    pub(crate) fn violation(&self, code: Code, message: impl Into<String>) -> Violation {
        Violation::new(code, self.pointer.clone(), message).found(shorten::value(self.value))
    }

    /// Returns the object, and reports members that are not in `known`.
    pub(crate) fn fields(&self, known: &[&str], found: &mut Vec<Violation>) -> Option<Fields<'v>> {
        let members = self.object(found)?;
        for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
            found.push(unknown_member(&self.pointer, name, known));
        }
        Some(Fields { members, pointer: self.pointer.clone() })
    }

    /// Returns the members of the object with their pointers, whatever their names.
    pub(crate) fn entries(&self, found: &mut Vec<Violation>) -> Vec<(&'v str, Self)> {
        let members = self.object(found).into_iter().flatten();
        members.map(|(name, value)| (name.as_str(), self.below(name, value))).collect()
    }

    pub(crate) fn list(&self, found: &mut Vec<Violation>) -> Vec<Self> {
        let Some(items) = self.value.as_array() else {
            found.push(self.wrong_type("a list"));
            return Vec::new();
        };
        if items.len() > LIST_ITEMS_MAX {
            let message = format!("{} items; the limit is {LIST_ITEMS_MAX}", items.len());
            found.push(Violation::new(Code::ListLength, self.pointer.clone(), message));
            return Vec::new();
        }
        let places = items.iter().enumerate();
        places.map(|(index, item)| self.below(&index.to_string(), item)).collect()
    }

    /// Returns the text, which must be neither blank nor too long.
    pub(crate) fn text(&self, found: &mut Vec<Violation>) -> Option<&'v str> {
        let Some(text) = self.value.as_str() else {
            found.push(self.wrong_type("text"));
            return None;
        };
        if text.trim().is_empty() {
            found.push(self.violation(Code::FieldBlank, format!("{self} is blank")));
            return None;
        }
        let characters = text.chars().count();
        if characters > TEXT_CHARS_MAX {
            let message =
                format!("{self} has {characters} characters; the limit is {TEXT_CHARS_MAX}");
            found.push(self.violation(Code::FieldLength, message));
            return None;
        }
        Some(text)
    }

    /// Parses the text as a name, a version or a duration.
    pub(crate) fn parsed<T: FromStr<Err: std::fmt::Display>>(
        &self,
        found: &mut Vec<Violation>,
    ) -> Option<T> {
        match self.text(found)?.parse() {
            Ok(parsed) => Some(parsed),
            Err(form) => {
                let message = format!("{self} has an invalid format");
                let violation = self.violation(Code::FieldFormat, message);
                found.push(violation.allowed(form.to_string()));
                None
            }
        }
    }

    /// Returns the meaning of a text that must be one of the given words.
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
        let violation = self
            .violation(Code::FieldValue, format!("{self} must be one of `{}`", known.join("`, `")));
        found.push(suggested(violation.allowed(known.join(", ")), text, &known));
        None
    }

    pub(crate) fn boolean(&self, found: &mut Vec<Violation>) -> Option<bool> {
        let answer = self.value.as_bool();
        if answer.is_none() {
            found.push(self.wrong_type("true or false"));
        }
        answer
    }

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

    /// Returns the integer, which must be between `least` and `most`.
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

    /// Returns the violation for a value of the wrong type.
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
    pub(crate) fn get(&self, name: &str) -> Option<LocatedValue<'v>> {
        let value = self.members.get(name)?;
        Some(LocatedValue { value, pointer: pointer::join(&self.pointer, name) })
    }

    /// Returns a required member, and reports it if it is absent.
    pub(crate) fn require(
        &self,
        name: &str,
        found: &mut Vec<Violation>,
    ) -> Option<LocatedValue<'v>> {
        let place = self.get(name);
        if place.is_none() {
            let pointer = pointer::join(&self.pointer, name);
            let message = format!("missing required field `{name}`");
            found.push(Violation::new(Code::FieldMissing, pointer, message));
        }
        place
    }
}

/// Reads a name of the form shared by contracts, gates, rules and profiles.
pub(crate) fn name(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.text(found)?;
    if !is_name(written) {
        let violation = place.violation(Code::FieldFormat, format!("{place} is not a valid name"));
        found.push(violation.allowed("1 to 63 characters from `a-z`, `0-9`, `.`, `_`, `-`"));
        return None;
    }
    Some(written.to_owned())
}

pub(crate) fn version(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Version> {
    if place.value.is_number() {
        let hint = "quote it; as numbers, 1.10 and 1.1 are equal";
        found.push(place.wrong_type("text").hint(hint));
        return None;
    }
    place.parsed(found)
}

pub(crate) fn text(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    place.text(found).map(str::to_owned)
}

/// Reads a member with `read`, if it is present.
pub(crate) fn optional<'v, T>(
    fields: &Fields<'v>,
    name: &str,
    read: impl FnOnce(&LocatedValue<'v>, &mut Vec<Violation>) -> Option<T>,
    found: &mut Vec<Violation>,
) -> Option<T> {
    fields.get(name).and_then(|place| read(&place, found))
}

/// Reads each item of a list with `read`; an absent list has no items.
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
    let violation = Violation::new(Code::FieldUnknown, pointer, format!("unknown field `{name}`"))
        .found(name)
        .allowed(known.join(", "));
    suggested(violation, name, known)
}

/// Adds a hint with the closest known word, if there is one.
fn suggested(violation: Violation, written: &str, known: &[&str]) -> Violation {
    match suggest(written, known.iter().copied()) {
        Some(word) => violation.hint(format!("did you mean `{word}`?")),
        None => violation,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
