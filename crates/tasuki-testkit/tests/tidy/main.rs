//! Checks about the repository itself that a machine can make, so that review is left for judgement.
//!
//! Each module checks one subject. The files and folders they all look at are in `repository`.

mod dependencies;
mod documents;
mod repository;
mod sources;
