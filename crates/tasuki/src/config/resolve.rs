//! Resolves the settings from all sources.
//!
//! The first source with a value wins: flag, variable, nearest `tasuki.toml` upward, user file,
//! system file, default. Only the winning value is validated, so a flag can override a bad file. An
//! unknown key is refused in every file.

use std::path::{Path, PathBuf};

use tasuki_store::Location;

use super::environment::Environment;
use super::file::File;
use super::flags::Flags;
use super::key::{self, Key};
use super::origin::{Origin, Sourced};
use super::server::ServerSettings;
use super::session::{HOOK_SESSION, HOSTS, RUN_SESSION, host_session};
use super::session_name::SessionName;
use super::snapshots::SnapshotSettings;
use super::values::{
    Address, Database, InvalidValue, Party, ProjectName, TimeFormat, Token, parse_log,
};
use crate::exit::Failure;

/// The name of the configuration file of a project.
const PROJECT_FILE: &str = "tasuki.toml";

/// The name of the configuration file of a user.
const USER_FILE: &str = "config.toml";

/// The resolved settings, each with its origin.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The party that the caller acts as.
    pub(crate) party: Option<Sourced<Party>>,
    pub(crate) project: Sourced<ProjectName>,
    /// The server. Without one, the nearest `.tasuki/` is the exchange.
    pub(crate) url: Option<Sourced<Address>>,
    /// The database of the exchange. Without one, it is in the nearest `.tasuki/`.
    pub(crate) store: Option<Sourced<Database>>,
    pub(crate) time_format: Sourced<TimeFormat>,
    pub(crate) token: Option<Sourced<Token>>,
    /// The session, if the caller or the host of an agent named it.
    pub(crate) session: Option<Sourced<SessionName>>,
    pub(crate) log: Option<Sourced<String>>,
    /// The settings of snapshots, which only fail when they are used.
    snapshots: Result<SnapshotSettings, Failure>,
    /// The settings of `tasuki serve`, which only fail when they are used.
    server: Result<ServerSettings, Failure>,
}

/// One setting for display.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) key: &'static str,
    /// The value and its origin, if it is set.
    pub(crate) set: Option<(String, Origin)>,
}

/// The configuration files, nearest first.
#[derive(Debug)]
pub(crate) struct Files(Vec<File>);

impl Settings {
    /// Resolves the settings for a command that runs in a folder.
    pub(crate) fn resolve(
        flags: &Flags,
        environment: &Environment,
        folder: &Path,
    ) -> Result<Self, Failure> {
        environment.reject_typos()?;
        let files = Files::read(environment, folder, Path::new("/etc/tasuki/tasuki.toml"))?;
        Self::from_layers(&Layers { flags, environment, files })
    }

    fn from_layers(layers: &Layers<'_>) -> Result<Self, Failure> {
        Ok(Self {
            party: layers.get(&key::AS, Party::parse)?,
            project: layers.get(&key::PROJECT, ProjectName::parse)?.unwrap_or_else(default),
            url: layers.get(&key::URL, Address::parse)?,
            store: layers.get(&key::STORE, Database::parse)?,
            time_format: layers.get(&key::TIME_FORMAT, TimeFormat::parse)?.unwrap_or_else(default),
            token: layers.get(&key::TOKEN, Token::parse)?,
            session: layers.session()?,
            log: layers.get(&key::LOG, parse_log)?,
            snapshots: SnapshotSettings::from_layers(layers),
            server: ServerSettings::from_layers(layers),
        })
    }

    /// Returns the settings of `tasuki serve`.
    pub(crate) fn server(&self) -> Result<&ServerSettings, Failure> {
        self.server.as_ref().map_err(Failure::clone)
    }

    /// Returns the place of the configured database.
    pub(crate) fn database(&self) -> Option<Location> {
        self.store.as_ref().map(|store| store.value.location())
    }

    /// Returns the settings of snapshots.
    pub(crate) fn snapshots(&self) -> Result<&SnapshotSettings, Failure> {
        self.snapshots.as_ref().map_err(Failure::clone)
    }

    /// Returns every setting for display. Secrets are hidden.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, Failure> {
        let project = Some(self.project.clone());
        let time_format = Some(self.time_format.clone());
        let mut rows = vec![
            row(&key::AS, self.party.as_ref(), |party| party.as_str()),
            row(&key::PROJECT, project.as_ref(), |project| project.as_str()),
            row(&key::URL, self.url.as_ref(), |url| url.as_str()),
            row(&key::STORE, self.store.as_ref(), |store| store.as_str()),
            row(&key::TIME_FORMAT, time_format.as_ref(), |format| format.as_str()),
            row(&key::TOKEN, self.token.as_ref(), |_| "(hidden)"),
            row(&key::SESSION, self.session.as_ref(), |session| session.as_str()),
            row(&key::LOG, self.log.as_ref(), |log| log),
        ];
        rows.extend(self.snapshots()?.rows());
        rows.extend(self.server()?.rows());
        Ok(rows)
    }
}

fn row<T>(key: &Key, set: Option<&Sourced<T>>, text: impl Fn(&T) -> &str) -> Row {
    let set = set.map(|set| (text(&set.value).to_owned(), set.origin.clone()));
    Row { key: key.name, set }
}

fn default<T: Default>() -> Sourced<T> {
    Sourced { value: T::default(), origin: Origin::Default }
}

/// The sources of settings.
pub(super) struct Layers<'a> {
    flags: &'a Flags,
    environment: &'a Environment,
    files: Files,
}

impl Layers<'_> {
    fn get<T>(
        &self,
        key: &Key,
        parse: impl Fn(&str) -> Result<T, InvalidValue>,
    ) -> Result<Option<Sourced<T>>, Failure> {
        let Some(Sourced { value, origin }) = self.first(key)? else { return Ok(None) };
        let value = parse(&value).map_err(|wrong| wrong.at(&origin))?;
        Ok(Some(Sourced { value, origin }))
    }

    /// Returns the session that the caller named, else the one that the host of an agent states.
    fn session(&self) -> Result<Option<Sourced<SessionName>>, Failure> {
        if let Some(stated) = &self.flags.session {
            let is_own = self.flags.is_own_session;
            let origin = Origin::Flag(if is_own { RUN_SESSION } else { HOOK_SESSION });
            return Ok(Some(Sourced { value: stated.clone(), origin }));
        }
        if let Some(named) = self.get(&key::SESSION, SessionName::parse)? {
            return Ok(Some(named));
        }
        let of_host = HOSTS.iter().find_map(|(variable, host)| {
            let value = self.environment.text(variable).ok().flatten()?;
            let origin = Origin::Variable(variable);
            Some(Sourced { value: host_session(host, value)?, origin })
        });
        Ok(of_host)
    }

    pub(super) fn first(&self, key: &Key) -> Result<Option<Sourced<String>>, Failure> {
        if let (Some(flag), Some(value)) = (key.flag, self.flags.get(key)) {
            return Ok(Some(Sourced { value: value.to_owned(), origin: Origin::Flag(flag) }));
        }
        if let Some(name) = key.variable
            && let Some(value) = self.environment.text(name)?
        {
            return Ok(Some(Sourced { value: value.to_owned(), origin: Origin::Variable(name) }));
        }
        Ok(self.files.0.iter().find_map(|file| file.get(key)))
    }
}

impl Files {
    fn read(environment: &Environment, folder: &Path, system: &Path) -> Result<Self, Failure> {
        let nearest = match environment.path(key::CONFIG) {
            Some(named) => Some(named_file(&folder.join(named))?),
            None => nearest_file(folder)?,
        };
        let own = user_folder(environment).map(|folder| File::read(&folder.join(USER_FILE)));
        let own = own.transpose()?.flatten();
        let system = File::read(system)?;
        Ok(Self([nearest, own, system].into_iter().flatten().collect()))
    }
}

/// Reads a file that was named explicitly and must exist.
fn named_file(path: &Path) -> Result<File, Failure> {
    File::read(path)?
        .ok_or_else(|| Failure::usage(format!("{}: no such file: {}", key::CONFIG, path.display())))
}

fn nearest_file(folder: &Path) -> Result<Option<File>, Failure> {
    for folder in folder.ancestors() {
        if let Some(file) = File::read(&folder.join(PROJECT_FILE))? {
            return Ok(Some(file.of_project()));
        }
    }
    Ok(None)
}

/// Returns the folder of the user's configuration. The XDG specification ignores relative paths.
pub(crate) fn user_folder(environment: &Environment) -> Option<PathBuf> {
    let given = environment.path("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let folder = match given {
        Some(folder) => folder.to_owned(),
        None => environment.path("HOME")?.join(".config"),
    };
    Some(folder.join("tasuki"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp_dir::TempDir;

    /// Returns a folder with a file on every level, each of which adds a setting.
    fn levels() -> TempDir {
        TempDir::new()
            .with("work/tasuki.toml", "as = \"nearest\"\n")
            .with("work/src/a", "")
            .with("tasuki.toml", "as = \"further\"\nproject = \"further\"\n")
            .with("xdg/tasuki/config.toml", "as = \"own\"\nproject = \"own\"\n")
            .with("home/.config/tasuki/config.toml", "as = \"home\"\n")
            .with(
                "etc.toml",
                "as = \"s\"\nproject = \"s\"\nurl = \"http://s\"\ntime_format = \"iso8601\"\n",
            )
            .with("named.toml", "as = \"named\"\n")
            .with("empty.toml", "")
    }

    fn resolved(
        temp_dir: &TempDir,
        flags: &Flags,
        variables: &[(&str, &str)],
    ) -> Result<Settings, Failure> {
        let given = variables.iter().map(|(name, value)| {
            let value = value.replace("[DIR]", &temp_dir.path("").display().to_string());
            ((*name).to_owned(), value.into())
        });
        let environment = Environment::of(given);
        let files =
            Files::read(&environment, &temp_dir.path("work/src"), &temp_dir.path("etc.toml"))?;
        Settings::from_layers(&Layers { flags, environment: &environment, files })
    }

    /// Returns the settings, one per line.
    fn shown(temp_dir: &TempDir, flags: &Flags, variables: &[(&str, &str)]) -> String {
        let rows = match resolved(temp_dir, flags, variables) {
            Ok(settings) => settings.rows().unwrap(),
            Err(failure) => return temp_dir.shown(&failure),
        };
        let lines = rows.into_iter().filter_map(|row| {
            let (value, origin) = row.set.filter(|_| !row.key.starts_with("server."))?;
            Some(format!("{} = {value} ({origin})\n", row.key))
        });
        lines.collect::<String>().replace(&temp_dir.path("").display().to_string(), "[DIR]")
    }

    #[test]
    fn the_first_source_with_a_value_wins() {
        let temp_dir = levels();
        let flags = Flags {
            party: Some("flag".to_owned()),
            project: Some("flag".to_owned()),
            server: Some("http://flag/".to_owned()),
            time_format: Some("human".to_owned()),
            ..Flags::default()
        };
        let variables = [
            ("TASUKI_AS", "variable"),
            ("TASUKI_PROJECT", "variable"),
            ("TASUKI_URL", "http://variable"),
            ("TASUKI_TOKEN", "hunter2"),
            ("TASUKI_SESSION", "s-1"),
            ("TASUKI_LOG", "debug"),
            ("XDG_CONFIG_HOME", "[DIR]/xdg"),
            ("HOME", "[DIR]/home"),
        ];
        insta::assert_snapshot!(shown(&temp_dir, &flags, &variables), @"
        as = flag (--as)
        project = flag (--project)
        url = http://flag (--server)
        time_format = human (--time-format)
        token = (hidden) (TASUKI_TOKEN)
        session = s-1 (TASUKI_SESSION)
        log = debug (TASUKI_LOG)
        snapshots.enabled = true (default)
        snapshots.file_bytes_max = 10485760 (default)
        snapshots.keep = 20 (default)
        ");
        let none = Flags::default();
        insta::assert_snapshot!(shown(&temp_dir, &none, &variables), @"
        as = variable (TASUKI_AS)
        project = variable (TASUKI_PROJECT)
        url = http://variable (TASUKI_URL)
        time_format = iso8601 ([DIR]/etc.toml:4)
        token = (hidden) (TASUKI_TOKEN)
        session = s-1 (TASUKI_SESSION)
        log = debug (TASUKI_LOG)
        snapshots.enabled = true (default)
        snapshots.file_bytes_max = 10485760 (default)
        snapshots.keep = 20 (default)
        ");
        insta::assert_snapshot!(shown(&temp_dir, &none, &variables[6..]), @"
        as = nearest ([DIR]/work/tasuki.toml:1)
        project = own ([DIR]/xdg/tasuki/config.toml:2)
        url = http://s ([DIR]/etc.toml:3)
        time_format = iso8601 ([DIR]/etc.toml:4)
        snapshots.enabled = true (default)
        snapshots.file_bytes_max = 10485760 (default)
        snapshots.keep = 20 (default)
        ");
        insta::assert_snapshot!(shown(&temp_dir, &none, &[("XDG_CONFIG_HOME", "xdg"), ("HOME", "[DIR]/home"), ("TASUKI_CONFIG", "[DIR]/empty.toml")]), @"
        as = home ([DIR]/home/.config/tasuki/config.toml:1)
        project = s ([DIR]/etc.toml:2)
        url = http://s ([DIR]/etc.toml:3)
        time_format = iso8601 ([DIR]/etc.toml:4)
        snapshots.enabled = true (default)
        snapshots.file_bytes_max = 10485760 (default)
        snapshots.keep = 20 (default)
        ");
        insta::assert_snapshot!(shown(&temp_dir, &none, &[("TASUKI_CONFIG", "../../named.toml")]), @"
        as = named ([DIR]/work/src/../../named.toml:1)
        project = s ([DIR]/etc.toml:2)
        url = http://s ([DIR]/etc.toml:3)
        time_format = iso8601 ([DIR]/etc.toml:4)
        snapshots.enabled = true (default)
        snapshots.file_bytes_max = 10485760 (default)
        snapshots.keep = 20 (default)
        ");
    }

    #[test]
    fn nothing_set_means_defaults() {
        let temp_dir = TempDir::new().with("work/tasuki.toml", "").with("work/src/a", "");
        insta::assert_snapshot!(shown(&temp_dir, &Flags::default(), &[]), @"
        project = default (default)
        time_format = human (default)
        snapshots.enabled = true (default)
        snapshots.file_bytes_max = 10485760 (default)
        snapshots.keep = 20 (default)
        ");
    }

    #[test]
    fn the_host_of_an_agent_names_the_session_unless_its_caller_does() {
        let temp_dir = TempDir::new().with("work/src/a", "");
        let check = |variables: &[(&str, &str)], expected: &str| {
            let settings = resolved(&temp_dir, &Flags::default(), variables).unwrap();
            let session =
                settings.session.map(|one| format!("{} ({})", one.value.as_str(), one.origin));
            assert_eq!(session.unwrap_or_default(), expected);
        };
        let (claude, gemini) = ("CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID");
        check(&[(claude, "0f3c")], "claude-code-0f3c (CLAUDE_CODE_SESSION_ID)");
        check(&[(gemini, "0f3c")], "gemini-0f3c (GEMINI_SESSION_ID)");
        check(&[(claude, "0f3c"), ("TASUKI_SESSION", "s-1")], "s-1 (TASUKI_SESSION)");
        check(&[(claude, "../x")], "");
        check(&[(claude, "")], "");
    }

    #[test]
    fn a_bad_value_is_refused_with_its_origin() {
        let temp_dir =
            TempDir::new().with("work/tasuki.toml", "\nas = \"Ana\"\n").with("work/src/a", "");
        let flags = |name: &str| Flags { party: Some(name.to_owned()), ..Flags::default() };
        insta::assert_snapshot!(shown(&temp_dir, &Flags::default(), &[]), @"
        [DIR]/work/tasuki.toml:2: `Ana` is not a valid party name
        hint: did you mean `ana`?
        ");
        insta::assert_snapshot!(shown(&temp_dir, &Flags::default(), &[("TASUKI_AS", "clock")]), @"
        TASUKI_AS: the name `clock` is reserved
        hint: these names are used by the exchange: clock, dead_letter, system
        ");
        insta::assert_snapshot!(shown(&temp_dir, &flags(""), &[]), @"
        --as: `` is not a valid party name
        hint: use at most 63 lower-case letters, digits, `.`, `_` and `-`, starting with a letter or digit; a role has the prefix `role:`
        ");
        insta::assert_snapshot!(shown(&temp_dir, &flags("ana"), &[("TASUKI_CONFIG", "none.toml")]), @"TASUKI_CONFIG: no such file: [DIR]/work/src/none.toml");
        insta::assert_snapshot!(shown(&temp_dir, &flags("ana"), &[("TASUKI_SESSION", "../x")]), @"
        TASUKI_SESSION: `../x` is not a valid session name
        hint: use at most 128 letters, digits, `.`, `_` and `-`, starting with a letter or digit
        ");
        insta::assert_snapshot!(shown(&temp_dir, &flags("ana"), &[("TASUKI_AS", "Ana")]), @"
        as = ana (--as)
        project = default (default)
        time_format = human (default)
        snapshots.enabled = true (default)
        snapshots.file_bytes_max = 10485760 (default)
        snapshots.keep = 20 (default)
        ");
    }
}
