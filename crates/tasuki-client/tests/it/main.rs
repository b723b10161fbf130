//! The client against a scripted server.

#[cfg(test)]
mod fake_server;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod subscriptions;
