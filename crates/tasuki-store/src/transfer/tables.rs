//! The tables and columns of a store that a move takes along.
//!
//! A test compares this list with the schema of both databases. A table or column that is neither
//! here nor in [`LEFT_OUT`] fails it.

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A signed integer of 64 bits.
    Integer,
    /// UTF-8 text.
    Text,
    /// Bytes, as base64 in a file.
    Blob,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
}

/// The part of a store that a table belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The data that all projects share.
    Exchange,
    /// One project. On PostgreSQL the project is the first column.
    Project,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The part of a store that it belongs to.
    pub scope: Scope,
    /// Its columns, without the project.
    pub columns: &'static [Column],
    /// The columns that identify a row and order the rows.
    pub key: &'static [&'static str],
    /// The columns that the checksum of SQLite covers.
    pub(super) checked: &'static [&'static str],
}

/// Tables and columns that a move leaves out.
pub const LEFT_OUT: &[(&str, &str)] = &[
    // Each store has its own migrations, marker and search index.
    ("migration", "*"),
    ("import", "*"),
    ("search", "*"),
    ("search_cursor", "*"),
    // People sign in again: a session that was ended after the export must not become valid again.
    ("session", "*"),
    // These belong to a machine or a running server.
    ("clock", "*"),
    ("lease", "*"),
    ("head", "commits"),
    // The order of rows that no one depends on.
    ("idempotency", "seq"),
];

/// The name of the table whose rows are files on SQLite.
pub(super) const SNAPSHOT: &str = "snapshot";

/// The name of the table that lists the projects.
pub(super) const PROJECT: &str = "project";

/// The name of the table with the end of each log.
pub(super) const HEAD: &str = "head";

/// The tables in the order of an export.
pub const TABLES: &[Table] = &[
    Table {
        name: PROJECT,
        scope: Scope::Exchange,
        columns: &[text("name"), text("id")],
        key: &["name"],
        checked: &["name", "id"],
    },
    Table {
        name: "person",
        scope: Scope::Exchange,
        columns: &[text("name"), text("hash")],
        key: &["name"],
        checked: &["name", "hash"],
    },
    Table {
        name: "mail_code",
        scope: Scope::Exchange,
        columns: &[
            blob("id_hash"),
            text("project"),
            text("handoff"),
            text("person"),
            blob("address"),
            text("receiver"),
            integer("revision"),
            text("digest"),
            integer("created_at"),
            integer("expires_at"),
        ],
        key: &["id_hash"],
        checked: &[
            "id_hash",
            "project",
            "handoff",
            "person",
            "address",
            "receiver",
            "revision",
            "digest",
            "created_at",
            "expires_at",
        ],
    },
    Table {
        name: "token_use",
        scope: Scope::Exchange,
        columns: &[text("token"), integer("at")],
        key: &["token"],
        checked: &["token", "at"],
    },
    Table {
        name: "heartbeat",
        scope: Scope::Exchange,
        columns: &[text("server"), integer("at")],
        key: &["server"],
        checked: &["server", "at"],
    },
    Table {
        name: HEAD,
        scope: Scope::Project,
        columns: &[
            text("name"),
            integer("leaf_count"),
            blob("last_hash"),
            integer("last_at"),
            integer("directory_version"),
            integer("claim_epoch"),
            integer("is_halted"),
            integer("fence_floor"),
            blob("fingerprint_key"),
            integer("begun"),
            integer("submitted"),
            integer("held"),
            integer("offered"),
            integer("claimed"),
            integer("returned"),
            integer("done"),
            integer("passed_on"),
            integer("rejected"),
            integer("cancelled"),
            integer("discarded"),
            integer("dead"),
        ],
        key: &[],
        checked: &[
            "project",
            "name",
            "leaf_count",
            "last_hash",
            "last_at",
            "directory_version",
            "claim_epoch",
            "is_halted",
            "fence_floor",
            "fingerprint_key",
        ],
    },
    Table {
        name: "directory",
        scope: Scope::Project,
        columns: &[integer("seq"), text("kind"), text("key"), text("body")],
        key: &["seq"],
        checked: &["kind", "key", "body"],
    },
    Table {
        name: "handoff",
        scope: Scope::Project,
        columns: &[
            integer("seq"),
            text("id"),
            text("task"),
            text("sender"),
            text("receiver"),
            text("holder"),
            text("state"),
            integer("priority"),
            integer("since"),
            integer("not_before"),
            integer("due_at"),
            integer("claim_epoch"),
            text("fingerprint"),
            integer("is_begun"),
            integer("is_open"),
            integer("is_live"),
            text("progress"),
            integer("last_n"),
            integer("awaits_sender"),
            text("judge"),
            integer("reviewed_at"),
            integer("failed_n"),
        ],
        key: &["seq"],
        checked: &["progress"],
    },
    Table {
        name: "facts",
        scope: Scope::Project,
        columns: &[integer("seq"), text("body")],
        key: &["seq"],
        checked: &["body"],
    },
    Table {
        name: "leaf",
        scope: Scope::Project,
        columns: &[
            integer("n"),
            integer("at"),
            text("type"),
            text("handoff"),
            integer("previous_n"),
            text("body"),
            text("detail"),
        ],
        key: &["n"],
        checked: &["n", "detail"],
    },
    Table {
        name: "document",
        scope: Scope::Project,
        columns: &[
            integer("n"),
            integer("place"),
            text("handoff"),
            text("kind"),
            text("id"),
            text("body"),
            blob("source"),
            blob("salt"),
            blob("commitment"),
            text("digest"),
        ],
        key: &["n", "place"],
        checked: &["n", "place", "handoff", "kind", "id"],
    },
    Table {
        name: "idempotency",
        scope: Scope::Project,
        columns: &[
            text("party"),
            text("command"),
            text("key_hash"),
            text("request"),
            text("answer"),
            integer("until"),
        ],
        key: &["party", "command", "key_hash"],
        checked: &["party", "command", "key_hash", "request", "answer", "until"],
    },
    Table {
        name: "acknowledgement",
        scope: Scope::Project,
        columns: &[text("party"), text("handoff"), integer("n")],
        key: &["party", "handoff"],
        checked: &["party", "handoff", "n"],
    },
    Table {
        name: "cursor",
        scope: Scope::Project,
        columns: &[
            text("subscription"),
            integer("n"),
            integer("failing_since"),
            integer("next_try_at"),
            integer("attempts"),
        ],
        key: &["subscription"],
        checked: &["subscription", "n", "failing_since", "next_try_at", "attempts"],
    },
    Table {
        name: "delivery",
        scope: Scope::Project,
        columns: &[
            text("subscription"),
            integer("number"),
            integer("n"),
            integer("at"),
            integer("attempt"),
            integer("status"),
            integer("millis"),
            text("response"),
        ],
        key: &["subscription", "number"],
        checked: &["subscription", "number", "n", "at", "attempt", "status", "millis", "response"],
    },
    Table {
        name: SNAPSHOT,
        scope: Scope::Project,
        columns: &[text("task"), integer("number"), integer("at"), text("record"), blob("bundle")],
        key: &["task", "number"],
        checked: &[],
    },
];

impl Table {
    /// Returns the table of a name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// Returns the tables of a scope.
    pub(super) fn of(scope: Scope) -> impl Iterator<Item = &'static Self> {
        TABLES.iter().filter(move |table| table.scope == scope)
    }
}

const fn integer(name: &'static str) -> Column {
    Column { name, kind: Kind::Integer }
}

const fn text(name: &'static str) -> Column {
    Column { name, kind: Kind::Text }
}

const fn blob(name: &'static str) -> Column {
    Column { name, kind: Kind::Blob }
}
