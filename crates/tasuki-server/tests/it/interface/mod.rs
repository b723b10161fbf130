//! The OpenAPI document, health, metrics and pages.

mod console;
mod generated;
mod mcp;
mod null_members;
mod ops_and_pages;
