//! The address of a database, as `--store` and `TASUKI_STORE` take it.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tasuki_engine::error::{Fault, FaultKind};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// The schema of the tables, unless the address names another.
const SCHEMA: &str = "tasuki";

/// LIMIT: PostgreSQL takes names of 63 bytes, and the channel of notifications adds 7.
const SCHEMA_BYTES_MAX: usize = 56;

/// The time for a host to accept a connection, and to set up its session.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A silent connection is probed after this time, and lost after three probes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);
const KEEPALIVE_RETRIES: u32 = 3;

/// Sent data that is not acknowledged for this long loses the connection.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(10);

/// The address of a database.
#[derive(Debug, Clone)]
pub struct StoreUrl {
    config: Config,
    /// The same for each host alone: the driver waits without a limit for the answer of one.
    pub(crate) hosts: Vec<Config>,
    pub(crate) schema: String,
    /// A file with certificates that are trusted beside those of the system.
    pub(crate) root_certificate: Option<PathBuf>,
}

impl StoreUrl {
    /// Returns `true` if a text is the address of a database and not a directory.
    pub fn is_url(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Parses `postgres://user:password@host:port/database`. Several hosts are separated by commas.
    /// Beside the parameters of PostgreSQL's own addresses, `schema` names the schema of the tables.
    ///
    /// # Errors
    ///
    /// Fails if the address is not valid. The message never contains the password.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut schema, mut root_certificate) = (SCHEMA.to_owned(), None);
        let (mut is_encryption_given, mut rest) = (false, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = percent_decode_str(value).decode_utf8_lossy();
            match name {
                "schema" => schema = checked_schema(&decoded)?,
                "sslrootcert" => root_certificate = Some(PathBuf::from(decoded.as_ref())),
                "sslmode" => {
                    is_encryption_given = true;
                    // A certificate is always verified, together with the name of the host.
                    let mode = match decoded.as_ref() {
                        "verify-ca" | "verify-full" => "require",
                        mode => mode,
                    };
                    rest.push(format!("sslmode={mode}"));
                }
                _ => rest.push(pair.to_owned()),
            }
        }
        let separator = if rest.is_empty() { "" } else { "?" };
        let mut config: Config = format!("{base}{separator}{}", rest.join("&"))
            .parse()
            .map_err(|error: tokio_postgres::Error| invalid(&reason(&error)))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(invalid("it names no host"));
        }
        if !is_encryption_given {
            let mode = if is_local(&config) { SslMode::Disable } else { SslMode::Require };
            config.ssl_mode(mode);
        }
        if config.get_application_name().is_none() {
            config.application_name("tasuki");
        }
        let hosts = each_host(&config);
        Ok(Self { config, hosts, schema, root_certificate })
    }

    pub(crate) fn ssl_mode(&self) -> SslMode {
        self.config.get_ssl_mode()
    }

    /// Returns the address for messages, without user and password.
    pub fn display(&self) -> String {
        let (hosts, ports) = (self.config.get_hosts(), self.config.get_ports());
        let shown = hosts.iter().enumerate().map(|(index, host)| {
            let port = ports.get(index).or_else(|| ports.first()).unwrap_or(&5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                Host::Unix(path) => path.display().to_string(),
            }
        });
        let hosts: Vec<String> = shown.collect();
        let database = self.config.get_dbname().or_else(|| self.config.get_user()).unwrap_or("");
        let shown = format!("postgres://{}/{database}", hosts.join(","));
        if self.schema == SCHEMA { shown } else { format!("{shown}?schema={}", self.schema) }
    }
}

/// Returns the name of a schema that needs no quotes.
fn checked_schema(name: &str) -> Result<String, Fault> {
    let is_start = |first: char| first.is_ascii_lowercase() || first == '_';
    let is_part = |one: char| is_start(one) || one.is_ascii_digit();
    if name.starts_with(is_start) && name.chars().all(is_part) && name.len() <= SCHEMA_BYTES_MAX {
        return Ok(name.to_owned());
    }
    Err(invalid(&format!(
        "schema `{name}` is not a name of up to {SCHEMA_BYTES_MAX} lowercase letters, digits and \
         underscores"
    )))
}

/// Returns the configuration of each host alone.
fn each_host(all: &Config) -> Vec<Config> {
    let (hosts, addresses, ports) = (all.get_hosts(), all.get_hostaddrs(), all.get_ports());
    let count = hosts.len().max(addresses.len());
    let of_host = |index: usize| {
        let mut one = without_hosts(all);
        match hosts.get(index) {
            Some(Host::Tcp(name)) => one.host(name),
            Some(Host::Unix(path)) => one.host_path(path),
            None => &mut one,
        };
        addresses.get(index).map(|address| one.hostaddr(*address));
        ports.get(index).or(ports.first()).map(|port| one.port(*port));
        one
    };
    (0..count).map(of_host).collect()
}

/// Copies a configuration, except for its hosts, which cannot be removed from one.
fn without_hosts(all: &Config) -> Config {
    let mut copy = Config::new();
    all.get_user().map(|user| copy.user(user));
    all.get_password().map(|password| copy.password(password));
    all.get_dbname().map(|name| copy.dbname(name));
    all.get_options().map(|options| copy.options(options));
    all.get_application_name().map(|name| copy.application_name(name));
    copy.ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .channel_binding(all.get_channel_binding())
        .target_session_attrs(TargetSessionAttrs::ReadWrite)
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_user_timeout(TCP_USER_TIMEOUT)
        .keepalives(true)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_RETRIES);
    copy
}

/// Returns `true` if no host is reached over a network.
fn is_local(config: &Config) -> bool {
    let is_loopback = |host: &Host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
    };
    config.get_hosts().iter().all(is_loopback)
        && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

fn reason(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error)
        .map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

fn invalid(reason: &str) -> Fault {
    let message = format!("the address of the store is not valid: {reason}");
    Fault::new(FaultKind::StoreUnavailable, message)
        .hint("use `postgres://user:password@host:port/database`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(text: &str) -> SslMode {
        StoreUrl::parse(text).unwrap().config.get_ssl_mode()
    }

    #[test]
    fn encryption_is_required_beyond_this_machine() {
        for (text, expected) in [
            ("postgres://ana@localhost/tasuki", SslMode::Disable),
            ("postgres://ana@127.0.0.1:5433/tasuki", SslMode::Disable),
            ("postgres://ana@db.example/tasuki", SslMode::Require),
            ("postgres://ana@localhost,db.example/tasuki", SslMode::Require),
            ("postgres://ana@db.example/tasuki?sslmode=disable", SslMode::Disable),
            ("postgres://ana@localhost/tasuki?sslmode=verify-full", SslMode::Require),
        ] {
            assert_eq!(mode(text), expected, "{text}");
        }
    }

    #[test]
    fn own_parameters_are_read_and_the_others_passed_on() {
        let text = "postgres://ana:secret@one:5433,two:5434/work?schema=team_1\
                    &sslrootcert=%2Fetc%2Fca.pem&application_name=other";
        let url = StoreUrl::parse(text).unwrap();
        assert_eq!(url.schema, "team_1");
        assert_eq!(url.root_certificate, Some(PathBuf::from("/etc/ca.pem")));
        assert_eq!(url.config.get_dbname(), Some("work"));
        assert_eq!(url.display(), "postgres://one:5433,two:5434/work?schema=team_1");
    }

    #[test]
    fn each_host_has_the_whole_configuration() {
        let text = "postgres://ana:secret@one,two:5434/work?application_name=other&options=-c%20x";
        let url = StoreUrl::parse(text).unwrap();
        let [one, two] = &url.hosts[..] else { panic!("{:?}", url.hosts) };
        assert_eq!(one.get_hosts(), [Host::Tcp("one".to_owned())]);
        assert_eq!(two.get_hosts(), [Host::Tcp("two".to_owned())]);
        assert_eq!((one.get_ports(), two.get_ports()), (&[5432][..], &[5434][..]));
        for host in &url.hosts {
            assert_eq!(host.get_user(), Some("ana"));
            assert_eq!(host.get_password(), Some(&b"secret"[..]));
            assert_eq!(host.get_dbname(), Some("work"));
            assert_eq!(host.get_options(), Some("-c x"));
            assert_eq!(host.get_application_name(), Some("other"));
            assert_eq!(host.get_ssl_mode(), SslMode::Require);
            assert_eq!(host.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        }
    }

    #[test]
    fn a_wrong_address_is_refused_without_its_password() {
        for text in [
            "postgres://ana:secret@localhost/x?schema=a;b",
            "postgres://ana:secret@localhost/x?schema=",
            "postgres://ana:secret@localhost/x?schema=a12345678901234567890123456789012345678901234567890123456",
            "postgres://ana:secret@localhost/x?nothing=1",
            "postgres://ana:secret@localhost:port/x",
            "postgres:///x",
        ] {
            let fault = StoreUrl::parse(text).unwrap_err();
            assert_eq!(fault.code(), "TK-STORE-UNAVAILABLE", "{text}");
            assert!(!fault.message.contains("secret"), "{fault}");
        }
    }
}
