//! What a client sends and what it makes of answers, against a server that answers what it is told.

#[cfg(test)]
mod fake;
#[cfg(test)]
mod sent;
#[cfg(test)]
mod streamed;
#[cfg(test)]
mod subscribed;
