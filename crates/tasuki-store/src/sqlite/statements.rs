//! Every statement of the store by name. The text stands in `sql/<table>/<name>.sql`, where a comment says
//! its purpose, its parameters and the index it uses.

/// The kinds of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `exchange.db`: what all projects share.
    Exchange,
    /// `project.db`: one project.
    Project,
}

impl Kind {
    /// What marks a file as a database of this kind: `TSKX` or `TSKP`.
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
    /// The path of its file below `sql/`, without the ending.
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
        HEARTBEAT_FORGET = "heartbeat/forget",
        HEARTBEAT_LAST = "heartbeat/last",
        HEARTBEAT_PUT = "heartbeat/put",
        HEARTBEAT_SCAN = "heartbeat/scan",
        PERSON_LOAD = "person/load",
        PERSON_PUT = "person/put",
        PERSON_SCAN = "person/scan",
        PROJECT_FIND = "project/find",
        PROJECT_INSERT = "project/insert",
        PROJECT_LIST = "project/list",
        SESSION_END = "session/end",
        SESSION_END_ALL = "session/end_all",
        SESSION_FORGET = "session/forget",
        SESSION_LOAD = "session/load",
        SESSION_PUT = "session/put",
        SESSION_SCAN = "session/scan",
        SESSION_TOUCH = "session/touch",
        TOKEN_USE_LIST = "token_use/list",
        TOKEN_USE_PUT = "token_use/put",
    }
    Project {
        CURSOR_FORGET = "cursor/forget",
        CURSOR_LIST = "cursor/list",
        CURSOR_LOAD = "cursor/load",
        CURSOR_PUT = "cursor/put",
        CURSOR_SETTLE = "cursor/settle",
        DATABASE_DATA_VERSION = "database/data_version",
        DATABASE_REINDEX = "database/reindex",
        DATABASE_WAL_CHECKPOINT = "database/wal_checkpoint",
        DATABASE_WAL_STATE = "database/wal_state",
        DELIVERY_ADD = "delivery/add",
        DELIVERY_FORGET = "delivery/forget",
        DELIVERY_LIST = "delivery/list",
        DELIVERY_REMOVE = "delivery/remove",
        DELIVERY_SCAN = "delivery/scan",
        DELIVERY_TRIM = "delivery/trim",
        DIRECTORY_LIST = "directory/list",
        DIRECTORY_PUT = "directory/put",
        DOCUMENT_INSERT = "document/insert",
        DOCUMENT_LIST = "document/list",
        DOCUMENT_OF_LEAVES = "document/of_leaves",
        DOCUMENT_SCAN = "document/scan",
        FACTS_PUT = "facts/put",
        HANDOFF_CLAIMS = "handoff/claims",
        HANDOFF_DUE = "handoff/due",
        HANDOFF_FINGERPRINT = "handoff/fingerprint",
        HANDOFF_INSERT = "handoff/insert",
        HANDOFF_LIST_APART = "handoff/list/apart",
        HANDOFF_LIST_AWAITING = "handoff/list/awaiting",
        HANDOFF_LIST_AWAITING_URGENT = "handoff/list/awaiting_urgent",
        HANDOFF_LIST_CLAIMED = "handoff/list/claimed",
        HANDOFF_LIST_HOLDER = "handoff/list/holder",
        HANDOFF_LIST_JUDGED = "handoff/list/judged",
        HANDOFF_LIST_JUDGED_URGENT = "handoff/list/judged_urgent",
        HANDOFF_LIST_NEWEST = "handoff/list/newest",
        HANDOFF_LIST_OFFERED = "handoff/list/offered",
        HANDOFF_LIST_OFFERED_URGENT = "handoff/list/offered_urgent",
        HANDOFF_LIST_OLDEST = "handoff/list/oldest",
        HANDOFF_LIST_OWN_RETURNS = "handoff/list/own_returns",
        HANDOFF_LIST_TASK = "handoff/list/task",
        HANDOFF_LIST_URGENT = "handoff/list/urgent",
        HANDOFF_LIVE = "handoff/live",
        HANDOFF_LOAD = "handoff/load",
        HANDOFF_NEXT_DUE = "handoff/next_due",
        HANDOFF_OFFERS = "handoff/offers",
        HANDOFF_OPEN_OF_TASK = "handoff/open_of_task",
        HANDOFF_RECOUNT = "handoff/recount",
        HANDOFF_REVISE = "handoff/revise",
        HANDOFF_RIVALS = "handoff/rivals",
        HANDOFF_SCAN = "handoff/scan",
        HANDOFF_STEP = "handoff/step",
        HANDOFF_TURN = "handoff/turn",
        HEAD_COUNTERS_LOAD = "head/counters_load",
        HEAD_COUNTERS_SET = "head/counters_set",
        HEAD_INSERT = "head/insert",
        HEAD_LOAD = "head/load",
        HEAD_UPDATE = "head/update",
        LEAF_APPEND = "leaf/append",
        LEAF_LIST = "leaf/list",
        LEAF_OF_HANDOFF = "leaf/of_handoff",
        LEAF_RECOUNT = "leaf/recount",
        MIGRATION_ADD = "migration/add",
        MIGRATION_LIST = "migration/list",
        REMEMBERED_FORGET = "remembered/forget",
        REMEMBERED_LOAD = "remembered/load",
        REMEMBERED_NEXT = "remembered/next",
        REMEMBERED_PUT = "remembered/put",
        REMEMBERED_SCAN = "remembered/scan",
        SEARCH_CREATE = "search/create",
        SEARCH_CURSOR_CREATE = "search/cursor_create",
        SEARCH_CURSOR_DROP = "search/cursor_drop",
        SEARCH_CURSOR_INSERT = "search/cursor_insert",
        SEARCH_CURSOR_LOAD = "search/cursor_load",
        SEARCH_CURSOR_MOVE = "search/cursor_move",
        SEARCH_DROP = "search/drop",
        SEARCH_FIND = "search/find",
        SEARCH_INSERT = "search/insert",
    }
}
