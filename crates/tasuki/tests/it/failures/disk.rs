//! A disk that fails or is full: refused with a clear error, nothing acknowledged that is not there,
//! and everything works again afterwards.
//!
//! Errors are injected into each single call that a submit makes. A disk that is really full is a
//! small file system in memory; a limit on the size of files needs no mount.

use std::process::Command;

use super::exchange::{Event, Exchange, words};
use super::mounts::{SMALL_DISK, own_mounts, script};
use super::trace::{Trace, traced};
use crate::support::folder::Folder;
use crate::support::http::HttpServer;
use crate::support::server_process::ServerProcess;

/// The codes of a full disk: nothing has happened.
const FULL: &[&str] = &["TK-STORE-FULL"];

/// The codes of a failing disk. After a failed sync it is unknown whether the bytes arrived. The driver does
/// not report why the WAL index could not grow; most often there was no space.
const FAILING: &[&str] = &["TK-STORE-IO", "TK-OUTCOME-UNKNOWN", "TK-STORE-FULL"];

#[test]
fn an_error_in_any_single_write_is_refused_or_overcome() {
    inject("pwrite64", "EIO");
}

#[test]
fn a_full_disk_in_any_single_write_is_refused_or_overcome() {
    inject("pwrite64", "ENOSPC");
}

#[test]
fn an_error_in_any_single_sync_is_refused_or_overcome() {
    inject("fsync", "EIO");
    inject("fdatasync", "EIO");
    inject("ftruncate", "EIO");
}

/// Lets the first, second, ... call of a submit fail, until none of its calls does.
fn inject(call: &str, error: &str) {
    let exchange = Exchange::new();
    let Some(calls) = calls(&exchange, call) else { return };
    let codes = if error == "ENOSPC" { FULL } else { FAILING };
    let mut refused = 0;
    for number in 1..=calls {
        let task = format!("{call}-{error}-{number}");
        let injection = format!("inject={call}:error={error}:when={number}");
        let options = ["-e", &format!("trace={call}"), "-e", &injection];
        let line =
            format!("submit --as ana --to ben --goal Ship --task {task} --key {task} --json");
        let Some((mut command, _)) = traced(&exchange, &options, &words(&line)) else { return };
        let output = command.output().unwrap();
        let shown = exchange.folder.shown(&output);
        match output.status.code() {
            Some(0) => {}
            Some(7) => {
                refused += 1;
                assert!(codes.iter().any(|code| shown.contains(code)), "{injection}: {shown}");
                assert!(output.stdout.is_empty(), "{injection} was answered: {shown}");
            }
            _ => panic!("{injection}: {shown}"),
        }
        let again = exchange.succeed(&words(&line));
        if output.status.success() {
            assert_eq!(id(&again), id(&String::from_utf8_lossy(&output.stdout)), "{injection}");
        }
        exchange.check_log();
    }
    // Whatever was refused came back with its key, and nothing twice.
    let events = exchange.events();
    let submitted = events.iter().filter(|event| event.word() == "submitted");
    let mut tasks: Vec<&str> = submitted.map(Event::task).collect();
    assert_eq!(tasks.len(), calls + 1, "{tasks:?}");
    tasks.sort_unstable();
    tasks.dedup();
    assert_eq!(tasks.len(), calls + 1);
    assert!(calls == 0 || refused > 0, "no injection of {error} into {call} had any effect");
}

/// How often a submit makes this call, at most.
fn calls(exchange: &Exchange, call: &str) -> Option<usize> {
    let line = "submit --as ana --to ben --goal Ship --task first";
    let options = ["-e", &format!("trace={call}")];
    let (mut command, trace) = traced(exchange, &options, &words(line))?;
    assert!(command.output().unwrap().status.success());
    Some(Trace::read(&std::fs::read_to_string(trace).unwrap()).count(call))
}

/// The handoff in an answer.
fn id(answer: &str) -> String {
    let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
    answer["handoff"]["id"].as_str().unwrap().to_owned()
}

/// Submits until it is refused, makes space, and submits what was refused again.
///
/// The shell lines that make the disk small come before; `$tool` is the tool. The folder is its own
/// repository, as in [`Exchange::new`].
const FILL: &str = r#"
mkdir -p .git && touch .git/HEAD && "$tool" init -q && "$tool" party add ana -q && "$tool" party add ben -q || exit 90
"$tool" submit --as ana --to ben --goal Ship --task before || exit 91
fill
"$tool" submit --as ana --to ben --goal Ship --task during
code=$?
echo "refused with $code"
free
"$tool" submit --as ana --to ben --goal Ship --task during || exit 92
"$tool" log check || exit 93
"$tool" events --json --type submitted | wc -l
"#;

fn shell(folder: &Folder, program: &[&str], preparation: &str) -> std::process::Output {
    let script = format!("{preparation}\n{FILL}");
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(["sh", "-c", &script]).current_dir(folder.path(""));
    command.env("tool", folder.command(&[]).get_program()).output().unwrap()
}

fn check_refused_and_recovered(folder: &Folder, output: &std::process::Output) {
    let shown = folder.shown(output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("refused with 7\n"), "{shown}");
    assert!(FULL.iter().any(|code| shown.contains(code)), "{shown}");
    assert!(shown.contains("The log is intact") && shown.contains("\n2\n"), "{shown}");
}

#[test]
fn a_disk_that_is_full_refuses_and_works_again_when_space_is_back() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("small")).unwrap();
    let Some(program) = own_mounts(&folder, SMALL_DISK) else { return };
    let preparation = format!(
        "{SMALL_DISK} && cd small || exit 89\n\
         fill() {{ cat /dev/zero > zeros 2>/dev/null; }}\n\
         free() {{ rm zeros; }}"
    );
    check_refused_and_recovered(&folder, &shell(&folder, program, &preparation));
}

#[test]
fn a_disk_that_is_full_has_no_room_for_a_place_either() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("small")).unwrap();
    let Some(program) = own_mounts(&folder, SMALL_DISK) else { return };
    // A repository of its own: what is above must not be found in its place.
    let text = format!(
        "{SMALL_DISK} && cd small && mkdir .git && touch .git/HEAD || exit 89\n\
         cat /dev/zero > zeros 2>/dev/null\n\"$tool\" init"
    );
    let output = script(&folder, program, &text).output().unwrap();
    let shown = folder.shown(&output);
    assert!(output.status.code() == Some(7) && shown.contains(FULL[0]), "{shown}");
}

#[test]
fn a_limit_on_file_sizes_refuses_and_works_again_without_it() {
    // The limit is in blocks of 512 bytes, or 1,024 where `sh` is `bash`: below a page either way. The
    // signal that comes with it would end the tool before it could say anything.
    let preparation =
        "trap '' XFSZ\nfill() { ulimit -S -f 2; }\nfree() { ulimit -S -f unlimited; }";
    let folder = Folder::new();
    check_refused_and_recovered(&folder, &shell(&folder, &["env"], preparation));
}

/// A server in a mount namespace of its own, whose disk is filled and freed through `/proc`.
#[test]
fn a_server_is_not_ready_while_its_disk_is_full() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("small")).unwrap();
    let Some(program) = own_mounts(&folder, SMALL_DISK) else { return };
    let text = format!(
        "{SMALL_DISK} && cd small && mkdir .git && touch .git/HEAD || exit 89\n\
         exec \"$tool\" serve --json --listen 127.0.0.1:0"
    );
    let mut command = script(&folder, program, &text);
    command.env("USER", "op");
    let server = ServerProcess::spawn(command);
    let disk = format!("/proc/{}/root{}", server.child.id(), folder.path("small").display());
    let server = HttpServer::of(&folder, server);
    let ready = || server.request("GET /readyz", &[], "");
    assert_eq!(ready().status, 200);

    let zeros = format!("{disk}/zeros");
    drop(std::fs::write(&zeros, vec![0; 4 << 20]));
    let full = ready();
    assert_eq!(full.status, 503, "{}", full.body);
    assert!(full.body.contains("TK-STORE-FULL"), "{}", full.body);
    assert_eq!(server.request("GET /healthz", &[], "").status, 200, "it is alive");
    std::fs::remove_file(zeros).unwrap();
    assert_eq!(ready().status, 200);
}
