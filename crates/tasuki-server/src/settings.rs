//! The settings of a server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tasuki_api::Network;

use crate::delivery::email::MailSettings;
use crate::delivery::webhook::Origin;

/// The settings of a server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The project of people's requests that name none.
    pub project: String,
    /// Host names that the server accepts besides its own address.
    pub hosts: Vec<String>,
    /// People who may change the project when they sign in: the operators of this server.
    pub operators: Vec<String>,
    /// The networks of the proxies in front of the server, whose `X-Forwarded-For` is believed.
    pub proxies: Vec<Network>,
    /// The header in which a proxy names the person it has signed in.
    pub user_header: Option<String>,
    /// The networks of the proxies whose `user_header` is believed.
    pub user_proxies: Vec<Network>,
    /// `true` if `/metrics` also answers other machines.
    pub has_open_metrics: bool,
    /// The public address for links in messages; by default the listening address.
    pub public_url: Option<String>,
    /// Issuers that give out tokens of this exchange, named to MCP clients.
    pub authorization_servers: Vec<String>,
    /// Origins that webhooks may reach although they are not public `https` origins.
    pub webhook_origins: Vec<Origin>,
    /// The mail server; without it no email is sent.
    pub mail: Option<MailSettings>,
    /// The keep-alive interval of idle streams, which stops proxies from closing them.
    pub ping: Duration,
    /// The limits of the server.
    pub limits: Limits,
}

/// The limits of a server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// LIMIT: requests per second of one token or session; 0 is unlimited.
    pub requests_per_token: u32,
    /// LIMIT: requests per second in one project; 0 is unlimited.
    pub requests_per_project: u32,
    /// LIMIT: requests per second without a valid credential from one address; 0 is unlimited.
    pub requests_per_address: u32,
    /// LIMIT: rows per second that reads of one token or session look at; 0 is unlimited.
    pub rows_per_token: u32,
    /// LIMIT: rows per second that reads in one project look at; 0 is unlimited.
    pub rows_per_project: u32,
    /// LIMIT: sign-in attempts per minute from one address; 0 is unlimited.
    pub sign_ins_per_minute: u32,
    /// LIMIT: concurrent requests; requests that wait for changes do not count.
    pub requests_at_once: usize,
    /// LIMIT: concurrent requests without a valid credential, besides the others.
    pub anonymous_at_once: usize,
    /// LIMIT: open connections.
    pub connections: usize,
    /// LIMIT: open connections from one address, except from a proxy.
    pub connections_per_address: usize,
    /// LIMIT: bytes of large request bodies in memory: half of them for one credential and for one
    /// address. Callers without a credential have a quarter besides.
    pub body_bytes: usize,
    /// The time limit for the headers of a request, and then for its body.
    pub body_timeout: Duration,
    /// The time limit for accepted requests when the server shuts down.
    pub shutdown_grace: Duration,
}

/// The default port of an exchange.
const PORT: u16 = 7420;

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)),
            project: "default".to_owned(),
            hosts: Vec::new(),
            operators: Vec::new(),
            proxies: Vec::new(),
            user_header: None,
            user_proxies: Vec::new(),
            has_open_metrics: false,
            public_url: None,
            authorization_servers: Vec::new(),
            webhook_origins: Vec::new(),
            mail: None,
            ping: Duration::from_secs(15),
            limits: Limits::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests_per_token: 1_000,
            requests_per_project: 10_000,
            requests_per_address: 100,
            rows_per_token: 200_000,
            rows_per_project: 400_000,
            sign_ins_per_minute: 10,
            requests_at_once: 2_048,
            anonymous_at_once: 256,
            connections: 8_192,
            connections_per_address: 2_048,
            body_bytes: 32 * 1024 * 1024,
            body_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(30),
        }
    }
}

impl Settings {
    /// Returns `true` for the address of a configured proxy.
    pub(crate) fn is_proxy(&self, address: IpAddr) -> bool {
        let mut proxies = self.proxies.iter().chain(&self.user_proxies);
        proxies.any(|network| network.contains(address))
    }

    /// Returns `true` if only this machine can reach the server.
    pub fn is_loopback(&self) -> bool {
        self.listen.ip().is_loopback()
    }

    /// Returns the public address: the configured one, otherwise the listening address. A wildcard
    /// address is not reachable for a browser, so loopback replaces it.
    pub(crate) fn base(&self) -> String {
        if let Some(url) = &self.public_url {
            return url.trim_end_matches('/').to_owned();
        }
        let mut listen = self.listen;
        if listen.ip().is_unspecified() {
            listen.set_ip(if listen.is_ipv4() {
                Ipv4Addr::LOCALHOST.into()
            } else {
                Ipv6Addr::LOCALHOST.into()
            });
        }
        format!("http://{listen}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_use_an_address_that_a_browser_can_reach() {
        let base = |listen: &str, public_url: Option<&str>| {
            let (listen, public_url) = (listen.parse().unwrap(), public_url.map(str::to_owned));
            Settings { listen, public_url, ..Settings::default() }.base()
        };
        assert_eq!(base("127.0.0.1:7420", None), "http://127.0.0.1:7420");
        assert_eq!(base("0.0.0.0:41234", None), "http://127.0.0.1:41234");
        assert_eq!(base("[::]:7420", None), "http://[::1]:7420");
        assert_eq!(base("0.0.0.0:7420", Some("https://t.example/")), "https://t.example");
    }
}
