//! The integration tests of the packet crate, in one binary: the vectors, which specify the format
//! for other implementations, and properties of all packets.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod files;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod internet_draft;
#[cfg(test)]
mod round_trips;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod vectors;
