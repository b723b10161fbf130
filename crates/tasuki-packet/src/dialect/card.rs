//! The props of the handoff card, a UI component that shows work passing between parties.
//!
//! Callbacks are not data, and `className` does not describe the handoff; both are preserved
//! separately. Sibling cards show confidence as a percentage, so a number above 1 is read as one.
//! The props are a closed list: an export reports every field that the card does not show.

use super::convert::{Export, Import};
use super::name::Dialect;
use super::table::{Overflow, Slot, Table, handoffs_only};
use super::{exporter, importer};
use crate::dialect::codec::Codec;
use crate::document::Members;
use crate::violation::Violation;

pub(super) fn import(document: &Members) -> Result<Import, Violation> {
    importer::import(&TABLE, document)
}

pub(super) fn export(packet: &Members) -> Result<Export, Violation> {
    handoffs_only(&TABLE, packet)?;
    Ok(exporter::export(&TABLE, packet))
}

pub(super) static TABLE: Table = Table {
    dialect: Dialect::Card,
    called: "a handoff card",
    slots: &[
        Slot::moved(&["sourceAgent"], &["from_agent"], Codec::Text),
        Slot::moved(&["destinationAgent"], &["to_agent"], Codec::Text),
        Slot::same(&["goal"], Codec::Text),
        Slot::same(&["summary"], Codec::Text),
        Slot::same(&["payload"], Codec::LabelledValues),
        Slot::moved(&["nextRequest"], &["next_request"], Codec::Text),
        Slot::moved(&["canIntercept"], &["can_intercept"], Codec::Flag),
        // This card has no such prop, but its siblings do, and their props are often passed along.
        Slot::alias(&["confidence"], &["confidence"], Codec::Percent),
    ],
    defaults: &[],
    implied: &[("handoff_version", "1.0"), ("packet_type", "handoff")],
    synonyms: &[("target_agent", "to_agent"), ("handoff_summary", "summary")],
    overflow: Overflow::Closed,
    order: &[],
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::round_trip::{imported, losses, members, returns};

    fn example() -> serde_json::Value {
        json!({
            "sourceAgent": "Web Scraper",
            "destinationAgent": "Data Synthesizer",
            "goal": "Extract pricing tiers into standardized JSON structure.",
            "summary": "I have crawled the target domain and identified 42 pages containing \
                tabular data that likely represent pricing structures.",
            "payload": [
                {"label": "Scraped URLs", "value": "42 pages processed"},
                {"label": "Extraction Rule", "value": "Find pricing tables"},
                {"label": "Cost Incurred", "value": "$0.45"}
            ],
            "nextRequest": "Please parse the HTML tables in this payload and ensure the resulting \
                JSON matches the ProductTier schema.",
            "canIntercept": true
        })
    }

    #[test]
    fn the_example_becomes_a_packet_and_comes_back() {
        let packet = imported(Dialect::Card, &example()).packet;
        assert_eq!(packet["from_agent"], "Web Scraper");
        assert_eq!(packet["to_agent"], "Data Synthesizer");
        assert_eq!(packet["can_intercept"], true);
        assert_eq!(packet["payload"], example()["payload"]);
        assert!(packet["next_request"].as_str().is_some_and(|text| text.starts_with("Please")));
        assert!(!packet.contains_key("extensions"));
        returns(Dialect::Card, &example());
    }

    #[test]
    fn a_percentage_is_converted_and_props_that_are_not_data_are_preserved() {
        let mut source = members(&example());
        source.extend(members(&json!({
            "confidence": 74, "className": "p-4", "onAccept": "handler", "canIntercept": "yes"
        })));
        let import = imported(Dialect::Card, &json!(source));
        assert_eq!(import.packet["confidence"], 0.74);
        assert_eq!(
            import.packet["extensions"]["card"],
            json!({
                "confidence": 74, "className": "p-4", "onAccept": "handler", "canIntercept": "yes"
            })
        );
        let notes: Vec<String> = import
            .notes
            .iter()
            .filter(|note| !note.message.starts_with("becomes"))
            .map(|note| format!("{}: {}", note.pointer, note.message))
            .collect();
        insta::assert_snapshot!(notes.join("\n"), @"
        /canIntercept: is not a valid `can_intercept`; the original is kept under `extensions.card`
        /confidence: is read as `confidence: 0.74`; the original is kept under `extensions.card`
        : `handoff_version` defaults to `1.0`
        : `packet_type` defaults to `handoff`
        /className: has no field; kept under `extensions.card`
        /onAccept: has no field; kept under `extensions.card`
        ");
        returns(Dialect::Card, &json!(source));
    }

    #[test]
    fn fields_that_a_card_cannot_show_are_reported() {
        let packet = members(&json!({
            "handoff_version": "1.0",
            "from_agent": "a",
            "target_agent": "b",
            "goal": 5,
            "handoff_summary": "s",
            "confidence": 0.6,
            "completed": ["x"],
            "payload": {"pages": 42}
        }));
        let export = export(&packet).expect("a handoff");
        assert_eq!(
            json!(export.document),
            json!({
                "sourceAgent": "a",
                "destinationAgent": "b",
                "summary": "s",
                "payload": [{"label": "pages", "value": "42"}]
            })
        );
        insta::assert_snapshot!(losses(&export), @"
        /payload: labels and values are written as text
        /goal: not supported by `card`
        /confidence: not supported by `card`
        /completed: not supported by `card`
        ");
    }

    #[test]
    fn a_return_packet_is_not_exported_as_a_card() {
        let violation = export(&members(&json!({"packet_type": "return"}))).expect_err("no card");
        assert_eq!(violation.pointer, "/packet_type");
    }
}
