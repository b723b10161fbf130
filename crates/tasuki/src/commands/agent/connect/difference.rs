//! A change of a file as people see it: added and removed lines, with a line around them.

use crate::output::escape::escape;
use crate::output::printer::{BAD, GOOD};

/// LIMIT: lines in the middle of a file that are compared; more are shown as replaced.
const LINES_MAX: usize = 2_000;

/// Returns the changed lines, marked with `+` and `-`.
pub(super) fn lines(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other);
    let tail = tail.count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut text = String::new();
    for (mark, line) in merged(old, new) {
        let line = escape(line);
        match mark {
            '+' => text.push_str(&format!("  {GOOD}+ {line}{GOOD:#}\n")),
            '-' => text.push_str(&format!("  {BAD}- {line}{BAD:#}\n")),
            _ => text.push_str(&format!("    {line}\n")),
        }
    }
    text
}

/// Returns the lines of both texts: those of both, of the first and of the second.
fn merged<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    if old.len() * new.len() > LINES_MAX * LINES_MAX {
        let gone = old.iter().map(|line| ('-', *line));
        return gone.chain(new.iter().map(|line| ('+', *line))).collect();
    }
    // common[i][j] is the length of the longest common part of old[i..] and new[j..].
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j < new.len() && (i == old.len() || common[i][j + 1] > common[i + 1][j]) {
            lines.push(('+', new[j]));
            j += 1;
        } else {
            lines.push(('-', old[i]));
            i += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_are_marked() {
        let shown = lines("a\nb\nc\nd\n", "a\nx\nb\nd\n");
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), "  + x\n    b\n  - c\n");
        assert_eq!(lines("a\n", "a\n"), "");
    }
}
