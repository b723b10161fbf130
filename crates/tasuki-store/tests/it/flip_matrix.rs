//! One changed value in any column of any row is found: by the checks of the store, or by the check
//! of the log.

use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use rusqlite::types::Value;
use rusqlite::{Connection, params};
use serde_json::json;
use tasuki_engine::audit::log_check;
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::model::{
    Directory, EventFilter, Handoff, PartyKind, Principal, Settings, Signing,
};
use tasuki_engine::ports::{
    AccountStore as _, Cursor, Deliveries as _, Delivery, MailCodeRecord, PEOPLE, SessionHash,
    SessionRecord, Store as _, System,
};
use tasuki_engine::query::trail::Trail;
use tasuki_engine::rules::deadlines;
use tasuki_engine::rules::fencing::ClaimProof;
use tasuki_engine::steps::{
    AddParty, AddSubscription, CreateToken, NewChannel, checkpoint, claim, submit,
};
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf::ActorKind;
use tasuki_store::{Depth, SqliteStore};
use tasuki_testkit::samples;

use crate::fixture::{Folder, database_in, now, open};

/// Columns in which a change has no effect.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    // Row numbers, which only order the rows.
    ("directory", "seq"),
    ("idempotency", "seq"),
    // A due time that is too early is corrected when it comes up; one that is too late is found.
    ("handoff", "due_at"),
];

/// Rows of each table that are changed.
const ROWS_MAX: usize = 4;

struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future that another thread completes.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(ThreadWaker(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Commands on a store, in one project.
pub(crate) struct Exchange {
    pub(crate) engine: Engine,
    pub(crate) project: ProjectId,
}

impl Exchange {
    /// Runs a command and returns the fence of the claim, if the response has one.
    fn run(&self, principal: &Principal, command: Command) -> Option<u64> {
        let key = Some("key".to_owned().into());
        let call = Call { project: self.project, principal: principal.clone(), command, key };
        wait(self.engine.run(call)).unwrap().claim.map(|claim| claim.fence)
    }

    pub(crate) fn party(&self, name: &str, kind: PartyKind) -> Principal {
        let operator = Principal::local(PartyId::new(1, [1; 10]), ActorKind::Agent);
        let party = AddParty { name: name.to_owned(), kind: Some(kind), ..AddParty::default() };
        let call = Call {
            project: self.project,
            principal: operator,
            command: Command::AddParty(party),
            key: None,
        };
        let answer = wait(self.engine.run(call)).unwrap();
        Principal::local(answer.party.unwrap().id.parse().unwrap(), kind.actor())
    }

    fn submit(&self, sender: &Principal, task: &str, hold: bool) -> HandoffId {
        let call = self.submission(sender, task, hold);
        wait(self.engine.run(call)).unwrap().handoff.unwrap().id.parse().unwrap()
    }

    pub(crate) fn submission(&self, sender: &Principal, task: &str, hold: bool) -> Call {
        let packet = json!({
            "handoff_version": "1.0", "task_id": task, "to_agent": "ben", "status": "in_progress",
            "goal": format!("Ship {task}"), "completed": [], "remaining": ["test it"],
        });
        let source = packet.to_string().into_bytes();
        let command = Command::Submit(submit::Submit { source, hold, ..Default::default() });
        Call {
            project: self.project,
            principal: sender.clone(),
            command,
            key: Some(task.to_owned().into()),
        }
    }
}

/// Fills a store with rows in every table.
pub(crate) fn fill(store: &Arc<SqliteStore>) -> ProjectId {
    let engine = Engine::start(Arc::clone(store) as _, Arc::new(System), Arc::new(System));
    let project = wait(engine.create_project("default", Settings::default())).unwrap();
    let exchange = Exchange { engine, project };
    let [ana, ben] = ["ana", "ben"].map(|name| exchange.party(name, PartyKind::Agent));
    let person = exchange.party("pia", PartyKind::Human);
    exchange.submit(&ana, "held", true);
    exchange.submit(&ana, "offered", false);
    let id = exchange.submit(&ana, "claimed", false);
    let taken = claim::Claim { handoff: Some(id), ..Default::default() };
    let fence = exchange.run(&ben, Command::Claim(taken)).unwrap();
    let source = json!({
        "handoff_version": "1.0", "packet_type": "checkpoint", "task_id": "claimed",
        "completed": ["Wrote it"],
    });
    let proof = ClaimProof { handoff: id, fence };
    let source = source.to_string().into_bytes();
    exchange.run(
        &ben,
        Command::Checkpoint(checkpoint::Checkpoint { claim: proof, source, work_tree: None }),
    );
    let token = CreateToken { party: "ana".to_owned(), ..Default::default() };
    exchange.run(&person, Command::CreateToken(token));
    let url = "https://example.org/hook".to_owned();
    let channel = NewChannel::Webhook { url, signing: Signing::default() };
    let request =
        AddSubscription { party: "ana".to_owned(), channel, filter: EventFilter::default() };
    exchange.run(&Principal::system(), Command::AddSubscription(request));
    exchange.engine.close();
    fill_other_tables(store, project);
    project
}

/// Adds the rows that no command writes.
fn fill_other_tables(store: &SqliteStore, project: ProjectId) {
    let at = samples::at(1);
    let delivery = Delivery {
        subscription: PEOPLE,
        n: 1,
        at,
        attempt: 1,
        status: Some(200),
        millis: 5,
        response: "ok".to_owned(),
    };
    now(store.put_deliveries(project, Cursor::at(PEOPLE, 2), vec![delivery])).unwrap();
    let seen = vec![(HandoffId::new(1, [1; 10]), 3)];
    now(store.acknowledge(project, PartyId::new(1, [1; 10]), seen)).unwrap();
    now(store.set_person("pia".to_owned(), "hash".to_owned())).unwrap();
    let session = SessionRecord {
        id: SessionHash([7; 32]),
        person: "pia".to_owned(),
        created_at: at,
        last_seen: at,
        expires_at: samples::at(60),
        is_remembered: true,
    };
    now(store.put_session(session)).unwrap();
    now(store.touch_session(SessionHash([7; 32]), samples::at(2))).unwrap();
    let code = MailCodeRecord {
        id: SessionHash([8; 32]),
        project,
        handoff: HandoffId::new(1, [1; 10]),
        person: PartyId::new(1, [1; 10]),
        address: SessionHash([9; 32]),
        receiver: PartyId::new(1, [2; 10]),
        revision: 1,
        digest: "sha256:00".to_owned(),
        created_at: at,
        expires_at: samples::at(60),
    };
    now(store.put_mail_code(code)).unwrap();
    let token = tasuki_packet::id::TokenId::new(1, [1; 10]);
    for second in [1, 2] {
        now(store.note_token_uses(vec![(token, samples::at(second))])).unwrap();
        now(store.beat("one".to_owned(), samples::at(second))).unwrap();
    }
    now(store.search(project, "ship".to_owned(), None, 1)).unwrap();
}

/// Returns everything that is wrong with a store, by all checks.
pub(crate) fn problems(folder: &Path, project: ProjectId) -> Vec<String> {
    let check = || -> Result<Vec<String>, tasuki_engine::error::Fault> {
        let store = tasuki_store::SqliteStore::open(folder, tasuki_store::Options::default())?;
        let directory = Directory::of(project, 1, now(store.directory(project))?)?;
        let due = |handoff: &Handoff| deadlines::due_at(&directory, handoff);
        let mut found = store.inspect(project, Depth::Full, &due)?;
        found.extend(store.inspect_exchange()?);
        let mut found: Vec<String> = found.into_iter().map(|finding| finding.message).collect();
        let listed = now(store.projects())?;
        if listed != [("default".to_owned(), project)] {
            found.push(format!("listed: {listed:?}"));
        }
        let trail = Trail::default();
        let checked = wait(log_check::check(&store, project, 0, &trail, &mut |_, _| ()))?;
        found.extend(checked.problem.map(|problem| problem.what));
        Ok(found)
    };
    check().unwrap_or_else(|fault| vec![fault.message])
}

/// One value of a table: its row, its column and what it is.
struct Cell {
    table: String,
    column: String,
    row: usize,
    value: Value,
}

/// Lists all tables of a database except those of SQLite and of the full-text index, and the marker of an
/// import, which no store in use has.
fn tables(connection: &Connection) -> Vec<String> {
    let text = "SELECT name FROM sqlite_schema WHERE type = 'table'
                   AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'search\\_%' ESCAPE '\\'
                   AND name NOT IN ('search', 'import') OR name = 'search_cursor'";
    let mut statement = connection.prepare(text).unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

fn cells(connection: &Connection) -> Vec<Cell> {
    let mut cells = Vec::new();
    for table in tables(connection) {
        let mut statement = connection
            .prepare(&format!("SELECT * FROM {table} ORDER BY {}", key(connection, &table)))
            .unwrap();
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).unwrap();
        let mut count = 0;
        while let Some(row) = rows.next().unwrap() {
            for (index, column) in columns.iter().enumerate() {
                let value = row.get(index).unwrap();
                let (table, column) = (table.clone(), column.clone());
                cells.push(Cell { table, column, row: count, value });
            }
            count += 1;
        }
        assert!(count > 0, "table `{table}` has no rows, so this shows nothing about it");
    }
    cells
}

/// Returns a value with one bit changed, at a few places of a long one.
fn flips(value: &Value) -> Vec<Value> {
    let places = |length: usize| {
        let mut places = vec![length / 3, length.saturating_sub(1)];
        places.retain(|place| *place < length);
        places.dedup();
        places
    };
    match value {
        Value::Null => Vec::new(),
        Value::Integer(number) => {
            vec![Value::Integer(number ^ 1), Value::Integer(number ^ (1 << 20))]
        }
        Value::Real(number) => vec![Value::Real(number + 1.0)],
        Value::Text(text) => places(text.len())
            .into_iter()
            .filter_map(|place| {
                let mut bytes = text.clone().into_bytes();
                bytes[place] ^= 1;
                String::from_utf8(bytes).ok().map(Value::Text)
            })
            .collect(),
        Value::Blob(bytes) => places(bytes.len())
            .into_iter()
            .map(|place| {
                let mut bytes = bytes.clone();
                bytes[place] ^= 1;
                Value::Blob(bytes)
            })
            .collect(),
    }
}

/// Returns the columns of the primary key.
fn key(connection: &Connection, table: &str) -> String {
    let text = "SELECT group_concat(name) FROM pragma_table_info($1) WHERE pk > 0";
    connection.query_row(text, [table], |row| row.get(0)).unwrap()
}

/// Changes one value. Returns `false` if the database itself refuses it.
fn change(connection: &Connection, cell: &Cell, value: &Value) -> bool {
    let Cell { table, column, row, .. } = cell;
    let key = key(connection, table);
    let text = format!(
        "UPDATE {table} SET {column} = $1
          WHERE ({key}) = (SELECT {key} FROM {table} ORDER BY {key} LIMIT 1 OFFSET {row})"
    );
    connection.execute(&text, params![value]).is_ok_and(|count| count == 1)
}

fn copy(from: &Path, to: &Path, project: ProjectId) {
    let database = database_in(to, project);
    std::fs::create_dir_all(database.parent().unwrap()).unwrap();
    std::fs::copy(from.join("exchange.db"), to.join("exchange.db")).unwrap();
    std::fs::copy(database_in(from, project), database).unwrap();
}

#[test]
fn one_changed_value_anywhere_is_found() {
    let original = Folder::in_memory();
    let store = Arc::new(open(original.path()));
    let project = fill(&store);
    store.empty_wals().unwrap();
    drop(store);
    assert_eq!(problems(original.path(), project), Vec::<String>::new());

    let (mut count, mut unnoticed) = (0, Vec::new());
    for file in ["exchange.db".into(), database_in(Path::new(""), project)] {
        let all = cells(&Connection::open(original.path().join(&file)).unwrap());
        for cell in all {
            if cell.row >= ROWS_MAX
                || WITHOUT_EFFECT.contains(&(cell.table.as_str(), cell.column.as_str()))
            {
                continue;
            }
            for value in flips(&cell.value) {
                let damaged = Folder::in_memory();
                copy(original.path(), damaged.path(), project);
                let connection = Connection::open(damaged.path().join(&file)).unwrap();
                connection.execute_batch("PRAGMA ignore_check_constraints = ON;").unwrap();
                let is_changed = change(&connection, &cell, &value);
                drop(connection);
                if !is_changed {
                    continue;
                }
                count += 1;
                if problems(damaged.path(), project).is_empty() {
                    let Cell { table, column, row, value: before } = &cell;
                    unnoticed.push(format!("{table}.{column}, row {row}: {before:?} to {value:?}"));
                }
            }
        }
    }
    assert!(count > 200, "only {count} changes");
    assert!(unnoticed.is_empty(), "{} of {count}:\n{}", unnoticed.len(), unnoticed.join("\n"));
    println!("{count} changes found");
}
