//! The hostile vectors of the repository, built from their recipes: every reader must refuse them.

use anyhow::Context;
use serde_json::Value;

const RECIPES: &str = include_str!("../../../vectors/hostile.json");

/// Returns name and bytes of every vector that must be refused.
pub fn refused() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let recipes: Vec<Value> = serde_json::from_str(RECIPES)?;
    let mut vectors = Vec::new();
    for recipe in recipes.iter().filter(|recipe| !recipe["code"].is_null()) {
        let name = recipe["name"].as_str().context("a recipe has a name")?;
        let parts = recipe["parts"].as_array().context("a recipe has parts")?;
        let bytes: Option<Vec<Vec<u8>>> = parts.iter().map(part).collect();
        vectors.push((name.to_owned(), bytes.context("an unknown part")?.concat()));
    }
    Ok(vectors)
}

fn part(part: &Value) -> Option<Vec<u8>> {
    if let Some(text) = part["text"].as_str() {
        return Some(text.as_bytes().to_vec());
    }
    if let Some(hex) = part["hex"].as_str() {
        return hex.split(' ').map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
    }
    let times = usize::try_from(part["times"].as_u64()?).ok()?;
    let text = part["repeat"].as_str()?;
    if part["counted"] != Value::Bool(true) {
        return Some(text.repeat(times).into_bytes());
    }
    // A counted text has the number of its repetition in place of `#`.
    Some(
        (0..times).flat_map(|number| text.replace('#', &number.to_string()).into_bytes()).collect(),
    )
}
