//! The JSON Schema of every body, in the dialect of OpenAPI 3.1 (JSON Schema 2020-12).
//!
//! A request schema describes how the server deserializes a body, a response schema how it
//! serializes one. Both are closed: unknown members are errors.

mod transforms;
pub(crate) mod types;

use std::borrow::Cow;

pub use schemars::JsonSchema;
use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

pub use types::{JsonSchemaDocument, Packet};

use crate::Page;

/// The path of the schemas in an OpenAPI document.
const DEFINITIONS: &str = "/components/schemas";

/// Collects the schemas of bodies, and returns references to them.
#[derive(Debug)]
pub struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Schemas {
    /// Returns the schema of a request body.
    pub fn request<T: JsonSchema>(&mut self) -> Value {
        subschema::<T>(&mut self.requests)
    }

    /// Returns the schema of a response body.
    pub fn response<T: JsonSchema>(&mut self) -> Value {
        subschema::<T>(&mut self.responses)
    }

    /// Returns every schema that was referred to, by name.
    ///
    /// A type of both requests and responses is described as a request, which allows more.
    pub fn into_definitions(mut self) -> Map<String, Value> {
        let mut definitions = self.responses.take_definitions(true);
        definitions.extend(self.requests.take_definitions(true));
        definitions
    }
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = DEFINITIONS.into();
                settings.meta_schema = None;
            })
        };
        let requests = transforms::common(settings()).for_deserialize();
        let responses = transforms::response(transforms::common(settings())).for_serialize();
        Self { requests: requests.into_generator(), responses: responses.into_generator() }
    }
}

fn subschema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    let mut schema: Schema = generator.subschema_for::<T>();
    for transform in generator.transforms_mut() {
        transform.transform(&mut schema);
    }
    schema.to_value()
}

/// A type of body, for tables that list bodies of different types.
#[derive(Clone, Copy)]
pub struct Body {
    name: fn() -> Cow<'static, str>,
    request: fn(&mut Schemas) -> Value,
    response: fn(&mut Schemas) -> Value,
    page: fn(&mut Schemas) -> Value,
}

impl Body {
    /// Returns the entry of a type.
    pub const fn of<T: JsonSchema>() -> Self {
        Self {
            name: T::schema_name,
            request: Schemas::request::<T>,
            response: Schemas::response::<T>,
            page: Schemas::response::<Page<T>>,
        }
    }

    /// Returns the name of the schema.
    pub fn name(&self) -> Cow<'static, str> {
        (self.name)()
    }

    /// Returns the schema of the type as a request body.
    pub fn request(&self, schemas: &mut Schemas) -> Value {
        (self.request)(schemas)
    }

    /// Returns the schema of the type as a response body.
    pub fn response(&self, schemas: &mut Schemas) -> Value {
        (self.response)(schemas)
    }

    /// Returns the schema of a page of items of the type.
    pub fn page(&self, schemas: &mut Schemas) -> Value {
        (self.page)(schemas)
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Body {}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Body").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ClaimRequest, Handoff, SubscriptionRequest, Whoami};

    fn definitions(add: impl FnOnce(&mut Schemas)) -> Map<String, Value> {
        let mut schemas = Schemas::default();
        add(&mut schemas);
        schemas.into_definitions()
    }

    #[test]
    fn a_request_is_closed_and_its_optional_members_may_be_null() {
        let claim = &definitions(|all| drop(all.request::<ClaimRequest>()))["ClaimRequest"];
        assert_eq!(claim["additionalProperties"], false);
        assert_eq!(claim.get("required"), None);
        for (name, kind) in [("lease", "string"), ("renewed", "boolean"), ("reads", "array")] {
            assert_eq!(claim["properties"][name]["type"], json!([kind, "null"]), "{name}");
        }
    }

    #[test]
    fn a_response_is_closed_and_only_required_members_may_be_null() {
        let all = definitions(|all| {
            all.response::<Whoami>();
            all.response::<Handoff>();
        });
        let (whoami, handoff) = (&all["Whoami"], &all["Handoff"]);
        assert_eq!(whoami["properties"]["project"]["type"], json!(["string", "null"]));
        assert_eq!(handoff["properties"]["holder"]["type"], "string");
        let failure = &handoff["properties"]["notification_failure"];
        assert_eq!(failure["$ref"], "#/components/schemas/NotificationFailure");
        assert!(all.values().all(|schema| schema["additionalProperties"] == false));
    }

    #[test]
    fn an_integer_is_one_that_every_reader_keeps_exactly() {
        let handoff = &definitions(|all| drop(all.response::<Handoff>()))["Handoff"];
        let attempt = &handoff["properties"]["attempt"];
        assert_eq!(
            (&attempt["minimum"], &attempt["maximum"]),
            (&json!(0), &json!((1_u64 << 53) - 1))
        );
        assert_eq!(attempt.get("format"), None);
    }

    #[test]
    fn a_page_is_named_after_its_items() {
        let mut schemas = Schemas::default();
        let page = Body::of::<Handoff>().page(&mut schemas);
        assert_eq!(page, json!({ "$ref": "#/components/schemas/HandoffPage" }));
    }

    #[test]
    fn a_type_of_requests_and_responses_is_described_as_a_request() {
        let all = definitions(|all| {
            all.response::<crate::Subscription>();
            all.request::<SubscriptionRequest>();
        });
        let task = &all["EventFilter"]["properties"]["task"];
        assert_eq!(task["type"], json!(["string", "null"]));
    }
}
