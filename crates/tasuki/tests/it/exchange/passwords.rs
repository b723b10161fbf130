//! Once a person of a store has a password, what needs a person asks for it, at a terminal.

use crate::support::folder::Folder;
use crate::support::server_process::ServerProcess;
use crate::support::shared_exchange::SharedExchange;

const PASSWORD: &str = "correct horse";

/// An exchange in which `pia` has a password and `quin` has none. Nothing where this machine has no
/// way to make a terminal.
fn protected() -> Option<SharedExchange> {
    let exchange = SharedExchange::new();
    let set = exchange.at_terminal("", "party add pia --human", &[PASSWORD; 2])?;
    assert!(set.contains("Set the password"), "{set}");
    Some(exchange)
}

/// A task that waits for a person.
fn held(exchange: &SharedExchange, task: &str) {
    exchange.run("main", &format!("submit --to worker --task {task} --goal 'Ship it' --hold"));
}

fn state(exchange: &SharedExchange, task: &str) -> String {
    let shown = exchange.json("main", &format!("list --all --task {task}"));
    shown["state"].as_str().unwrap().to_owned()
}

/// A line that must be refused with exit code 4 and a sentence.
fn refused(said: &str, why: &str) {
    assert!(said.contains(why) && said.ends_with("[exit 4]\n"), "{said}");
}

#[test]
fn every_local_decision_asks_for_the_password_of_the_person_who_decides() {
    let Some(exchange) = protected() else { return };
    exchange.run("", "party add other");
    let revised = "handoff_version: \"1.0\"\ntask_id: TASK\nto_agent: worker\n\
                   status: in_progress\ngoal: Ship half\ncompleted: []\nremaining: []\n";
    for (task, line, after) in [
        ("one", "approve one@seen", "offered"),
        ("two", "edit two@seen --file two.yaml --yes", "held"),
        ("three", "reject three -m 'Not now'", "rejected"),
        ("four", "reroute four --to other -m Busy", "held"),
        ("five", "intercept five -m 'I do it'", "claimed"),
        ("six", "cancel six -m 'Not needed'", "cancelled"),
    ] {
        held(&exchange, task);
        std::fs::write(exchange.folder.path("two.yaml"), revised.replace("TASK", task)).unwrap();
        refused(&exchange.says("pia", line), "cannot ask for a password: stdin is not a terminal");
        assert_eq!(state(&exchange, task), "held", "{line}");
        let typed = exchange.at_terminal("pia", line, &[PASSWORD]).unwrap();
        assert!(typed.contains("Password for pia: ") && !typed.contains("[exit "), "{typed}");
        assert_eq!(state(&exchange, task), after, "{line}");
    }
    assert!(exchange.says("main", "log show").contains("password"));
    exchange.run("main", "log check");
}

#[test]
fn a_verdict_of_a_person_asks_and_one_of_an_agent_does_not() {
    let Some(exchange) = protected() else { return };
    for (sender, task) in [("pia", "one"), ("main", "two")] {
        let packet = format!(
            "handoff_version: \"1.0\"\ntask_id: {task}\nto_agent: worker\nstatus: in_progress\n\
             goal: Ship it\ncompleted: []\nremaining: []\nreturn_required: [status]\n"
        );
        std::fs::write(exchange.folder.path("packet.yaml"), packet).unwrap();
        exchange.run(sender, "submit packet.yaml");
        exchange.run("worker", &format!("claim {task} --no-drift"));
        exchange.run("worker", &format!("return {task} --summary Shipped"));
    }
    refused(&exchange.says("pia", "verify one@seen --pass"), "cannot ask for a password");
    exchange.run("main", "verify two@seen --pass");
    assert_eq!(
        (state(&exchange, "one"), state(&exchange, "two")),
        ("returned".into(), "done".into())
    );
}

#[test]
fn a_wrong_password_a_missing_one_and_no_prompt_are_refused() {
    let Some(exchange) = protected() else { return };
    held(&exchange, "one");
    let wrong = exchange.at_terminal("pia", "approve one@seen", &["correct horsf"]).unwrap();
    refused(&wrong, "wrong password [TK-SIGN-IN-WRONG]");
    let without = exchange.at_terminal("quin", "approve one@seen", &[]).unwrap();
    refused(&without, "`quin` has no password");
    assert!(!without.contains("Password for"), "{without}");
    for flag in ["--json", "--no-input"] {
        let said = exchange.at_terminal("pia", &format!("approve one@seen {flag}"), &[]).unwrap();
        refused(&said, "cannot ask for a password: `--json` or `--no-input` is set");
        assert!(!said.contains("Password for"), "{said}");
    }
    assert_eq!(state(&exchange, "one"), "held");
}

#[test]
fn a_new_person_a_first_password_and_a_token_of_a_person_need_a_password() {
    let Some(exchange) = protected() else { return };
    for line in [
        "party add eve --human",
        "party add eve --human --no-password",
        "party add main --human --no-password",
        "token create --as pia",
    ] {
        refused(&exchange.says("", line), "cannot ask for a password");
    }
    let list = exchange.says("", "party list");
    assert!(!list.contains("eve") && !list.contains("main"), "{list}");
    // An agent with a terminal cannot give `quin` a password either.
    let wrong = exchange.at_terminal("", "party add quin --human", &["my own password"]).unwrap();
    refused(&wrong, "wrong password");
    let typed = [PASSWORD, "second horse", "second horse"];
    let added = exchange.at_terminal("", "party add eve --human", &typed).unwrap();
    assert!(added.contains("Password for pia: ") && added.contains("Added eve (human)"), "{added}");
    // With two of them, the command must know who asks.
    let unnamed = exchange.at_terminal("", "party add quin --human", &[]).unwrap();
    refused(&unnamed, "adding a person needs the password of a person");
    let typed = ["second horse", "third horse", "third horse"];
    let set = exchange.at_terminal("eve", "party add quin --human", &typed).unwrap();
    assert!(set.contains("Set the password"), "{set}");
    // A role and an agent need none.
    exchange.run("", "party add role:team --member worker");
    exchange.run("", "token create --as worker -q");
}

#[test]
fn what_is_written_in_the_name_of_a_person_does_not_replace_their_approval() {
    let Some(exchange) = protected() else { return };
    held(&exchange, "one");
    let approved = exchange.at_terminal("pia", "approve one@seen", &[PASSWORD]).unwrap();
    assert!(approved.contains("✓ Approved"), "{approved}");
    exchange.run("worker", "claim one --no-drift");
    exchange.run("worker", "return one --summary Shipped");
    let again = "submit --to worker --task one --goal 'Ship it to PRODUCTION'";
    let said = exchange.says("pia", again);
    assert!(said.contains("the packet changed after a decision"), "{said}");
}

#[test]
fn a_store_without_passwords_says_that_any_process_can_approve() {
    const NOTE: &str = "any process with access to this directory can approve";
    let exchange = SharedExchange::new();
    held(&exchange, "one");
    let ask = "request-approval 'Deploy it' --timeout 0s";
    for line in ["show one", ask] {
        let said = exchange.says("main", line);
        assert!(said.contains(NOTE), "{said}");
    }
    assert!(!exchange.says("main", "show one --json").contains(NOTE));
    exchange.run("pia", "approve one@seen");
    assert!(!exchange.says("main", "show one").contains(NOTE));
    let Some(exchange) = protected() else { return };
    held(&exchange, "one");
    for line in ["show one", ask] {
        let said = exchange.says("main", line);
        assert!(!said.contains(NOTE), "{said}");
    }
}

#[test]
fn an_exchange_that_is_created_at_a_terminal_offers_a_password() {
    let exchange = SharedExchange::new();
    let folder = Folder::outside_repository();
    let init = |line: &[&str], typed: &[&str]| {
        let mut command = folder.command(line);
        exchange.typed(command.env("USER", "ana"), typed)
    };
    let Some(quiet) = init(&["init", "--no-input"], &[]) else { return };
    assert!(!quiet.contains("Name of a person"), "{quiet}");
    std::fs::remove_dir_all(folder.path(".tasuki")).unwrap();
    let typed = ["ana", PASSWORD, PASSWORD];
    let said = init(&["init"], &typed).unwrap();
    assert!(
        said.contains("✓ Added ana (human)") && said.contains("New password for ana"),
        "{said}"
    );
    assert!(!said.contains(PASSWORD), "{said}");
    let again = init(&["init"], &[]).unwrap();
    assert!(again.contains("Nothing changed") && !again.contains("Name of a person"), "{again}");
    let list = folder.stdout(&["party", "list"]);
    assert!(list.contains("ana") && list.contains("human"), "{list}");
}

#[test]
fn a_server_prints_no_sign_in_link_once_a_person_has_a_password() {
    let Some(exchange) = protected() else { return };
    let mut serve = exchange.folder.command(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    serve.env("USER", "pia").stderr(std::process::Stdio::null());
    let server = ServerProcess::spawn(serve);
    assert_eq!(server.link, None);
}
