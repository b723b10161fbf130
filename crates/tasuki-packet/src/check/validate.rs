//! Validates a document as a packet of a variant.
//!
//! One walk over the field table serves two functions. [`is_valid`] stops at the first violation
//! and builds no message. [`violations`] continues to the end and reports every one. Both share the
//! walk, so they cannot disagree.
//!
//! Contracts, secrets and quality (`contract`, `secrets`, `lint`) are checked separately, on a
//! valid packet.
//!
//! ```
//! use tasuki_packet::Variant;
//! use tasuki_packet::check::validate::violations;
//! use tasuki_packet::read::Source;
//!
//! let source = Source::packet(br#"{"handoff_version": "1.0", "status": "done"}"#)?;
//! let document = source.read_packet()?;
//! let violations = violations(&document, &Variant::named("baseline").unwrap());
//! assert!(violations.iter().any(|violation| violation.pointer == "/task_id"));
//! # Ok::<(), tasuki_packet::Violation>(())
//! ```

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::document::limits::{LIST_ITEMS_MAX, UNKNOWN_COMPARED_MAX, VIOLATIONS_MAX};
use crate::document::path::Path;
use crate::document::{Content, Document, Node};
use crate::schema::Kind;
use crate::schema::field::{
    FIELDS, FREE_FIELDS, FieldSet, Object, PIN, Shape, Text, Type, is_other_major, is_space,
};
use crate::schema::variant::{CONDITIONS, Unknown, Variant};
use crate::violation::{Code, Violation, shorten, suggest};

/// The field that determines how all others are read.
const VERSION: &str = "handoff_version";

/// Returns `true` if the document is a packet of this variant.
pub fn is_valid(document: &Document<'_>, variant: &Variant) -> bool {
    Walk { variant, report: First }.packet(document.root()).is_continue()
}

/// Returns every violation of this variant, in document order.
pub fn violations(document: &Document<'_>, variant: &Variant) -> Vec<Violation> {
    let mut walk = Walk { variant, report: All(Vec::new()) };
    // The walk breaks off only when the report is full.
    let _full = walk.packet(document.root()).is_break();
    walk.report.0
}

trait Report {
    fn count(&self) -> usize;

    fn add(&mut self, path: &Path<'_>, make: impl FnOnce() -> Violation) -> ControlFlow<()>;
}

/// Records only that there is a violation.
struct First;

impl Report for First {
    fn count(&self) -> usize {
        0
    }

    fn add(&mut self, _path: &Path<'_>, _make: impl FnOnce() -> Violation) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// Collects every violation with its pointer.
struct All(Vec<Violation>);

impl Report for All {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn add(&mut self, path: &Path<'_>, make: impl FnOnce() -> Violation) -> ControlFlow<()> {
        let mut violation = make();
        violation.pointer = path.pointer();
        self.0.push(violation);
        if self.0.len() == VIOLATIONS_MAX {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

struct Walk<'v, R> {
    variant: &'v Variant,
    report: R,
}

impl<R: Report> Walk<'_, R> {
    fn packet(&mut self, root: Node<'_, '_>) -> ControlFlow<()> {
        if !matches!(root.content(), Content::Object) {
            return self.report.add(&Path::Root, || {
                wrong(Code::PacketNotObject, "a packet must be an object with named fields")
                    .found(format!("a {}", root.type_name()))
                    .hint("run `tasuki init --packet` to create one")
            });
        }
        if let Some((index, version)) = self.other_major(root) {
            return self.field(index, version, &Path::Name(&Path::Root, VERSION));
        }
        let mut seen = FieldSet::default();
        let mut next = 0;
        for (name, value) in root.members() {
            let name = name.as_text().unwrap_or_default();
            let path = Path::Name(&Path::Root, name);
            match position_from(next, name) {
                Some(index) => {
                    next = index + 1;
                    seen.insert(index);
                    self.field(index, value, &path)?;
                }
                None => self.unknown(name, value, &path)?,
            }
        }
        self.absent(root, seen)
    }

    /// Returns the version, if its major version is not supported. The requirements of such a
    /// packet are unknown, so only the version is reported.
    fn other_major<'d, 's>(&self, root: Node<'d, 's>) -> Option<(usize, Node<'d, 's>)> {
        let version = root.child(VERSION)?;
        let index = position_from(0, VERSION)?;
        let is_other = version.as_text().is_some_and(is_other_major);
        (is_other && !self.variant.refused().contains(index)).then_some((index, version))
    }

    fn field(&mut self, index: usize, value: Node<'_, '_>, path: &Path<'_>) -> ControlFlow<()> {
        let field = &FIELDS[index];
        if self.variant.refused().contains(index) {
            let variant = self.variant.name();
            return self.report.add(path, || {
                wrong(
                    Code::FieldRefused,
                    format!("field `{}` is not allowed (variant `{variant}`)", field.name),
                )
                .hint("remove it, or select another variant with `--variant`")
            });
        }
        let is_empty_list =
            matches!(value.content(), Content::List) && value.items().next().is_none();
        if is_empty_list && self.variant.filled().contains(index) {
            let variant = self.variant.name();
            self.report.add(path, || {
                wrong(Code::ListEmpty, format!("`{}` is empty", field.name))
                    .allowed(format!("at least one item (variant `{variant}`)"))
            })?;
        }
        let types = self.variant.packet_types();
        if field.name == "packet_type" && !types.is_empty() {
            return self.word(value, types, path);
        }
        self.value(value, self.variant.shape(field), path)?;
        if FREE_FIELDS.contains(&field.name) {
            return self.pins_in_field(value, path);
        }
        ControlFlow::Continue(())
    }

    fn unknown(&mut self, name: &str, value: Node<'_, '_>, path: &Path<'_>) -> ControlFlow<()> {
        let is_asked_for = self.variant.required_beside().iter().any(|asked| asked == name);
        if name == PIN && !is_asked_for {
            return self.ignored_pin(path, &Path::Root);
        }
        if self.variant.unknown() == Unknown::Keep || is_asked_for {
            return self.pins_in_field(value, path);
        }
        let variant = self.variant.name();
        let is_compared = self.report.count() < UNKNOWN_COMPARED_MAX;
        self.report.add(path, || {
            let message = format!("unknown field `{}` (variant `{variant}`)", shorten::text(name));
            let violation = wrong(Code::FieldUnknown, message);
            let known = FIELDS.iter().filter(|_| is_compared).map(|field| field.name);
            match near(name, known) {
                Some(near) => violation.hint(format!("did you mean `{near}`?")),
                None => violation.hint("move it under `extensions`, which accepts any member"),
            }
        })
    }

    fn absent(&mut self, root: Node<'_, '_>, seen: FieldSet) -> ControlFlow<()> {
        let text_of = |name: &str| root.child(name).and_then(|node| node.as_text());
        let kind = Kind::of(text_of("packet_type"));
        let mut required = self.variant.required(kind);
        for condition in CONDITIONS {
            if condition.kind == kind && text_of(condition.field) == Some(condition.word) {
                required = required.union(FieldSet::of(&[condition.requires]));
            }
        }
        let missing = required.without(seen);
        if missing.is_empty() && self.variant.required_beside().is_empty() {
            return ControlFlow::Continue(());
        }
        for field in missing.fields() {
            self.missing(root, field.name, field.shape)?;
        }
        for name in self.variant.required_beside() {
            if root.child(name).is_none() {
                self.missing(root, name, &Shape::Any)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn missing(
        &mut self,
        root: Node<'_, '_>,
        name: &str,
        shape: &'static Shape,
    ) -> ControlFlow<()> {
        let variant = self.variant.name();
        self.report.add(&Path::Name(&Path::Root, name), || {
            let violation = wrong(
                Code::FieldMissing,
                format!("missing required field `{name}` (variant `{variant}`)"),
            )
            .allowed(shape.describe());
            let slip = root
                .members()
                .filter_map(|(other, _)| other.as_text())
                .filter(|other| position_from(0, other).is_none())
                .take(UNKNOWN_COMPARED_MAX)
                .find(|other| near(other, [name]).is_some());
            match slip {
                Some(slip) => {
                    violation.hint(format!("rename `{}` to `{name}`", shorten::text(slip)))
                }
                None => violation,
            }
        })
    }

    fn value(
        &mut self,
        node: Node<'_, '_>,
        shape: &'static Shape,
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        match (shape.resolved(), node.content()) {
            (Shape::Any, _) | (Shape::Map, Content::Object) | (Shape::Flag, Content::Flag(_)) => {
                ControlFlow::Continue(())
            }
            (Shape::Either(shapes), _) => {
                let own = type_of(node);
                match shapes.iter().find(|shape| own.is_some() && shape.json_type() == own) {
                    Some(shape) => self.value(node, shape, path),
                    None => self.wrong_type(node, shape, path),
                }
            }
            (Shape::Text(rule), Content::Text(text)) => self.text(text, *rule, path),
            (Shape::Format(format), Content::Text(text)) => {
                if format.holds(text) {
                    return ControlFlow::Continue(());
                }
                self.report.add(path, || {
                    let message = match format.code() {
                        Code::VersionUnsupported => "is an unsupported version of the format",
                        _ => "has an invalid format",
                    };
                    let violation = wrong(format.code(), format!("{} {message}", path.name()))
                        .found(show(node))
                        .allowed(format.describe());
                    match format.hint(text) {
                        Some(hint) => violation.hint(hint),
                        None => violation,
                    }
                })
            }
            (Shape::Word(words), Content::Text(_)) => self.word(node, words, path),
            (Shape::Number { min, max }, Content::Number(number)) => {
                self.number(node, number.as_f64(), (*min, *max), path)
            }
            (Shape::Integer { min }, Content::Number(number)) => {
                self.integer(node, number.as_f64(), *min, path)
            }
            (Shape::List { item }, Content::List) => self.list(node, item, path),
            (Shape::Object(object), Content::Object) => self.object(node, object, path),
            _ => self.wrong_type(node, shape, path),
        }
    }

    fn text(&mut self, text: &str, rule: Text, path: &Path<'_>) -> ControlFlow<()> {
        if rule.non_blank && text.chars().all(is_space) {
            self.report.add(path, || {
                wrong(Code::FieldBlank, format!("{} is blank", path.name()))
                    .found(format!("\"{}\"", shorten::text(text)))
                    .allowed("text that is not blank")
            })?;
        }
        // A text has at most as many characters as bytes, so most texts need no counting.
        if text.len() > rule.chars_max && text.chars().count() > rule.chars_max {
            self.report.add(path, || {
                wrong(Code::FieldLength, format!("{} is too long", path.name()))
                    .found(format!("{} characters", text.chars().count()))
                    .allowed(format!("at most {} characters", rule.chars_max))
                    .hint("move the content to an artifact and refer to it")
            })?;
        }
        ControlFlow::Continue(())
    }

    fn word(
        &mut self,
        node: Node<'_, '_>,
        words: &'static [&'static str],
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        let Content::Text(text) = node.content() else {
            return self.report.add(path, || {
                wrong(Code::FieldType, format!("{} must be text", path.name()))
                    .found(show(node))
                    .allowed(words.join(", "))
            });
        };
        if words.contains(&&**text) {
            return ControlFlow::Continue(());
        }
        self.report.add(path, || {
            let violation = wrong(
                Code::FieldValue,
                format!("{} must be one of {}", path.name(), quoted(words)),
            )
            .found(show(node))
            .allowed(words.join(", "));
            match near(text, words.iter().copied()) {
                Some(near) => violation.hint(format!("did you mean `{near}`?")),
                None => violation,
            }
        })
    }

    fn number(
        &mut self,
        node: Node<'_, '_>,
        number: f64,
        (min, max): (f64, f64),
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        if (min..=max).contains(&number) {
            return ControlFlow::Continue(());
        }
        self.report.add(path, || {
            let violation = wrong(Code::FieldRange, format!("{} is out of range", path.name()))
                .found(show(node))
                .allowed(format!("a number between {min} and {max}"));
            // A common mistake is a percentage.
            if max <= 1.0 && number > 1.0 && number <= 100.0 {
                violation.hint(format!("did you mean {}?", number / 100.0))
            } else {
                violation
            }
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "the bounds of the table are small")]
    fn integer(
        &mut self,
        node: Node<'_, '_>,
        number: f64,
        min: u64,
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        if number.fract() != 0.0 {
            return self.report.add(path, || {
                wrong(Code::FieldType, format!("{} must be an integer", path.name()))
                    .found(show(node))
                    .allowed(format!("an integer, at least {min}"))
            });
        }
        self.number(node, number, (min as f64, f64::MAX), path)
    }

    fn list(
        &mut self,
        node: Node<'_, '_>,
        item: &'static Shape,
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        let mut count = 0;
        for (index, child) in node.items().enumerate() {
            self.value(child, item, &Path::Index(path, index))?;
            count = index + 1;
        }
        if count <= LIST_ITEMS_MAX {
            return ControlFlow::Continue(());
        }
        self.report.add(path, || {
            wrong(Code::ListLength, format!("{} has too many items", path.name()))
                .found(format!("{count} items"))
                .allowed(format!("at most {LIST_ITEMS_MAX} items"))
                .hint("move the list to an artifact and refer to it")
        })
    }

    fn object(
        &mut self,
        node: Node<'_, '_>,
        object: &'static Object,
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        for (name, value) in node.members() {
            let name = name.as_text().unwrap_or_default();
            let place = Path::Name(path, name);
            match object.member(name) {
                Some(shape) => self.value(value, shape, &place)?,
                None if name == PIN => self.ignored_pin(&place, path)?,
                None => {}
            }
        }
        for &name in object.required.iter().filter(|name| node.child(name).is_none()) {
            let shape = object.member(name).unwrap_or(&Shape::Any);
            self.absent_member(name, shape, path)?;
        }
        for &(left, right) in object.together {
            match (node.child(left).is_some(), node.child(right).is_some()) {
                (true, false) => self.alone(left, right, path)?,
                (false, true) => self.alone(right, left, path)?,
                (true, true) | (false, false) => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports pinned statements in a field of free data. Packets carry on the pinned items of a list
    /// that is the field itself or a member of it.
    fn pins_in_field(&mut self, field: Node<'_, '_>, path: &Path<'_>) -> ControlFlow<()> {
        if matches!(field.content(), Content::List) {
            return self.pins_in_items(field, path);
        }
        self.pin_of_statement(field, path)?;
        for (name, member) in field.members() {
            let path = Path::Name(path, name.as_text().unwrap_or_default());
            if matches!(member.content(), Content::List) {
                self.pins_in_items(member, &path)?;
            } else {
                self.pins_in_data(member, &path)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports pinned statements inside the items of a list, whose own pins are carried on.
    fn pins_in_items(&mut self, list: Node<'_, '_>, path: &Path<'_>) -> ControlFlow<()> {
        for (index, item) in list.items().enumerate() {
            self.pins_below(item, &Path::Index(path, index))?;
        }
        ControlFlow::Continue(())
    }

    fn pins_in_data(&mut self, node: Node<'_, '_>, path: &Path<'_>) -> ControlFlow<()> {
        self.pin_of_statement(node, path)?;
        self.pins_below(node, path)
    }

    fn pins_below(&mut self, node: Node<'_, '_>, path: &Path<'_>) -> ControlFlow<()> {
        for (index, item) in node.items().enumerate() {
            self.pins_in_data(item, &Path::Index(path, index))?;
        }
        for (name, member) in node.members() {
            let path = Path::Name(path, name.as_text().unwrap_or_default());
            self.pins_in_data(member, &path)?;
        }
        ControlFlow::Continue(())
    }

    /// Reports the pin of a statement in free data. Without a text, `pinned` is a fact of the data.
    fn pin_of_statement(&mut self, node: Node<'_, '_>, path: &Path<'_>) -> ControlFlow<()> {
        let is_pinned = |pin: Node<'_, '_>| matches!(pin.content(), Content::Flag(true));
        let has_text = || node.child("text").is_some_and(|text| text.as_text().is_some());
        if node.child(PIN).is_some_and(is_pinned) && has_text() {
            return self.ignored_pin(&Path::Name(path, PIN), path);
        }
        ControlFlow::Continue(())
    }

    /// Reports a pin where none is carried on, because its author relies on it.
    fn ignored_pin(&mut self, place: &Path<'_>, owner: &Path<'_>) -> ControlFlow<()> {
        self.report.add(place, || {
            wrong(Code::FieldUnknown, format!("{} cannot be pinned", owner.name())).hint(
                "remove `pinned`; state what must reach every receiver as a pinned item of \
                 `constraints` or `notes`",
            )
        })
    }

    fn absent_member(
        &mut self,
        name: &str,
        shape: &'static Shape,
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        self.report.add(&Path::Name(path, name), || {
            let message = format!("missing required field `{name}` in {}", path.name());
            let violation = wrong(Code::FieldMissing, message).allowed(shape.describe());
            // A YAML list item that contains `: ` becomes an object by accident.
            match name {
                "text" => violation.hint(COLON_IN_TEXT),
                _ => violation,
            }
        })
    }

    fn alone(&mut self, here: &str, other: &str, path: &Path<'_>) -> ControlFlow<()> {
        self.report.add(&Path::Name(path, other), || {
            let message = format!("`{here}` requires `{other}` in {}", path.name());
            wrong(Code::FieldTogether, message)
        })
    }

    fn wrong_type(
        &mut self,
        node: Node<'_, '_>,
        shape: &'static Shape,
        path: &Path<'_>,
    ) -> ControlFlow<()> {
        self.report.add(path, || {
            let message = format!("{} has the wrong type", path.name());
            let violation =
                wrong(Code::FieldType, message).found(show(node)).allowed(shape.describe());
            match type_hint(node, shape) {
                Some(hint) => violation.hint(hint),
                None => violation,
            }
        })
    }
}

/// Hints for YAML. [`hint_in_json`] has their counterparts.
const LIST_FOR_TEXT: &str = "write it as a list: start the line with `- `";
const COLON_IN_TEXT: &str = "if this is text that contains `: `, quote it";

/// Returns the hint for a JSON document in place of one that only fits YAML.
pub(crate) fn hint_in_json(hint: &str) -> Option<&'static str> {
    match hint {
        LIST_FOR_TEXT => Some("write it as a list: `[\"…\"]`"),
        COLON_IN_TEXT => Some("write it as text in quotes, or give the object a `text`"),
        _ => None,
    }
}

/// Returns the index of a field in the table. Packets are mostly written in table order, so the
/// search starts after the previous field.
fn position_from(next: usize, name: &str) -> Option<usize> {
    let is_it = |index: &usize| FIELDS[*index].name == name;
    (next..FIELDS.len()).find(is_it).or_else(|| (0..next).find(is_it))
}

/// Returns the known name that a short name probably stands for.
fn near<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // LIMIT: longer names are not typing errors, and each would be copied for every known name.
    const BYTES_MAX: usize = 256;
    if name.len() > BYTES_MAX { None } else { suggest(name, known) }
}

fn quoted(words: &[&str]) -> String {
    format!("`{}`", words.join("`, `"))
}

fn wrong(code: Code, message: impl Into<String>) -> Violation {
    Violation::new(code, "", message)
}

fn show(node: Node<'_, '_>) -> String {
    match node.content() {
        Content::Null => "null".to_owned(),
        Content::List => "a list".to_owned(),
        Content::Object => "an object".to_owned(),
        Content::Text(text) | Content::Plain(text) => format!("\"{}\"", shorten::text(text)),
        Content::Flag(flag) => flag.to_string(),
        Content::Number(number) => number.canonical(),
    }
}

fn type_of(node: Node<'_, '_>) -> Option<Type> {
    match node.content() {
        Content::Null => None,
        Content::Flag(_) => Some(Type::Flag),
        Content::Number(_) => Some(Type::Number),
        Content::Text(_) | Content::Plain(_) => Some(Type::Text),
        Content::List => Some(Type::List),
        Content::Object => Some(Type::Object),
    }
}

fn type_hint(node: Node<'_, '_>, shape: &'static Shape) -> Option<Cow<'static, str>> {
    let wants_list = shape.item().is_some();
    let hint = match (node.content(), shape.resolved()) {
        (Content::Null, _) => "give it a value, or remove the field",
        (Content::Text(_), _) if wants_list => LIST_FOR_TEXT,
        (Content::Text(text), shape) => return scalar_hint(text, shape),
        (Content::Number(_), Shape::Text(_) | Shape::Format(_)) => "quote it",
        (Content::Object, Shape::Text(_) | Shape::Either(_)) => COLON_IN_TEXT,
        _ => return None,
    };
    Some(Cow::Borrowed(hint))
}

/// Returns the hint for a text in place of a number or a flag.
fn scalar_hint(text: &str, shape: &Shape) -> Option<Cow<'static, str>> {
    let is_only_quoted = match shape {
        Shape::Number { .. } | Shape::Integer { .. } => text.parse().is_ok_and(f64::is_finite),
        Shape::Flag => matches!(text, "true" | "false"),
        _ => false,
    };
    if is_only_quoted {
        return Some(Cow::Borrowed("remove the quotes"));
    }
    let share = match shape {
        Shape::Number { max, .. } if *max <= 1.0 => share_of_percentage(text)?,
        _ => return None,
    };
    Some(Cow::Owned(format!("did you mean {share}?")))
}

/// Returns `0.8` for `80%`.
fn share_of_percentage(text: &str) -> Option<f64> {
    let percent: f64 = text.trim().strip_suffix('%')?.trim_end().parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reported(task_id: &str) -> String {
        let packet = json!({"handoff_version": "1.0", "task_id": task_id, "goal": "g"});
        let document = Document::from_value(&packet).unwrap();
        let variant = Variant::named("baseline").unwrap();
        let found = violations(&document, &variant);
        let violation = found.iter().find(|each| each.pointer == "/task_id").unwrap();
        format!("{violation}\n{:?}\n{:?}", violation.found, violation.hint)
    }

    #[test]
    fn a_task_id_that_would_be_a_command_is_refused_with_a_suggestion() {
        insta::assert_snapshot!(reported("build-42; touch pwned #"), @r#"
        TK-FIELD-FORMAT: `task_id` has an invalid format
        Some("\"build-42; touch pwned #\"")
        Some("use an id such as `build-42-touch-pwned-c72a850d`")
        "#);
    }

    #[test]
    fn the_hint_for_a_text_in_place_of_a_number_or_a_flag_fits_the_text() {
        for (field, text, hint) in [
            ("confidence", "80%", Some("did you mean 0.8?")),
            ("confidence", "62.5 %", Some("did you mean 0.625?")),
            ("confidence", "0.8", Some("remove the quotes")),
            ("confidence", "high", None),
            ("confidence", "800%", None),
            ("revision", "3", Some("remove the quotes")),
            ("revision", "80%", None),
            ("can_intercept", "true", Some("remove the quotes")),
            ("can_intercept", "maybe", None),
        ] {
            let packet = json!({ "handoff_version": "1.0", field: text });
            let document = Document::from_value(&packet).unwrap();
            let found = violations(&document, &Variant::named("baseline").unwrap());
            let place = format!("/{field}");
            let violation = found.iter().find(|each| each.pointer == place).unwrap();
            assert_eq!(violation.hint.as_deref(), hint, "{field}: {text}");
        }
    }

    #[test]
    fn a_blank_task_id_has_no_suggestion() {
        insta::assert_snapshot!(reported(" "), @r#"
        TK-FIELD-FORMAT: `task_id` has an invalid format
        Some("\" \"")
        None
        "#);
    }
}
