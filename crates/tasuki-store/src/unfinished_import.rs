//! The fault of a store that holds only a part of the rows that it is to hold.

use tasuki_engine::error::{Fault, FaultKind};

/// Returns the fault of a store whose import is not finished; `empty` says how to empty the store.
pub(crate) fn unfinished_import(empty: &str) -> Fault {
    Fault::new(FaultKind::StoreUnavailable, "an import into this store is not finished").hint(
        format!("run `tasuki import` with the same file again to finish it; or {empty} to give up"),
    )
}
