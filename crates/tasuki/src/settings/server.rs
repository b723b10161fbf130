//! The settings of `tasuki serve`: the table `[server]` of a file, a few variables, one flag.

use std::net::SocketAddr;
use std::time::Duration as StdDuration;

use tasuki_packet::duration::Duration;
use tasuki_server::Settings as Server;

use super::gather::{Layers, Row};
use super::key::{self, Key};
use super::names::{Party, Wrong, shown};
use super::origin::Origin;
use crate::exit::Failure;

/// One setting: where it comes from, what it is where nobody says, and what it does.
struct Setting {
    key: Key,
    default: &'static str,
    apply: fn(&str, &mut Server) -> Result<(), Wrong>,
}

const SETTINGS: &[Setting] = &[
    Setting { key: key::LISTEN, default: "127.0.0.1:7420", apply: listen },
    Setting { key: key::HOSTS, default: "", apply: hosts },
    Setting { key: key::OPERATORS, default: "", apply: operators },
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
        key: key::CONNECTIONS,
        default: "8192",
        apply: |text, server| set(&mut server.limits.connections, at_least_one(text)),
    },
    Setting {
        key: key::ARRIVAL,
        default: "30s",
        apply: |text, server| set(&mut server.limits.arrival, time(text)),
    },
    Setting {
        key: key::FAREWELL,
        default: "30s",
        apply: |text, server| set(&mut server.limits.farewell, time(text)),
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

    /// Every setting, for people to see. A list with nothing in it is not set.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.iter().map(|(key, text, origin)| Row {
            key,
            set: (!text.is_empty()).then(|| (text.clone(), origin.clone())),
        })
    }
}

fn set<T>(place: &mut T, value: Result<T, Wrong>) -> Result<(), Wrong> {
    *place = value?;
    Ok(())
}

fn listen(text: &str, server: &mut Server) -> Result<(), Wrong> {
    let address: Result<SocketAddr, _> = text.parse();
    server.listen = address.map_err(|error| {
        let hint = "write it as 127.0.0.1:7420; 0.0.0.0 is every address, port 0 any that is free";
        Wrong::new(format!("`{}` is no address to listen on: {error}", shown(text)), hint)
    })?;
    Ok(())
}

fn hosts(text: &str, server: &mut Server) -> Result<(), Wrong> {
    let is_host =
        |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-".contains(&b));
    server.hosts = list(text);
    match server.hosts.iter().find(|name| !is_host(name)) {
        None => Ok(()),
        Some(wrong) => Err(Wrong::new(
            format!("`{}` is no name of a host", shown(wrong)),
            "write names without a port, with commas between: tasuki.example, tasuki.internal",
        )),
    }
}

fn operators(text: &str, server: &mut Server) -> Result<(), Wrong> {
    server.operators = list(text);
    server.operators.iter().try_for_each(|name| Party::parse(name).map(drop))
}

fn metrics(text: &str, server: &mut Server) -> Result<(), Wrong> {
    server.has_open_metrics = match text {
        "local" => false,
        "all" => true,
        other => {
            let message = format!("`{}` is not who sees the metrics", shown(other));
            return Err(Wrong::new(message, "`local` is this machine, `all` is everybody"));
        }
    };
    Ok(())
}

fn list(text: &str) -> Vec<String> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(str::to_owned).collect()
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, Wrong> {
    text.parse().ok().ok_or_else(|| {
        Wrong::new(format!("`{}` is no number for this", shown(text)), "0 is no limit")
    })
}

fn at_least_one(text: &str) -> Result<usize, Wrong> {
    number(text).ok().filter(|count| *count > 0).ok_or_else(|| {
        Wrong::new(format!("`{}` is no number for this", shown(text)), "it is at least 1")
    })
}

fn time(text: &str) -> Result<StdDuration, Wrong> {
    let time: Result<Duration, _> = text.parse();
    time.map(|time| StdDuration::from_millis(time.milliseconds()))
        .map_err(|error| Wrong::new(format!("`{}`: {error}", shown(text)), "for example 30s"))
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
    fn what_makes_no_sense_is_refused() {
        let applied = |name: &str, text: &str| {
            let setting = SETTINGS.iter().find(|one| one.key.name == name).unwrap();
            (setting.apply)(text, &mut Server::default()).is_ok()
        };
        for (name, good, wrong) in [
            ("server.listen", "0.0.0.0:0", "7420"),
            ("server.hosts", "a.example, b", "http://a.example"),
            ("server.operators", "ana,ben", "Ana"),
            ("server.metrics", "all", "some"),
            ("server.requests_per_token", "0", "-1"),
            ("server.requests_at_once", "1", "0"),
            ("server.farewell", "2m", "2"),
        ] {
            assert!(applied(name, good), "{name} = {good}");
            assert!(!applied(name, wrong), "{name} = {wrong}");
        }
    }
}
