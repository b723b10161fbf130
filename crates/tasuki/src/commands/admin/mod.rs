//! Commands that administer a project.

pub(crate) mod absence;
pub(crate) mod contract;
mod contract_docs;
mod contract_scaffold;
pub(crate) mod dead;
pub(crate) mod documents;
pub(crate) mod gate;
pub(crate) mod halt;
pub(crate) mod party;
pub(crate) mod project;
pub(crate) mod rules;
pub(crate) mod subscription;
pub(crate) mod token;
