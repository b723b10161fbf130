//! The pass rate of example packets.

use std::path::Path;

use serde::Serialize;
use tasuki_packet::open::OpenOptions;

use super::cases::shown;
use crate::exit::Failure;
use crate::input::document_kind::DocumentKind;
use crate::input::file::{Content, Input};
use crate::input::packet_file;

/// The packets of a folder, and how many of them are valid.
#[derive(Debug, Serialize)]
pub(super) struct Examples {
    pub(super) packets: usize,
    pub(super) valid: usize,
    /// The files with violations.
    pub(super) invalid: Vec<String>,
}

impl Examples {
    /// Validates every packet below a folder, each against the variant that its fields choose.
    pub(super) fn of(folder: &Path) -> Result<Self, Failure> {
        let mut examples = Self { packets: 0, valid: 0, invalid: Vec::new() };
        if !folder.is_dir() {
            return Err(Failure::usage(format!("cannot read the folder {}", shown(folder))).hint(
                "run it in a clone of the repository, or name the folder with `--examples`",
            ));
        }
        for input in Input::expand(&[folder.to_owned()])? {
            let content = input.read()?;
            let Content::Bytes(bytes) = &content else { continue };
            // A contract shares some of its members with packets.
            if DocumentKind::of(input.path(), bytes) != DocumentKind::Packet {
                continue;
            }
            let opened = packet_file::inspect_content(&content, OpenOptions::default()).opened;
            let is_valid = opened.is_ok_and(|opened| opened.violations.is_empty());
            examples.packets += 1;
            examples.valid += usize::from(is_valid);
            if !is_valid {
                examples.invalid.push(input.name);
            }
        }
        Ok(examples)
    }
}
