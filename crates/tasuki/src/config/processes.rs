//! The processes of this machine, as `/proc` shows them.
//!
//! Process ids are reused, and other machines and containers have their own. So a process is
//! identified by its id and start time, together with the boot of the kernel and the process
//! namespace in which it was seen. Without `/proc`, nothing is known about any process.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The processes that this one can see.
#[derive(Debug)]
pub(super) struct Processes {
    root: PathBuf,
}

/// The identity of a process that a session lasts as long as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionProcess {
    pub(super) boot: String,
    pub(super) namespace: String,
    pub(super) id: u32,
    pub(super) start: u64,
    /// `true` if it leads a terminal session, which lasts as long as any of its processes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) leads: bool,
}

/// The state of a session, as far as this machine can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionStatus {
    Running,
    Ended,
    /// It was named, or it ran on another machine, in another container or before a restart.
    Unknown,
}

/// The fields of `/proc/<id>/stat` that identify a process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    /// `true` if it has ended, but its parent has not asked for its exit code yet.
    is_zombie: bool,
    pub(super) parent: u32,
    pub(super) session: u32,
    pub(super) start: u64,
}

impl Processes {
    pub(super) fn of_machine() -> Self {
        Self { root: PathBuf::from("/proc") }
    }

    #[cfg(test)]
    pub(super) fn in_folder(root: PathBuf) -> Self {
        Self { root }
    }

    pub(super) fn own(&self) -> Option<Stat> {
        self.stat("self")
    }

    pub(super) fn process(&self, id: u32) -> Option<Stat> {
        self.stat(&id.to_string())
    }

    fn stat(&self, name: &str) -> Option<Stat> {
        let text = std::fs::read_to_string(self.root.join(name).join("stat")).ok()?;
        // The second field, the program name, may contain brackets, so the others follow the last.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        Some(Stat {
            is_zombie: matches!(fields.first(), Some(&("Z" | "X"))),
            parent: u32::try_from(number(1)?).ok()?,
            session: u32::try_from(number(3)?).ok()?,
            start: number(19)?,
        })
    }

    /// Returns `true` if a process was started with this variable, written `NAME=value`.
    pub(super) fn has_variable(&self, id: u32, written: &str) -> Option<bool> {
        let all = std::fs::read(self.root.join(id.to_string()).join("environ")).ok()?;
        Some(all.split(|byte| *byte == 0).any(|one| one == written.as_bytes()))
    }

    /// Returns the name of the program that a process runs.
    pub(super) fn program(&self, id: u32) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join(id.to_string()).join("comm")).ok()?;
        Some(text.trim_end().to_owned())
    }

    /// Returns the identity of a process.
    pub(super) fn identify(&self, id: u32, leads: bool) -> Option<SessionProcess> {
        let start = self.process(id)?.start;
        Some(SessionProcess { boot: self.boot()?, namespace: self.namespace()?, id, start, leads })
    }

    fn boot(&self) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join("sys/kernel/random/boot_id")).ok()?;
        Some(text.trim().to_owned())
    }

    fn namespace(&self) -> Option<String> {
        let link = std::fs::read_link(self.root.join("self/ns/pid")).ok()?;
        Some(link.to_str()?.to_owned())
    }

    /// Returns `true` if a session has processes other than its former leader. This process does
    /// not count, because it continues its own session.
    fn has_members(&self, session: u32) -> bool {
        if self.own().is_some_and(|own| own.session == session) {
            return false;
        }
        let Ok(entries) = std::fs::read_dir(&self.root) else { return true };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let ids = names.filter_map(|name| name.parse().ok());
        let mut all = ids.filter_map(|id: u32| self.process(id));
        all.any(|one| one.session == session && !one.is_zombie)
    }
}

impl SessionProcess {
    /// Returns whether the session of this process still runs.
    pub(crate) fn status(&self) -> SessionStatus {
        self.status_among(&Processes::of_machine())
    }

    pub(super) fn status_among(&self, processes: &Processes) -> SessionStatus {
        let is_here = processes.boot().as_ref() == Some(&self.boot)
            && processes.namespace().as_ref() == Some(&self.namespace);
        if !is_here {
            return SessionStatus::Unknown;
        }
        let is_running = match processes.process(self.id) {
            // The kernel does not reuse an id while a session has it.
            Some(found) if found.start != self.start => false,
            Some(found) if !found.is_zombie => true,
            Some(_) | None => self.leads && processes.has_members(self.id),
        };
        if is_running { SessionStatus::Running } else { SessionStatus::Ended }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::session::testing::{Machine, PROCESS};

    #[test]
    fn a_session_has_ended_once_its_process_is_gone() {
        let (running, ended, unknown) =
            (SessionStatus::Running, SessionStatus::Ended, SessionStatus::Unknown);
        let session = Machine::new().with(PROCESS).identify(42, false);
        let check = |machine: Machine, expected| {
            assert_eq!(session.status_among(&machine.processes()), expected);
        };
        check(Machine::new().with(PROCESS), running);
        check(Machine::new(), ended);
        check(Machine::new().with("42 (sh) Z 5 42 42 0 900"), ended);
        check(Machine::new().with("42 (other) S 5 42 42 0 901"), ended);
        check(Machine::new().booted("other").with(PROCESS), unknown);
        check(Machine::new().booted("other"), unknown);
        check(Machine::new().in_container("pid:[2]"), unknown);
    }

    #[test]
    fn a_terminal_session_lasts_as_long_as_any_of_its_processes() {
        let (running, ended) = (SessionStatus::Running, SessionStatus::Ended);
        let session = Machine::new().with(PROCESS).identify(42, true);
        let check = |machine: Machine, expected| {
            assert_eq!(session.status_among(&machine.processes()), expected);
        };
        check(Machine::new().with("50 (agent) S 1 42 42 0 950"), running);
        check(Machine::new().with("50 (agent) Z 1 42 42 0 950"), ended);
        check(Machine::new().with("50 (agent) S 1 43 43 0 950"), ended);
        let of_it = Machine::new().with("50 (agent) S 1 42 42 0 950").in_session(42);
        check(of_it, ended);
    }

    #[test]
    fn without_proc_nothing_is_known() {
        let session = Machine::new().with(PROCESS).identify(42, false);
        let none = Processes::in_folder(PathBuf::from("/nowhere"));
        assert_eq!(session.status_among(&none), SessionStatus::Unknown);
        assert!(none.identify(42, false).is_none());
    }
}
