//! Fills a store on PostgreSQL. A page and the marker are one transaction.

use tasuki_engine::error::{Error, Fault};
use tasuki_engine::ports::Store;
use tokio_postgres::types::{ToSql, Type};

use crate::postgres::connection::pool::OpenTransaction;
use crate::postgres::connection::{Connection, Param};
use crate::postgres::{PostgresStore, statements};
use crate::row;
use crate::row::integer;
use crate::transfer::page::{Cell, Cells, Page};
use crate::transfer::statements::postgres_insert;
use crate::transfer::tables::{Kind, PROJECT, Table};
use crate::transfer::target::{Target, moved_elsewhere, resume};

impl Target for PostgresStore {
    fn begin(&mut self, file: &str) -> Result<u64, Error> {
        let file = file.to_owned();
        let begun = self.wait(|connection| async move {
            let open = OpenTransaction::begin(connection).await?;
            open.run(&statements::PROJECT_IMPORT_LOCK_PROJECTS, &[]).await?;
            let unfinished = open.first(&statements::PROJECT_IMPORT_LOAD, &[], row::import).await?;
            let projects = open.first(&statements::PROJECT_LIST, &[], row::project).await?;
            let people = open.first(&statements::PERSON_SCAN, &[], row::person_name).await?;
            match resume(unfinished, &file, projects.is_none() && people.is_none()) {
                Ok(Some(line)) => Ok(Ok(line)),
                Ok(None) => {
                    open.run(&statements::PROJECT_IMPORT_INSERT, &[&file]).await?;
                    open.commit().await?;
                    Ok(Ok(0))
                }
                Err(refusal) => Ok(Err(refusal)),
            }
        })?;
        Ok(begun?)
    }

    fn write(&mut self, page: Page) -> Result<(), Fault> {
        self.wait(|connection| async move {
            let open = OpenTransaction::begin(connection).await?;
            let lines: [Param<'_>; 2] = [&integer(page.last), &integer(page.after)];
            if open.run(&statements::PROJECT_IMPORT_ADVANCE, &lines).await? != 1 {
                return Err(moved_elsewhere());
            }
            for chunk in &page.chunks {
                write_rows(&open, chunk.table, chunk.project.as_deref(), &chunk.rows).await?;
            }
            open.commit().await
        })
    }

    fn finish(&mut self, projects: Vec<Cells>, line: u64) -> Result<(), Fault> {
        self.wait(|connection| async move {
            let open = OpenTransaction::begin(connection).await?;
            if open.run(&statements::PROJECT_IMPORT_DELETE, &[&integer(line)]).await? != 1 {
                return Err(moved_elsewhere());
            }
            if let Some(table) = Table::named(PROJECT) {
                write_rows(&open, table, None, &projects).await?;
            }
            open.commit().await
        })
    }

    fn store(&self) -> &dyn Store {
        self
    }
}

/// The values of one column.
enum List<'c> {
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<&'c str>>),
    Blobs(Vec<Option<&'c [u8]>>),
}

async fn write_rows(
    connection: &Connection,
    table: &Table,
    project: Option<&str>,
    rows: &[Cells],
) -> Result<(), Fault> {
    let lists: Vec<List<'_>> = table
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| List::of(column.kind, rows.iter().map(|cells| &cells[at])))
        .collect();
    let own = project.iter().map(|project| (project as Param<'_>, Type::TEXT));
    let params: Vec<(Param<'_>, Type)> = own.chain(lists.iter().map(List::param)).collect();
    connection.composed(table.name, &postgres_insert(table), &params).await.map(drop)
}

impl<'c> List<'c> {
    fn of(kind: Kind, cells: impl Iterator<Item = &'c Cell>) -> Self {
        match kind {
            Kind::Integer => Self::Integers(
                cells
                    .map(|one| if let Cell::Integer(one) = one { Some(*one) } else { None })
                    .collect(),
            ),
            Kind::Text => Self::Texts(
                cells
                    .map(|one| if let Cell::Text(one) = one { Some(&one[..]) } else { None })
                    .collect(),
            ),
            Kind::Blob => Self::Blobs(
                cells
                    .map(|one| if let Cell::Blob(one) = one { Some(&one[..]) } else { None })
                    .collect(),
            ),
        }
    }

    fn param(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Self::Integers(list) => (list, Type::INT8_ARRAY),
            Self::Texts(list) => (list, Type::TEXT_ARRAY),
            Self::Blobs(list) => (list, Type::BYTEA_ARRAY),
        }
    }
}
