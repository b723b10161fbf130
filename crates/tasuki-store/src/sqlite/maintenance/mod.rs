//! Backup, restore, checks and repair of a store.

pub(crate) mod atomic_dir;
pub(crate) mod backup;
pub(crate) mod checksums;
pub(crate) mod cross_check;
pub(crate) mod doctor;
pub(crate) mod orphaned_projects;
pub(crate) mod rebuild;
pub(crate) mod restore;
