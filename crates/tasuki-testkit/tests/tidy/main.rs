//! Checks of the repository itself that a machine can make, so that review can focus on judgement.
//!
//! Each module checks one subject. `repository` finds the files, and `allowed` lists known problems
//! that must not grow.

mod allowed;
mod cycles;
mod dependencies;
mod documents;
mod folders;
mod imports;
mod language;
mod layers;
mod repository;
mod sources;
