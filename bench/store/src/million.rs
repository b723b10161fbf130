//! A store with a million handoffs: time to open, time of an inbox page, memory.
//!
//! Another process than the one that filled the store opens it, so that no cache in memory helps.
//! The page cache of the operating system may still be warm; the first page shows it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};
use bench_store::contender::Contender;
use bench_store::measured::count;
use bench_store::scratch::Scratch;
use bench_store::{contenders, usage};
use serde_json::{Value, json};

use crate::chosen;
use crate::options::Options;

/// Fills every store contender, opens it in another process, and prints the measurements.
pub fn fill_and_look(options: &Options, handoffs: u64) -> anyhow::Result<()> {
    fs::create_dir_all(&options.directory)?;
    eprintln!("{}, {handoffs} handoffs", usage::file_system(&options.directory)?);
    for contender in chosen(options)? {
        let Some(store) = contender.store() else { continue };
        let scratch = Scratch::new(&options.directory)?;
        let start = Instant::now();
        store.fill(scratch.path(), handoffs)?;
        let fill = start.elapsed().as_secs_f64();
        let mut seen = from_outside(contender.as_ref(), scratch.path())?;
        seen["handoffs"] = handoffs.into();
        seen["fill_seconds"] = fill.into();
        seen["store_bytes"] = size(scratch.path())?.into();
        println!("{}", if options.is_json { seen.to_string() } else { line(&seen) });
    }
    Ok(())
}

/// Opens a filled store and prints the measurements as JSON.
pub fn look(name: &str, directory: &Path) -> anyhow::Result<()> {
    let all = contenders(directory);
    let contender = all.iter().find(|contender| contender.name() == name);
    let store = contender.and_then(|contender| contender.store());
    let seen = store.with_context(|| format!("`{name}` is not a store"))?.look(directory)?;
    let (resident, resident_most) = usage::resident()?;
    let seen = json!({
        "contender": name,
        "open_ms": seen.open.as_secs_f64() * 1e3,
        "first_page_ms": seen.first_page.as_secs_f64() * 1e3,
        "page_ms": seen.page.as_secs_f64() * 1e3,
        "page_rows": seen.rows,
        "resident_bytes": resident,
        "resident_bytes_most": resident_most,
    });
    println!("{seen}");
    Ok(())
}

fn from_outside(contender: &dyn Contender, directory: &Path) -> anyhow::Result<Value> {
    let mut look = Command::new(std::env::current_exe()?);
    let output = look.args(["--look", contender.name()]).arg(directory).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the inspecting process failed: {errors}");
    serde_json::from_slice(&output.stdout).context("the inspecting process printed no JSON")
}

/// Returns the bytes of all files below a directory.
fn size(directory: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

fn line(seen: &Value) -> String {
    let number = |name: &str| seen[name].as_f64().unwrap_or_default();
    let mebibytes = |name: &str| seen[name].as_u64().map_or(0.0, count) / 1024.0 / 1024.0;
    format!(
        "{:<8} filled in {:.0} s, {:.0} MiB; open {:.1} ms, first inbox page of {} rows {:.2} ms, \
         the next {:.2} ms; resident {:.0} MiB, at most {:.0} MiB",
        seen["contender"].as_str().unwrap_or_default(),
        number("fill_seconds"),
        mebibytes("store_bytes"),
        number("open_ms"),
        seen["page_rows"],
        number("first_page_ms"),
        number("page_ms"),
        mebibytes("resident_bytes"),
        mebibytes("resident_bytes_most"),
    )
}
