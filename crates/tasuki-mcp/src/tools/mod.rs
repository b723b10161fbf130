//! The tools, one file each. `all` is the list that hosts see.

mod answer;
mod ask;
mod begin;
pub(crate) mod brief;
mod cancel;
mod checkpoint;
mod claim;
mod decline;
mod inbox;
mod park;
mod pass_on;
mod release;
mod renew;
mod request_approval;
mod return_packet;
mod search;
mod submit;
mod verify;
mod wait;

use std::sync::LazyLock;

use crate::tool::Entry;

/// Every tool, in the order of a handoff's life.
pub(crate) static TOOLS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry::of::<inbox::Inbox>(),
        Entry::of::<begin::Begin>(),
        Entry::of::<submit::Submit>(),
        Entry::of::<claim::Claim>(),
        Entry::of::<brief::Brief>(),
        Entry::of::<checkpoint::Checkpoint>(),
        Entry::of::<renew::Renew>(),
        Entry::of::<request_approval::RequestApproval>(),
        Entry::of::<park::Park>(),
        Entry::of::<release::Release>(),
        Entry::of::<decline::Decline>(),
        Entry::of::<pass_on::PassOn>(),
        Entry::of::<return_packet::Return>(),
        Entry::of::<verify::Verify>(),
        Entry::of::<ask::Ask>(),
        Entry::of::<answer::Answer>(),
        Entry::of::<cancel::Cancel>(),
        Entry::of::<wait::Wait>(),
        Entry::of::<search::Search>(),
    ]
});

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tasuki_packet::render::tokens;

    use super::*;

    /// LIMIT: tokens of the whole list, which every session of an agent pays.
    const TOKENS_MAX: usize = 6_000;

    /// LIMIT: members of a result.
    const MEMBERS_MAX: usize = 12;

    const REFERENCE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/mcp-tools.md");

    fn definitions() -> Vec<Value> {
        TOOLS.iter().map(|entry| serde_json::to_value(&entry.definition).unwrap()).collect()
    }

    fn text<'v>(value: &'v Value, name: &str) -> &'v str {
        value[name].as_str().unwrap_or_default()
    }

    #[test]
    fn the_tools_have_the_names_of_the_design() {
        let words = "inbox begin submit claim brief checkpoint renew request_approval park release \
                     decline pass_on return verify ask answer cancel wait search";
        let names: Vec<String> = words.split_whitespace().map(|w| format!("handoff_{w}")).collect();
        let listed = definitions();
        assert_eq!(listed.iter().map(|tool| text(tool, "name")).collect::<Vec<_>>(), names);
    }

    #[test]
    fn the_whole_list_stays_below_its_budget_of_tokens() {
        let count = tokens::count(&json!(definitions()).to_string());
        assert!(count <= TOKENS_MAX, "{count} tokens");
    }

    #[test]
    fn every_schema_is_an_object_that_validators_accept_without_references() {
        for tool in definitions() {
            for name in ["inputSchema", "outputSchema"] {
                let schema = &tool[name];
                assert_eq!(text(schema, "type"), "object", "{tool:#}");
                assert!(jsonschema::validator_for(schema).is_ok(), "{tool:#}");
                assert!(!schema.to_string().contains("$ref"), "{tool:#}");
                assert!(!schema.to_string().contains("\"format\""), "{tool:#}");
            }
            assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false), "{tool:#}");
        }
    }

    #[test]
    fn every_result_is_small_and_says_what_to_do_next() {
        for tool in definitions() {
            let schema = &tool["outputSchema"];
            let members = schema["properties"].as_object().unwrap();
            assert!(members.len() <= MEMBERS_MAX, "{tool:#}");
            assert!(schema["required"].as_array().unwrap().contains(&json!("next")), "{tool:#}");
        }
    }

    #[test]
    fn every_tool_says_whether_it_changes_anything() {
        for tool in definitions() {
            let hints = &tool["annotations"];
            assert!(hints["readOnlyHint"].is_boolean(), "{tool:#}");
            assert_eq!(hints["openWorldHint"], json!(false), "{tool:#}");
            let has_destructive = hints["destructiveHint"].is_boolean();
            assert_eq!(has_destructive, hints["readOnlyHint"] == json!(false), "{tool:#}");
        }
    }

    /// `TASUKI_UPDATE=1` rewrites the page.
    #[test]
    fn generated_reference_has_every_tool_with_its_arguments() {
        let page = std::fs::read_to_string(REFERENCE).unwrap();
        let (start, end) = ("<!-- generated: tools -->\n", "<!-- end -->");
        let (before, rest) = page.split_once(start).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        let wanted = format!("{before}{start}\n{}\n{end}{after}", table());
        if std::env::var_os("TASUKI_UPDATE").is_some() {
            std::fs::write(REFERENCE, &wanted).unwrap();
        }
        assert_eq!(std::fs::read_to_string(REFERENCE).unwrap(), wanted, "run `make generate`");
    }

    fn table() -> String {
        let mut table = "| tool | arguments | what it does |\n|---|---|---|\n".to_owned();
        for tool in definitions() {
            let schema = &tool["inputSchema"];
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let names = schema["properties"].as_object().into_iter().flat_map(|all| all.keys());
            let arguments: Vec<String> = names
                .map(|name| {
                    let mark = if required.contains(&json!(name)) { "**" } else { "" };
                    format!("{mark}`{name}`{mark}")
                })
                .collect();
            let (name, description) = (text(&tool, "name"), text(&tool, "description"));
            table.push_str(&format!("| `{name}` | {} | {description} |\n", arguments.join(", ")));
        }
        table
    }
}
