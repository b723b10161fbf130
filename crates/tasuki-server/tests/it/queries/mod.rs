//! Reads: lists, pages and streams.

mod paging;
mod reads;
mod streams;
mod watching;
