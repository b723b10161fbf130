//! What a client sends and what it makes of answers, against a server that answers what it is told.

#[cfg(test)]
mod fake_server;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod subscriptions;
