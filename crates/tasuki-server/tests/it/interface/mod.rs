//! The OpenAPI document, health, metrics and pages.

mod generated;
mod ops_and_pages;
