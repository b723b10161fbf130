//! The server as a process, and clients that lose and regain it.

mod clean_stop;
mod cross_process;
mod demo;
mod follow;
mod noisy_neighbour;
mod outage;
mod postgres;
pub(crate) mod serve;
#[cfg(target_os = "linux")]
mod single_sign_on;
mod tls;
mod trust;
