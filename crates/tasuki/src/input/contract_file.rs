//! Reads contracts from files, with the schema files beside them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use tasuki_engine::model::ContractRecord;
use tasuki_packet::Violation;
use tasuki_packet::policy::contract::check::{self, Severity};
use tasuki_packet::policy::contract::{CompiledContract, Contract, Identity, Schemas};
use tasuki_packet::read::{Source, too_large};

use super::file::{Content, Input};
use crate::exit::Failure;
use crate::output::diagnostics;

/// A contract document, or the violations that prevent reading it.
#[derive(Debug)]
pub(crate) struct ContractFile {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) read: Result<Parts, Vec<Violation>>,
    /// The document to publish, with the schema files that it refers to.
    pub(crate) record: Option<ContractRecord>,
}

/// A contract, with its compiled schemas or their violations.
type Parts = (Contract, Result<CompiledContract, Vec<Violation>>);

/// Schema files, recorded as they are read.
struct RecordingSchemas<'f> {
    folder: &'f SchemaFolder,
    read: RefCell<BTreeMap<String, Value>>,
}

impl Schemas for RecordingSchemas<'_> {
    fn get(&self, reference: &str) -> Option<Value> {
        let schema = self.folder.get(reference)?;
        self.read.borrow_mut().insert(reference.to_owned(), schema.clone());
        Some(schema)
    }
}

/// Schema files below the folder of the document that refers to them.
pub(crate) struct SchemaFolder(PathBuf);

impl SchemaFolder {
    /// Returns the folder of an input.
    pub(crate) fn of(input: &Input) -> Self {
        Self(input.folder())
    }
}

impl Schemas for SchemaFolder {
    fn get(&self, reference: &str) -> Option<Value> {
        let path = Path::new(reference);
        // A contract may only refer to files below its folder.
        let stays =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !stays {
            return None;
        }
        let Content::Bytes(bytes) = Input::new(&self.0.join(path)).read().ok()? else {
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
                return Ok(Self { name, text: String::new(), read, record: None });
            }
        };
        let (read, record) = match read(&bytes, &SchemaFolder::of(input)) {
            Ok((parts, record)) => (Ok(parts), Some(record)),
            Err(violations) => (Err(violations), None),
        };
        Ok(Self { name, text: String::from_utf8_lossy(&bytes).into_owned(), read, record })
    }

    /// Returns the contract, if its document could be read.
    pub(crate) fn contract(&self) -> Result<&Contract, Failure> {
        let name = &self.name;
        self.read.as_ref().map(|(contract, _)| contract).map_err(|_violations| {
            Failure::refused(format!("{name} is not a valid contract"))
                .hint(format!("`tasuki contract check {name}` lists the errors"))
        })
    }

    /// Returns the identity and the document of a contract that is valid on its own.
    pub(crate) fn publishable(&self) -> Result<(Identity, ContractRecord), Failure> {
        let compiled = self.compiled()?;
        let found = check::contract(compiled.contract(), Ok(&compiled)).into_iter();
        let errors = found.filter(|(severity, _)| *severity == Severity::Error);
        let mut errors: Vec<Violation> = errors.map(|(_, violation)| violation).collect();
        if !errors.is_empty() {
            self.locate(&mut errors);
            return Err(self.refused(&errors));
        }
        let record = self.record.clone();
        let record = record.ok_or_else(|| Failure::usage("the contract was not read"))?;
        Ok((compiled.contract().identity(), record))
    }

    /// Loads and compiles a contract.
    pub(crate) fn load_compiled(path: &Path) -> Result<CompiledContract, Failure> {
        Self::read(&Input::new(path))?.compiled()
    }

    fn compiled(&self) -> Result<CompiledContract, Failure> {
        match &self.read {
            Ok((_, Ok(compiled))) => Ok(compiled.clone()),
            Ok((_, Err(violations))) | Err(violations) => Err(self.refused(violations)),
        }
    }

    fn refused(&self, violations: &[Violation]) -> Failure {
        let name = &self.name;
        let all = diagnostics::violations(name, &self.text, violations).join("\n");
        let all = all.trim_end();
        Failure::refused(format!("the contract {name} is invalid\n\n{all}"))
    }

    /// Adds positions in this file to violations that have only a pointer.
    pub(crate) fn locate(&self, violations: &mut [Violation]) {
        let Ok(source) = Source::plain(self.text.as_bytes()) else { return };
        if let Ok(document) = source.read_contract() {
            source.locate(&document, violations);
        }
    }
}

fn read(bytes: &[u8], folder: &SchemaFolder) -> Result<(Parts, ContractRecord), Vec<Violation>> {
    let source = Source::plain(bytes).map_err(|violation| vec![violation])?;
    let document = source.read_contract().map_err(|violation| vec![violation])?;
    let located = |mut violations: Vec<Violation>| {
        source.locate(&document, &mut violations);
        violations
    };
    let value = document.to_value();
    let contract = Contract::read(&value).map_err(located)?;
    let schemas = RecordingSchemas { folder, read: RefCell::default() };
    let compiled = CompiledContract::new(&contract, &schemas).map_err(located);
    let record = ContractRecord { document: value, schemas: schemas.read.into_inner() };
    Ok(((contract, compiled), record))
}
