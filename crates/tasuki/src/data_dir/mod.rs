//! The folder `.tasuki/`: where it is, what is in it, and how it is made.

mod create;
mod delivering;
mod find;
mod layout;
mod private;
mod repository;
pub(crate) mod sessions;

pub(crate) use delivering::Delivering;
pub(crate) use layout::Place;
pub(crate) use private::{make_file, make_folder, sync_folder};
