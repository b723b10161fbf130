//! Opens a packet in one call: detects form, dialect and variant, then validates.
//!
//! The steps are public too, for callers that already know the form or the variant:
//! [`read`](crate::read), [`dialect`](crate::dialect), [`Variant::detect`](crate::Variant::detect)
//! and [`validate`](crate::check::validate).

mod chosen_variant;
mod origin;
mod packet;
#[cfg(test)]
mod tests;

pub use packet::{OpenOptions, OpenedPacket, open, open_to_keep};
