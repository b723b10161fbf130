//! Tokens: created, listed, revoked, and nowhere to be found.

use std::path::Path;

use insta::assert_snapshot;
use tasuki_packet::credential::Credential;

use crate::support::fixture::Fixture;
use crate::support::folder::Folder;
use crate::support::server_process::ServerProcess;

/// The text of a new token.
fn created(fixture: &Fixture, line: &str) -> String {
    fixture.stdout(line).trim_end().to_owned()
}

#[test]
fn a_token_is_the_only_thing_on_stdout() {
    let fixture = Fixture::new();
    let text = fixture.stdout("token create --as hermes-main");
    let token: Credential = text.strip_suffix('\n').unwrap().parse().unwrap();
    assert_eq!(token.kind.as_str(), "agent");
    let body = &fixture.objects("token create --as hermes-main --scope read --for 1h")[0];
    assert_eq!(body["token"]["scopes"], serde_json::json!(["read"]));
    assert!(body["token"]["text"].as_str().unwrap().parse::<Credential>().is_ok());
}

#[test]
fn tokens_are_listed_and_revoked_by_the_digits_in_their_text() {
    let fixture = Fixture::new();
    fixture.run("party add ana --human --no-password");
    let text = created(&fixture, "token create --as hermes-main --name 'the build'");
    created(&fixture, "token create --as ana --for 2h --from 10.0.0.0/8");
    let digits = text.parse::<Credential>().unwrap().token_ending;
    let revoke = format!("token revoke {digits}");
    let said = fixture.play(&["token list", &revoke, "token revoke ffffffff", "token list"]);
    assert_snapshot!(said.replace(&digits, "[digits]"), @"
    $ token list
    ID  PARTY  SCOPES  FROM  EXPIRES  LAST USED  NAME
    [token]  hermes-main  submit,receive,read,verify  anywhere  in 30 d  never  the build
    [token]  ana  submit,receive,read,decide,verify  10.0.0.0/8  in 2 h  never

    $ token revoke [digits]
    ✓ Revoked [token] of hermes-main

    $ token revoke ffffffff
    error: unknown token `ffffffff` [TK-TOKEN-UNKNOWN]
      hint: `tasuki token list` lists the tokens of this project
    [exit 5]

    $ token list
    ID  PARTY  SCOPES  FROM  EXPIRES  LAST USED  NAME
    [token]  hermes-main  submit,receive,read,verify  anywhere  revoked [n] s ago  never  the build
    [token]  ana  submit,receive,read,decide,verify  10.0.0.0/8  in 2 h  never
    ");
    assert!(fixture.says(&format!("{revoke} --json")).contains("\"repeated\":true"));
    assert_snapshot!(fixture.says("log check"), @"
    $ log check
    ✓ The log is intact: 6 entries and 0 documents ([n] s), head [hash]
    ");
}

#[test]
fn what_a_token_cannot_be_is_said() {
    let fixture = Fixture::new();
    fixture.run("party add role:team");
    let said = fixture.play(&[
        "token list",
        "token create",
        "token create --as role:team",
        "token create --as hermes-main --scope write",
        "token create --as hermes-main --scope read,decide",
        "token create --as hermes-main --for 91d",
        "token create --as hermes-main --from 10.1.2.3/8",
    ]);
    assert_snapshot!(said, @"
    $ token list
    No tokens yet. Next: tasuki token create --as NAME

    $ token create
    error: no identity given
      hint: use `--as NAME`, or set `TASUKI_AS`
    [exit 4]

    $ token create --as role:team
    error: `role:team` is a role, and a role cannot act
      hint: name one of its members with `--as`
    [exit 2]

    $ token create --as hermes-main --scope write
    error: invalid value 'write' for '--scope <SCOPES>': must be one of submit, receive, read, decide, verify, admin

    For more information, try '--help'.
    [exit 2]

    $ token create --as hermes-main --scope read,decide
    Registered hermes-main as an agent (use `tasuki party add NAME --human` for a person).
    error: `hermes-main` is an agent; only people can decide [TK-ARGUMENT-INVALID]
      hint: remove the scope `decide`
    [exit 3]

    $ token create --as hermes-main --for 91d
    error: the lifetime of a token must be 1m to 90d, not 91d [TK-ARGUMENT-INVALID]
      hint: create a new token before the old one expires
    [exit 3]

    $ token create --as hermes-main --from 10.1.2.3/8
    error: invalid value '10.1.2.3/8' for '--from <NETWORK>': `10.1.2.3/8` has host bits set; did you mean `10.0.0.0/8`?

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn no_secret_is_in_any_file_of_the_store() {
    let fixture = Fixture::new();
    let tokens: Vec<String> =
        (0..5).map(|_| created(&fixture, "token create --as hermes-main")).collect();
    let backup = fixture.folder.path("copy").display().to_string();
    fixture.run(&format!("backup {backup}"));
    let files = [fixture.folder.path(".tasuki"), fixture.folder.path("copy")];
    let bytes: Vec<Vec<u8>> = files.iter().flat_map(|path| contents(path)).collect();
    let holds = |text: &str| {
        bytes.iter().any(|file| file.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    assert!(holds("hermes-main"), "the search finds what is there");
    for token in tokens {
        assert!(!holds(token.parse::<Credential>().unwrap().secret()));
    }
}

/// A file, or every file below a folder.
fn contents(path: &Path) -> Vec<Vec<u8>> {
    if path.is_file() {
        return vec![std::fs::read(path).unwrap()];
    }
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| contents(&path)).collect()
}

/// A backup knows nothing of later revocations, and a token is revoked for a reason.
#[test]
fn a_token_that_was_revoked_after_the_backup_stays_revoked() {
    let fixture = Fixture::new();
    let [early, late] =
        ["one", "two"].map(|name| created(&fixture, &format!("token create --as {name}")));
    let digits = |text: &str| text.parse::<Credential>().unwrap().token_ending;
    fixture.run(&format!("token revoke {}", digits(&early)));
    fixture.run("backup copy.db");
    fixture.run(&format!("token revoke {}", digits(&late)));
    let said = fixture.stdout("restore copy.db --force");
    assert_eq!(said.matches("was revoked after the backup and stays revoked").count(), 1, "{said}");
    assert!(said.contains(&digits(&late)), "{said}");
    assert_eq!(fixture.stdout("token ls").matches("revoked").count(), 2);
    assert_eq!(fixture.exit("log check"), 0);
    let again = fixture.stdout("restore copy.db --force --json");
    assert!(again.contains("\"revoked\":true"), "{again}");
}

#[test]
fn a_token_of_a_new_project_works_at_once_on_every_server() {
    let (fixture, client_dir) = (Fixture::new(), Folder::outside_repository());
    let servers = [ServerProcess::start(&fixture.folder), ServerProcess::start(&fixture.folder)];
    let lists = |token: &str| {
        for server in &servers {
            let output = server.client_command(&client_dir, token, "list").output().unwrap();
            assert!(output.status.success(), "{}", client_dir.shown(&output));
        }
    };
    let token = created(&fixture, "token create --as coder");
    for number in 0..2 {
        // Both servers have just read which projects there are.
        lists(&token);
        fixture.run(&format!("init --project new-{number}"));
        lists(&created(&fixture, &format!("token create --as coder --project new-{number}")));
    }
}
