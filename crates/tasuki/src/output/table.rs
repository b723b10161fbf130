//! Formats tables for people.

use super::printer::FAINT;
use super::width::{pad, width};

/// Formats rows with columns as wide as their widest cell; the first row is the heading.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let widest =
        |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or_default();
    let widths: Vec<usize> = (0..N).map(widest).collect();
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| pad(cell, *width));
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        match at {
            0 => text.push_str(&format!("{FAINT}{line}{FAINT:#}\n")),
            _ => text.push_str(&format!("{line}\n")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_in_every_script() {
        let rows = [["GOAL", "STATE"], ["出荷する🚚", "held"], ["Ship it", "done"]];
        let text = columns(&rows.map(|row| row.map(str::to_owned)));
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(text, "GOAL        STATE\n出荷する🚚  held\nShip it     done\n");
    }
}
