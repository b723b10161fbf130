//! Embeds the pages of `docs/errors/`, so that a server explains the codes that it answers with, and
//! has the crate compiled again when the console was built.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the crate's folder");
    let folder = Path::new(&manifest).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder).expect("docs/errors is there");
    let mut pages: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    pages.sort();
    let mut table = "&[\n".to_owned();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|kind| kind == "md")) {
        let code = page.file_stem().expect("a page has a name").to_string_lossy();
        writeln!(table, "    ({code:?}, include_str!({:?})),", page.display().to_string())
            .expect("a text takes more text");
    }
    table.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").expect("cargo names a folder for what is made");
    std::fs::write(Path::new(&out).join("error_pages.rs"), table).expect("the folder is writable");
    watch_console(&Path::new(&manifest).join("../../console"));
}

/// Runs this script again after the console was built or removed. Cargo takes a missing path for a
/// change in every build, so without `dist` the folder around it is watched.
fn watch_console(folder: &Path) {
    let dist = folder.join("dist");
    let watched = if dist.is_dir() { &dist } else { folder };
    println!("cargo::rerun-if-changed={}", watched.display());
}
