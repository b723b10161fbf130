//! What every store must do. One proof alone makes ten thousand commits, and none is about the disk.

use crate::fixture::fresh_in_memory;

tasuki_testkit::store_conformance!(fresh_in_memory);
