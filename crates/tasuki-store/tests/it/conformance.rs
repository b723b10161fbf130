//! What every store must do.

use crate::folder::fresh;

tasuki_testkit::store_conformance!(fresh);
