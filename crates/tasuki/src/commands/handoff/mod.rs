//! Commands for senders, receivers and holders.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod begin;
pub(crate) mod cancel;
pub(crate) mod checkpoint;
pub(crate) mod claim;
pub(crate) mod code;
pub(crate) mod decline;
pub(crate) mod draft;
pub(crate) mod park;
pub(crate) mod pass_on;
pub(crate) mod release;
pub(crate) mod renew;
pub(crate) mod request_approval;
pub(crate) mod resume;
pub(crate) mod return_packet;
pub(crate) mod revise;
pub(crate) mod submit;
pub(crate) mod verify;
