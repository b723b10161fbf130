//! The settings of `tasuki serve`: the table `[server]` of a file, some variables, one flag.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration as StdDuration;

use tasuki_api::Network;
use tasuki_packet::duration::Duration;
use tasuki_server::webhook::Origin as WebOrigin;
use tasuki_server::{MailSettings, MailTls, Settings as Server};

use super::key::{self, Key};
use super::origin::Origin;
use super::resolve::{Layers, Row};
use super::values::{InvalidValue, Party};
use crate::exit::Failure;
use crate::output::escape::excerpt;

/// One setting: its key, its default, and the function that applies it.
struct Setting {
    key: Key,
    default: &'static str,
    apply: fn(&str, &mut Server) -> Result<(), InvalidValue>,
}

const SETTINGS: &[Setting] = &[
    Setting { key: key::LISTEN, default: "127.0.0.1:7420", apply: listen },
    Setting { key: key::HOSTS, default: "", apply: hosts },
    Setting { key: key::OPERATORS, default: "", apply: operators },
    Setting { key: key::PROXIES, default: "", apply: proxies },
    // The header comes first: without it, no proxy is believed.
    Setting { key: key::USER_HEADER, default: "", apply: user_header },
    Setting { key: key::USER_PROXIES, default: "", apply: user_proxies },
    Setting { key: key::METRICS, default: "local", apply: metrics },
    Setting {
        key: key::REQUESTS_PER_TOKEN,
        default: "1000",
        apply: |text, server| set(&mut server.limits.requests_per_token, number(text)),
    },
    Setting {
        key: key::REQUESTS_PER_PROJECT,
        default: "10000",
        apply: |text, server| set(&mut server.limits.requests_per_project, number(text)),
    },
    Setting {
        key: key::REQUESTS_PER_ADDRESS,
        default: "100",
        apply: |text, server| set(&mut server.limits.requests_per_address, number(text)),
    },
    Setting {
        key: key::ROWS_PER_TOKEN,
        default: "200000",
        apply: |text, server| set(&mut server.limits.rows_per_token, number(text)),
    },
    Setting {
        key: key::ROWS_PER_PROJECT,
        default: "400000",
        apply: |text, server| set(&mut server.limits.rows_per_project, number(text)),
    },
    Setting {
        key: key::SIGN_INS_PER_MINUTE,
        default: "10",
        apply: |text, server| set(&mut server.limits.sign_ins_per_minute, number(text)),
    },
    Setting {
        key: key::REQUESTS_AT_ONCE,
        default: "2048",
        apply: |text, server| set(&mut server.limits.requests_at_once, at_least_one(text)),
    },
    Setting {
        key: key::ANONYMOUS_AT_ONCE,
        default: "256",
        apply: |text, server| set(&mut server.limits.anonymous_at_once, at_least_one(text)),
    },
    Setting {
        key: key::CONNECTIONS,
        default: "8192",
        apply: |text, server| set(&mut server.limits.connections, at_least_one(text)),
    },
    Setting {
        key: key::CONNECTIONS_PER_ADDRESS,
        default: "2048",
        apply: |text, server| set(&mut server.limits.connections_per_address, at_least_one(text)),
    },
    Setting {
        key: key::BODY_BYTES,
        default: "33554432",
        apply: |text, server| set(&mut server.limits.body_bytes, at_least_one(text)),
    },
    Setting {
        key: key::BODY_TIMEOUT,
        default: "30s",
        apply: |text, server| set(&mut server.limits.body_timeout, time(text)),
    },
    Setting {
        key: key::SHUTDOWN_GRACE,
        default: "30s",
        apply: |text, server| set(&mut server.limits.shutdown_grace, time(text)),
    },
    Setting { key: key::PUBLIC_URL, default: "", apply: public_url },
    Setting { key: key::AUTHORIZATION_SERVERS, default: "", apply: authorization_servers },
    Setting { key: key::WEBHOOK_ORIGINS, default: "", apply: webhook_origins },
    // The host comes first: without it there is no mail, and the other mail settings are ignored. It
    // comes after the public URL, which links in mail need.
    Setting { key: key::MAIL_HOST, default: "", apply: mail_host },
    Setting {
        key: key::MAIL_PORT,
        default: "587",
        apply: |text, server| with_mail(server, |mail| set(&mut mail.port, port(text))),
    },
    Setting { key: key::MAIL_FROM, default: "", apply: mail_from },
    Setting {
        key: key::MAIL_TLS,
        default: "start",
        apply: |text, server| with_mail(server, |mail| set_mail_tls(mail, text)),
    },
    Setting {
        key: key::MAIL_USER,
        default: "",
        apply: |text, server| {
            let user = Some(text.to_owned()).filter(|text| !text.is_empty());
            with_mail(server, |mail| set(&mut mail.user, Ok(user)))
        },
    },
    Setting {
        key: key::MAIL_PASSWORD_FILE,
        default: "",
        apply: |text, server| {
            let file = Some(text).filter(|text| !text.is_empty()).map(PathBuf::from);
            with_mail(server, |mail| set(&mut mail.password_file, Ok(file)))
        },
    },
];

/// The settings of a server, each with its origin.
#[derive(Debug)]
pub(crate) struct ServerSettings {
    pub(crate) server: Server,
    rows: Vec<(&'static str, String, Origin)>,
}

impl ServerSettings {
    pub(super) fn from_layers(layers: &Layers<'_>) -> Result<Self, Failure> {
        let mut settings = Self { server: Server::default(), rows: Vec::new() };
        for Setting { key, default, apply } in SETTINGS {
            let (text, origin) = match layers.first(key)? {
                Some(given) => (given.value, given.origin),
                None => ((*default).to_owned(), Origin::Default),
            };
            apply(&text, &mut settings.server).map_err(|wrong| wrong.at(&origin))?;
            settings.rows.push((key.name, text, origin));
        }
        Ok(settings)
    }

    /// Returns every setting for display. An empty list counts as not set.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.iter().map(|(key, text, origin)| Row {
            key,
            set: (!text.is_empty()).then(|| (text.clone(), origin.clone())),
        })
    }
}

fn set<T>(place: &mut T, value: Result<T, InvalidValue>) -> Result<(), InvalidValue> {
    *place = value?;
    Ok(())
}

fn listen(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    let address: Result<SocketAddr, _> = text.parse();
    server.listen = address.map_err(|error| {
        let hint = "use the form 127.0.0.1:7420; 0.0.0.0 listens on every address, port 0 picks a free port";
        InvalidValue::new(format!("`{}` is not a valid listen address: {error}", excerpt(text)), hint)
    })?;
    Ok(())
}

fn hosts(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    let is_host =
        |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-".contains(&b));
    server.hosts = list(text);
    match server.hosts.iter().find(|name| !is_host(name)) {
        None => Ok(()),
        Some(wrong) => Err(InvalidValue::new(
            format!("`{}` is not a valid host name", excerpt(wrong)),
            "use names without a port, separated by commas: tasuki.example, tasuki.internal",
        )),
    }
}

fn operators(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    server.operators = list(text);
    server.operators.iter().try_for_each(|name| Party::parse(name).map(drop))
}

fn user_header(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let name = text.to_ascii_lowercase();
    if !is_name || ["authorization", "cookie", "host"].contains(&name.as_str()) {
        let message = format!("`{}` is not a valid header for a user", excerpt(text));
        return Err(InvalidValue::new(message, "use a header of its own: X-Forwarded-User"));
    }
    server.user_header = Some(name).filter(|name| !name.is_empty());
    Ok(())
}

fn proxies(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    server.proxies = networks(text)?;
    Ok(())
}

fn networks(text: &str) -> Result<Vec<Network>, InvalidValue> {
    let network = |text: &String| {
        text.parse().map_err(|error: String| {
            InvalidValue::new(error, "use addresses or networks: 127.0.0.1, 10.0.0.0/24")
        })
    };
    list(text).iter().map(network).collect()
}

fn user_proxies(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    server.user_proxies = networks(text)?;
    if server.user_header.is_none() || !server.user_proxies.is_empty() {
        return Ok(());
    }
    let message = format!(
        "`{}` is not set, but `{}` needs it",
        key::USER_PROXIES.name,
        key::USER_HEADER.name
    );
    Err(InvalidValue::new(message, "name the address of the proxy: 127.0.0.1"))
}

fn metrics(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    server.has_open_metrics = match text {
        "local" => false,
        "all" => true,
        other => {
            let message = format!("`{}` is not a valid value for `server.metrics`", excerpt(other));
            return Err(InvalidValue::new(message, "use `local` for this machine only, or `all`"));
        }
    };
    Ok(())
}

fn public_url(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    let is_url = text.is_empty() || WebOrigin::read(text.trim_end_matches('/')).is_some();
    server.public_url = Some(text.to_owned()).filter(|text| !text.is_empty());
    if is_url {
        return Ok(());
    }
    let message = format!("`{}` is not a valid URL of a server", excerpt(text));
    Err(InvalidValue::new(message, "use the form https://tasuki.example"))
}

fn authorization_servers(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    let issuers = list(text);
    let is_issuer = |text: &&String| text.starts_with("https://") && !text.contains(['?', '#']);
    if let Some(wrong) = issuers.iter().find(|text| !is_issuer(text)) {
        let message = format!("`{}` is not a valid issuer", excerpt(wrong));
        return Err(InvalidValue::new(message, "use the form https://login.example"));
    }
    server.authorization_servers = issuers;
    Ok(())
}

fn webhook_origins(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    let origin = |text: &String| {
        WebOrigin::read(text).ok_or_else(|| {
            let message = format!("`{}` is not a valid origin", excerpt(text));
            InvalidValue::new(message, "use scheme, host and port: http://10.0.0.7:9000")
        })
    };
    server.webhook_origins = list(text).iter().map(origin).collect::<Result<_, _>>()?;
    Ok(())
}

fn mail_host(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte)) {
        let message = format!("`{}` is not a valid host", excerpt(text));
        return Err(InvalidValue::new(message, "use its name alone: mail.example"));
    }
    if !text.is_empty() && server.public_url.is_none() {
        let message = format!("`{}` is not set, but mail has links", key::PUBLIC_URL.name);
        let hint =
            "set it under `[server]` in tasuki.toml: public_url = \"https://tasuki.example\"";
        return Err(InvalidValue::new(message, hint));
    }
    server.mail = (!text.is_empty()).then(|| MailSettings {
        host: text.to_owned(),
        port: 587,
        from: String::new(),
        tls: MailTls::Start,
        user: None,
        password_file: None,
    });
    Ok(())
}

fn mail_from(text: &str, server: &mut Server) -> Result<(), InvalidValue> {
    let is_mailbox = text.contains('@') && !text.chars().any(|c| "<> \r\n".contains(c));
    with_mail(server, |mail| {
        text.clone_into(&mut mail.from);
        if is_mailbox {
            return Ok(());
        }
        let message = match text {
            "" => format!("`{}` is not set, but mail needs a sender", key::MAIL_FROM.name),
            other => format!("`{}` is not a valid sender address", excerpt(other)),
        };
        Err(InvalidValue::new(message, "use a mailbox: tasuki@example.org"))
    })
}

fn mail_tls(text: &str) -> Result<MailTls, InvalidValue> {
    match text {
        "implicit" => Ok(MailTls::Implicit),
        "start" => Ok(MailTls::Start),
        "none" => Ok(MailTls::None),
        other => Err(InvalidValue::new(
            format!("`{}` is not a valid mail encryption", excerpt(other)),
            "use `implicit`, `start`, or `none` for a mail server on this machine",
        )),
    }
}

/// Sets the encryption. Mail carries links and a password, so `none` is for this machine only.
fn set_mail_tls(mail: &mut MailSettings, text: &str) -> Result<(), InvalidValue> {
    mail.tls = mail_tls(text)?;
    if mail.tls != MailTls::None || is_loopback_host(&mail.host) {
        return Ok(());
    }
    let message = format!("`none` would send mail to `{}` unencrypted", excerpt(&mail.host));
    Err(InvalidValue::new(
        message,
        "use `start` or `implicit`; `none` is only for a mail server on this machine",
    ))
}

fn is_loopback_host(host: &str) -> bool {
    let address: Option<IpAddr> = host.parse().ok();
    host.eq_ignore_ascii_case("localhost") || address.is_some_and(|address| address.is_loopback())
}

fn port(text: &str) -> Result<u16, InvalidValue> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        InvalidValue::new(
            format!("`{}` is not a valid port", excerpt(text)),
            "use a number such as 587",
        )
    })
}

/// Changes the mail settings, if mail is configured.
fn with_mail(
    server: &mut Server,
    change: impl FnOnce(&mut MailSettings) -> Result<(), InvalidValue>,
) -> Result<(), InvalidValue> {
    server.mail.as_mut().map_or(Ok(()), change)
}

fn list(text: &str) -> Vec<String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(str::to_owned).collect()
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, InvalidValue> {
    text.parse().ok().ok_or_else(|| {
        InvalidValue::new(
            format!("`{}` is not a valid number", excerpt(text)),
            "use a whole number; 0 means no limit",
        )
    })
}

fn at_least_one(text: &str) -> Result<usize, InvalidValue> {
    number(text).ok().filter(|count| *count > 0).ok_or_else(|| {
        InvalidValue::new(
            format!("`{}` is not a valid number", excerpt(text)),
            "use a whole number of at least 1",
        )
    })
}

fn time(text: &str) -> Result<StdDuration, InvalidValue> {
    let time: Result<Duration, _> = text.parse();
    time.map(|time| StdDuration::from_millis(time.milliseconds())).map_err(|error| {
        InvalidValue::new(format!("`{}`: {error}", excerpt(text)), "use a duration such as 30s")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_server() {
        let mut server = Server::default();
        let before = format!("{server:?}");
        for setting in SETTINGS {
            (setting.apply)(setting.default, &mut server).unwrap();
        }
        assert_eq!(format!("{server:?}"), before);
    }

    #[test]
    fn the_default_file_has_the_defaults_and_marks_examples() {
        for setting in SETTINGS {
            let name = setting.key.name.rsplit('.').next().unwrap();
            let begins = format!("# {name} = ");
            let mut lines = crate::config::DEFAULT_FILE.lines();
            let value = lines.find_map(|line| line.strip_prefix(&begins)).unwrap();
            let is_example = value.ends_with("  # an example");
            let is_default = value.trim_matches('"') == setting.default;
            assert_eq!(
                (is_example, is_default),
                (setting.default.is_empty(), !is_example),
                "{name}"
            );
        }
    }

    #[test]
    fn mail_is_sent_only_if_a_host_is_set() {
        let mut server = Server::default();
        mail_from("nobody", &mut server).unwrap();
        assert!(server.mail.is_none());
        assert!(mail_host("smtp://mail.example", &mut server).is_err());
        let unlinked = mail_host("mail.example", &mut server).unwrap_err().at(&Origin::Default);
        assert_eq!(unlinked.message, "default: `server.public_url` is not set, but mail has links");
        public_url("https://tasuki.example", &mut server).unwrap();
        mail_host("mail.example", &mut server).unwrap();
        assert!(mail_from("nobody", &mut server).is_err());
        let missing = mail_from("", &mut server).unwrap_err();
        let missing = missing.at(&Origin::Default);
        assert_eq!(
            missing.message,
            "default: `server.mail.from` is not set, but mail needs a sender"
        );
        mail_from("tasuki@example.org", &mut server).unwrap();
        assert!(mail_tls("maybe").is_err() && port("0").is_err());
        assert_eq!(server.mail.unwrap().from, "tasuki@example.org");
    }

    #[test]
    fn mail_is_unencrypted_to_this_machine_only() {
        for (host, is_fine) in [
            ("localhost", true),
            ("127.0.0.1", true),
            ("::1", true),
            ("mail.example", false),
            ("10.0.0.7", false),
            ("localhost.example", false),
        ] {
            let mut server = Server::default();
            public_url("https://tasuki.example", &mut server).unwrap();
            mail_host(host, &mut server).unwrap();
            let mut mail = server.mail.unwrap();
            assert_eq!(set_mail_tls(&mut mail, "none").is_ok(), is_fine, "{host}");
            set_mail_tls(&mut mail, "start").unwrap();
        }
    }

    #[test]
    fn a_user_header_needs_the_address_of_its_proxy() {
        let mut server = Server::default();
        user_header("Remote-User", &mut server).unwrap();
        let missing = user_proxies("", &mut server).unwrap_err().at(&Origin::Default);
        assert_eq!(
            missing.message,
            "default: `server.user_proxies` is not set, but `server.user_header` needs it"
        );
        user_proxies("127.0.0.1", &mut server).unwrap();
        assert_eq!(server.user_header.as_deref(), Some("remote-user"));
    }

    #[test]
    fn invalid_values_are_refused() {
        let applied = |name: &str, text: &str| {
            let setting = SETTINGS.iter().find(|one| one.key.name == name).unwrap();
            (setting.apply)(text, &mut Server::default()).is_ok()
        };
        for (name, good, wrong) in [
            ("server.listen", "0.0.0.0:0", "7420"),
            ("server.hosts", "a.example, b", "http://a.example"),
            ("server.operators", "ana,ben", "Ana"),
            ("server.proxies", "127.0.0.1, 10.0.0.0/24", "proxy.example"),
            ("server.user_header", "X-Forwarded-User", "Cookie"),
            ("server.user_proxies", "127.0.0.1, 10.0.0.0/24", "proxy.example"),
            ("server.metrics", "all", "some"),
            ("server.requests_per_token", "0", "-1"),
            ("server.rows_per_token", "0", "many"),
            ("server.requests_at_once", "1", "0"),
            ("server.connections_per_address", "1", "0"),
            ("server.body_bytes", "1000000", "0"),
            ("server.shutdown_grace", "2m", "2"),
            ("server.public_url", "https://tasuki.example", "tasuki.example"),
            ("server.authorization_servers", "https://login.example", "login.example"),
            ("server.webhook_origins", "http://10.0.0.7:9000, https://a.example", "10.0.0.7"),
        ] {
            assert!(applied(name, good), "{name} = {good}");
            assert!(!applied(name, wrong), "{name} = {wrong}");
        }
    }
}
