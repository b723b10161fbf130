//! The conformance suite. One case makes ten thousand commits, and none concerns the disk.

use crate::fixture::fresh_in_memory;

tasuki_testkit::store_conformance!(fresh_in_memory);
