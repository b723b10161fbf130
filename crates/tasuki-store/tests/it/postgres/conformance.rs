//! The conformance suite.

use super::fixture::fresh;

tasuki_testkit::store_conformance!(fresh);
