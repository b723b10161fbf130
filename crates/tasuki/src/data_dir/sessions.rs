//! The claims of a session with their fences, in `sessions/<session>.json`.
//!
//! A claim belongs to the session that made it, not to the party. Two sessions of one party have
//! two files, and neither writes with the other's fence. Once a session has ended, the next one of
//! the party in the same work tree may adopt its claim: see `backend/adoption.rs`. The file may be out of date: only the
//! exchange knows which claims are current, and refuses the others.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_packet::id::{ClaimId, HandoffId, ParseIdError};

use super::work_tree::current_work_tree;
use super::{DataDir, create_private_dir, create_private_file, sync_dir};
use crate::config::{SessionName, SessionProcess};
use crate::exit::Failure;

/// The state of a session.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    /// The last party of the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) party: Option<String>,
    /// The process that the session lasts as long as, if it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) process: Option<SessionProcess>,
    #[serde(default)]
    pub(crate) claims: Vec<StoredClaim>,
    /// The notes of the hooks of an agent's host.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) hook: Option<HookNotes>,
    /// The members that a newer version added.
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The notes that the hooks of one session leave for each other.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HookNotes {
    /// The fingerprint of the work tree at the start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) started_with: Option<String>,
    /// The fingerprint of the work tree at the last checkpoint of a hook.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) saved: Option<String>,
    /// The number of checkpoints that hooks have saved for the current task.
    #[serde(default)]
    pub(crate) checkpoints: u32,
    /// The task for which the agent was asked to record its progress.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) asked_for: Option<String>,
}

/// One claim of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredClaim {
    #[serde(rename = "claim", deserialize_with = "id")]
    pub(crate) id: ClaimId,
    #[serde(deserialize_with = "id")]
    pub(crate) handoff: HandoffId,
    /// The fencing number.
    pub(crate) fence: u64,
    pub(crate) task: String,
    /// The end of the lease as of the last response.
    pub(crate) until: String,
    /// The party of the claim; defaults to the session's. They differ with `--as`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) party: Option<String>,
    /// The work tree or directory in which it was claimed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) directory: Option<String>,
    /// The members that a newer version added.
    #[serde(flatten)]
    pub(crate) other: Map<String, Value>,
}

fn id<'de, T: FromStr<Err: fmt::Display>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}

impl StoredClaim {
    /// Converts a claim in a response.
    pub(crate) fn new(claim: &tasuki_api::Claim, task: &str) -> Result<Self, ParseIdError> {
        Ok(Self {
            id: claim.id.parse()?,
            handoff: claim.handoff.parse()?,
            fence: claim.fence,
            task: task.to_owned(),
            until: format!("{:.6}", claim.until),
            party: Some(claim.holder.clone()),
            directory: current_work_tree(),
            other: Map::new(),
        })
    }
}

impl StoredClaim {
    /// Returns what its holder states with every write.
    pub(crate) fn proof(&self) -> ClaimProof {
        ClaimProof { handoff: self.handoff, fence: self.fence }
    }
}

impl Session {
    /// Returns `true` if there is nothing to store. The party counts only with a claim.
    fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.hook.is_none() && self.other.is_empty()
    }

    /// Returns the claims of a party in this session.
    pub(crate) fn claims_of(&self, party: &str) -> impl Iterator<Item = &StoredClaim> {
        let own = self.party.as_deref();
        self.claims.iter().filter(move |claim| claim.party.as_deref().or(own) == Some(party))
    }
}

/// The session files of a data directory.
#[derive(Debug)]
pub(crate) struct Sessions {
    folder: PathBuf,
}

impl Sessions {
    /// Returns the sessions of a data directory.
    pub(crate) fn of(data_dir: &DataDir) -> Self {
        Self { folder: data_dir.sessions() }
    }

    /// Returns the sessions in a folder.
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the names of all stored sessions.
    pub(crate) fn names(&self) -> Result<Vec<SessionName>, Failure> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failure("list", &self.folder, &error)),
        };
        let name = |entry: std::fs::DirEntry| {
            let file = entry.file_name().into_string().ok()?;
            SessionName::parse(file.strip_suffix(".json")?).ok()
        };
        let mut names: Vec<SessionName> = entries.filter_map(Result::ok).filter_map(name).collect();
        names.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        Ok(names)
    }

    /// Reads a session. One without a file is empty.
    pub(crate) fn read(&self, name: &SessionName) -> Result<Session, Failure> {
        let path = self.path(name);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Session::default()),
            Err(error) => return Err(failure("read", &path, &error)),
        };
        serde_json::from_str(&text).map_err(|error| {
            Failure::usage(format!("{} is not a valid session file: {error}", path.display()))
                .hint("move it away, then claim again or pass `--fence`")
        })
    }

    /// Updates a session under a lock, because an agent may run two commands at once.
    pub(crate) fn update(
        &self,
        name: &SessionName,
        change: impl FnOnce(&mut Session),
    ) -> Result<(), Failure> {
        let _locked = self.lock()?;
        let mut session = self.read(name)?;
        change(&mut session);
        if session.is_empty() { self.remove(name) } else { self.replace(name, &session) }
    }

    fn path(&self, name: &SessionName) -> PathBuf {
        self.folder.join(format!("{}.json", name.as_str()))
    }

    /// Takes the write lock until the file is dropped. Creates the folder if it is missing.
    fn lock(&self) -> Result<File, Failure> {
        // No session can have this name: session names start with a letter or digit.
        let path = self.folder.join(".lock");
        let locked = create_private_dir(&self.folder).and_then(|_| {
            let file = match create_private_file(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    File::options().write(true).open(&path)?
                }
                made => made?,
            };
            file.lock()?;
            Ok(file)
        });
        locked.map_err(|error| failure("lock", &path, &error))
    }

    /// Removes the file of an empty session.
    fn remove(&self, name: &SessionName) -> Result<(), Failure> {
        let path = self.path(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| sync_dir(&self.folder)),
        }
        .map_err(|error| failure("remove", &path, &error))
    }

    /// INVARIANT: the caller holds the lock, so no other process uses the temporary file.
    fn replace(&self, name: &SessionName, session: &Session) -> Result<(), Failure> {
        let path = self.path(name);
        let temporary = self.folder.join(format!(".{}.tmp", name.as_str()));
        let text = serde_json::to_string_pretty(session).expect("its keys are texts");
        // A killed command may have left one.
        let _absent = std::fs::remove_file(&temporary).is_err();
        let written = create_private_file(&temporary).and_then(|mut file| {
            file.write_all(format!("{text}\n").as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&temporary, &path)?;
            sync_dir(&self.folder)
        });
        written.map_err(|error| failure("write", &path, &error))
    }
}

fn failure(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::of_file(format!("cannot {what} {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::temp_dir::TempDir;

    fn name(text: &str) -> SessionName {
        SessionName::parse(text).unwrap()
    }

    fn claim(fence: u64) -> StoredClaim {
        StoredClaim {
            id: ClaimId::from_bytes([1; 16]),
            handoff: HandoffId::from_bytes([2; 16]),
            fence,
            task: "build-42".to_owned(),
            until: "2026-11-15T14:06:21.000000Z".to_owned(),
            party: None,
            directory: None,
            other: Map::new(),
        }
    }

    fn holding(fence: u64) -> Session {
        Session { party: Some("ana".to_owned()), claims: vec![claim(fence)], ..Session::default() }
    }

    fn sessions(temp_dir: &TempDir) -> Sessions {
        Sessions::of(&DataDir::create(&temp_dir.path("")).unwrap().0)
    }

    #[test]
    fn two_sessions_of_one_party_do_not_see_each_other() {
        let temp_dir = TempDir::new();
        let sessions = sessions(&temp_dir);
        sessions.update(&name("one"), |session| *session = holding(1)).unwrap();
        sessions.update(&name("two"), |session| *session = holding(2)).unwrap();
        assert_eq!(sessions.read(&name("one")).unwrap(), holding(1));
        assert_eq!(sessions.read(&name("two")).unwrap(), holding(2));
        assert_eq!(sessions.read(&name("three")).unwrap(), Session::default());
    }

    #[test]
    fn a_session_without_claims_has_no_file() {
        let temp_dir = TempDir::new();
        let sessions = sessions(&temp_dir);
        let names = || sessions.names().unwrap().len();
        sessions.update(&name("one"), |session| *session = holding(1)).unwrap();
        sessions.update(&name("one"), |session| session.claims.push(claim(2))).unwrap();
        sessions.update(&name("one"), |session| drop(session.claims.pop())).unwrap();
        assert_eq!(names(), 1);
        for _ in 0..2 {
            sessions.update(&name("one"), |session| session.claims.clear()).unwrap();
            assert_eq!(names(), 0);
        }
        let newer = serde_json::from_str(r#"{"claims": [], "drafts": 1}"#).unwrap();
        sessions.update(&name("two"), |session| *session = newer).unwrap();
        assert_eq!(names(), 1, "members of a newer version stay");
    }

    #[test]
    fn the_file_is_as_documented_and_private() {
        let temp_dir = TempDir::new();
        let sessions = sessions(&temp_dir);
        sessions.update(&name("s-1"), |session| *session = holding(3)).unwrap();
        insta::assert_snapshot!(temp_dir.read(".tasuki/sessions/s-1.json"), @r#"
        {
          "party": "ana",
          "claims": [
            {
              "claim": "clm_01010101010101010101010101010101",
              "handoff": "hof_02020202020202020202020202020202",
              "fence": 3,
              "task": "build-42",
              "until": "2026-11-15T14:06:21.000000Z"
            }
          ]
        }
        "#);
        let mode = temp_dir.path(".tasuki/sessions/s-1.json").metadata().unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        let mut names: Vec<_> = std::fs::read_dir(temp_dir.path(".tasuki/sessions"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".lock", "s-1.json"]);
    }

    #[test]
    fn members_of_a_newer_version_are_kept() {
        let claim = r#"{"claim":"clm_01010101010101010101010101010101","handoff":"hof_02020202020202020202020202020202","fence":3,"task":"t","until":"u","seen":[1]}"#;
        let text = format!(r#"{{"party":"ana","host":{{"b":1,"a":2}},"claims":[{claim}]}}"#);
        let temp_dir = TempDir::new().with(".tasuki/sessions/s.json", &text);
        let sessions = sessions(&temp_dir);
        sessions.update(&name("s"), |session| session.claims[0].fence = 4).unwrap();
        let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let expected = parsed(&text.replace("\"fence\":3", "\"fence\":4"));
        assert_eq!(parsed(&temp_dir.read(".tasuki/sessions/s.json")), expected);
    }

    #[test]
    fn one_session_may_act_for_several_parties() {
        let ben = StoredClaim { party: Some("ben".to_owned()), ..claim(2) };
        let session = Session { claims: vec![claim(1), ben], ..holding(0) };
        let tokens = |party| session.claims_of(party).map(|claim| claim.fence).collect::<Vec<_>>();
        assert_eq!(tokens("ana"), [1]);
        assert_eq!(tokens("ben"), [2]);
        assert_eq!(tokens("eva"), [0; 0]);
    }

    #[test]
    fn concurrent_commands_lose_no_update() {
        let temp_dir = TempDir::new();
        let sessions = sessions(&temp_dir);
        std::thread::scope(|scope| {
            for fence in 0..8 {
                let sessions = &sessions;
                scope.spawn(move || {
                    sessions
                        .update(&name("s"), |session| session.claims.push(claim(fence)))
                        .unwrap();
                });
            }
        });
        let session = sessions.read(&name("s")).unwrap();
        let mut tokens: Vec<_> = session.claims.iter().map(|claim| claim.fence).collect();
        tokens.sort_unstable();
        assert_eq!(tokens, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_leftover_of_a_killed_command_is_ignored() {
        let temp_dir = TempDir::new().with(".tasuki/sessions/.s.tmp", "half");
        sessions(&temp_dir).update(&name("s"), |session| *session = holding(1)).unwrap();
        assert!(!temp_dir.path(".tasuki/sessions/.s.tmp").exists());
    }

    #[test]
    fn a_corrupt_file_is_named() {
        let refused = |text: &str| {
            let temp_dir = TempDir::new().with(".tasuki/sessions/s.json", text);
            let sessions = sessions(&temp_dir);
            let failure = sessions.update(&name("s"), |_| ()).unwrap_err();
            assert_eq!(temp_dir.read(".tasuki/sessions/s.json"), text, "it was not overwritten");
            temp_dir.shown(&failure)
        };
        insta::assert_snapshot!(refused("{"), @"
        [DIR]/.tasuki/sessions/s.json is not a valid session file: EOF while parsing an object at line 1 column 1
        hint: move it away, then claim again or pass `--fence`
        ");
        insta::assert_snapshot!(refused(r#"{"claims":[{"claim":"x"}]}"#), @"
        [DIR]/.tasuki/sessions/s.json is not a valid session file: malformed id: expected `clm_` and 32 lower-case hex digits at line 1 column 24
        hint: move it away, then claim again or pass `--fence`
        ");
        insta::assert_snapshot!(refused(""), @"
        [DIR]/.tasuki/sessions/s.json is not a valid session file: EOF while parsing a value at line 1 column 0
        hint: move it away, then claim again or pass `--fence`
        ");
    }
}
