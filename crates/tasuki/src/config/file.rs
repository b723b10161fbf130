//! A configuration file: TOML with a few known keys.
//!
//! An unknown key is refused: a setting must not be ignored silently. Values are texts, and only
//! the value that takes effect is validated, later.

use std::io::{ErrorKind, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use tasuki_packet::violation::suggest;
use toml::de::{DeTable, DeValue};

use super::key::{KEYS, Key, MAIL, SERVER, SNAPSHOTS, SNAPSHOTS_ENABLED};
use super::origin::{Origin, Sourced};
use crate::exit::{Failure, reason};
use crate::output::escape::excerpt;

/// LIMIT: a configuration file is a page of text.
const BYTES_MAX: u64 = 256 * 1024;

/// The tables of a file.
const TABLES: [&str; 2] = [SERVER, SNAPSHOTS];

/// The settings of one file.
#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    /// `true` for a project's file, which comes with its repository.
    is_project: bool,
    /// The name, value and line of each setting.
    entries: Vec<(&'static str, String, usize)>,
}

impl File {
    /// Reads a file, if it exists.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let failed = |error: std::io::Error| {
            Failure::usage(format!("cannot read {}: {}", path.display(), reason(&error)))
        };
        let file = match std::fs::File::open(path) {
            Ok(file) => file,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(failed(error)),
        };
        let mut bytes = Vec::new();
        file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > BYTES_MAX {
            let message = format!("{} is larger than {BYTES_MAX} bytes", path.display());
            return Err(Failure::usage(message).hint("check that it is a configuration file"));
        }
        let text = String::from_utf8(bytes)
            .map_err(|error| Failure::usage(format!("{} is not UTF-8: {error}", path.display())))?;
        Self::parse(path, &text).map(Some)
    }

    /// Marks the file as a project's.
    pub(super) fn of_project(self) -> Self {
        Self { is_project: true, ..self }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let table = DeTable::parse(text).map_err(|error| {
            let line = line_of(text, &error.span().unwrap_or_default());
            Failure::usage(format!("{}:{line}: invalid TOML: {}", path.display(), error.message()))
        })?;
        // The parser sorts by name, but people read and fix a file from the top.
        let mut found: Vec<_> = table.get_ref().iter().collect();
        found.sort_by_key(|(name, _)| name.span().start);
        let mut file = Self { path: path.to_owned(), is_project: false, entries: Vec::new() };
        for (name, value) in found {
            let line = line_of(text, &name.span());
            match value.get_ref() {
                DeValue::Table(table) if TABLES.contains(&name.get_ref().as_ref()) => {
                    file.read_table(name.get_ref(), table, text)?;
                }
                value => file.read_entry(name.get_ref(), value, line)?,
            }
        }
        Ok(file)
    }

    /// Reads the settings of a table, and of the one table that may be in it.
    fn read_table(&mut self, table: &str, of: &DeTable<'_>, text: &str) -> Result<(), Failure> {
        for (name, value) in of {
            let whole = format!("{table}.{}", name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if table == SERVER && name.get_ref() == MAIL => {
                    self.read_table(&whole, inner, text)?;
                }
                value => self.read_entry(&whole, value, line_of(text, &name.span()))?,
            }
        }
        Ok(())
    }

    /// Reads one setting, which must be a known one.
    fn read_entry(&mut self, name: &str, value: &DeValue<'_>, line: usize) -> Result<(), Failure> {
        let wrong = |(message, hint): (String, String)| {
            Failure::usage(format!("{}:{line}: {message}", self.path.display())).hint(hint)
        };
        let key = known(name).map_err(wrong)?;
        let value = text_of(key, value).map_err(wrong)?;
        self.entries.push((key.name, value, line));
        Ok(())
    }

    /// Returns the value of a setting in this file.
    pub(super) fn get(&self, key: &Key) -> Option<Sourced<String>> {
        let (_, value, line) = self.entries.iter().find(|(name, ..)| *name == key.name)?;
        let (line, is_project) = (*line, self.is_project);
        let origin = Origin::File { path: self.path.clone(), line, is_project };
        Some(Sourced { value: value.clone(), origin })
    }
}

/// Returns the setting of this name, or a message and a hint.
fn known(name: &str) -> Result<&'static Key, (String, String)> {
    let in_files = || KEYS.iter().filter(|key| key.is_in_files);
    if let Some(key) = in_files().find(|key| key.name == name) {
        return Ok(key);
    }
    let variable_name = KEYS.iter().find(|key| key.name == name).and_then(|key| key.variable);
    if let Some(variable) = variable_name {
        let hint =
            format!("set `{variable}` instead; configuration files are shared and committed");
        return Err((format!("`{name}` cannot be set in a file"), hint));
    }
    let table = |name: &str| TABLES.into_iter().find(|table| name.starts_with(table));
    let is_near = |key: &&Key| table(name) == table(key.name);
    let names: Vec<_> = in_files().filter(is_near).map(|key| format!("`{}`", key.name)).collect();
    let hint = match suggest(name, in_files().map(|key| key.name)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known settings: {}", names.join(", ")),
    };
    Err((format!("unknown setting `{}`", excerpt(name)), hint))
}

fn text_of(key: &Key, value: &DeValue<'_>) -> Result<String, (String, String)> {
    let is_in_table = TABLES.iter().any(|table| key.name.starts_with(table));
    match value {
        DeValue::Integer(number) if is_in_table => return Ok(number.as_str().to_owned()),
        DeValue::Boolean(truth) if key == &SNAPSHOTS_ENABLED => return Ok(truth.to_string()),
        _ => {}
    }
    match (value, key.is_list) {
        (DeValue::Array(items), true) => {
            let texts = items.iter().map(|item| text_in(key, item.get_ref()));
            Ok(texts.collect::<Result<Vec<_>, _>>()?.join(", "))
        }
        _ => text_in(key, value),
    }
}

fn text_in(key: &Key, value: &DeValue<'_>) -> Result<String, (String, String)> {
    value.as_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("`{}` must be a string, found {}", key.name, value.type_str());
        (message, format!("put it in quotes: `{} = \"…\"`", key.name))
    })
}

/// Returns the line of a span, counted from one.
fn line_of(text: &str, span: &Range<usize>) -> usize {
    text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::key::{AS, CONNECTIONS, HOSTS, LISTEN, PROJECT, URL};
    use crate::temp_dir::TempDir;

    fn refused(text: &str) -> String {
        let temp_dir = TempDir::new().with("tasuki.toml", text);
        temp_dir.shown(&File::read(&temp_dir.path("tasuki.toml")).unwrap_err())
    }

    #[test]
    fn values_come_with_their_line() {
        let text = "# ours\nproject = \"web\"\n\n\"as\" = 'ana'\n";
        let file = File::parse(Path::new("f"), text).unwrap();
        let found = |key| file.get(key).map(|given| format!("{} {}", given.value, given.origin));
        assert_eq!(found(&AS).unwrap(), "ana f:4");
        assert_eq!(found(&PROJECT).unwrap(), "web f:2");
        assert_eq!(found(&URL), None);
    }

    #[test]
    fn several_values_are_a_list_or_a_text_with_commas() {
        let hosts = |text: &str| {
            let file = File::parse(Path::new("f"), text).unwrap();
            file.get(&HOSTS).unwrap().value
        };
        assert_eq!(
            hosts("[server]\nhosts = [\"a.example\", \"b.example\"]\n"),
            "a.example, b.example"
        );
        assert_eq!(hosts("[server]\nhosts = \"a.example, b.example\"\n"), "a.example, b.example");
        assert_eq!(hosts("[server]\nhosts = []\n"), "");
        insta::assert_snapshot!(refused("[server]\nhosts = [\"a.example\", 5]\n"), @r#"
        [DIR]/tasuki.toml:2: `server.hosts` must be a string, found integer
        hint: put it in quotes: `server.hosts = "…"`
        "#);
        insta::assert_snapshot!(refused("as = [\"ana\"]\n"), @r#"
        [DIR]/tasuki.toml:1: `as` must be a string, found array
        hint: put it in quotes: `as = "…"`
        "#);
    }

    #[test]
    fn a_typo_is_refused_with_a_suggestion() {
        insta::assert_snapshot!(refused("as = \"ana\"\nprojekt = \"web\"\n"), @"
        [DIR]/tasuki.toml:2: unknown setting `projekt`
        hint: did you mean `project`?
        ");
        insta::assert_snapshot!(refused("zzz = 1\naaa = 1\n"), @"
        [DIR]/tasuki.toml:1: unknown setting `zzz`
        hint: known settings: `as`, `project`, `url`, `time_format`
        ");
        insta::assert_snapshot!(refused("\n[project]\nname = \"web\"\n"), @r#"
        [DIR]/tasuki.toml:2: `project` must be a string, found table
        hint: put it in quotes: `project = "…"`
        "#);
        insta::assert_snapshot!(refused("project.name = \"web\"\n"), @r#"
        [DIR]/tasuki.toml:1: `project` must be a string, found table
        hint: put it in quotes: `project = "…"`
        "#);
        insta::assert_snapshot!(refused("token = \"hunter2\"\n"), @"
        [DIR]/tasuki.toml:1: `token` cannot be set in a file
        hint: set `TASUKI_TOKEN` instead; configuration files are shared and committed
        ");
        insta::assert_snapshot!(refused("session = \"a\"\n"), @"
        [DIR]/tasuki.toml:1: `session` cannot be set in a file
        hint: set `TASUKI_SESSION` instead; configuration files are shared and committed
        ");
        insta::assert_snapshot!(refused("\"\\u001b[2J\" = 1\n"), @r#"
        [DIR]/tasuki.toml:1: unknown setting `<U+001B>[2J`
        hint: known settings: `as`, `project`, `url`, `time_format`
        "#);
        insta::assert_snapshot!(refused("as = 5\n"), @r#"
        [DIR]/tasuki.toml:1: `as` must be a string, found integer
        hint: put it in quotes: `as = "…"`
        "#);
    }

    #[test]
    fn invalid_toml_is_refused_with_its_line() {
        insta::assert_snapshot!(refused("as = \"ana\"\nas = \"ben\"\n"), @"[DIR]/tasuki.toml:2: invalid TOML: duplicate key");
        insta::assert_snapshot!(refused("\n\nas: ana\n"), @"[DIR]/tasuki.toml:3: invalid TOML: key with no value, expected `=`");
        insta::assert_snapshot!(refused("as = \"ana\n"), @r#"[DIR]/tasuki.toml:1: invalid TOML: invalid basic string, expected `"`"#);
        insta::assert_snapshot!(refused(&"#".repeat(256 * 1024 + 1)), @"
        [DIR]/tasuki.toml is larger than 262144 bytes
        hint: check that it is a configuration file
        ");
        assert!(File::parse(Path::new("f"), &"#".repeat(1024)).is_ok());
        let temp_dir = TempDir::new().with("odd", [0xff]).with("folder/a", "");
        let read = |name: &str| File::read(&temp_dir.path(name));
        insta::assert_snapshot!(temp_dir.shown(&read("odd").unwrap_err()), @"[DIR]/odd is not UTF-8: invalid utf-8 sequence of 1 bytes from index 0");
        insta::assert_snapshot!(temp_dir.shown(&read("folder").unwrap_err()), @"cannot read [DIR]/folder: is a directory");
        assert!(read("none").unwrap().is_none() && read("odd/none").unwrap().is_none());
    }

    #[test]
    fn the_server_table_is_read_and_its_typos_are_refused() {
        let text = "as = \"ana\"\n[server]\nlisten = \"0.0.0.0:1\"\nconnections = 5\n";
        let file = File::parse(Path::new("f"), text).unwrap();
        let found = |key| file.get(key).map(|given| format!("{} {}", given.value, given.origin));
        assert_eq!(found(&LISTEN).unwrap(), "0.0.0.0:1 f:3");
        assert_eq!(found(&CONNECTIONS).unwrap(), "5 f:4");
        insta::assert_snapshot!(refused("[server]\nlissten = \"x\"\n"), @"
        [DIR]/tasuki.toml:2: unknown setting `server.lissten`
        hint: did you mean `server.listen`?
        ");
        insta::assert_snapshot!(refused("[server]\nzzz = true\n"), @"
        [DIR]/tasuki.toml:2: unknown setting `server.zzz`
        hint: known settings: `server.listen`, `server.hosts`, `server.operators`, `server.proxies`, `server.user_header`, `server.user_proxies`, `server.metrics`, `server.requests_per_token`, `server.requests_per_project`, `server.requests_per_address`, `server.rows_per_token`, `server.rows_per_project`, `server.sign_ins_per_minute`, `server.requests_at_once`, `server.anonymous_at_once`, `server.connections`, `server.connections_per_address`, `server.body_bytes`, `server.body_timeout`, `server.shutdown_grace`, `server.public_url`, `server.authorization_servers`, `server.webhook_origins`, `server.mail.host`, `server.mail.port`, `server.mail.from`, `server.mail.tls`, `server.mail.user`, `server.mail.password_file`
        ");
        insta::assert_snapshot!(refused("[server]\nlisten = true\n"), @r#"
        [DIR]/tasuki.toml:2: `server.listen` must be a string, found boolean
        hint: put it in quotes: `server.listen = "…"`
        "#);
        insta::assert_snapshot!(refused("server = \"x\"\n"), @"
        [DIR]/tasuki.toml:1: unknown setting `server`
        hint: known settings: `server.listen`, `server.hosts`, `server.operators`, `server.proxies`, `server.user_header`, `server.user_proxies`, `server.metrics`, `server.requests_per_token`, `server.requests_per_project`, `server.requests_per_address`, `server.rows_per_token`, `server.rows_per_project`, `server.sign_ins_per_minute`, `server.requests_at_once`, `server.anonymous_at_once`, `server.connections`, `server.connections_per_address`, `server.body_bytes`, `server.body_timeout`, `server.shutdown_grace`, `server.public_url`, `server.authorization_servers`, `server.webhook_origins`, `server.mail.host`, `server.mail.port`, `server.mail.from`, `server.mail.tls`, `server.mail.user`, `server.mail.password_file`
        ");
    }

    #[test]
    fn the_default_file_has_every_setting_and_changes_nothing() {
        let text = crate::config::DEFAULT_FILE;
        assert!(File::parse(Path::new("f"), text).unwrap().entries.is_empty());
        // With every setting uncommented, it is still valid and complete.
        let is_setting = |line: &&str| line.split(' ').nth(2) == Some("=");
        let message =
            |line: &str| line.strip_prefix("# ").filter(|_| is_setting(&line)).map(str::to_owned);
        let lines: Vec<String> =
            text.lines().map(|line| message(line).unwrap_or(line.to_owned())).collect();
        let file = File::parse(Path::new("f"), &lines.join("\n")).unwrap();
        for key in KEYS.iter().filter(|key| key.is_in_files) {
            assert!(file.get(key).is_some(), "{}", key.name);
        }
    }

    #[test]
    fn deep_nesting_does_not_crash_the_process() {
        let text = format!("as = {}", "[".repeat(200_000));
        assert!(refused(&text).contains("tasuki.toml:1: invalid TOML: "));
    }
}
