//! The environment of every call of git.
//!
//! A repository can configure programs that git runs, and a calling git command may have set variables
//! that point elsewhere. Both are overridden: no hook, no file system monitor, no prompt, no fetch.

use std::process::Command;

/// Variables that a calling git command may have set, for example when it runs us as a hook.
const FOREIGN_VARIABLES: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH_COMMAND",
];

/// Prevents writes to the index, prompts, and fetches.
const QUIET_VARIABLES: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
];

/// Adds the arguments and variables that every call needs. Arguments of the call follow.
pub(crate) fn shield(command: &mut Command) {
    command.args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
    for name in FOREIGN_VARIABLES {
        command.env_remove(name);
    }
    command.envs(QUIET_VARIABLES.iter().copied());
}
