//! The memory of the exchange.
