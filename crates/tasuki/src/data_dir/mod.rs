//! The folder `.tasuki/`: where it is, what is in it, and how it is made.

mod create;
mod delivery_lock;
mod find;
mod layout;
mod private_files;
mod repository;
pub(crate) mod sessions;

pub(crate) use delivery_lock::Delivering;
pub(crate) use layout::Place;
pub(crate) use private_files::{make_file, make_folder, sync_folder};
