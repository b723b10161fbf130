//! `tasuki contract docs`: writes a page about each contract, and an index of them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tasuki_packet::policy::contract::Contract;
use tasuki_packet::render::{GENERATED, contract_file_name, contract_index, contract_page};

use crate::exit::{Exit, Failure, reason};
use crate::input::contract_file::ContractFile;
use crate::output::printer::{Printer, counted};

/// The name of the index.
const INDEX: &str = "README.md";

pub(super) fn run(
    files: &[ContractFile],
    to: Option<&Path>,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let none = BTreeMap::new();
    let mut read: Vec<(&Contract, &BTreeMap<String, Value>)> = Vec::new();
    for file in files {
        let schemas = file.record.as_ref().map_or(&none, |record| &record.schemas);
        read.push((file.contract()?, schemas));
    }
    read.sort_by_key(|(contract, _)| contract.identity());
    let mut pages: Vec<(String, String)> = read
        .iter()
        .map(|(contract, schemas)| {
            (contract_file_name(contract), contract_page(contract, *schemas))
        })
        .collect();
    match to {
        Some(folder) => {
            let contracts: Vec<_> = read.iter().map(|(contract, _)| (*contract).clone()).collect();
            pages.push((INDEX.to_owned(), contract_index(&contracts)));
            write(folder, &pages, printer)?;
        }
        None => print(&pages, printer),
    }
    Ok(Exit::Success)
}

fn print(pages: &[(String, String)], printer: &Printer) {
    for (index, (file, text)) in pages.iter().enumerate() {
        if printer.is_json() {
            printer.json(&json!({ "file": file, "text": text }));
            continue;
        }
        let gap = if index > 0 { "\n" } else { "" };
        printer.data(&format!("{gap}{}", text.trim_start_matches(GENERATED)));
    }
}

/// Writes all pages, or none if one would replace a file that is not a page.
fn write(folder: &Path, pages: &[(String, String)], printer: &Printer) -> Result<(), Failure> {
    let failed = |path: &Path, error: &std::io::Error| {
        Failure::usage(format!("cannot write {}: {}", path.display(), reason(error)))
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for (file, _) in pages {
        let path = folder.join(file);
        let is_foreign = std::fs::read(&path)
            .is_ok_and(|found| !found.starts_with(GENERATED.trim_end().as_bytes()));
        if is_foreign {
            return Err(Failure::usage(format!(
                "{} is not a page of `tasuki contract docs`",
                path.display()
            ))
            .hint("choose another folder, or remove the file"));
        }
    }
    for (file, text) in pages {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(|error| failed(&path, &error))?;
        if printer.is_json() {
            printer.json(&json!({ "file": path }));
        }
    }
    printer.remark(&format!("Wrote {} to {}", counted(pages.len(), "page"), folder.display()));
    Ok(())
}
