//! The variant that checkpoints are validated against, and their text in one line.

use serde_json::json;

use crate::packet::Packet;
use crate::schema::variant::Variant;

/// Returns the variant for a checkpoint that is recorded with a handoff. It extends `baseline`, but
/// `handoff_version` is optional because the handoff's packet states it.
///
/// ```
/// use tasuki_packet::chain::continuation::checkpoint_variant;
/// use tasuki_packet::open::{OpenOptions, open};
/// use tasuki_packet::read::Source;
///
/// let source = Source::packet(br#"{"packet_type": "checkpoint", "completed": ["Add tests"]}"#)?;
/// let variant = checkpoint_variant();
/// let opened = open(&source, OpenOptions { variant: Some(&variant), ..OpenOptions::default() })?;
/// assert!(opened.violations.is_empty());
/// # Ok::<(), tasuki_packet::Violation>(())
/// ```
///
/// # Panics
///
/// Never panics: the document is a constant.
pub fn checkpoint_variant() -> Variant {
    let document = json!({
        "variant": "checkpoint",
        "extends": "baseline",
        "optional": ["handoff_version"],
    });
    Variant::from_document(&document)
        .expect("`handoff_version` is a field and `baseline` is a variant")
}

/// Returns a checkpoint in one line: the completed steps, else the summary, else the first list that
/// says something.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::chain::continuation::headline;
///
/// let checkpoint = json!({ "packet_type": "checkpoint", "completed": ["Code", "Tests"] });
/// assert_eq!(headline(&Packet::from_value(checkpoint).unwrap()), "Code; Tests");
/// ```
pub fn headline(checkpoint: &Packet) -> String {
    let list = |name: &str| {
        let texts: Vec<&str> = checkpoint.items(name).map(|item| item.text).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    };
    let text = |name: &str| checkpoint.text(name).map(str::to_owned);
    let labelled = |label: &str, name: &str| Some(format!("{label}: {}", list(name)?));
    list("completed")
        .or_else(|| text("summary"))
        .or_else(|| text("handoff_summary"))
        .or_else(|| labelled("decided", "decisions"))
        .or_else(|| labelled("pitfall", "pitfalls_hit"))
        .or_else(|| labelled("left", "remaining"))
        .or_else(|| list("notes"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::{OpenOptions, open};
    use crate::read::Source;

    fn check(document: &str, expected: &[&str]) {
        let source = Source::packet(document.as_bytes()).unwrap();
        let variant = checkpoint_variant();
        let opened =
            open(&source, OpenOptions { variant: Some(&variant), ..OpenOptions::default() })
                .unwrap();
        let found: Vec<String> = opened
            .violations
            .iter()
            .map(|violation| format!("{} {}", violation.code, violation.pointer))
            .collect();
        assert_eq!(found, expected, "{document}");
    }

    #[test]
    fn a_checkpoint_needs_nothing_but_its_kind() {
        check("packet_type: checkpoint\ncompleted: [a]\nremaining: [b]\n", &[]);
        check("handoff_version: '1.0'\npacket_type: checkpoint\n", &[]);
        check("packet_type: checkpoint\ncost: { tokens: 12 }\nto_agent: ben\n", &[]);
    }

    #[test]
    fn its_members_are_validated_like_those_of_any_packet() {
        check(
            "handoff_version: '2.0'\npacket_type: checkpoint\n",
            &["TK-VERSION-UNSUPPORTED /handoff_version"],
        );
        check("packet_type: checkpoint\nstatus: done\n", &["TK-FIELD-VALUE /status"]);
        check("packet_type: checkpoint\nremaining: null\n", &["TK-FIELD-TYPE /remaining"]);
    }

    #[test]
    fn a_headline_is_what_the_holder_did_or_said() {
        let line = |value: serde_json::Value| headline(&Packet::from_value(value).unwrap());
        assert_eq!(line(json!({ "completed": ["a", "b"], "summary": "s" })), "a; b");
        assert_eq!(line(json!({ "summary": "s", "remaining": ["c"] })), "s");
        assert_eq!(line(json!({ "decisions": ["d"], "remaining": ["c"] })), "decided: d");
        assert_eq!(line(json!({ "remaining": ["c"] })), "left: c");
        assert_eq!(line(json!({})), "");
    }
}
