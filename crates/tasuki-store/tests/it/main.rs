//! The SQLite store from outside: what every store must do, and what only this one can get wrong.

mod backups;
mod conformance;
mod corrupt;
mod doctor;
mod files;
mod folder;
mod migrations;
mod sharing;
mod sql_files;
