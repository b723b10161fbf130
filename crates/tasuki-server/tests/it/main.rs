//! The server as its callers see it: requests and responses, on the memory store and on SQLite.

#[cfg(test)]
mod access;
#[cfg(test)]
mod delivery;
#[cfg(test)]
mod handoffs;
#[cfg(test)]
mod interface;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod support;
