//! Enums whose variants are words on the wire.

/// Declares an enum with the word of each variant.
///
/// The word is the serde form, `as_str` and an entry of the schema, so that these cannot disagree.
macro_rules! word_enum {
    ($(#[$outer:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$inner])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            const COUNT: usize = [$($word,)+].len();

            /// Every variant.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant,)+];

            /// Returns the word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Returns the variant with this word.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == word)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                crate::schema::types::words(Self::ALL.into_iter().map(Self::as_str))
            }
        }
    };
}

pub(crate) use word_enum;
