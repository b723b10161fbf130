//! The flags of every command that works with an exchange.

use super::SessionName;
use super::key::{AS, Key, LISTEN, PROJECT, STORE, TIME_FORMAT, URL};

/// The party, the project and the exchange.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Options for the exchange")]
pub(crate) struct Flags {
    /// Act as this party [variable: `TASUKI_AS`].
    #[arg(long = "as", value_name = "PARTY")]
    pub(crate) party: Option<String>,
    /// Work in this project [variable: `TASUKI_PROJECT`].
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Talk to this server instead of the nearest `.tasuki/` [variable: `TASUKI_URL`].
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Time format: `human` or `iso8601`.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) time_format: Option<String>,
    /// The address to listen on, which only `tasuki serve` has a flag for.
    #[arg(skip)]
    pub(crate) listen: Option<String>,
    /// The store, which only `tasuki serve` has a flag for.
    #[arg(skip)]
    pub(crate) store: Option<String>,
    /// The session of an agent, which only the hooks of its host and `tasuki run` state.
    #[arg(skip)]
    pub(crate) session: Option<SessionName>,
    /// `true` if that session ends with this process, as that of `tasuki run` does.
    #[arg(skip)]
    pub(crate) is_own_session: bool,
}

impl Flags {
    /// Returns the value that a flag gives a setting.
    pub(super) fn get(&self, key: &Key) -> Option<&str> {
        let given = [
            (AS, &self.party),
            (PROJECT, &self.project),
            (URL, &self.server),
            (TIME_FORMAT, &self.time_format),
            (LISTEN, &self.listen),
            (STORE, &self.store),
        ];
        given.iter().find(|(known, _)| known == key).and_then(|(_, value)| value.as_deref())
    }
}
