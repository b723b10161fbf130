//! Checks about the repository itself that a machine can make, so that review is left for judgement.
//!
//! Each module checks one subject. The files and folders they all look at are in `repository`, and
//! what is wrong today but must not become worse is in `allowed`.

mod allowed;
mod cycles;
mod dependencies;
mod documents;
mod folders;
mod imports;
mod layers;
mod repository;
mod sources;
