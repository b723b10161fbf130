//! Background tasks of a server.
//!
//! `supervisor` starts a worker per subscription and a notification loop per project. `scheduler`
//! applies deadlines, `external_writes` watches for other processes, and `indexing` fills the
//! search index.

pub(crate) mod external_writes;
pub(crate) mod indexing;
mod notification_loop;
mod person_notifier;
mod reminders;
pub(crate) mod scheduler;
pub(crate) mod store_maintenance;
pub(crate) mod subscription_worker;
pub(crate) mod supervisor;
