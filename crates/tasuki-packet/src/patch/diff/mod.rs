//! What is different between two packets, for people as changes and for programs as a patch.

mod align;
mod change;
mod operations;

pub use change::{Change, ChangeKind, diff, same};
pub use operations::to_patch;
