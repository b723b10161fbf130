//! Files that are printed from the code are committed, so that people find and diff them. They
//! must be current; `TASUKI_UPDATE=1 cargo test` rewrites them.

use std::collections::BTreeSet;

use tasuki_packet::{Variant, schema};

use crate::files::{self, assert_none};

const FOLDER: &str = "schemas/packet/1.0";

#[test]
fn schema_files_are_current() {
    let mut wrong = Vec::new();
    let mut expected = BTreeSet::new();
    for name in Variant::names() {
        let file = format!("{FOLDER}/{name}.json");
        let schema = schema::of(&Variant::named(name).unwrap());
        wrong.extend(files::compare(&file, &schema).err());
        expected.insert(format!("{name}.json"));
    }
    let found = BTreeSet::from_iter(files::names_in(FOLDER));
    wrong.extend(
        found.difference(&expected).map(|name| format!("{FOLDER}/{name} is of no variant")),
    );
    assert_none(&wrong);
}
