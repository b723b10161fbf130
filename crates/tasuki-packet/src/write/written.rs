//! A packet as it is kept and as it is hashed.

use super::compact;
use crate::Members;
use crate::canonical::{self, from_source};
use crate::document::Document;

/// The two texts of a packet that an exchange needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What is kept: JSON without white space, members in their order.
    pub text: String,
    /// What is hashed and signed: the canonical bytes.
    pub canonical: Vec<u8>,
}

impl Written {
    /// Writes these members.
    pub fn of(members: &Members) -> Self {
        Self { text: compact(members), canonical: canonical::bytes_of_members(members) }
    }

    /// The same for a document whose source needs no writing, because it is what would be written.
    pub(crate) fn as_sent(document: &Document<'_>, source: &str) -> Option<Self> {
        let canonical = from_source::bytes(document, source)?;
        Some(Self { text: source.to_owned(), canonical })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::canonical::tests::any_value;
    use crate::read::Source;

    /// Whether the source is what would be written; if so, both texts are.
    fn is_as_sent(source: &str) -> bool {
        let read = Source::json(source.as_bytes()).unwrap();
        let Ok(document) = read.read_plain() else { return false };
        let Value::Object(members) = document.to_value() else { return false };
        let as_sent = Written::as_sent(&document, read.content());
        as_sent.is_some_and(|as_sent| {
            assert_eq!(as_sent, Written::of(&members), "{source}");
            true
        })
    }

    proptest! {
        #[test]
        fn what_is_taken_from_the_source_is_what_would_be_written(
            value in any_value(),
            (plain, other) in prop::sample::select(vec![
                ("a", "\\u0061"), ("a", "\\/"), ("\\n", "\\u000a"), ("[", "[ "), ("]", "\n]"), (",", ", "),
                (":", ": "), ("1", "1.0"), ("1", "1e1"), ("0", "-0"), ("true", "1.50"), ("", ""),
            ]),
        ) {
            let text = json!({"b": value, "a": 0.5}).to_string();
            is_as_sent(&text.replace(plain, other));
        }
    }

    #[test]
    fn a_source_is_kept_as_it_is_if_nothing_in_it_is_written_otherwise() {
        let plain =
            r#"{"name":[1,-2,0.62,true,null,"é\"\\\n\t\b\f\r"],"b":{"z":{},"y":[]},"a":"x"}"#;
        assert!(is_as_sent(plain));
        for (part, other) in [
            ("[1,", "[1, "),
            ("[1,", "[1.0,"),
            ("-2", "-0"),
            ("-2", "-20e-1"),
            ("0.62", "0.620"),
            ("0.62", "6.2e-1"),
            ("0.62", "1e21"),
            ("\\n", "\\u000a"),
            ("x", "\\/"),
            ("x", "\\u0078"),
            ("{\"z", "{ \"z"),
            ("[]", "[ ]"),
            (":{}", " :{}"),
        ] {
            let text = plain.replacen(part, other, 1);
            assert_ne!(text, plain);
            assert!(!is_as_sent(&text), "{text}");
        }
        assert!(!is_as_sent(&format!(" {plain}")) && !is_as_sent(&format!("{plain}\n")));
    }
}
