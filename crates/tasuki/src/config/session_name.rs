//! The name of a session: `TASUKI_SESSION`, which agent hooks set, else the terminal session.

use super::values::InvalidValue;
use crate::exit::Failure;
use crate::output::escape::excerpt;

/// The name of a session, which is also its file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionName(String);

impl SessionName {
    /// LIMIT: with its extension, the name must fit the 255 bytes of most file systems.
    const BYTES_MAX: usize = 128;

    /// Parses the name of a session.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidValue> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_name = text.len() <= Self::BYTES_MAX
            && text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
            && text.bytes().all(is_part);
        if is_name {
            return Ok(Self(text.to_owned()));
        }
        let message = format!("`{}` is not a valid session name", excerpt(text));
        let hint =
            "use at most 128 letters, digits, `.`, `_` and `-`, starting with a letter or digit";
        Err(InvalidValue::new(message, hint))
    }

    /// Returns the session of the terminal that this command runs in.
    pub(crate) fn of_terminal() -> Result<Self, Failure> {
        let stat = |process: &str| std::fs::read_to_string(format!("/proc/{process}/stat")).ok();
        terminal_session(stat, parent_id()).ok_or_else(|| {
            Failure::usage("cannot determine the session")
                .hint("set `TASUKI_SESSION` to a name of your choice")
        })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(unix)]
fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

/// Returns 0, because the parent is unknown on this system.
#[cfg(not(unix))]
fn parent_id() -> u32 {
    0
}

/// Identifies the session by its leader, usually the shell that a terminal started. Without
/// `/proc`, or if the leader is not visible (in a container), the parent process is used instead.
/// Process ids are reused, so the name includes the start time of the process. The id 0 is no
/// process.
fn terminal_session(stat: impl Fn(&str) -> Option<String>, parent: u32) -> Option<SessionName> {
    let start = |process: u32| stat_field(&stat(&process.to_string())?, 22);
    let leader =
        stat("self").and_then(|own| stat_field(&own, 6)).and_then(|id| u32::try_from(id).ok());
    let leader = leader.filter(|id| *id != 0);
    if let Some((leader, start)) = leader.and_then(|id| Some((id, start(id)?))) {
        return Some(SessionName(format!("terminal-{leader}-{start}")));
    }
    match start(parent) {
        _ if parent == 0 => None,
        Some(start) => Some(SessionName(format!("parent-{parent}-{start}"))),
        None => Some(SessionName(format!("parent-{parent}"))),
    }
}

/// Returns a number in `/proc/<pid>/stat`, counted from one. The second field, the program name,
/// may contain brackets, so all later fields follow the last bracket.
fn stat_field(stat: &str, number: usize) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_the_folder() {
        for text in ["a", "0f3c-1", "A.b_c", &"a".repeat(128)] {
            assert_eq!(SessionName::parse(text).unwrap().as_str(), text);
        }
        for text in
            ["", ".", "..", ".lock", "-a", "a/b", "a\\b", "a b", "é", "a\0", &"a".repeat(129)]
        {
            assert!(SessionName::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_terminal_is_identified_by_its_leader_and_start_time() {
        let line = |session: u32, start: u32| {
            format!(
                "7 (a) b (c)) S 5 7 {session} 34816 7 4194304 1 0 0 0 1 2 3 4 20 0 1 0 {start} 9 9"
            )
        };
        let check = |own: Option<String>, other: Option<String>, parent: u32, expected: &str| {
            let stat = |process: &str| if process == "self" { own.clone() } else { other.clone() };
            let found = terminal_session(stat, parent);
            assert_eq!(found.as_ref().map_or("nothing", SessionName::as_str), expected);
        };
        check(Some(line(42, 1)), Some(line(42, 900)), 5, "terminal-42-900");
        check(Some(line(42, 1)), Some(line(42, 901)), 5, "terminal-42-901");
        check(Some(line(0, 1)), Some(line(0, 800)), 5, "parent-5-800");
        check(Some(line(42, 1)), None, 5, "parent-5");
        check(None, None, 5, "parent-5");
        check(Some(line(0, 1)), None, 0, "nothing");
        check(Some("odd".to_owned()), Some("odd".to_owned()), 5, "parent-5");
        check(None, None, 0, "nothing");
    }

    #[test]
    fn this_process_has_a_session_and_keeps_it() {
        let found = SessionName::of_terminal().unwrap();
        assert_eq!(SessionName::of_terminal().unwrap(), found);
        assert_eq!(SessionName::parse(found.as_str()).unwrap(), found);
    }
}
