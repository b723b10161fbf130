//! Progress that shows: steps, checkpoints and chains in every command, and pages that show it.

mod chain;
mod pages;
mod steps;
