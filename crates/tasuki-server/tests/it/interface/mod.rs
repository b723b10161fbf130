//! The description of the interface, and what is beside it: health, metrics and pages.

mod generated;
mod ops_and_pages;
