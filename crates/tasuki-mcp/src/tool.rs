//! The type of a tool, and its definition as hosts list it.

use std::pin::Pin;

use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::card;
use crate::exchange::Refusal;
use crate::session::Session;

/// A tool. Every one is listed in `tools/mod.rs`.
pub(crate) trait Tool {
    const NAME: &'static str;
    /// LIMIT: hosts show at most 2 KB; all tools together stay below 6,000 tokens.
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    /// `true` if hosts may show the result as a card.
    const HAS_CARD: bool = false;
    type Input: DeserializeOwned + JsonSchema + Send;
    type Output: Serialize + JsonSchema + Send;

    fn run(
        session: &Session,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Refusal>> + Send;

    /// Returns what only the card of a result shows.
    fn card(_: &Self::Output) -> Option<Value> {
        None
    }
}

/// The effect of a tool, which hosts show before they call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It reads.
    Read,
    /// It changes a handoff.
    Change,
    /// It changes a handoff once, however often it is called.
    Repeatable,
    /// It ends work of others.
    End,
}

/// The answer of a tool.
pub(crate) struct Answer {
    pub(crate) content: Value,
    pub(crate) card: Option<Value>,
}

type Running<'s> = Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send + 's>>;

/// A tool in the list: its definition and the way to run it.
pub(crate) struct Entry {
    pub(crate) definition: Definition,
    pub(crate) effect: Effect,
    pub(crate) run: for<'s> fn(&'s Session, JsonObject) -> Running<'s>,
}

impl Entry {
    pub(crate) fn of<T: Tool + 'static>() -> Self {
        let definition = Definition::new(T::NAME, T::DESCRIPTION, input_schema::<T::Input>())
            .with_raw_output_schema(output_schema::<T::Output>().into())
            .with_annotations(annotations(T::EFFECT));
        let definition =
            if T::HAS_CARD { definition.with_meta(card::tool_meta()) } else { definition };
        Self { definition, effect: T::EFFECT, run: run::<T> }
    }
}

fn run<T: Tool>(session: &Session, arguments: JsonObject) -> Running<'_> {
    Box::pin(async move {
        let input = serde_json::from_value(Value::Object(arguments)).map_err(|error| {
            let message = format!("invalid arguments of {}: {error}", T::NAME);
            Refusal::new(message, "the input schema of the tool lists them").with_status(422)
        })?;
        let output = T::run(session, input).await?;
        let card = T::card(&output);
        let content = serde_json::to_value(output).map_err(|error| {
            Refusal::new(format!("the result has no JSON form: {error}"), "this is a bug")
        })?;
        Ok(Answer { content, card })
    })
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Read => annotations.read_only(true),
        Effect::Change => annotations.read_only(false).destructive(false),
        Effect::Repeatable => annotations.read_only(false).destructive(false).idempotent(true),
        Effect::End => annotations.read_only(false).destructive(true),
    }
}

fn input_schema<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    object(&generated::<T>(settings))
}

/// Returns the schema of a result. Its members explain themselves, so it has no descriptions.
fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = generated::<T>(SchemaSettings::draft2020_12().for_serialize());
    let mut strip = RecursiveTransform(|schema: &mut Schema| {
        schema.remove("description");
    });
    strip.transform(&mut schema);
    object(&schema)
}

fn generated<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(shorten).transform(&mut schema);
    schema
}

/// Removes what a model does not need. Some validators warn about formats of integers.
fn shorten(schema: &mut Schema) {
    for name in ["title", "format", "default", "minimum", "$schema"] {
        schema.remove(name);
    }
    if schema.get("additionalProperties") == Some(&json!(true)) {
        schema.remove("additionalProperties");
    }
    // A member that may be left out need not be null.
    let kinds = schema.get("type").and_then(Value::as_array);
    let kind = kinds.and_then(|kinds| kinds.iter().find(|kind| **kind != "null")).cloned();
    if let Some(kind) = kind {
        schema.insert("type".to_owned(), kind);
    }
}

fn object(schema: &Schema) -> JsonObject {
    schema.as_object().cloned().unwrap_or_default()
}
