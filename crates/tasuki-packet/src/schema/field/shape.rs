//! What a value may be. Shapes are constants, nested like the values they describe.

use super::format::Format;

/// What a value may be.
#[derive(Debug)]
pub enum Shape {
    /// A text.
    Text(Text),
    /// A text of a given form.
    Format(Format),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number.
    Integer {
        /// The smallest allowed.
        min: u64,
    },
    /// A number.
    Number {
        /// The smallest allowed.
        min: f64,
        /// The largest allowed.
        max: f64,
    },
    /// True or false.
    Flag,
    /// A list of one shape.
    List {
        /// What each item is.
        item: &'static Shape,
    },
    /// An object with known members; unknown ones are kept.
    Object(Object),
    /// An object whose members nobody describes.
    Map,
    /// Any value at all.
    Any,
    /// One of several shapes, told apart by their JSON type: at most one per type.
    Either(&'static [Shape]),
    /// A shape that the JSON Schema defines once, under this name.
    Named(&'static str, &'static Shape),
}

/// The rule of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// The most characters.
    pub chars_max: usize,
    /// Whether it must hold something besides white space.
    pub non_blank: bool,
}

/// The rule of an object.
#[derive(Debug)]
pub struct Object {
    /// The members the format knows.
    pub members: &'static [Member],
    /// Members that must be there.
    pub required: &'static [&'static str],
    /// Pairs of members of which none may stand without the other.
    pub together: &'static [(&'static str, &'static str)],
}

/// A member of an object.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub shape: &'static Shape,
}

/// A JSON type, as far as shapes are told apart by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Text,
    Number,
    Flag,
    List,
    Object,
}

impl Shape {
    /// The shape of the items, if lists may stand here.
    pub fn item(&'static self) -> Option<&'static Self> {
        match self.resolved() {
            Self::List { item } => Some(item),
            Self::Either(shapes) => shapes.iter().find_map(Self::item),
            _ => None,
        }
    }

    /// The shape of the member of this name, if objects with it may stand here.
    pub fn member(&'static self, name: &str) -> Option<&'static Self> {
        match self.resolved() {
            Self::Object(object) => object.member(name),
            Self::Either(shapes) => shapes.iter().find_map(|shape| shape.member(name)),
            _ => None,
        }
    }

    /// The shape behind its name.
    pub(crate) fn resolved(&'static self) -> &'static Self {
        match self {
            Self::Named(_, inner) => inner.resolved(),
            other => other,
        }
    }

    /// The JSON type that this shape asks for; none where several or all are possible.
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

    /// The words for it in a message: what may stand here.
    pub fn describe(&'static self) -> String {
        match self.resolved() {
            Self::Text(_) => "text".to_owned(),
            Self::Format(format) => format.describe().to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Integer { min } => format!("a whole number from {min} on"),
            Self::Number { min, .. } if min.is_infinite() => "a number".to_owned(),
            Self::Number { min, max } => format!("a number between {min} and {max}"),
            Self::Flag => "true or false".to_owned(),
            Self::List { item } => format!("a list, each item {}", item.describe()),
            Self::Object(object) if object.required.is_empty() => "an object".to_owned(),
            Self::Object(object) => format!("an object with {}", object.required.join(", ")),
            Self::Map => "an object".to_owned(),
            Self::Any | Self::Named(..) => "anything".to_owned(),
            Self::Either(shapes) => {
                let all: Vec<_> = shapes.iter().map(Self::describe).collect();
                all.join(", or ")
            }
        }
    }
}

impl Object {
    /// The shape of a known member.
    pub fn member(&self, name: &str) -> Option<&'static Shape> {
        self.members.iter().find(|member| member.name == name).map(|member| member.shape)
    }
}
