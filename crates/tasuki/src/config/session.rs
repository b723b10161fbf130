//! The session that this process belongs to.
//!
//! | found by | named | ends with |
//! |---|---|---|
//! | `TASUKI_SESSION` | as the variable says | never: only its caller knows |
//! | the variable of an agent's host | host and value | the process that set the variable |
//! | the input of a hook | host and value | the program that runs the hook |
//! | `tasuki run` | after its process | its process |
//! | the terminal | leader and start time | the last process of the terminal session |

use super::SessionName;
use super::key;
use super::origin::{Origin, Sourced};
use super::processes::{Processes, SessionProcess};
use crate::exit::Failure;

/// The variables in which hosts of agents state the session, with the name of each host.
pub(super) const HOSTS: &[(&str, &str)] = &[
    ("CLAUDE_CODE_SESSION_ID", "claude-code"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_SESSION_ID", "gemini"),
];

/// The origin of a session that the host of an agent states in the input of a hook.
pub(super) const HOOK_SESSION: &str = "session_id";

/// The origin of a session that `tasuki run` makes.
pub(super) const RUN_SESSION: &str = "run";

/// Programs that hosts start hooks with.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "fish", "ksh", "busybox", "env"];

/// LIMIT: a shell, a wrapper and a package manager are between a host and a command, not a hundred.
const ANCESTORS_MAX: usize = 100;

/// The session of this process.
#[derive(Debug)]
pub(crate) struct CurrentSession {
    pub(crate) name: SessionName,
    /// The process that the session lasts as long as, if it is known.
    pub(crate) process: Option<SessionProcess>,
}

impl CurrentSession {
    /// Returns the session that a variable names, else that of the terminal.
    pub(crate) fn of(named: Option<&Sourced<SessionName>>) -> Result<Self, Failure> {
        let processes = Processes::of_machine();
        match named {
            Some(named) => Ok(Self {
                name: named.value.clone(),
                process: match named.origin {
                    Origin::Flag(HOOK_SESSION) => hook_process(&processes),
                    Origin::Flag(RUN_SESSION) => processes.identify(std::process::id(), false),
                    _ => host_variable(named).and_then(|one| host_process(&processes, &one)),
                },
            }),
            None => terminal_session(&processes, parent_id()).ok_or_else(|| {
                Failure::usage("cannot determine the session")
                    .hint(format!("set `{}` to a name of your choice", key::SESSION_VARIABLE))
            }),
        }
    }
}

/// Returns the name of a session that the host of an agent states. Another host may use other
/// characters than a session name has; then the session is that of the terminal.
pub(crate) fn host_session(host: &str, value: &str) -> Option<SessionName> {
    SessionName::parse(&format!("{host}-{value}")).ok()
}

/// Returns the variable of a host that names a session, written `NAME=value`.
fn host_variable(named: &Sourced<SessionName>) -> Option<String> {
    let Origin::Variable(variable) = named.origin else { return None };
    let (_, host) = HOSTS.iter().find(|(known, _)| *known == variable)?;
    let value = named.value.as_str().strip_prefix(host)?.strip_prefix('-')?;
    Some(format!("{variable}={value}"))
}

/// Returns the process that set a variable: the nearest one above this that was started without it.
fn host_process(processes: &Processes, variable: &str) -> Option<SessionProcess> {
    let mut id = processes.own()?.parent;
    for _ in 0..ANCESTORS_MAX {
        let found = processes.process(id)?;
        if !processes.has_variable(id, variable)? {
            return processes.identify(id, false);
        }
        id = found.parent;
    }
    None
}

/// Returns the process that runs this hook: the nearest one above that is not a shell.
fn hook_process(processes: &Processes) -> Option<SessionProcess> {
    let mut id = processes.own()?.parent;
    for _ in 0..ANCESTORS_MAX {
        let found = processes.process(id)?;
        if !SHELLS.contains(&processes.program(id)?.as_str()) {
            return processes.identify(id, false);
        }
        id = found.parent;
    }
    None
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
fn terminal_session(processes: &Processes, parent: u32) -> Option<CurrentSession> {
    let leader = processes.own().map(|own| own.session).filter(|id| *id != 0);
    let leader = leader.and_then(|id| Some((id, processes.process(id)?.start)));
    let (text, id, leads) = match (leader, processes.process(parent)) {
        (Some((id, start)), _) => (format!("terminal-{id}-{start}"), id, true),
        (None, _) if parent == 0 => return None,
        (None, Some(found)) => (format!("parent-{parent}-{}", found.start), parent, false),
        (None, None) => (format!("parent-{parent}"), parent, false),
    };
    let name = SessionName::parse(&text).ok()?;
    Some(CurrentSession { name, process: processes.identify(id, leads) })
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::temp_dir::TempDir;

    /// A process of the machine, without the fields that nothing reads.
    pub(crate) const PROCESS: &str = "42 (a) b (c)) S 5 42 42 0 900";

    /// A machine with its own `/proc`, seen by the process 7 of the session 6, child of 5.
    pub(crate) struct Machine(TempDir);

    impl Machine {
        pub(crate) fn new() -> Self {
            let machine = Self(TempDir::new());
            machine.add("self", "7 (tasuki) R 5 6 6 0 1000");
            machine.booted("boot-1").in_container("pid:[1]")
        }

        fn write(&self, name: &str, content: &str) {
            let path = self.0.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }

        fn add(&self, folder: &str, process: &str) {
            let (start, before) = process.rsplit_once(' ').map(|(a, b)| (b, a)).unwrap();
            // The fields 8 to 21 of `stat` are between the terminal and the start time.
            let stat = format!("{before} {} {start} 9 9", ["0"; 14].join(" "));
            self.write(&format!("{folder}/stat"), &stat);
        }

        pub(crate) fn with(self, process: &str) -> Self {
            self.add(process.split(' ').next().unwrap(), process);
            self
        }

        /// Adds a process with the variables that it was started with.
        pub(crate) fn started_with(self, process: &str, variables: &str) -> Self {
            let id = process.split(' ').next().unwrap();
            self.write(&format!("{id}/environ"), &variables.replace(' ', "\0"));
            self.with(process)
        }

        pub(crate) fn in_session(self, session: u32) -> Self {
            self.add("self", &format!("7 (tasuki) R 5 6 {session} 0 1000"));
            self
        }

        pub(crate) fn booted(self, boot: &str) -> Self {
            self.write("sys/kernel/random/boot_id", &format!("{boot}\n"));
            self
        }

        pub(crate) fn in_container(self, namespace: &str) -> Self {
            let link = self.0.path("self/ns/pid");
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            let _absent = std::fs::remove_file(&link).is_err();
            std::os::unix::fs::symlink(namespace, link).unwrap();
            self
        }

        pub(crate) fn processes(&self) -> Processes {
            Processes::in_folder(self.0.path(""))
        }

        pub(crate) fn identify(&self, id: u32, leads: bool) -> SessionProcess {
            self.processes().identify(id, leads).unwrap()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::testing::{Machine, PROCESS};
    use super::*;

    #[test]
    fn a_terminal_is_identified_by_its_leader_and_start_time() {
        let check = |machine: &Machine, parent: u32, expected: &str| {
            let found = terminal_session(&machine.processes(), parent);
            assert_eq!(found.as_ref().map_or("nothing", |one| one.name.as_str()), expected);
        };
        let of_42 = || Machine::new().in_session(42);
        check(&of_42().with(PROCESS), 5, "terminal-42-900");
        check(&of_42().with("42 (sh) S 5 42 42 0 901"), 5, "terminal-42-901");
        let parent = "5 (sh) S 1 5 5 0 800";
        check(&Machine::new().in_session(0).with(parent), 5, "parent-5-800");
        check(&of_42().with(parent), 5, "parent-5-800");
        check(&of_42(), 5, "parent-5");
        check(&Machine::new().in_session(0), 0, "nothing");
        let none = Processes::in_folder(PathBuf::from("/nowhere"));
        assert_eq!(terminal_session(&none, 5).unwrap().name.as_str(), "parent-5");
        assert!(terminal_session(&none, 5).unwrap().process.is_none());
        assert!(terminal_session(&none, 0).is_none());
    }

    #[test]
    fn a_session_of_a_host_ends_with_the_process_that_set_its_variable() {
        let machine = Machine::new()
            .started_with("5 (sh) S 4 5 5 0 800", "A=1 CLAUDE_CODE_SESSION_ID=x HOME=/")
            .started_with("4 (env) S 3 4 4 0 790", "CLAUDE_CODE_SESSION_ID=x")
            .started_with("3 (claude) S 2 3 3 0 700", "CLAUDE_CODE_SESSION_ID=outer");
        let found = host_process(&machine.processes(), "CLAUDE_CODE_SESSION_ID=x").unwrap();
        assert_eq!((found.id, found.start, found.leads), (3, 700, false));
    }

    #[test]
    fn a_host_that_cannot_be_seen_is_unknown() {
        let first = "1 (init) S 0 1 1 0 1";
        for machine in [
            Machine::new(),
            Machine::new().with("5 (sudo) S 1 5 5 0 800"),
            Machine::new()
                .started_with("5 (sh) S 1 5 5 0 800", "GEMINI_SESSION_ID=x")
                .started_with(first, "GEMINI_SESSION_ID=x"),
        ] {
            assert!(host_process(&machine.processes(), "GEMINI_SESSION_ID=x").is_none());
        }
    }

    #[test]
    fn a_session_that_its_caller_named_has_no_process() {
        let name = SessionName::parse("claude-code-1").unwrap();
        let named = |variable| Sourced { value: name.clone(), origin: Origin::Variable(variable) };
        assert_eq!(host_variable(&named("TASUKI_SESSION")), None);
        let expected = Some("CLAUDE_CODE_SESSION_ID=1".to_owned());
        assert_eq!(host_variable(&named("CLAUDE_CODE_SESSION_ID")), expected);
    }

    #[test]
    fn this_process_has_a_session_and_keeps_it() {
        let found = CurrentSession::of(None).unwrap();
        assert_eq!(CurrentSession::of(None).unwrap().name, found.name);
        assert_eq!(SessionName::parse(found.name.as_str()).unwrap(), found.name);
    }
}
