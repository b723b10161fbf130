//! Reads: lists, pages and streams.

mod cost;
mod paging;
mod reads;
mod streams;
mod watching;
