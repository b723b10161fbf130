//! The command line itself: help, configuration, streams and generated files.

mod config;
mod generated;
mod help;
mod streams;
