//! Failures: the disk fails or fills up, processes are killed or stopped, files are damaged, secrets
//! are handed over by mistake. What was acknowledged must be there, and what cannot be done is refused.
//!
//! Long forms with their own commands: `make crash`, `make histories` and `make powercut`.

mod bit_flips;
mod canary;
mod crash;
mod damaged;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod durability;
mod exchange;
#[cfg(target_os = "linux")]
mod full_disk;
mod histories;
mod hostile_text;
#[cfg(target_os = "linux")]
mod killed_import;
#[cfg(target_os = "linux")]
mod killed_restore;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod read_only;
mod stopped;
#[cfg(target_os = "linux")]
mod torn_writes;
#[cfg(target_os = "linux")]
mod trace;
