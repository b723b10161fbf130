//! What an operator may set of a server.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use crate::delivery::email::MailSettings;
use crate::delivery::webhook::Origin;

/// The settings of a server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The project of people's requests that name none.
    pub project: String,
    /// Names under which it may be asked for, besides its own address.
    pub hosts: Vec<String>,
    /// People who may change the project when they sign in: those who run this server.
    pub operators: Vec<String>,
    /// Whether `/metrics` answers others than this machine.
    pub has_open_metrics: bool,
    /// Where people reach it, for links in messages; without it, where it listens.
    pub public_url: Option<String>,
    /// Origins that webhooks may reach although they are not `https` on the open internet.
    pub webhook_origins: Vec<Origin>,
    /// How mail is sent; without it, not at all.
    pub mail: Option<MailSettings>,
    /// A stream that has nothing to say says so this often, before a proxy takes it for dead.
    pub ping: Duration,
    /// What it takes on.
    pub limits: Limits,
}

/// How much a server takes on.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// LIMIT: requests of one token or session in a second; 0 is any number.
    pub requests_per_token: u32,
    /// LIMIT: requests in one project in a second; 0 is any number.
    pub requests_per_project: u32,
    /// LIMIT: requests without a good credential from one address in a second; 0 is any number.
    pub requests_per_address: u32,
    /// LIMIT: sign-ins that one address may try in a minute; 0 is any number.
    pub sign_ins_per_minute: u32,
    /// LIMIT: requests that are worked on at once; those that wait for news do not count.
    pub requests_at_once: usize,
    /// LIMIT: connections that are open at once.
    pub connections: usize,
    /// How long the headers of a request may take to arrive, and then its body.
    pub body_timeout: Duration,
    /// How long accepted requests may take when the server shuts down.
    pub shutdown_grace: Duration,
}

/// The fixed port of an exchange.
const PORT: u16 = 7420;

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)),
            project: "default".to_owned(),
            hosts: Vec::new(),
            operators: Vec::new(),
            has_open_metrics: false,
            public_url: None,
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
            sign_ins_per_minute: 10,
            requests_at_once: 2_048,
            connections: 8_192,
            body_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(30),
        }
    }
}

impl Settings {
    /// Whether only this machine can reach it.
    pub fn is_loopback(&self) -> bool {
        self.listen.ip().is_loopback()
    }

    /// Where people reach it: what the operator says, else where it listens. Every address of this
    /// machine is none that a browser could go to, so its own stands for them.
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
    fn a_link_leads_where_a_browser_can_go() {
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
