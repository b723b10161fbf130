//! Source files: a module doc at the top, and no unfinished work.

use crate::repository::{files, read, root};

#[test]
fn no_unfinished_work_is_left_in_the_source() {
    let mut left = Vec::new();
    for file in files(&root().join("crates"), "rs") {
        if file.ends_with("tidy/sources.rs") {
            continue;
        }
        for (number, line) in read(&file).lines().enumerate() {
            let is_vague = line.contains("TODO") && !line.contains("TODO(#");
            if is_vague || line.contains("FIXME") || line.contains("#[ignore") {
                left.push(format!("{}:{}: {}", file.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn every_source_file_has_a_module_doc() {
    let mut silent = Vec::new();
    for file in files(&root().join("crates"), "rs") {
        if !read(&file).starts_with("//!") {
            silent.push(file.display().to_string());
        }
    }
    assert!(silent.is_empty(), "files without a module doc:\n{}", silent.join("\n"));
}
