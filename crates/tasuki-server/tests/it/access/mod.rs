//! Access: identities, permissions, refusals and limits.

mod identity;
mod matrix;
mod noisy_neighbour;
mod refusals;
mod slow_clients;
