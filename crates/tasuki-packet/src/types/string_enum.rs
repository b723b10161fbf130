//! Words of the format that mean one thing out of a short list.
//!
//! Each list is an enum whose variants are written beside their words, so that reading, printing
//! and the list in a refusal cannot disagree. What a word means is said where its enum stands.

/// Why a text is not one of the words that are allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{written}` is not one of {}", listed(.allowed))]
pub struct NotAWord {
    /// What was written.
    pub written: String,
    /// What may be written.
    pub allowed: Vec<&'static str>,
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// An enum whose variants are words.
macro_rules! words {
    ($(#[$outer:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$inner])* $variant,)+
        }

        impl $name {
            /// The words of the format with their meaning.
            pub(crate) const WORDS: &'static [(&'static str, Self)] =
                &[$(($word, Self::$variant),)+];

            /// Every meaning, in the order of the format.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word as it is written.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::string_enum::NotAWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::WORDS.iter().find(|(word, _)| *word == text);
                found.map(|(_, meaning)| *meaning).ok_or_else(|| $crate::string_enum::NotAWord {
                    written: text.to_owned(),
                    allowed: Self::WORDS.iter().map(|(word, _)| *word).collect(),
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
                let word = String::deserialize(reader)?;
                word.parse().map_err(serde::de::Error::custom)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use crate::policy::trigger::Effect;

    #[test]
    fn a_word_is_read_as_it_is_printed() {
        for effect in Effect::ALL {
            assert_eq!(effect.as_str().parse(), Ok(*effect));
        }
        insta::assert_snapshot!(
            "wait".parse::<Effect>().unwrap_err(),
            @"`wait` is not one of `hold`, `offer`, `verify`, `continue`"
        );
    }
}
