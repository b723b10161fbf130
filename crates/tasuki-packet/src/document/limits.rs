//! All size and count limits of the format.
//!
//! Limits are checked before or while reading, never after: hostile input must be rejected before
//! it costs anything. Text lengths are counted in characters, as in JSON Schema.

/// LIMIT: bytes of a packet. A packet is a brief with references; larger content travels as an
/// artifact.
pub const PACKET_BYTES_MAX: usize = 1 << 20;

/// LIMIT: nesting levels of a document. Real packets need fewer, and it bounds every recursion.
pub const DEPTH_MAX: usize = 32;

/// LIMIT: values and member names of one document.
pub const NODES_MAX: usize = 20_000;

/// LIMIT: lines of YAML, or of Markdown that may contain YAML. Empty lines and comments cost parsing
/// time too, and a document may not have more names and values than this either.
pub const YAML_LINES_MAX: usize = NODES_MAX;

/// LIMIT: characters of a member's name. Longer YAML keys do not fit on one line, and every
/// violation carries the names on the way to its value.
pub const MEMBER_NAME_CHARS_MAX: usize = 1_000;

/// LIMIT: the largest integer that every JSON reader represents exactly, 2^53 - 1.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// LIMIT: characters of a name or an id.
pub const NAME_CHARS_MAX: usize = 200;

/// LIMIT: bytes of a task id. It is printed in tables and used in file names and addresses.
pub const TASK_ID_BYTES_MAX: usize = 128;

/// LIMIT: characters of one text: a goal, a summary, one item of a list.
pub const TEXT_CHARS_MAX: usize = 20_000;

/// LIMIT: items of one list.
pub const LIST_ITEMS_MAX: usize = 1_000;

/// LIMIT: violations in one report. A longer list does not help to repair a file.
pub const VIOLATIONS_MAX: usize = 1_000;

/// LIMIT: unknown members that are compared with the known names for a hint. A person's packet has
/// a few; a hostile one has thousands, and each would be compared with every field.
pub(crate) const UNKNOWN_COMPARED_MAX: usize = 50;
