//! A hostile `tasuki.toml` and plain http: the token stays here until the user trusts the origin.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use insta::assert_snapshot;

use crate::support::folder::Folder;

const TOKEN: &str = "tasuki_agent_canary";

/// A project that a stranger wrote, and the user who works in it.
struct Project {
    folder: Folder,
    user: Folder,
}

impl Project {
    fn naming(url: &str) -> Self {
        let folder = Folder::outside_repository();
        let folder = folder.with("tasuki.toml", format!("url = \"{url}\"\n"));
        Self { folder, user: Folder::outside_repository() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.folder.command(arguments);
        command.env("TASUKI_TOKEN", TOKEN).env("HOME", self.user.path(""));
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        self.shown(&mut self.command(arguments))
    }

    fn shown(&self, command: &mut Command) -> String {
        let shown = self.folder.shown(&command.output().unwrap());
        shown.replace(self.user.path("").display().to_string().trim_end_matches('/'), "[USER]")
    }
}

/// A listener that must not hear anything, with its address.
fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    (listener, address)
}

/// Reads one request and refuses it.
fn refuse(mut connection: TcpStream) -> String {
    connection.set_nonblocking(false).unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && connection.read(&mut byte).unwrap() == 1 {
        head.push(byte[0]);
    }
    let refusal = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    connection.write_all(refusal.as_bytes()).unwrap();
    String::from_utf8(head).unwrap()
}

#[test]
fn a_server_that_a_project_names_receives_no_token_before_it_is_trusted() {
    let (listener, address) = listener();
    let project = Project::naming(&address);
    for line in [&["inbox"][..], &["ls"], &["claim"], &["show", "x"], &["token", "ls"], &["stats"]]
    {
        let said = project.run(line);
        assert!(said.starts_with("exit 4"), "{line:?}: {said}");
        assert!(said.contains("is not trusted") && !said.contains(TOKEN), "{line:?}: {said}");
    }
    assert!(listener.accept().is_err(), "nothing has connected");
    let said = project.run(&["inbox"]).replace(&address, "[SERVER]");
    assert_snapshot!(said, @"
    exit 4
    --- stderr
    error: the server [SERVER] is not trusted; [DIR]/tasuki.toml:1 names it
      hint: if it is your server, run `tasuki trust [SERVER]`; it will receive your token
    ");
}

#[test]
fn a_trusted_origin_receives_the_token_until_the_trust_is_withdrawn() {
    let (listener, address) = listener();
    let project = Project::naming(&address);
    assert_snapshot!(project.run(&["trust", &address]).replace(&address, "[SERVER]"), @"
    exit 0
    --- stderr
    ✓ Trusted [SERVER] in [USER]/.config/tasuki/trusted-origins.
    ");
    listener.set_nonblocking(false).unwrap();
    let heard = std::thread::spawn(move || {
        let request = refuse(listener.accept().unwrap().0);
        (request, listener)
    });
    project.run(&["inbox"]);
    let (request, listener) = heard.join().unwrap();
    assert!(request.contains(TOKEN), "{request}");

    assert_snapshot!(project.run(&["trust"]).replace(&address, "[SERVER]"), @"
    exit 0
    --- stdout
    [SERVER]
    ");
    assert_snapshot!(project.run(&["trust", "--json"]).replace(&address, "[SERVER]"), @r#"
    exit 0
    --- stdout
    {"origin":"[SERVER]","trusted":true}
    "#);
    assert_snapshot!(project.run(&["trust", "--remove", &address]).replace(&address, "[SERVER]"), @"
    exit 0
    --- stderr
    ✓ Removed [SERVER].
    ");
    listener.set_nonblocking(true).unwrap();
    assert!(project.run(&["inbox"]).contains("is not trusted"));
    assert!(listener.accept().is_err(), "nothing has connected");
}

#[test]
fn a_project_cannot_trust_itself() {
    let (listener, address) = listener();
    let project = Project::naming(&address);
    for folder in ["tasuki", ".config/tasuki", "."] {
        let path = project.folder.path(folder);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("trusted-origins"), format!("{address}\n")).unwrap();
    }
    assert!(project.run(&["inbox"]).contains("is not trusted"));
    // A relative path would be resolved inside the project.
    let said = project.shown(project.command(&["inbox"]).env("XDG_CONFIG_HOME", ".config"));
    assert!(said.contains("is not trusted"), "{said}");
    assert!(listener.accept().is_err(), "nothing has connected");
}

#[test]
fn an_address_of_the_user_needs_no_trust() {
    let (listener, address) = listener();
    let project = Project::naming("https://evil.example");
    listener.set_nonblocking(false).unwrap();
    let heard = std::thread::spawn(move || refuse(listener.accept().unwrap().0));
    project.run(&["inbox", "--server", &address]);
    assert!(heard.join().unwrap().contains(TOKEN));
}

#[test]
fn plain_http_to_another_machine_is_refused() {
    let project = Project::naming("https://evil.example");
    let mut command = project.command(&["inbox"]);
    let said = project.shown(command.env("TASUKI_URL", "http://tasuki.invalid:7420"));
    assert_snapshot!(said, @"
    exit 4
    --- stderr
    error: plain http to another machine exposes the token: http://tasuki.invalid:7420
      hint: use https, or allow it by name: `tasuki trust http://tasuki.invalid:7420`
    ");
    assert_snapshot!(project.run(&["trust", "http://tasuki.invalid:7420"]), @"
    exit 0
    --- stderr
    ✓ Trusted http://tasuki.invalid:7420 in [USER]/.config/tasuki/trusted-origins.
    Plain http: the token and the packets can be read on the way.
    ");
    let mut command = project.command(&["inbox"]);
    let said = project.shown(command.env("TASUKI_URL", "http://tasuki.invalid:7420"));
    assert!(said.starts_with("exit 7"), "{said}");
}

#[test]
fn an_address_that_would_be_a_command_is_never_suggested() {
    for url in ["https://x;id", "https://$(id)", "https://`id`", "https://x|id"] {
        let said = Project::naming(url).run(&["inbox"]);
        assert!(said.contains("is not a valid server address"), "{said}");
        assert!(!said.contains("tasuki trust"), "{said}");
    }
}
