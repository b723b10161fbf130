//! The links of the OpenAPI document: the operations that continue with the result of another one.
//!
//! Generators of clients show them, and the check of the interface follows them.

use serde_json::{Map, Value, json};

use crate::api::operations::{
    ADD_SUBSCRIPTION, ADOPT, ANSWER, ASK, BEGIN, CHECKPOINT, CLAIM, CLAIM_NEXT, CREATE_TOKEN,
    DECIDE, DECLINE, DISABLE_SUBSCRIPTION, ENABLE_SUBSCRIPTION, LIST_DELIVERIES, LIST_RETURNS,
    Operation, PARK, RELEASE, REMOVE_SUBSCRIPTION, RENEW, REQUEST_APPROVAL, RETURN, REVISE,
    REVOKE_TOKEN, ROTATE_SECRET, SHOW_HANDOFF, SHOW_PACKET, SHOW_SUBSCRIPTION, SHOW_TRAIL, SUBMIT,
    TIMELINE, VERIFY, WITHDRAW,
};

/// A parameter, and the member of a response that it is taken from.
type Taken = (&'static str, &'static str);

/// Operations that take these parameters from the response of others.
struct Link {
    after: &'static [&'static Operation],
    takes: &'static [Taken],
    then: &'static [&'static Operation],
}

static LINKS: &[Link] = &[
    Link {
        after: &[&SUBMIT],
        takes: &[("id", "handoff/id")],
        then: &[&SHOW_HANDOFF, &SHOW_PACKET, &SHOW_TRAIL, &REVISE, &DECIDE, &ASK, &CLAIM, &DECLINE],
    },
    Link { after: &[&SUBMIT, &BEGIN], takes: &[("task", "handoff/task")], then: &[&TIMELINE] },
    Link {
        after: &[&BEGIN, &CLAIM, &CLAIM_NEXT],
        takes: &[("id", "claim/id")],
        then: &[&RENEW, &ADOPT, &RELEASE, &PARK, &REQUEST_APPROVAL, &WITHDRAW],
    },
    Link {
        after: &[&BEGIN, &CLAIM, &CLAIM_NEXT],
        takes: &[("id", "claim/handoff"), ("fence", "claim/fence")],
        then: &[&CHECKPOINT, &RETURN],
    },
    Link { after: &[&ASK], takes: &[("id", "handoff/id")], then: &[&ANSWER] },
    Link { after: &[&RETURN], takes: &[("id", "handoff/id")], then: &[&VERIFY, &LIST_RETURNS] },
    Link { after: &[&CREATE_TOKEN], takes: &[("id", "token/id")], then: &[&REVOKE_TOKEN] },
    Link {
        after: &[&ADD_SUBSCRIPTION],
        takes: &[("id", "subscription/id")],
        then: &[
            &SHOW_SUBSCRIPTION,
            &DISABLE_SUBSCRIPTION,
            &ENABLE_SUBSCRIPTION,
            &ROTATE_SECRET,
            &LIST_DELIVERIES,
            &REMOVE_SUBSCRIPTION,
        ],
    },
];

/// Returns the links of the successful response of an operation, if it has any.
pub(super) fn of(operation: &Operation) -> Option<Value> {
    let mut all = Map::new();
    let is_after = |link: &&Link| link.after.iter().any(|one| one.id == operation.id);
    for link in LINKS.iter().filter(is_after) {
        let takes = link
            .takes
            .iter()
            .map(|(name, member)| ((*name).to_owned(), json!(format!("$response.body#/{member}"))));
        let parameters: Map<String, Value> = takes.collect();
        for target in link.then {
            let described = json!({ "operationId": target.id, "parameters": parameters });
            all.insert(target.id.to_owned(), described);
        }
    }
    (!all.is_empty()).then_some(Value::Object(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi;

    /// Returns the schema that a `$ref` names, or the schema itself.
    fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
        match schema["$ref"].as_str() {
            Some(named) => document.pointer(&named[1..]).expect("a definition exists"),
            None => schema,
        }
    }

    #[test]
    fn every_link_takes_a_member_of_the_response_for_a_parameter_of_the_operation() {
        let document = openapi::document();
        for link in LINKS {
            for target in link.then {
                let in_path = |name: &str| target.path.contains(&format!("{{{name}}}"));
                let in_query = |name: &str| target.parameters.iter().any(|one| one.name == name);
                for (name, _) in link.takes {
                    assert!(in_path(name) || in_query(name), "{} has no `{name}`", target.id);
                }
            }
            for (_, member) in link.takes {
                let response = &document["components"]["schemas"]["CommandResponse"];
                let found = member.split('/').fold(response, |schema, name| {
                    &resolved(&document, schema)["properties"][name]
                });
                assert!(!found.is_null(), "a response has no `{member}`");
            }
        }
    }
}
