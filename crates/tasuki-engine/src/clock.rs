//! Time and randomness: the only places where either enters the exchange.

use jiff::Timestamp;

use crate::draw::Draw;

/// Tells the time.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock. What the rules see is never before the last leaf; the line sees to it.
    fn now(&self) -> Timestamp;
}

/// Gives randomness.
pub trait Entropy: Send + Sync + 'static {
    /// 32 bytes that nobody can guess.
    fn seed(&self) -> [u8; 32];

    /// The randomness of one command.
    fn draw(&self) -> Draw {
        Draw::new(self.seed())
    }
}

/// The clock and the randomness of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Clock for System {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl Entropy for System {
    fn seed(&self) -> [u8; 32] {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).expect("the operating system gives randomness");
        seed
    }
}

/// An instant as the exchange keeps it: whole microseconds.
pub fn microseconds(instant: Timestamp) -> Timestamp {
    // Cut to microseconds an instant stays in range, towards zero.
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant)
}
