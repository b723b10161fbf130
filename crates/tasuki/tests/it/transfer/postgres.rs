//! A move to PostgreSQL and back with the commands.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::fixture::Fixture;
use crate::support::folder::Folder;

/// Returns the address of a schema that no other test uses.
#[expect(clippy::disallowed_methods, reason = "tests have no other configuration")]
fn database(name: &str) -> String {
    let database = std::env::var("TASUKI_TEST_POSTGRES").expect(
        "these tests need PostgreSQL: run them with `scripts/with-postgres cargo nextest run`, \
         or leave them out with `cargo nextest run -E 'not test(postgres::)'`",
    );
    let separator = if database.contains('?') { '&' } else { '?' };
    let now = jiff::Timestamp::now().as_nanosecond();
    format!("{database}{separator}schema=move_{name}_{}_{now}", std::process::id())
}

fn on(fixture: &Fixture, url: &str, line: &str) -> (bool, String) {
    let mut command = fixture.command(line);
    command.env("TASUKI_STORE", url).env("XDG_STATE_HOME", fixture.folder.path("state"));
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn an_exchange_moves_there_works_there_and_comes_back() {
    let fixture = Fixture::with_work();
    let url = database("there");
    fixture.run("export exchange.jsonl");
    for line in
        ["import exchange.jsonl", "log check", "doctor", "claim draft --as coder --no-drift"]
    {
        let (is_done, said) = on(&fixture, &url, line);
        assert!(is_done, "{line}: {said}");
    }
    let (is_done, said) = on(&fixture, &url, "import exchange.jsonl");
    assert!(!is_done && said.contains("the store is not empty [TK-STORE-TAKEN]"), "{said}");
    assert!(on(&fixture, &url, "export back.jsonl").0);
    let target = Fixture { folder: Folder::outside_repository() };
    target.write("back.jsonl", &fixture.folder.read("back.jsonl"));
    target.run("import back.jsonl");
    assert_eq!(target.stdout("log show"), on(&fixture, &url, "log show").1);
    assert_eq!(target.objects("events --type handoff.claimed").len(), 2);
}

/// Stands still in the middle of an import, which is killed there.
#[test]
fn a_killed_import_continues() {
    let fixture = Fixture::with_work();
    let url = database("killed");
    fixture.run("export exchange.jsonl");
    let file = fixture.folder.read("exchange.jsonl");
    let mut command = fixture.command("import -");
    command.env("TASUKI_STORE", &url).env("XDG_STATE_HOME", fixture.folder.path("state"));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&file.as_bytes()[..file.len() / 2]).unwrap();
    let unfinished = "an import into this store is not finished";
    let began = Instant::now();
    while !on(&fixture, &url, "list").1.contains(unfinished) {
        assert!(began.elapsed() < Duration::from_mins(1), "the import did not begin");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(on(&fixture, &url, "list").1.contains(unfinished));
    let (is_done, said) = on(&fixture, &url, "import exchange.jsonl");
    assert!(is_done, "{said}");
    assert_eq!(fixture.stdout("log show"), on(&fixture, &url, "log show").1);
}
