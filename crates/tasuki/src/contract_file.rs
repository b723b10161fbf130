//! Contracts from files, with the schema files beside them.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use tasuki_packet::Violation;
use tasuki_packet::contract::{Compiled, Contract, Schemas};
use tasuki_packet::read::{Source, too_large};

use crate::exit::Failure;
use crate::input::{Content, Input};
use crate::report;

/// A contract document that was read, or what is wrong with it.
#[derive(Debug)]
pub(crate) struct ContractFile {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) read: Result<Parts, Vec<Violation>>,
}

/// A contract, and its compiled schemas or what is wrong with them.
type Parts = (Contract, Result<Compiled, Vec<Violation>>);

/// Schema files below the folder of the document that refers to them.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder of an input.
    pub(crate) fn of(input: &Input) -> Self {
        Self(input.folder())
    }
}

impl Schemas for Folder {
    fn get(&self, reference: &str) -> Option<Value> {
        let path = Path::new(reference);
        // A contract names files beside it. It is no way to read anything else.
        let stays =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays {
            return None;
        }
        let Content::Bytes(bytes) = Input::named(&self.0.join(path)).read().ok()? else {
            return None;
        };
        let source = Source::plain(&bytes).ok()?;
        Some(source.read_plain().ok()?.to_value())
    }
}

impl ContractFile {
    /// Reads one contract document.
    pub(crate) fn read(input: &Input) -> Result<Self, Failure> {
        let name = input.name.clone();
        let bytes = match input.read()? {
            Content::Bytes(bytes) => bytes,
            Content::TooLarge(size) => {
                let read = Err(vec![too_large(size)]);
                return Ok(Self { name, text: String::new(), read });
            }
        };
        let read = read(&bytes, &Folder::of(input));
        Ok(Self { name, text: String::from_utf8_lossy(&bytes).into_owned(), read })
    }

    /// Reads a contract that must be usable.
    pub(crate) fn usable(path: &Path) -> Result<Compiled, Failure> {
        let file = Self::read(&Input::named(path))?;
        let shown = |violations: &[Violation]| {
            let name = &file.name;
            let all = report::violations(name, &file.text, violations).join("\n");
            Failure::refused(format!("the contract {name} cannot be used\n\n{}", all.trim_end()))
        };
        match &file.read {
            Ok((_, Ok(compiled))) => Ok(compiled.clone()),
            Ok((_, Err(violations))) | Err(violations) => Err(shown(violations)),
        }
    }

    /// Adds the place in this file to violations that have only a pointer.
    pub(crate) fn locate(&self, violations: &mut [Violation]) {
        let Ok(source) = Source::plain(self.text.as_bytes()) else { return };
        if let Ok(document) = source.read_contract() {
            source.locate(&document, violations);
        }
    }
}

fn read(bytes: &[u8], schemas: &Folder) -> Result<Parts, Vec<Violation>> {
    let source = Source::plain(bytes).map_err(|violation| vec![violation])?;
    let document = source.read_contract().map_err(|violation| vec![violation])?;
    let located = |mut violations: Vec<Violation>| {
        source.locate(&document, &mut violations);
        violations
    };
    let contract = Contract::read(&document.to_value()).map_err(located)?;
    let compiled = Compiled::new(&contract, schemas).map_err(located);
    Ok((contract, compiled))
}
