//! Any document as a contract: read, compiled, checked, rendered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tasuki_packet::policy::contract::{CompiledContract, Contract, Graph, check};
use tasuki_packet::read::Source;

fuzz_target!(|data: &[u8]| {
    let Ok(source) = Source::plain(data) else { return };
    let Ok(document) = source.read_contract() else { return };
    let Ok(contract) = Contract::read(&document.to_value()) else { return };
    let compiled = CompiledContract::new(&contract, &());
    let entry = check::Entry { source: "fuzz".to_owned(), contract: contract.clone(), compiled };
    let _report = check::contracts(&[entry.clone(), entry]);
    let graph = Graph::of(&[contract]);
    let _drawn = (graph.to_text(), graph.to_mermaid(), graph.to_dot());
});
