//! "Did you mean …?": finds the known name that is closest to a mistyped one.

/// Returns the closest of `known`, if it is close enough to be a typo of `name`.
///
/// ```
/// use tasuki_packet::violation::suggest;
///
/// assert_eq!(suggest("goals", ["goal", "task_id"]), Some("goal"));
/// assert_eq!(suggest("ticket", ["goal", "task_id"]), None);
/// ```
pub fn suggest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // LIMIT: names are shorter than this, and the comparison is quadratic.
    if name.len() > 64 {
        return None;
    }
    let name = folded(name);
    let limit = (name.len() / 3).clamp(1, 3);
    known
        .into_iter()
        // Every packet is searched for typos, and the length excludes most names at no cost.
        .filter(|candidate| candidate.chars().count().abs_diff(name.len()) <= limit)
        .map(|candidate| (distance(&name, &folded(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the characters of a name, without case and the difference between `-` and `_`.
fn folded(name: &str) -> Vec<char> {
    name.replace('-', "_").to_lowercase().chars().collect()
}

/// Returns the edit distance.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_an_unrelated_word_finds_none() {
        let known = ["goal", "from_agent", "to_agent", "task_id"];
        assert_eq!(suggest("gaol", known), None);
        assert_eq!(suggest("goals", known), Some("goal"));
        assert_eq!(suggest("from-agent", known), Some("from_agent"));
        assert_eq!(suggest("taskId", known), Some("task_id"));
        assert_eq!(suggest("zzz", known), None);
    }
}
