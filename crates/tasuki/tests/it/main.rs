//! The integration tests of the command line, in one binary: the real tool in a fresh folder, and
//! what it says, word for word. One folder per topic.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod code;
#[cfg(test)]
mod eval;
#[cfg(test)]
mod exchange;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod packet;
#[cfg(test)]
mod progress;
#[cfg(test)]
mod server;
#[cfg(test)]
mod support;
#[cfg(test)]
mod transfer;
