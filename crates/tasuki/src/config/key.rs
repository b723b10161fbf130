//! The list of settings, with the names of each as a flag, as a variable and in a file.

/// One setting.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// The name in a file, also used in messages.
    pub(super) name: &'static str,
    pub(super) flag: Option<&'static str>,
    pub(super) variable: Option<&'static str>,
    /// `true` if a file may set it. Sessions and secrets belong to a process instead.
    pub(super) is_in_files: bool,
    /// `true` if it has several values: a list in a file, or a text with commas.
    pub(super) is_list: bool,
}

impl Key {
    const fn in_files(
        name: &'static str,
        flag: &'static str,
        variable: Option<&'static str>,
    ) -> Self {
        Self { name, flag: Some(flag), variable, is_in_files: true, is_list: false }
    }

    /// Returns a setting in a table of a file.
    const fn of_table(name: &'static str, variable: Option<&'static str>) -> Self {
        Self { name, flag: None, variable, is_in_files: true, is_list: false }
    }

    /// Returns a setting in the server table with several values.
    const fn list_of_server(name: &'static str, variable: Option<&'static str>) -> Self {
        Self { is_list: true, ..Self::of_table(name, variable) }
    }

    const fn variable(name: &'static str, variable: &'static str) -> Self {
        Self { name, flag: None, variable: Some(variable), is_in_files: false, is_list: false }
    }
}

pub(super) const AS: Key = Key::in_files("as", "--as", Some("TASUKI_AS"));
pub(super) const PROJECT: Key = Key::in_files("project", "--project", Some("TASUKI_PROJECT"));
pub(super) const URL: Key = Key::in_files("url", "--server", Some("TASUKI_URL"));
/// The address may have a password, and a file of another person must not redirect packets.
pub(super) const STORE: Key =
    Key { flag: Some("--store"), ..Key::variable("store", "TASUKI_STORE") };
pub(super) const TIME_FORMAT: Key = Key::in_files("time_format", "--time-format", None);
pub(super) const TOKEN: Key = Key::variable("token", "TASUKI_TOKEN");
pub(super) const SESSION_VARIABLE: &str = "TASUKI_SESSION";
pub(super) const SESSION: Key = Key::variable("session", SESSION_VARIABLE);
pub(super) const LOG: Key = Key::variable("log", "TASUKI_LOG");
pub(super) const SNAPSHOTS_ENABLED: Key =
    Key::of_table("snapshots.enabled", Some("TASUKI_SNAPSHOTS"));
pub(super) const SNAPSHOTS_FILE_BYTES_MAX: Key = Key::of_table("snapshots.file_bytes_max", None);
pub(super) const SNAPSHOTS_KEEP: Key = Key::of_table("snapshots.keep", None);
pub(super) const LISTEN: Key = Key::in_files("server.listen", "--listen", Some("TASUKI_LISTEN"));
pub(super) const HOSTS: Key = Key::list_of_server("server.hosts", Some("TASUKI_HOSTS"));
pub(super) const OPERATORS: Key = Key::list_of_server("server.operators", Some("TASUKI_OPERATORS"));
pub(super) const PROXIES: Key = Key::list_of_server("server.proxies", None);
pub(super) const USER_HEADER: Key = Key::of_table("server.user_header", None);
pub(super) const USER_PROXIES: Key = Key::list_of_server("server.user_proxies", None);
pub(super) const METRICS: Key = Key::of_table("server.metrics", Some("TASUKI_METRICS"));
pub(super) const REQUESTS_PER_TOKEN: Key = Key::of_table("server.requests_per_token", None);
pub(super) const REQUESTS_PER_PROJECT: Key = Key::of_table("server.requests_per_project", None);
pub(super) const REQUESTS_PER_ADDRESS: Key = Key::of_table("server.requests_per_address", None);
pub(super) const ROWS_PER_TOKEN: Key = Key::of_table("server.rows_per_token", None);
pub(super) const ROWS_PER_PROJECT: Key = Key::of_table("server.rows_per_project", None);
pub(super) const SIGN_INS_PER_MINUTE: Key = Key::of_table("server.sign_ins_per_minute", None);
pub(super) const REQUESTS_AT_ONCE: Key = Key::of_table("server.requests_at_once", None);
pub(super) const ANONYMOUS_AT_ONCE: Key = Key::of_table("server.anonymous_at_once", None);
pub(super) const CONNECTIONS: Key = Key::of_table("server.connections", None);
pub(super) const CONNECTIONS_PER_ADDRESS: Key =
    Key::of_table("server.connections_per_address", None);
pub(super) const BODY_BYTES: Key = Key::of_table("server.body_bytes", None);
pub(super) const BODY_TIMEOUT: Key = Key::of_table("server.body_timeout", None);
pub(super) const SHUTDOWN_GRACE: Key = Key::of_table("server.shutdown_grace", None);
pub(super) const PUBLIC_URL: Key = Key::of_table("server.public_url", None);
pub(super) const AUTHORIZATION_SERVERS: Key =
    Key::list_of_server("server.authorization_servers", None);
pub(super) const WEBHOOK_ORIGINS: Key = Key::list_of_server("server.webhook_origins", None);
pub(super) const MAIL_HOST: Key = Key::of_table("server.mail.host", None);
pub(super) const MAIL_PORT: Key = Key::of_table("server.mail.port", None);
pub(super) const MAIL_FROM: Key = Key::of_table("server.mail.from", None);
pub(super) const MAIL_TLS: Key = Key::of_table("server.mail.tls", None);
pub(super) const MAIL_USER: Key = Key::of_table("server.mail.user", None);
pub(super) const MAIL_PASSWORD_FILE: Key = Key::of_table("server.mail.password_file", None);

/// All settings, in display order.
pub(super) const KEYS: &[Key] = &[
    AS,
    PROJECT,
    URL,
    STORE,
    TIME_FORMAT,
    TOKEN,
    SESSION,
    LOG,
    SNAPSHOTS_ENABLED,
    SNAPSHOTS_FILE_BYTES_MAX,
    SNAPSHOTS_KEEP,
    LISTEN,
    HOSTS,
    OPERATORS,
    PROXIES,
    USER_HEADER,
    USER_PROXIES,
    METRICS,
    REQUESTS_PER_TOKEN,
    REQUESTS_PER_PROJECT,
    REQUESTS_PER_ADDRESS,
    ROWS_PER_TOKEN,
    ROWS_PER_PROJECT,
    SIGN_INS_PER_MINUTE,
    REQUESTS_AT_ONCE,
    ANONYMOUS_AT_ONCE,
    CONNECTIONS,
    CONNECTIONS_PER_ADDRESS,
    BODY_BYTES,
    BODY_TIMEOUT,
    SHUTDOWN_GRACE,
    PUBLIC_URL,
    AUTHORIZATION_SERVERS,
    WEBHOOK_ORIGINS,
    MAIL_HOST,
    MAIL_PORT,
    MAIL_FROM,
    MAIL_TLS,
    MAIL_USER,
    MAIL_PASSWORD_FILE,
];

/// The table of a file that holds the settings of the server.
pub(super) const SERVER: &str = "server";

/// The table of a file that holds the settings of snapshots.
pub(super) const SNAPSHOTS: &str = "snapshots";

/// The nested table with the mail settings.
pub(super) const MAIL: &str = "mail";

/// The variable that names a file to read instead of the nearest `tasuki.toml`.
pub(super) const CONFIG: &str = "TASUKI_CONFIG";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_lists_every_setting() {
        let page = include_str!("../../../../docs/reference/configuration.md");
        let cell = |name: Option<&str>| name.map_or("-".to_owned(), |name| format!("`{name}`"));
        for key in KEYS {
            let file = key.is_in_files.then_some(key.name);
            let row = format!("| {} | {} | {} |", cell(file), cell(key.variable), cell(key.flag));
            assert!(page.contains(&row), "no row begins with {row}");
        }
        let environment = include_str!("../../../../docs/reference/environment.md");
        for variable in KEYS.iter().filter_map(|key| key.variable).chain([CONFIG]) {
            assert!(environment.contains(&format!("| `{variable}` | ")), "{variable}");
        }
    }
}
