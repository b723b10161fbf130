//! Enums that are written as strings.
//!
//! Each variant is declared next to its string, so that parsing, printing and the list in the error
//! always agree.

/// The error of parsing a string that names no variant.
///
/// ```
/// use tasuki_packet::string_enum::ParseEnumError;
///
/// let error = ParseEnumError { written: "wait".to_owned(), allowed: vec!["hold", "offer"] };
/// assert_eq!(error.to_string(), "`wait` is not one of `hold`, `offer`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{written}` is not one of {}", listed(.allowed))]
pub struct ParseEnumError {
    /// The string that was given.
    pub written: String,
    /// The allowed strings.
    pub allowed: Vec<&'static str>,
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Declares an enum whose variants are written as strings.
macro_rules! string_enum {
    ($(#[$outer:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $variant:ident = $text:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$inner])* $variant,)+
        }

        impl $name {
            /// The strings of the format, with their variants.
            pub(crate) const NAMES: &'static [(&'static str, Self)] =
                &[$(($text, Self::$variant),)+];

            /// Every variant, in the order of the format.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the string in the format.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::string_enum::ParseEnumError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::NAMES.iter().find(|(name, _)| *name == text);
                found.map(|(_, variant)| *variant).ok_or_else(|| $crate::string_enum::ParseEnumError {
                    written: text.to_owned(),
                    allowed: Self::NAMES.iter().map(|(name, _)| *name).collect(),
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let name = String::deserialize(reader)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use string_enum;

#[cfg(test)]
mod tests {
    use crate::policy::trigger::Effect;

    #[test]
    fn a_variant_is_read_as_it_is_printed() {
        for effect in Effect::ALL {
            assert_eq!(effect.as_str().parse(), Ok(*effect));
        }
        insta::assert_snapshot!(
            "wait".parse::<Effect>().unwrap_err(),
            @"`wait` is not one of `hold`, `offer`, `verify`, `continue`"
        );
    }
}
