//! The server as its callers see it: requests in, answers out, on a store of maps and on SQLite.

#[cfg(test)]
mod came_back;
#[cfg(test)]
mod client;
#[cfg(test)]
mod contract_of_answers;
#[cfg(test)]
mod exported;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod handoffs;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod kept_back;
#[cfg(test)]
mod listener;
#[cfg(test)]
mod mail;
#[cfg(test)]
mod mail_tls;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod neighbour;
#[cfg(test)]
mod outside;
mod pages;
#[cfg(test)]
mod post_office;
#[cfg(test)]
mod reads;
#[cfg(test)]
mod receiver;
#[cfg(test)]
mod refusals;
mod repeated;
#[cfg(test)]
mod signed;
#[cfg(test)]
mod ssrf;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod told;
#[cfg(test)]
mod webhooks;
#[cfg(test)]
mod world;
