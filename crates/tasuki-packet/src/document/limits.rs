//! Every size and count limit of the format, in one place.
//!
//! Limits are checked before or while reading, never after: hostile input must be refused before it
//! has cost anything. Lengths of text are counted in characters, because JSON Schema counts so.

/// LIMIT: a packet is a brief with pointers. Whatever is larger travels as an artifact.
pub const PACKET_BYTES_MAX: usize = 1 << 20;

/// LIMIT: no honest packet nests deeper; recursion in every walk is bounded by this.
pub const DEPTH_MAX: usize = 32;

/// LIMIT: values and member names in one document.
pub const NODES_MAX: usize = 20_000;

/// LIMIT: lines of YAML, or of a text that may hold some. A parser pays for each line, also where it holds only a comment or
/// nothing, and a document may not have more names and values than this anyway.
pub const YAML_LINES_MAX: usize = NODES_MAX;

/// LIMIT: characters of a member's name. YAML writes no longer key on a line, and every violation
/// carries the names down to its place.
pub const MEMBER_NAME_CHARS_MAX: usize = 1_000;

/// LIMIT: the largest integer that every JSON reader keeps exactly, 2^53 - 1.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// LIMIT: characters of a name or an id.
pub const NAME_CHARS_MAX: usize = 200;

/// LIMIT: characters of one text: a goal, a summary, one item of a list.
pub const TEXT_CHARS_MAX: usize = 20_000;

/// LIMIT: items of one list.
pub const LIST_ITEMS_MAX: usize = 1_000;

/// LIMIT: violations in one report. A file that is wrong everywhere needs no longer list.
pub const VIOLATIONS_MAX: usize = 1_000;
