//! Composes the statements that read and write the rows of a table.

use crate::transfer::tables::{Kind, Scope, Table};

/// Returns the statement that reads a table on SQLite. The last column says whether the checksum
/// matches the row.
pub(super) fn sqlite_select(table: &Table) -> String {
    format!(
        "SELECT {}, checksum = row_checksum({}) FROM {}{}",
        names(table),
        table.checked.join(", "),
        table.name,
        order(table.key)
    )
}

/// Returns the statement that writes a row on SQLite. The parameters are the columns; those of a head
/// follow the id of its project.
pub(super) fn sqlite_insert(table: &Table) -> String {
    let is_head = table.key.is_empty();
    let own = table.columns.iter().map(|column| column.name);
    let columns: Vec<&str> = is_head.then_some("project").into_iter().chain(own).collect();
    let params: Vec<String> =
        columns.iter().enumerate().map(|(at, name)| format!("${} AS {name}", at + 1)).collect();
    let (fixed, value) = if is_head { ("only_row, ", "1, ") } else { ("", "") };
    format!(
        "INSERT OR REPLACE INTO {} ({fixed}{columns}, checksum) \
         SELECT {value}{columns}, row_checksum({}) FROM (SELECT {})",
        table.name,
        table.checked.join(", "),
        params.join(", "),
        columns = columns.join(", "),
    )
}

/// Returns the statement that reads a table on PostgreSQL; `$1` is the project.
pub(super) fn postgres_select(table: &Table) -> String {
    let filter = match table.scope {
        Scope::Exchange => "",
        Scope::Project => " WHERE project = $1",
    };
    format!("SELECT {} FROM {}{filter}{}", names(table), table.name, order(table.key))
}

/// Returns the statement that writes rows on PostgreSQL. The parameters are one list per column; for a
/// table of projects, the project comes first.
pub(super) fn postgres_insert(table: &Table) -> String {
    let is_of_project = table.scope == Scope::Project;
    let first = usize::from(is_of_project);
    let lists: Vec<String> = (first + 1..)
        .zip(table.columns)
        .map(|(at, column)| format!("${at}::{}[]", postgres_type(column.kind)))
        .collect();
    let (project, value) = if is_of_project { ("project, ", "$1::text, ") } else { ("", "") };
    let columns = names(table);
    let key: Vec<&str> =
        is_of_project.then_some("project").into_iter().chain(table.key.iter().copied()).collect();
    format!(
        "INSERT INTO {} ({project}{columns}) SELECT {value}{columns} \
         FROM unnest({}) AS new ({columns}) ON CONFLICT ({}) DO {}",
        table.name,
        lists.join(", "),
        key.join(", "),
        on_conflict(table, &key),
    )
}

/// A row that is already there is replaced: an idle server may have left some.
fn on_conflict(table: &Table, key: &[&str]) -> String {
    let others = table.columns.iter().filter(|column| !key.contains(&column.name));
    let set: Vec<String> = others.map(|one| format!("{0} = excluded.{0}", one.name)).collect();
    if set.is_empty() { "NOTHING".to_owned() } else { format!("UPDATE SET {}", set.join(", ")) }
}

fn postgres_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "bigint",
        Kind::Text => "text",
        Kind::Blob => "bytea",
    }
}

fn names(table: &Table) -> String {
    table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

fn order(key: &[&str]) -> String {
    if key.is_empty() { String::new() } else { format!(" ORDER BY {}", key.join(", ")) }
}
