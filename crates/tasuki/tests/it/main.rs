//! The integration tests of the command line, in one binary: the real tool in a fresh folder, and
//! what it says, word for word. One module per command.

#[cfg(test)]
mod away;
#[cfg(test)]
mod bad_days;
#[cfg(test)]
mod between;
#[cfg(test)]
mod config;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod convert;
#[cfg(test)]
mod diff;
#[cfg(test)]
mod drift;
#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod exchange_backup;
#[cfg(test)]
mod exchange_decided;
#[cfg(test)]
mod exchange_desk;
#[cfg(test)]
mod exchange_flip;
#[cfg(test)]
mod exchange_follow;
#[cfg(test)]
mod exchange_gate;
#[cfg(test)]
mod exchange_holder;
#[cfg(test)]
mod exchange_log;
#[cfg(test)]
mod exchange_offer;
#[cfg(test)]
mod exchange_operate;
#[cfg(test)]
mod exchange_people;
#[cfg(test)]
mod exchange_read;
#[cfg(test)]
mod exchange_resume;
#[cfg(test)]
mod exchange_returned;
#[cfg(test)]
mod exchange_story;
#[cfg(test)]
mod exchange_subscription;
#[cfg(test)]
mod exchange_tls;
#[cfg(test)]
mod exchange_token;
#[cfg(test)]
mod exchange_twin;
#[cfg(test)]
mod exchange_world;
#[cfg(test)]
mod folder;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod help;
#[cfg(test)]
mod init;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod neighbour;
#[cfg(test)]
mod patch;
#[cfg(test)]
mod render;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod served;
#[cfg(test)]
mod serving;
#[cfg(test)]
mod silent;
mod story;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod validate;
