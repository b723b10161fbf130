//! The source forms as they come: hostile until read.

mod fence;
pub mod markdown;
pub mod wire;

pub(crate) use fence::longest_run;
