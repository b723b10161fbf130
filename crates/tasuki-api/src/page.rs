//! A page of a list.

use serde::{Deserialize, Serialize};

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{T}Page"))]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The cursor of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// `true` if the page ended early, because one request looks at a limited number of rows. More
    /// items may follow, although there are fewer than requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// If the last events were requested and the page ended early: the first event that was looked
    /// at. The earlier ones follow with it as `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<u64>,
}

impl<T> Page<T> {
    /// Returns a page with the cursor of the next one.
    pub const fn new(items: Vec<T>, next: Option<String>) -> Self {
        Self { items, next, more: false, earlier: None }
    }
}
