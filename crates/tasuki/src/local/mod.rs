//! The exchange on this machine: the nearest `.tasuki/`, who asks, and what the engine answers.
//!
//! Every command of the exchange goes the same way: open, name the caller, run one command or one
//! read, print. The rules are in `tasuki-engine`; nothing is decided here.

mod backup;
mod caller;
mod door;
mod event;
mod exchange;
mod failure;
mod find;
mod follow;
mod line;
mod log;
mod next;
pub(crate) mod password;
mod reading;
mod subscriptions;
mod time;

pub(crate) use backup::{Outcome, restore};
pub(crate) use door::Here;
pub(crate) use event::{Names, event_line, happened};
pub(crate) use exchange::{Exchange, create_project};
pub(crate) use failure::{failed, fault, refused};
pub(crate) use find::{ends_with, receiver_and_action, revision_in, seen_in};
pub(crate) use line::{claimable, columns, headline, short_of, table, typed};
pub(crate) use next::{Looker, actions, next_of};
pub(crate) use tasuki_engine::find::short;
pub(crate) use time::{Moment, ago, ago_seconds, length};
