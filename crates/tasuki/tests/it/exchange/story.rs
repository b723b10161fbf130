//! The story of two agents and a person, run from a shell script, with the output of each command.

use std::process::Command;

use crate::support::folder::{Folder, repository};
use crate::support::shared_exchange::filtered;

#[test]
fn one_stops_a_person_looks_and_the_next_continues() {
    let folder = Folder::outside_repository();
    let output = Command::new("bash")
        .arg(repository("examples/03-story").join("story.sh"))
        .current_dir(folder.path(""))
        .env("TASUKI", env!("CARGO_BIN_EXE_tasuki"))
        .env_remove("TASUKI_AS")
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{shown}{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!(filtered(&shown));
}
