//! Every statement of the store by name. The text is in `sql/postgres/<table>/<name>.sql`, with a
//! comment on its purpose, its parameters and the index it uses. `handoff_list` composes the
//! statements of lists.
//!
//! A connection keeps the plans that it made while the tables were empty. Statements on the path of a
//! write therefore look up one value at a time, in a lateral subquery: `OFFSET 0` or an order keeps the
//! planner from turning it into a join with all rows of the project.

/// One statement.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// The path of its file below `sql/postgres/`, without the extension.
    pub name: &'static str,
    /// The SQL.
    pub text: &'static str,
}

macro_rules! statements {
    ($($constant:ident = $name:literal,)+) => {
        $(
            pub(crate) const $constant: Statement = Statement {
                name: $name,
                text: include_str!(concat!("../../sql/postgres/", $name, ".sql")),
            };
        )+

        /// All statements.
        pub const STATEMENTS: &[Statement] = &[$($constant,)+];
    };
}

statements! {
    ACKNOWLEDGEMENT_UPSERT = "acknowledgement/upsert",
    CLOCK_LOAD = "clock/load",
    CLOCK_NOW = "clock/now",
    CLOCK_UPSERT = "clock/upsert",
    CURSOR_DELETE = "cursor/delete",
    CURSOR_LOAD = "cursor/load",
    CURSOR_UPSERT = "cursor/upsert",
    DATABASE_MIGRATIONS_INSERT = "database/migrations_insert",
    DATABASE_MIGRATIONS_LIST = "database/migrations_list",
    DATABASE_NOTIFY = "database/notify",
    DELIVERY_DELETE_ALL = "delivery/delete_all",
    DELIVERY_INSERT = "delivery/insert",
    DELIVERY_LIST = "delivery/list",
    DELIVERY_TRIM = "delivery/trim",
    DIRECTORY_LIST = "directory/list",
    DIRECTORY_UPSERT = "directory/upsert",
    DOCUMENT_INSERT = "document/insert",
    DOCUMENT_LIST_BY_HANDOFF = "document/list_by_handoff",
    DOCUMENT_LIST_BY_LEAVES = "document/list_by_leaves",
    HANDOFF_AT_NEWEST = "handoff/at_newest",
    HANDOFF_AT_OLDEST = "handoff/at_oldest",
    HANDOFF_COUNT = "handoff/count",
    HANDOFF_DUPLICATE_LIVE = "handoff/duplicate_live",
    HANDOFF_FACTS_UPSERT = "handoff/facts_upsert",
    HANDOFF_FACTS_WITHOUT_HANDOFF = "handoff/facts_without_handoff",
    HANDOFF_INSERT = "handoff/insert",
    HANDOFF_LIST_DUE = "handoff/list_due",
    HANDOFF_LOAD = "handoff/load",
    HANDOFF_LOAD_BY_FINGERPRINT = "handoff/load_by_fingerprint",
    HANDOFF_LOAD_LIVE = "handoff/load_live",
    HANDOFF_LOAD_OFFERS = "handoff/load_offers",
    HANDOFF_LOAD_OPEN = "handoff/load_open",
    HANDOFF_LOAD_REVIEWED = "handoff/load_reviewed",
    HANDOFF_LOAD_STALE_CLAIMS = "handoff/load_stale_claims",
    HANDOFF_NEXT_DUE = "handoff/next_due",
    HANDOFF_SCAN = "handoff/scan",
    HANDOFF_UPDATE = "handoff/update",
    HEAD_COMMITS = "head/commits",
    HEAD_COUNTERS_LOAD = "head/counters_load",
    HEAD_COUNTERS_SET = "head/counters_set",
    HEAD_INSERT = "head/insert",
    HEAD_LIST_COMMITS = "head/list_commits",
    HEAD_LOAD = "head/load",
    HEAD_LOCK = "head/lock",
    HEAD_UPDATE = "head/update",
    HEARTBEAT_DELETE_BEFORE = "heartbeat/delete_before",
    HEARTBEAT_LAST = "heartbeat/last",
    HEARTBEAT_UPSERT = "heartbeat/upsert",
    IDEMPOTENCY_DELETE_EXPIRED = "idempotency/delete_expired",
    IDEMPOTENCY_LOAD = "idempotency/load",
    IDEMPOTENCY_UPSERT = "idempotency/upsert",
    LEAF_COUNT = "leaf/count",
    LEAF_INSERT = "leaf/insert",
    LEAF_LIST = "leaf/list",
    LEAF_LIST_BY_HANDOFF = "leaf/list_by_handoff",
    LEASE_ACQUIRE = "lease/acquire",
    LEASE_RELEASE_ALL = "lease/release_all",
    MAIL_CODE_DELETE = "mail_code/delete",
    MAIL_CODE_DELETE_EXPIRED = "mail_code/delete_expired",
    MAIL_CODE_INSERT = "mail_code/insert",
    MAIL_CODE_LOAD = "mail_code/load",
    PERSON_LOAD = "person/load",
    PERSON_SCAN = "person/scan",
    PERSON_UPSERT = "person/upsert",
    PROJECT_IMPORT_ADVANCE = "project/import_advance",
    PROJECT_IMPORT_DELETE = "project/import_delete",
    PROJECT_IMPORT_INSERT = "project/import_insert",
    PROJECT_IMPORT_LOAD = "project/import_load",
    PROJECT_IMPORT_LOCK_PROJECTS = "project/import_lock_projects",
    PROJECT_INSERT = "project/insert",
    PROJECT_LIST = "project/list",
    SEARCH_CURSOR_DELETE = "search/cursor_delete",
    SEARCH_CURSOR_LOAD = "search/cursor_load",
    SEARCH_CURSOR_MOVE = "search/cursor_move",
    SEARCH_DELETE = "search/delete",
    SEARCH_FIND = "search/find",
    SEARCH_INSERT = "search/insert",
    SESSION_DELETE = "session/delete",
    SESSION_DELETE_BY_PERSON = "session/delete_by_person",
    SESSION_DELETE_EXPIRED = "session/delete_expired",
    SESSION_LOAD = "session/load",
    SESSION_TOUCH = "session/touch",
    SESSION_UPSERT = "session/upsert",
    SNAPSHOT_DELETE_ALL = "snapshot/delete_all",
    SNAPSHOT_INSERT = "snapshot/insert",
    SNAPSHOT_LIST = "snapshot/list",
    SNAPSHOT_LIST_OLD = "snapshot/list_old",
    SNAPSHOT_LOAD = "snapshot/load",
    SNAPSHOT_LOCK = "snapshot/lock",
    SNAPSHOT_TRIM = "snapshot/trim",
    TOKEN_USE_LIST = "token_use/list",
    TOKEN_USE_UPSERT = "token_use/upsert",
}
