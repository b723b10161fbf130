//! Reads files, folders and stdin, up to the size of a packet.

use std::io::Read;
use std::path::{Path, PathBuf};

use tasuki_packet::document::limits::PACKET_BYTES_MAX;

use super::ignore_file::IgnoreRules;
use crate::exit::{Failure, reason};

/// One input, with the name that the caller used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) name: String,
    source: InputSource,
    /// `true` if it was found in a folder.
    pub(crate) is_discovered: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum InputSource {
    Stdin,
    File(PathBuf),
}

/// The content of an input, or its size if it is too large.
#[derive(Debug)]
pub(crate) enum Content {
    Bytes(Vec<u8>),
    TooLarge(u64),
}

/// The extensions of files that may hold a packet in a folder.
const EXTENSIONS: &[&str] = &["json", "yaml", "yml", "md", "markdown", "wire", "ahp"];

impl Input {
    /// The name of stdin.
    pub(crate) const STDIN: &'static str = "<stdin>";

    /// Returns the input of an argument; `-` is stdin.
    pub(crate) fn new(argument: &Path) -> Self {
        let name = argument.display().to_string();
        if name == "-" {
            return Self {
                name: Self::STDIN.to_owned(),
                source: InputSource::Stdin,
                is_discovered: false,
            };
        }
        Self { name, source: InputSource::File(argument.to_owned()), is_discovered: false }
    }

    /// Expands arguments to inputs, folders to the files in them, in a stable order.
    pub(crate) fn expand(arguments: &[PathBuf]) -> Result<Vec<Self>, Failure> {
        let mut inputs = Vec::new();
        for argument in arguments {
            if argument.is_dir() {
                let mut files = Vec::new();
                collect_files(argument, &mut files)?;
                files.sort();
                inputs.extend(files.into_iter().map(|file| Self {
                    name: file.display().to_string(),
                    source: InputSource::File(file),
                    is_discovered: true,
                }));
            } else {
                inputs.push(Self::new(argument));
            }
        }
        Ok(inputs)
    }

    /// Returns the folder of the file, to resolve references.
    pub(crate) fn folder(&self) -> PathBuf {
        match &self.source {
            InputSource::Stdin => PathBuf::from("."),
            InputSource::File(path) => path.parent().unwrap_or(Path::new(".")).to_owned(),
        }
    }

    /// Returns the path, or `None` for stdin.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.source {
            InputSource::Stdin => None,
            InputSource::File(path) => Some(path),
        }
    }

    /// Reads up to the size of a packet. A larger file is not opened.
    pub(crate) fn read(&self) -> Result<Content, Failure> {
        let unreadable = |error: std::io::Error| {
            Failure::usage(format!("cannot read {}: {}", self.name, reason(&error)))
        };
        let limit = PACKET_BYTES_MAX as u64;
        let mut bytes = Vec::new();
        match &self.source {
            InputSource::Stdin => {
                std::io::stdin()
                    .lock()
                    .take(limit + 1)
                    .read_to_end(&mut bytes)
                    .map_err(unreadable)?;
            }
            InputSource::File(path) => {
                let size = std::fs::metadata(path).map_err(unreadable)?.len();
                if size > limit {
                    return Ok(Content::TooLarge(size));
                }
                let file = std::fs::File::open(path).map_err(unreadable)?;
                file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
            }
        }
        let length = bytes.len() as u64;
        Ok(if length > limit { Content::TooLarge(length) } else { Content::Bytes(bytes) })
    }
}

/// Returns the failure for folders without a packet.
pub(crate) fn no_packets_found() -> Failure {
    let extensions = EXTENSIONS.join(", .");
    Failure::usage("no packet found").hint(format!(
        "in a folder, only files that end in .{extensions} and have the key of a packet are read"
    ))
}

/// LIMIT: nesting of folders, which also ends a loop of links.
const FOLDER_DEPTH_MAX: usize = 32;

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    collect_below(folder, FOLDER_DEPTH_MAX, &mut IgnoreRules::default(), files)
}

fn collect_below(
    folder: &Path,
    depth: usize,
    ignored: &mut IgnoreRules,
    files: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    let unreadable = |error| {
        let reason = reason(&error);
        Failure::usage(format!("cannot read the folder {}: {reason}", folder.display()))
    };
    let outer = ignored.len();
    ignored.read(folder);
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_hidden =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || ignored.covers(&path) {
            continue;
        }
        if path.is_dir() {
            if depth > 0 && !path.is_symlink() && !is_generated(&path) {
                collect_below(&path, depth - 1, ignored, files)?;
            }
        } else if has_packet_extension(&path) {
            files.push(path);
        }
    }
    ignored.truncate(outer);
    Ok(())
}

/// Returns `true` for a folder that tools fill: installed packages, or a cache that is tagged as one.
fn is_generated(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "node_modules")
        || folder.join("CACHEDIR.TAG").is_file()
}

fn has_packet_extension(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.to_lowercase().as_str()))
}

/// Reads the bytes of a packet file.
pub(crate) fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    let input = Input::new(file);
    match input.read()? {
        Content::Bytes(bytes) => Ok(bytes),
        Content::TooLarge(size) => Err(Failure::refused(format!(
            "{} has {size} bytes, which is too large for a packet",
            input.name
        ))
        .hint("move large content into an artifact and refer to it by digest")),
    }
}
