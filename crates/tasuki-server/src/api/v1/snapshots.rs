//! `/v1/tasks/{task}/snapshots`: work trees of holders, as git bundles.
//!
//! The exchange keeps the bytes and reads only the header of a bundle. Git checks the objects where a
//! bundle is fetched from. Files are read and written on blocking threads.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tasuki_api::problem::HttpErrorCode;
use tasuki_api::snapshot::{BUNDLE_BYTES_MAX, BUNDLE_MEDIA};
use tasuki_api::{Page, Snapshot};
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::limits::SNAPSHOTS_KEPT;
use tasuki_engine::model::Handoff;
use tasuki_engine::ports::{Query, SnapshotRecord, Snapshots};
use tasuki_packet::canonical::digest_of_bytes;
use tasuki_packet::id::ProjectId;

use crate::api::v1::paging;
use crate::extract::parameters::{Parameters, PathParameter};
use crate::extract::request_context::RequestContext;
use crate::extract::{arrival, body};
use crate::respond::json::{Json, typed};
use crate::respond::problem::Problem;
use crate::state::Shared;

/// A git bundle.
#[derive(Debug)]
pub(crate) struct BundleBody(Vec<u8>);

impl FromRequest<Shared> for BundleBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let (parts, sent) = request.into_parts();
        body::require_media(&parts.headers, BUNDLE_MEDIA)?;
        let bytes = arrival::receive(&parts.headers, sent, app, BUNDLE_BYTES_MAX).await?;
        Ok(Self(bytes.into()))
    }
}

pub(crate) async fn add(
    context: RequestContext,
    PathParameter(task): PathParameter,
    BundleBody(bundle): BundleBody,
) -> Result<Response, Problem> {
    context.apply_due().await?;
    let handoff = context.find(&task).await?;
    context.reader().await?.require_snapshot_writer(&handoff)?;
    let commit = commit_of(&bundle)?;
    let snapshot = SnapshotRecord {
        number: 0,
        by: context.principal().party,
        at: context.engine().now(),
        commit,
        digest: digest_of_bytes(&bundle),
        bytes: bundle.len() as u64,
    };
    let task = handoff.facts.task.clone();
    let added = on_files(&context, move |files, project| {
        files.add_snapshot(project, &task, snapshot, &bundle)
    })
    .await?;
    remove_old(&context).await?;
    let added = context.reader().await?.snapshot(added);
    Ok((StatusCode::CREATED, Json(added)).into_response())
}

pub(crate) async fn list(
    context: RequestContext,
    PathParameter(task): PathParameter,
) -> Result<Json<Page<Snapshot>>, Problem> {
    let (_, found) = readable(&context, &task).await?;
    let reader = context.reader().await?;
    Ok(Json(paging::complete(found.into_iter().map(|one| reader.snapshot(one)).collect())))
}

/// The query of a bundle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BundleQuery {
    number: Option<u64>,
}

pub(crate) async fn bundle(
    context: RequestContext,
    PathParameter(task): PathParameter,
    Parameters(query): Parameters<BundleQuery>,
) -> Result<Response, Problem> {
    let (task, snapshots) = readable(&context, &task).await?;
    let number = query.number.or_else(|| snapshots.first().map(|newest| newest.number));
    let bytes = match number {
        Some(number) => {
            on_files(&context, move |files, project| files.bundle(project, &task, number)).await?
        }
        None => None,
    };
    let unknown = || Problem::with_code(HttpErrorCode::SnapshotUnknown, "no such snapshot");
    Ok(typed(BUNDLE_MEDIA, bytes.ok_or_else(unknown)?))
}

/// Returns a task and its snapshots, newest first, if the caller may read its packet.
async fn readable(
    context: &RequestContext,
    task: &str,
) -> Result<(String, Vec<SnapshotRecord>), Problem> {
    context.apply_due().await?;
    let handoff = context.find(task).await?;
    context.reader().await?.require_snapshot_reader(&handoff)?;
    let task = handoff.facts.task.clone();
    let named = task.clone();
    let found = on_files(context, move |files, project| files.snapshots(project, &named)).await?;
    Ok((task, found))
}

/// Removes the snapshots of tasks that ended long ago.
async fn remove_old(context: &RequestContext) -> Result<(), Problem> {
    let now = context.engine().now();
    let milliseconds = i64::try_from(SNAPSHOTS_KEPT.milliseconds()).unwrap_or(i64::MAX);
    let kept = SignedDuration::from_millis(milliseconds);
    let before: Timestamp = now.checked_sub(kept).unwrap_or(now);
    let old = move |files: &dyn Snapshots, project| files.tasks_with_old_snapshots(project, before);
    for task in on_files(context, old).await? {
        let query = Query { task: Some(task.clone()), ..Query::default() };
        let handoffs = context.store().handoffs(context.project(), query).await?;
        if have_ended(context, &handoffs, before).await? {
            on_files(context, move |files, project| files.remove_snapshots(project, &task)).await?;
        }
    }
    Ok(())
}

/// Returns `true` if every handoff ended before an instant.
async fn have_ended(
    context: &RequestContext,
    handoffs: &[Handoff],
    before: Timestamp,
) -> Result<bool, Problem> {
    for one in handoffs {
        let leaves = context.store().leaves_of(context.project(), one.id).await?;
        let is_old = leaves.last().is_some_and(|last| last.at < before);
        if one.progress.state.word().is_open() || !is_old {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn on_files<T: Send + 'static>(
    context: &RequestContext,
    work: impl FnOnce(&dyn Snapshots, ProjectId) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Problem> {
    let unavailable = || Fault::new(FaultKind::StoreUnavailable, "this server keeps no snapshots");
    let files = context.app.snapshots.as_ref().map(Arc::clone).ok_or_else(unavailable)?;
    let project = context.project();
    let done = tokio::task::spawn_blocking(move || work(files.as_ref(), project)).await;
    let broken = |_| Fault::new(FaultKind::Bug, "work on files ended without a result");
    Ok(done.map_err(broken)??)
}

/// The longest header that is read.
const HEADER_BYTES_MAX: usize = 64 * 1024;

/// Returns the commit of the one reference in a bundle, which must be that of a snapshot.
fn commit_of(bundle: &[u8]) -> Result<String, Problem> {
    let wrong = |detail: &str| {
        Problem::argument(format!("not the bundle of a snapshot: {detail}"))
            .hint("`tasuki checkpoint` in a git work tree sends it")
    };
    let end = bundle.windows(2).take(HEADER_BYTES_MAX).position(|two| two == b"\n\n");
    let header = end.and_then(|end| str::from_utf8(&bundle[..end]).ok());
    let header = header.ok_or_else(|| wrong("it has no header"))?;
    let mut lines = header.lines();
    if !matches!(lines.next(), Some("# v2 git bundle" | "# v3 git bundle")) {
        return Err(wrong("it is not a bundle of version 2 or 3"));
    }
    let references: Vec<&str> = lines.filter(|line| !line.starts_with(['-', '@'])).collect();
    let [reference] = references.as_slice() else {
        return Err(wrong("it must have exactly one reference"));
    };
    match reference.split_once(' ') {
        Some((commit, name)) if is_commit(commit) && name.starts_with("refs/tasuki/") => {
            Ok(commit.to_owned())
        }
        _ => Err(wrong("its reference must be below `refs/tasuki/`")),
    }
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bundle_of_a_snapshot_is_taken() {
        let commit = "0".repeat(40);
        let bundle = |header: &str| commit_of(format!("{header}\n\nPACK").as_bytes());
        let good = format!("# v2 git bundle\n-{commit} base\n{commit} refs/tasuki/a/1");
        assert_eq!(bundle(&good).unwrap(), commit);
        for wrong in [
            String::new(),
            format!("# v9 git bundle\n{commit} refs/tasuki/a/1"),
            "# v2 git bundle".to_owned(),
            format!("# v2 git bundle\n{commit} refs/heads/main"),
            format!("{good}\n{commit} refs/tasuki/a/2"),
            "# v2 git bundle\n--upload-pack=x refs/tasuki/a/1".to_owned(),
        ] {
            assert!(bundle(&wrong).is_err(), "{wrong}");
        }
        assert!(commit_of(b"").is_err());
    }
}
