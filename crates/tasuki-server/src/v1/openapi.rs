//! `/v1/openapi.json`: the description of the interface.

use serde_json::Value;

use crate::answer::Json;
use crate::openapi::document;

pub(crate) async fn openapi() -> Json<Value> {
    Json(document())
}
