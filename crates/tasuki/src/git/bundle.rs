//! A snapshot as a bundle: the file that carries it to another clone.
//!
//! A bundle leaves out what the remotes of the repository have, because the other clone has or can fetch
//! it. A received bundle is checked by git object by object before anything of it gets a reference.

use std::path::PathBuf;

use super::command::Git;
use super::head::Repository;
use super::paths::unique;
use super::snapshot::{Snapshot, add_received};

/// Returns a snapshot as a bundle.
pub(crate) fn create(git: &Git, snapshot: &Snapshot) -> Result<Vec<u8>, String> {
    let arguments = ["create", "--quiet", "-", &snapshot.reference, "--not", "--remotes"];
    git.call("bundle").args(arguments).run()
}

/// Adds the snapshot in a bundle to the references of its task.
pub(crate) fn receive(
    repository: &Repository,
    git: &Git,
    bytes: &[u8],
    task: &str,
) -> Result<Snapshot, String> {
    let file = BundleFile::write(repository, bytes)?;
    let heads = git.call("bundle").args(["list-heads"]).args([&file.0]).line()?;
    let Some((commit, reference)) = heads.split_once(' ').filter(|_| heads.lines().count() == 1)
    else {
        return Err("the bundle does not have exactly one reference".to_owned());
    };
    git.call("bundle").args(["verify", "--quiet"]).args([&file.0]).run().map_err(|reason| {
        format!("this repository lacks commits that the bundle builds on; fetch first ({reason})")
    })?;
    let incoming = format!("refs/tasuki/incoming-{}/{commit}", std::process::id());
    git.call("fetch")
        .args(["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"])
        .args(["--no-recurse-submodules"])
        .args([&file.0])
        .args([format!("{reference}:{incoming}")])
        // Every other protocol stays forbidden.
        .env("GIT_ALLOW_PROTOCOL", "file")
        .run()?;
    let added = add_received(git, commit, task);
    git.call("update-ref").args(["-d", &incoming]).run()?;
    added
}

/// The bundle as a file, removed at the end.
struct BundleFile(PathBuf);

impl BundleFile {
    fn write(repository: &Repository, bytes: &[u8]) -> Result<Self, String> {
        let file = Self(unique(&repository.common, "tasuki-bundle"));
        std::fs::write(&file.0, bytes)
            .map_err(|error| format!("cannot write the bundle: {error}"))?;
        Ok(file)
    }
}

impl Drop for BundleFile {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.0).is_err();
    }
}
