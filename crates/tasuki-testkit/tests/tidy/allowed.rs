//! What the checks of layers and folders allow, because it was wrong before they came.
//!
//! Every list only shrinks: a check fails where an entry is no longer needed.

/// Import cycles: the crate, and the top-level modules that import each other, in alphabetical order.
pub(crate) const CYCLES: &[(&str, &str)] = &[
    ("tasuki", "cli command contract_file door local packet_file printer remote report"),
    ("tasuki", "sessions settings"),
    (
        "tasuki-engine",
        "absence ask authority begin cancel chain change checkpoint claim command context \
         decision deliver delivery directory edge enrol events fallback gate handoff hold \
         lapse offer party pause prepare reason release reply restore return_packet revise \
         route scope settings sheet state store submit subscription tell terms token untold \
         urgency verify view",
    ),
    (
        "tasuki-server",
        "answer body channel etag host html idempotency identity mail metrics notify openapi \
         operation parameters peer repeat schemas settings stream trace v1 visitor wait ways",
    ),
    ("tasuki-store", "batch checkpoint connection migrate moved project row sheaf slot sql tally"),
];

/// Imports of the engine that lead to a higher layer: the module, and the module it imports.
pub(crate) const LAYERS: &[(&str, &str)] = &[];

/// Folders with more than 20 entries, and how many they have.
pub(crate) const FOLDERS: &[(&str, usize)] = &[
    ("crates/tasuki-engine/src", 82),
    ("crates/tasuki-server/src", 43),
    ("crates/tasuki-server/src/v1", 32),
    ("crates/tasuki-server/tests/it", 28),
    ("crates/tasuki-store/sql", 88),
    ("crates/tasuki-store/src", 33),
    ("crates/tasuki/src", 23),
    ("crates/tasuki/src/command", 71),
    ("crates/tasuki/tests/it", 49),
];
