//! Every statement of the store by name. The text stands in `sql/<name>.sql`, where a comment says
//! its purpose, its parameters and the index it uses.

pub use crate::sqlite::migrate::{Kind, MIGRATIONS, Migration, VERSION};

/// One statement.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// The name of its file without the ending.
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
                text: include_str!(concat!("../../sql/", $name, ".sql")),
                kind: Kind::$kind,
            };
        )+)+

        /// All statements.
        pub const STATEMENTS: &[Statement] = &[$($($constant,)+)+];
    };
}

statements! {
    Exchange {
        HEARTBEAT_FORGET = "heartbeat_forget",
        HEARTBEAT_LAST = "heartbeat_last",
        HEARTBEAT_PUT = "heartbeat_put",
        HEARTBEAT_SCAN = "heartbeat_scan",
        PERSON_LOAD = "person_load",
        PERSON_PUT = "person_put",
        PERSON_SCAN = "person_scan",
        PROJECT_FIND = "project_find",
        PROJECT_INSERT = "project_insert",
        PROJECT_LIST = "project_list",
        SESSION_END = "session_end",
        SESSION_END_ALL = "session_end_all",
        SESSION_FORGET = "session_forget",
        SESSION_LOAD = "session_load",
        SESSION_PUT = "session_put",
        SESSION_SCAN = "session_scan",
        SESSION_TOUCH = "session_touch",
        TOKEN_USE_LIST = "token_use_list",
        TOKEN_USE_PUT = "token_use_put",
    }
    Project {
        CURSOR_FORGET = "cursor_forget",
        CURSOR_LIST = "cursor_list",
        CURSOR_LOAD = "cursor_load",
        CURSOR_PUT = "cursor_put",
        CURSOR_SETTLE = "cursor_settle",
        DATA_VERSION = "data_version",
        DELIVERY_ADD = "delivery_add",
        DELIVERY_FORGET = "delivery_forget",
        DELIVERY_LIST = "delivery_list",
        DELIVERY_REMOVE = "delivery_remove",
        DELIVERY_SCAN = "delivery_scan",
        DELIVERY_TRIM = "delivery_trim",
        DIRECTORY_LIST = "directory_list",
        DIRECTORY_PUT = "directory_put",
        DOCUMENT_INSERT = "document_insert",
        DOCUMENT_LIST = "document_list",
        DOCUMENT_OF_LEAVES = "document_of_leaves",
        DOCUMENT_SCAN = "document_scan",
        FACTS_PUT = "facts_put",
        HANDOFF_CLAIMS = "handoff_claims",
        HANDOFF_DUE = "handoff_due",
        HANDOFF_FINGERPRINT = "handoff_fingerprint",
        HANDOFF_INSERT = "handoff_insert",
        HANDOFF_LIST_APART = "handoff_list_apart",
        HANDOFF_LIST_AWAITING = "handoff_list_awaiting",
        HANDOFF_LIST_AWAITING_URGENT = "handoff_list_awaiting_urgent",
        HANDOFF_LIST_CLAIMED = "handoff_list_claimed",
        HANDOFF_LIST_HOLDER = "handoff_list_holder",
        HANDOFF_LIST_JUDGED = "handoff_list_judged",
        HANDOFF_LIST_JUDGED_URGENT = "handoff_list_judged_urgent",
        HANDOFF_LIST_NEWEST = "handoff_list_newest",
        HANDOFF_LIST_OFFERED = "handoff_list_offered",
        HANDOFF_LIST_OFFERED_URGENT = "handoff_list_offered_urgent",
        HANDOFF_LIST_OLDEST = "handoff_list_oldest",
        HANDOFF_LIST_OWN_RETURNS = "handoff_list_own_returns",
        HANDOFF_LIST_TASK = "handoff_list_task",
        HANDOFF_LIST_URGENT = "handoff_list_urgent",
        HANDOFF_LIVE = "handoff_live",
        HANDOFF_OPEN_OF_TASK = "handoff_open_of_task",
        HANDOFF_LOAD = "handoff_load",
        HANDOFF_NEXT_DUE = "handoff_next_due",
        HANDOFF_OFFERS = "handoff_offers",
        HANDOFF_RECOUNT = "handoff_recount",
        HANDOFF_RIVALS = "handoff_rivals",
        HANDOFF_REVISE = "handoff_revise",
        HANDOFF_SCAN = "handoff_scan",
        HANDOFF_STEP = "handoff_step",
        HANDOFF_TURN = "handoff_turn",
        HEAD_INSERT = "head_insert",
        HEAD_LOAD = "head_load",
        HEAD_UPDATE = "head_update",
        LEAF_APPEND = "leaf_append",
        LEAF_LIST = "leaf_list",
        LEAF_OF_HANDOFF = "leaf_of_handoff",
        LEAF_RECOUNT = "leaf_recount",
        MIGRATION_ADD = "migration_add",
        MIGRATION_LIST = "migration_list",
        REINDEX = "reindex",
        REMEMBERED_FORGET = "remembered_forget",
        REMEMBERED_LOAD = "remembered_load",
        REMEMBERED_NEXT = "remembered_next",
        REMEMBERED_PUT = "remembered_put",
        REMEMBERED_SCAN = "remembered_scan",
        SEARCH_CREATE = "search_create",
        SEARCH_CURSOR_CREATE = "search_cursor_create",
        SEARCH_CURSOR_DROP = "search_cursor_drop",
        SEARCH_CURSOR_INSERT = "search_cursor_insert",
        SEARCH_CURSOR_LOAD = "search_cursor_load",
        SEARCH_CURSOR_MOVE = "search_cursor_move",
        SEARCH_DROP = "search_drop",
        SEARCH_FIND = "search_find",
        SEARCH_INSERT = "search_insert",
        TALLY_LOAD = "tally_load",
        TALLY_SET = "tally_set",
        WAL_CHECKPOINT = "wal_checkpoint",
        WAL_STATE = "wal_state",
    }
}
