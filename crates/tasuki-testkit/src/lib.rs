//! The proving ground. Nothing in here is shipped.
//!
//! So far it holds the tests about the repository itself, in `tests/tidy.rs`. The clock, the memory
//! store and the simulator come with the exchange.
