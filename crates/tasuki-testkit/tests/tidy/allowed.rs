//! Exceptions of the checks of layers and folders, for problems older than the checks.
//!
//! Every list only shrinks: a check fails if an entry is no longer needed.

/// Import cycles: the crate, and the top-level modules that import each other, in alphabetical order.
pub(crate) const CYCLES: &[(&str, &str)] = &[];

/// Imports of the engine that lead to a higher layer: the module, and the module it imports.
pub(crate) const LAYERS: &[(&str, &str)] = &[];

/// Folders with more than 20 entries, and their number of entries.
pub(crate) const FOLDERS: &[(&str, usize)] = &[];
