//! The contracts and rules of a folder, as far as a draft needs them.

use std::path::Path;

use tasuki_packet::policy::contract::Contract;
use tasuki_packet::policy::rules::Rules;
use tasuki_packet::read::Source;

use crate::exit::Failure;
use crate::input::contract_file::ContractFile;
use crate::input::file::{Content, Input};

/// Reads the newest version of each contract in a folder. A folder that does not exist has none.
pub(super) fn contracts(folder: &Path) -> Result<Vec<Contract>, Failure> {
    let mut newest: Vec<Contract> = Vec::new();
    for input in inputs(folder)? {
        let Ok((contract, _)) = ContractFile::read(&input)?.read else { continue };
        match newest.iter_mut().find(|known| known.name == contract.name) {
            Some(known) if known.version < contract.version => *known = contract,
            Some(_) => {}
            None => newest.push(contract),
        }
    }
    Ok(newest)
}

/// Reads the rules documents in a folder. A folder that does not exist has none.
pub(super) fn rules(folder: &Path) -> Result<Vec<Rules>, Failure> {
    let mut all = Vec::new();
    for input in inputs(folder)? {
        let Content::Bytes(bytes) = input.read()? else { continue };
        let document = Source::plain(&bytes).and_then(|source| Ok(source.read_plain()?.to_value()));
        all.extend(document.ok().and_then(|document| Rules::read(&document).ok()));
    }
    Ok(all)
}

/// Returns the YAML and JSON files of a folder. Other documents in it, such as schemas, are skipped
/// when they are read.
fn inputs(folder: &Path) -> Result<Vec<Input>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut inputs = Input::expand(&[folder.to_owned()])?;
    inputs.retain(|input| {
        let extension = input.path().and_then(Path::extension);
        extension.is_some_and(|extension| extension != "md")
    });
    Ok(inputs)
}
