//! Every statement of the store by name. The text is in `sql/sqlite/<table>/<name>.sql`, with a comment on
//! its purpose, its parameters and the index it uses.

/// The kinds of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `exchange.db`: the data that all projects share.
    Exchange,
    /// `project.db`: one project.
    Project,
}

impl Kind {
    /// Returns the application id of this kind: `TSKX` or `TSKP`.
    pub(crate) const fn application_id(self) -> i64 {
        match self {
            Self::Exchange => 0x5453_4b58,
            Self::Project => 0x5453_4b50,
        }
    }
}

/// One statement.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// The path of its file below `sql/sqlite/`, without the extension.
    pub name: &'static str,
    /// The SQL.
    pub text: &'static str,
    /// The kind of database it is for.
    pub kind: Kind,
}

macro_rules! statements {
    ($($kind:ident { $($constant:ident = $name:literal,)+ })+) => {
        $($(
            pub(crate) const $constant: Statement = Statement {
                name: $name,
                text: include_str!(concat!("../../sql/sqlite/", $name, ".sql")),
                kind: Kind::$kind,
            };
        )+)+

        /// All statements.
        pub const STATEMENTS: &[Statement] = &[$($($constant,)+)+];
    };
}

statements! {
    Exchange {
        CLOCK_CHECKSUM = "clock/checksum",
        CLOCK_LOAD = "clock/load",
        CLOCK_UPSERT = "clock/upsert",
        HEARTBEAT_CHECKSUM = "heartbeat/checksum",
        HEARTBEAT_DELETE_BEFORE = "heartbeat/delete_before",
        HEARTBEAT_LAST = "heartbeat/last",
        HEARTBEAT_SCAN = "heartbeat/scan",
        HEARTBEAT_UPSERT = "heartbeat/upsert",
        PROJECT_IMPORT_ADVANCE = "project/import_advance",
        PROJECT_IMPORT_CHECKSUM = "project/import_checksum",
        PROJECT_IMPORT_DELETE = "project/import_delete",
        PROJECT_IMPORT_INSERT = "project/import_insert",
        PROJECT_IMPORT_LOAD = "project/import_load",
        PERSON_CHECKSUM = "person/checksum",
        PERSON_LOAD = "person/load",
        PERSON_SCAN = "person/scan",
        PERSON_UPSERT = "person/upsert",
        PROJECT_CHECKSUM = "project/checksum",
        PROJECT_FIND = "project/find",
        PROJECT_INSERT = "project/insert",
        PROJECT_LIST = "project/list",
        MAIL_CODE_CHECKSUM = "mail_code/checksum",
        MAIL_CODE_DELETE = "mail_code/delete",
        MAIL_CODE_DELETE_EXPIRED = "mail_code/delete_expired",
        MAIL_CODE_INSERT = "mail_code/insert",
        MAIL_CODE_LOAD = "mail_code/load",
        MAIL_CODE_SCAN = "mail_code/scan",
        SESSION_CHECKSUM = "session/checksum",
        SESSION_DELETE = "session/delete",
        SESSION_DELETE_BY_PERSON = "session/delete_by_person",
        SESSION_DELETE_EXPIRED = "session/delete_expired",
        SESSION_LOAD = "session/load",
        SESSION_SCAN = "session/scan",
        SESSION_TOUCH = "session/touch",
        SESSION_UPSERT = "session/upsert",
        TOKEN_USE_CHECKSUM = "token_use/checksum",
        TOKEN_USE_LIST = "token_use/list",
        TOKEN_USE_UPSERT = "token_use/upsert",
    }
    Project {
        ACKNOWLEDGEMENT_CHECKSUM = "acknowledgement/checksum",
        ACKNOWLEDGEMENT_DELETE_INVALID = "acknowledgement/delete_invalid",
        ACKNOWLEDGEMENT_UPSERT = "acknowledgement/upsert",
        CURSOR_DELETE = "cursor/delete",
        CURSOR_LIST = "cursor/list",
        CURSOR_LOAD = "cursor/load",
        CURSOR_RESET = "cursor/reset",
        CURSOR_UPSERT = "cursor/upsert",
        DATABASE_DATA_VERSION = "database/data_version",
        DATABASE_REINDEX = "database/reindex",
        DATABASE_WAL_CHECKPOINT = "database/wal_checkpoint",
        DATABASE_WAL_STATE = "database/wal_state",
        DATABASE_WAL_TRUNCATE = "database/wal_truncate",
        DELIVERY_DELETE = "delivery/delete",
        DELIVERY_DELETE_ALL = "delivery/delete_all",
        DELIVERY_INSERT = "delivery/insert",
        DELIVERY_LIST = "delivery/list",
        DELIVERY_SCAN = "delivery/scan",
        DELIVERY_TRIM = "delivery/trim",
        DIRECTORY_CHECKSUM = "directory/checksum",
        DIRECTORY_LIST = "directory/list",
        DIRECTORY_UPSERT = "directory/upsert",
        DOCUMENT_CHECKSUM = "document/checksum",
        DOCUMENT_INSERT = "document/insert",
        DOCUMENT_LIST_BY_HANDOFF = "document/list_by_handoff",
        DOCUMENT_LIST_BY_LEAVES = "document/list_by_leaves",
        DOCUMENT_SCAN = "document/scan",
        FACTS_UPSERT = "facts/upsert",
        FACTS_WITHOUT_HANDOFF = "facts/without_handoff",
        HANDOFF_AT_NEWEST = "handoff/at_newest",
        HANDOFF_AT_OLDEST = "handoff/at_oldest",
        HANDOFF_COUNT = "handoff/count",
        HANDOFF_DUPLICATE_LIVE = "handoff/duplicate_live",
        HANDOFF_FIND_BY_FINGERPRINT = "handoff/find_by_fingerprint",
        HANDOFF_FIND_LIVE = "handoff/find_live",
        HANDOFF_FIND_REVIEWED = "handoff/find_reviewed",
        HANDOFF_INSERT = "handoff/insert",
        HANDOFF_LIST_AWAITING = "handoff/list/awaiting",
        HANDOFF_LIST_AWAITING_URGENT = "handoff/list/awaiting_urgent",
        HANDOFF_LIST_BY_STATE = "handoff/list/by_state",
        HANDOFF_LIST_CLAIMED = "handoff/list/claimed",
        HANDOFF_LIST_FAILED = "handoff/list/failed",
        HANDOFF_LIST_FAILED_URGENT = "handoff/list/failed_urgent",
        HANDOFF_LIST_HOLDER = "handoff/list/holder",
        HANDOFF_LIST_JUDGED = "handoff/list/judged",
        HANDOFF_LIST_JUDGED_URGENT = "handoff/list/judged_urgent",
        HANDOFF_LIST_NEWEST = "handoff/list/newest",
        HANDOFF_LIST_OFFERED = "handoff/list/offered",
        HANDOFF_LIST_OFFERED_URGENT = "handoff/list/offered_urgent",
        HANDOFF_LIST_OLDEST = "handoff/list/oldest",
        HANDOFF_LIST_LEFT_TO_OTHERS = "handoff/list/left_to_others",
        HANDOFF_LIST_TASK = "handoff/list/task",
        HANDOFF_LIST_URGENT = "handoff/list/urgent",
        HANDOFF_LIST_DUE = "handoff/list_due",
        HANDOFF_LIST_OFFERS = "handoff/list_offers",
        HANDOFF_LIST_OPEN_OF_TASK = "handoff/list_open_of_task",
        HANDOFF_LIST_STALE_CLAIMS = "handoff/list_stale_claims",
        HANDOFF_LOAD = "handoff/load",
        HANDOFF_NEXT_DUE = "handoff/next_due",
        HANDOFF_SCAN = "handoff/scan",
        HANDOFF_UPDATE_FACTS = "handoff/update_facts",
        HANDOFF_UPDATE_OPEN = "handoff/update_open",
        HANDOFF_UPDATE_PROGRESS = "handoff/update_progress",
        HEAD_CHECKSUM = "head/checksum",
        HEAD_COUNTERS_LOAD = "head/counters_load",
        HEAD_COUNTERS_SET = "head/counters_set",
        HEAD_INSERT = "head/insert",
        HEAD_LOAD = "head/load",
        HEAD_UPDATE = "head/update",
        IDEMPOTENCY_CHECKSUM = "idempotency/checksum",
        IDEMPOTENCY_DELETE_EXPIRED = "idempotency/delete_expired",
        IDEMPOTENCY_LOAD = "idempotency/load",
        IDEMPOTENCY_NEXT_EXPIRY = "idempotency/next_expiry",
        IDEMPOTENCY_SCAN = "idempotency/scan",
        IDEMPOTENCY_UPSERT = "idempotency/upsert",
        LEAF_CHECKSUM = "leaf/checksum",
        LEAF_COUNT = "leaf/count",
        LEAF_INSERT = "leaf/insert",
        LEAF_LIST = "leaf/list",
        LEAF_LIST_BY_HANDOFF = "leaf/list_by_handoff",
        MIGRATION_INSERT = "migration/insert",
        MIGRATION_LIST = "migration/list",
        SEARCH_CREATE = "search/create",
        SEARCH_CURSOR_CHECKSUM = "search/cursor_checksum",
        SEARCH_CURSOR_CREATE = "search/cursor_create",
        SEARCH_CURSOR_DROP = "search/cursor_drop",
        SEARCH_CURSOR_INSERT = "search/cursor_insert",
        SEARCH_CURSOR_LOAD = "search/cursor_load",
        SEARCH_CURSOR_UPDATE = "search/cursor_update",
        SEARCH_DROP = "search/drop",
        SEARCH_FIND = "search/find",
        SEARCH_HAS = "search/has",
        SEARCH_INSERT = "search/insert",
    }
}
