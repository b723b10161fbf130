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
