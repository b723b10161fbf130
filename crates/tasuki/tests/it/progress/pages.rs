//! Pages whose commands run as they are written, and print what the page claims.
//!
//! All blocks of a page run in one shell, in an empty folder. A `yaml` block whose first line names a
//! file is that file. A `text` block after a `sh` block is its output; ids, times and digests differ
//! in every run. `TASUKI_UPDATE=1 cargo test` rewrites the outputs.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::folder::{Folder, repository};
use crate::support::shared_exchange::filtered;

#[test]
fn hand_work_from_one_agent_to_another() {
    check("docs/howto/hand-work-over.md");
}

#[test]
fn planner_coder_reviewer() {
    check("docs/howto/planner-coder-reviewer.md");
}

/// A fenced block of a page.
struct Block {
    language: String,
    text: String,
    /// The range of its lines in the page, without the fences.
    lines: std::ops::Range<usize>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else { continue };
        let inner: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let text = inner.iter().flat_map(|line| [line, "\n"]).collect();
        let lines = at + 1..at + 1 + inner.len();
        blocks.push(Block { language: language.to_owned(), text, lines });
    }
    blocks
}

/// Separates the outputs of blocks.
const MARK: &str = "@@ block";

/// Returns the output of every `sh` block.
fn outputs(blocks: &[Block]) -> Vec<String> {
    let folder = Folder::outside_repository();
    let mut script = "exec 2>&1\n".to_owned();
    for block in blocks {
        match block.language.as_str() {
            "sh" => script.push_str(&format!("echo '{MARK}'\n{}", block.text)),
            "yaml" => {
                let name = block.text.lines().next().and_then(|line| line.strip_prefix("# "));
                let name = name.expect("the first line names the file");
                script.push_str(&format!(
                    "cat > {name} <<'END OF FILE'\n{}END OF FILE\n",
                    block.text
                ));
            }
            _ => {}
        }
    }
    let programs = Path::new(env!("CARGO_BIN_EXE_tasuki")).parent().unwrap().display();
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .env_clear()
        .env("PATH", format!("{programs}:/usr/local/bin:/usr/bin:/bin"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    said.split(&format!("{MARK}\n")).skip(1).map(str::to_owned).collect()
}

/// Replaces everything that differs in every run, lengths of time after a parenthesis too.
fn comparable(text: &str) -> String {
    filtered(&text.replace('(', "( "))
}

fn check(path: &str) {
    let page = std::fs::read_to_string(repository(path)).unwrap();
    let blocks = blocks(&page);
    let mut outputs = outputs(&blocks).into_iter();
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let (mut claims, mut wrong) = (0, Vec::new());
    // From the last block on, so that the lines before keep their places.
    let said: Vec<Option<String>> = blocks
        .iter()
        .map(|block| (block.language == "sh").then(|| outputs.next().expect("each block has one")))
        .collect();
    for at in (1..blocks.len()).rev().filter(|at| blocks[*at].language == "text") {
        let Some(said) = &said[at - 1] else { continue };
        claims += 1;
        if comparable(said) != comparable(&blocks[at].text) {
            wrong.push(format!("the page claims:\n{}\nbut it is:\n{said}", blocks[at].text));
            lines.splice(blocks[at].lines.clone(), said.lines().map(str::to_owned));
        }
    }
    assert!(claims > 3, "{path} claims too little");
    if std::env::var_os("TASUKI_UPDATE").is_some() {
        std::fs::write(repository(path), format!("{}\n", lines.join("\n"))).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{path}: {}", wrong.join("\n"));
}
