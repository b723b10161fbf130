//! Shapes of values: constants, nested like the values they describe.

use super::format::Format;

/// The shape of a value.
///
/// ```
/// use tasuki_packet::schema::field::{PACKET, Shape};
///
/// let status = PACKET.member("status").unwrap();
/// assert!(matches!(status, Shape::Word(_)));
/// assert_eq!(status.describe(), "one of `in_progress`, `blocked`, `failed`, `completed`");
/// ```
#[derive(Debug)]
pub enum Shape {
    /// A text.
    Text(Text),
    /// A text in a format.
    Format(Format),
    /// One of these words.
    Word(&'static [&'static str]),
    /// An integer.
    Integer {
        /// The minimum.
        min: u64,
    },
    /// A number.
    Number {
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
    },
    /// A boolean.
    Flag,
    /// A list of items of one shape.
    List {
        /// The shape of the items.
        item: &'static Shape,
    },
    /// An object with known members. Unknown ones are kept.
    Object(Object),
    /// An object with arbitrary members.
    Map,
    /// Any value.
    Any,
    /// One of several shapes, at most one per JSON type.
    Either(&'static [Shape]),
    /// A shape that the JSON Schema defines once, under this name.
    Named(&'static str, &'static Shape),
}

/// The rules for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// The maximum number of characters.
    pub chars_max: usize,
    /// `true` if it must have more than white space.
    pub non_blank: bool,
}

/// The rules for an object.
#[derive(Debug)]
pub struct Object {
    /// The known members.
    pub members: &'static [Member],
    /// The required members.
    pub required: &'static [&'static str],
    /// Pairs of members that require each other.
    pub together: &'static [(&'static str, &'static str)],
}

/// A member of an object.
#[derive(Debug)]
pub struct Member {
    /// The name.
    pub name: &'static str,
    /// The shape of the value.
    pub shape: &'static Shape,
}

/// A JSON type, as far as it tells shapes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Number,
    Flag,
    List,
    Object,
}

impl Shape {
    /// Returns the shape of the items, if the value may be a list.
    pub fn item(&'static self) -> Option<&'static Self> {
        match self.resolved() {
            Self::List { item } => Some(item),
            Self::Either(shapes) => shapes.iter().find_map(Self::item),
            _ => None,
        }
    }

    /// Returns the shape of this member, if the value may be an object with it.
    pub fn member(&'static self, name: &str) -> Option<&'static Self> {
        match self.resolved() {
            Self::Object(object) => object.member(name),
            Self::Either(shapes) => shapes.iter().find_map(|shape| shape.member(name)),
            _ => None,
        }
    }

    /// Returns the shape without its name.
    pub(crate) fn resolved(&'static self) -> &'static Self {
        match self {
            Self::Named(_, inner) => inner.resolved(),
            other => other,
        }
    }

    /// Returns the JSON type of this shape, or `None` if several are possible.
    pub(crate) fn json_type(&'static self) -> Option<Type> {
        match self.resolved() {
            Self::Text(_) | Self::Format(_) | Self::Word(_) => Some(Type::Text),
            Self::Integer { .. } | Self::Number { .. } => Some(Type::Number),
            Self::Flag => Some(Type::Flag),
            Self::List { .. } => Some(Type::List),
            Self::Object(_) | Self::Map => Some(Type::Object),
            Self::Any | Self::Either(_) | Self::Named(..) => None,
        }
    }

    /// Returns a description of the allowed values for messages and documents.
    pub fn describe(&'static self) -> String {
        match self.resolved() {
            Self::Text(_) => "text".to_owned(),
            Self::Format(format) => format.describe().to_owned(),
            Self::Word(words) => format!("one of {}", quoted(words, ", ")),
            Self::Integer { min } => format!("an integer of at least {min}"),
            Self::Number { min, .. } if min.is_infinite() => "a number".to_owned(),
            Self::Number { min, max } => format!("a number between {min} and {max}"),
            Self::Flag => "true or false".to_owned(),
            Self::List { item } => format!("a list in which each item is {}", item.describe()),
            Self::Object(object) if object.required.is_empty() => "an object".to_owned(),
            Self::Object(object) => format!("an object with {}", quoted(object.required, " and ")),
            Self::Map => "an object".to_owned(),
            Self::Any | Self::Named(..) => "anything".to_owned(),
            Self::Either(shapes) => {
                let all: Vec<_> = shapes.iter().map(Self::describe).collect();
                let is_short = |shape: &Self| matches!(shape, Self::Text(_) | Self::Object(_));
                let is_short = shapes.iter().all(|shape| is_short(shape.resolved()));
                all.join(if is_short { " or " } else { ", or " })
            }
        }
    }
}

fn quoted(names: &[&str], separator: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(separator)
}

impl Object {
    /// Returns the shape of a known member.
    pub fn member(&self, name: &str) -> Option<&'static Shape> {
        self.members.iter().find(|member| member.name == name).map(|member| member.shape)
    }
}
