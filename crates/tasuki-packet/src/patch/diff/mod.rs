//! The differences between two packets: as changes for people, as a patch for programs.

mod align;
mod change;
mod operations;

pub use change::{Change, ChangeKind, diff, same};
pub use operations::to_patch;
