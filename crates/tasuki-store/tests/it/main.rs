//! The SQLite store from outside: what every store must do, and what only this one can get wrong.

mod conformance;
mod folder;
