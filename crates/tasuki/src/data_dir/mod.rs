//! The data directory `.tasuki/`: how it is found, laid out and created.

mod create;
mod delivery_lock;
mod find;
mod layout;
mod private_files;
mod repository;
pub(crate) mod sessions;
mod work_tree;

pub(crate) use delivery_lock::DeliveryLock;
pub(crate) use layout::DataDir;
pub(crate) use private_files::{
    create_private_dir, create_private_dirs, create_private_file, sync_dir,
};
pub(crate) use work_tree::current_work_tree;
