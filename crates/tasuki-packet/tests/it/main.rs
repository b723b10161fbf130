//! The integration tests of the packet crate, in one binary: the vectors, which are the
//! specification for every other implementation, and what must hold for packets of any kind.

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
mod rules;
#[cfg(test)]
mod vectors;
