//! Help, completions, manual pages, and errors of usage.

use insta::assert_snapshot;

use crate::support::folder::Folder;

/// Help has lines of blanks, which an editor would remove.
fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn the_first_page_has_a_quick_start_and_the_commands_by_group() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["--help"]), @"");
    for line in [&["help"][..], &["-h"]] {
        assert_eq!(folder.run(line), folder.run(&["--help"]));
    }
    let bare = folder.command(&[]).output().unwrap();
    let page = folder.stdout(&["--help"]);
    assert_eq!(String::from_utf8(bare.stderr).unwrap(), page);
    assert_snapshot!(folder.run(&["--version"]), @"
    exit 0
    --- stdout
    tasuki 0.1.0
    ");
}

#[test]
fn every_command_has_a_summary_in_its_group() {
    assert_snapshot!(Folder::new().run(&["help", "--all"]), @"");
}

#[test]
fn common_options_are_a_topic() {
    assert_snapshot!(trimmed(&Folder::new().run(&["help", "options"])), @"");
}

#[test]
fn approve_and_list_have_the_names_of_the_api_as_aliases() {
    let folder = Folder::new();
    for (name, alias) in [("approve", "accept"), ("list", "ls")] {
        assert_eq!(folder.stdout(&["help", alias]), folder.stdout(&["help", name]));
    }
}

#[test]
fn subscription_explains_itself() {
    let folder = Folder::new();
    assert_snapshot!(trimmed(&folder.run(&["subscription", "-h"])), @"
    exit 0
    --- stdout
    Let somebody be told of events, by webhook or by mail

    Usage: tasuki subscription [OPTIONS] <COMMAND>

    Commands:
      add         Add a subscription, and print the secret of a webhook, once
      ls          List the subscriptions of the project, without their secrets
      show        Print what is known of one subscription
      deliveries  List the last attempts to deliver, newest first
      test        Send a message that says nothing, and print what the receiver said to it
      replay      Deliver a range of events again, in order, each with the id that it had
      rotate      Give a webhook a new secret, and print it, once
      disable     Let a subscription wait until it is enabled again
      enable      Let a subscription go on where it stood
      remove      Remove a subscription, with its address, its secrets and its deliveries [alias: rm]

    Options:
      -h, --help  Print help (see more with '--help')

    Options of every command:
          --json            Print JSON on stdout, one object per line
          --fields <NAMES>  Print JSON with only these fields, separated by commas
          --color <WHEN>    When to colour the output [default: auto] [possible values: auto, always,
                            never]
      -q, --quiet           Print results only, no remarks
    ");
}

#[test]
fn adding_a_subscription_explains_itself() {
    let folder = Folder::new();
    assert_snapshot!(trimmed(&folder.run(&["subscription", "add", "-h"])), @"
    exit 0
    --- stdout
    Add a subscription, and print the secret of a webhook, once

    Usage: tasuki subscription add [OPTIONS] <--url <URL>|--email <ADDRESS>>

    Options:
          --url <URL>            Tell by a signed request to this address
          --signing <SIGNING>    How requests are signed [default: shared] [possible values: shared,
                                 key-pair]
          --email <ADDRESS>      Tell by mail to this address
          --for <PARTY>          Who is told; you, unless said
          --type <TYPE>          Only of this type, such as handoff.claimed or claimed; may be given
                                 more than once
          --task <ID>            Only of this task
          --handoff <ID>         Only of this handoff
          --party <PARTY>        Only by, from or to this party
          --sender <PARTY>       Only from this party
          --receiver <PARTY>     Only to this party
          --actor <PARTY>        Only done by this party, `clock` or `system`
          --contract <CONTRACT>  Only under this contract, or this version of it
          --state <STATE>        Only what leaves the handoff in this state
          --before <STATE>       Only what found the handoff in this state
          --trigger <TRIGGER>    Only with this trigger
          --risk <RISK>          Only with this risk [possible values: low, medium, high]
          --reason <TEXT>        Only with a reason that has this text in it, in any case
          --earliest <TIME>      Only from this instant on, such as 2026-11-16T09:00:00Z
          --latest <TIME>        Only up to this instant
      -h, --help                 Print help (see more with '--help')

    Options for the exchange:
          --as <PARTY>            Act as this party [variable: `TASUKI_AS`]
          --project <NAME>        Work in this project [variable: `TASUKI_PROJECT`]
          --server <URL>          Talk to this server instead of the nearest `.tasuki/` [variable:
                                  `TASUKI_URL`]
          --time-format <FORMAT>  How to print times: `human` or `iso8601`

    Options of every command:
          --json            Print JSON on stdout, one object per line
          --fields <NAMES>  Print JSON with only these fields, separated by commas
          --color <WHEN>    When to colour the output [default: auto] [possible values: auto, always,
                            never]
      -q, --quiet           Print results only, no remarks

    Examples:
      SECRET=$(tasuki subscription add --url https://example.org/hooks --type held --type died)
      tasuki subscription add --url https://example.org/hooks --signing key-pair --receiver coder
      tasuki subscription add --email ana@example.org --for ana --task build-42

    Everything that a filter says must hold; without one it is every event, from the next one on. Only
    the secret goes to stdout. It cannot be looked up again; `rotate` makes a new one. A server
    delivers: `tasuki serve` runs one.
    ");
}

#[test]
fn validate_explains_itself() {
    assert_snapshot!(trimmed(&Folder::new().run(&["validate", "--help"])), @"
    exit 0
    --- stdout
    Check packets: every violation with its line, what was found and what is allowed

    Usage: tasuki validate [OPTIONS] <FILE>...

    Arguments:
      <FILE>...
              Files, folders, or `-` for stdin; YAML, JSON, Markdown or wire, told by content

    Options:
          --variant <NAME|FILE>
              Variant to check against: auto, a built-in name, or a variant file of your own

              [default: auto]

          --contract <FILE>
              Contract document to check against as well; its profile is the variant unless one is named

          --against <HANDOFF>
              The handoff that these return packets answer: say whether the work is done

          --parent <PACKET>
              The packet that these pass on: authority may only narrow, pinned items must be carried

          --allow <TEXT>
              Text that looks like a secret and is none, with `*` as wildcard; may be repeated

          --format <FORMAT>
              How to print the result

              [default: text]
              [possible values: text, json]

      -h, --help
              Print help (see a summary with '-h')

    Options of every command:
          --json
              Print JSON on stdout, one object per line

          --fields <NAMES>
              Print JSON with only these fields, separated by commas

          --color <WHEN>
              When to colour the output

              Possible values:
              - auto:   On a terminal, unless `NO_COLOR` is set
              - always: Also into a pipe or a file
              - never:  Not at all

              [default: auto]

      -q, --quiet
              Print results only, no remarks

    Examples:
      tasuki validate handoff.yaml
      tasuki validate packets/ --variant strict
      tasuki validate --against handoff.yaml return.yaml
      cat comment.md | tasuki validate -

    Exit codes: 0 all valid (with --against: done), 1 violations (not done), 2 an input cannot be read.
    ");
}

#[test]
fn render_explains_itself() {
    assert_snapshot!(trimmed(&Folder::new().run(&["render", "--help"])), @"
    exit 0
    --- stdout
    Show a packet: a brief for people, a brief for a model, a card, an issue comment, HTML

    Usage: tasuki render [OPTIONS] <FILE>

    Arguments:
      <FILE>
              The packet: a file, or `-` for stdin

    Options:
          --as <KIND>
              What to make of it

              Possible values:
              - brief:   Markdown for a person
              - agent:   Bounded text for a model, fenced as data
              - card:    The shipping manifest, for a terminal
              - comment: An issue comment that holds the packet
              - html:    A web page of its own

              [default: card]

          --redact
              Replace secrets in the packet instead of refusing it

          --allow <TEXT>
              Text that looks like a secret and is none, with `*` as wildcard; may be repeated

          --budget <TOKENS>
              The most tokens that an agent brief may have

      -h, --help
              Print help (see a summary with '-h')

    Options of every command:
          --json
              Print JSON on stdout, one object per line

          --fields <NAMES>
              Print JSON with only these fields, separated by commas

          --color <WHEN>
              When to colour the output

              Possible values:
              - auto:   On a terminal, unless `NO_COLOR` is set
              - always: Also into a pipe or a file
              - never:  Not at all

              [default: auto]

      -q, --quiet
              Print results only, no remarks

    Examples:
      tasuki render handoff.yaml --as brief
      tasuki render handoff.yaml --as agent --budget 400
      tasuki render return.yaml --as comment

    An invalid packet is refused. What a model gets is fenced as data, with its origin named.
    ");
}

const COMMANDS: &[&[&str]] = &[
    &["validate"],
    &["lint"],
    &["render"],
    &["convert"],
    &["patch"],
    &["diff"],
    &["drift"],
    &["tokens"],
    &["contract"],
    &["contract", "check"],
    &["contract", "graph"],
    &["contract", "publish"],
    &["contract", "list"],
    &["contract", "show"],
    &["schema"],
    &["init"],
    &["party"],
    &["party", "add"],
    &["party", "show"],
    &["party", "list"],
    &["token"],
    &["token", "create"],
    &["token", "list"],
    &["token", "revoke"],
    &["subscription"],
    &["subscription", "add"],
    &["subscription", "list"],
    &["subscription", "show"],
    &["subscription", "deliveries"],
    &["subscription", "test"],
    &["subscription", "replay"],
    &["subscription", "rotate"],
    &["subscription", "disable"],
    &["subscription", "enable"],
    &["subscription", "remove"],
    &["serve"],
    &["submit"],
    &["inbox"],
    &["show"],
    &["claim"],
    &["checkpoint"],
    &["renew"],
    &["return"],
    &["verify"],
    &["begin"],
    &["resume"],
    &["ask"],
    &["answer"],
    &["decline"],
    &["pass-on"],
    &["request-approval"],
    &["park"],
    &["release"],
    &["revise"],
    &["approve"],
    &["edit"],
    &["reject"],
    &["reroute"],
    &["intercept"],
    &["sign-off"],
    &["cancel"],
    &["status"],
    &["list"],
    &["wait"],
    &["events"],
    &["timeline"],
    &["log"],
    &["log", "check"],
    &["log", "show"],
    &["gate"],
    &["gate", "publish"],
    &["gate", "list"],
    &["gate", "show"],
    &["rules"],
    &["rules", "set"],
    &["rules", "show"],
    &["project"],
    &["project", "show"],
    &["project", "set"],
    &["dead"],
    &["dead", "list"],
    &["dead", "redrive"],
    &["dead", "discard"],
    &["halt"],
    &["search"],
    &["doctor"],
    &["backup"],
    &["restore"],
    &["stats"],
    &["decisions"],
    &["decisions", "export"],
    &["config"],
    &["config", "show"],
    &["config", "default"],
    &["completions"],
    &["man"],
    &["help"],
];

#[test]
fn every_command_has_help_in_two_ways_and_an_example() {
    let folder = Folder::new();
    for command in COMMANDS {
        let long = folder.stdout(&[command, &["--help"][..]].concat());
        assert_eq!(folder.stdout(&[&["help"], *command].concat()), long, "{command:?}");
        let has_commands = long.contains("\nCommands:\n");
        let is_plain = matches!(*command, ["help"] | [_, "list"]);
        let has_example = long.contains("Example") || has_commands || is_plain;
        assert!(has_example, "{command:?} has no example");
        for line in long.lines() {
            assert!(line.chars().count() <= 100, "{command:?}: {line}");
        }
    }
}

#[test]
fn every_command_is_in_the_list_above() {
    let page = Folder::new().stdout(&["help", "--all"]);
    let mut listed: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut known: Vec<_> =
        COMMANDS.iter().filter(|command| command.len() == 1).map(|command| command[0]).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn the_help_of_a_command_points_to_the_common_options() {
    let page = Folder::new().stdout(&["lint", "-h"]);
    assert_snapshot!(trimmed(&page), @"
    Look at the quality of packets: length, evidence, vague acceptance, secrets, completeness

    Usage: tasuki lint [OPTIONS] <FILE>...

    Arguments:
      <FILE>...  Files, folders, or `-` for stdin

    Options:
          --strict  Let advice count as a finding too
      -h, --help    Print help (see more with '--help')

    Options of every command:
          --json            Print JSON on stdout, one object per line
          --fields <NAMES>  Print JSON with only these fields, separated by commas
          --color <WHEN>    When to colour the output [default: auto] [possible values: auto, always,
                            never]
      -q, --quiet           Print results only, no remarks

    Examples:
      tasuki lint handoff.yaml
      tasuki lint packets/ --strict

    Exit codes: 0 nothing found (advice does not count), 1 findings, or a packet that is not valid, 2 a
    file cannot be read.
    ");
}

#[test]
fn exit_codes_are_a_page_of_the_reference() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["help", "exit-codes"]), @"
    exit 0
    --- stdout
    Exit codes

    Stable: a script may rely on them.

      code  meaning
      0     success; for `validate` and `lint`: nothing found; for `diff`: no difference; for `drift`:
            nothing has changed; for `log check` and `doctor`: nothing is wrong; for `subscription test`
            and `replay`: it arrived; for a handoff: accepted, or reached what was waited for
      1     `validate`, `lint`, `contract check`: violations, a file that does not parse among them;
            `diff`: the packets differ; `drift`: something has changed; `log check`, `doctor`: something
            is wrong; `subscription test`, `subscription replay`: it did not arrive
      2     wrong usage, an input that cannot be read, folders without a packet, or an output that
            cannot be written
      3     a packet or a contract was refused: it is not valid, or the command cannot be done with it
      4     not authenticated, or not permitted
      5     not found
      6     conflict: the revision changed, the claim is stale, the lock is held
      7     the exchange cannot be reached, is not ready, or is limiting; the same command may succeed
            later
      10    a person rejected the handoff; for `wait --until decided` also: the action that its holder
            asked leave for
      11    the handoff was intercepted by a person, or rerouted by a person or its sender
      12    the handoff was cancelled
      13    the handoff went to the next rung: declined, lapsed, or a deadline passed
      14    the handoff was superseded by a newer revision or handoff
      15    the handoff is a dead letter, or was discarded
      20    waiting timed out here; the handoff is still open
      70    an unknown failure, which is a bug
      130   interrupted
    ");
}

#[test]
fn topics_are_pages_of_the_reference() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["help", "environment"]), @r#"
    exit 0
    --- stdout
    Environment

      variable            effect
      `NO_COLOR`          any value: no colours
      `CLICOLOR`          `0`: no colours
      `CLICOLOR_FORCE`    any value but `0`: colours even where stdout is not a terminal
      `TASUKI_AS`         the party that you are, as `--as`
      `TASUKI_PROJECT`    the project, as `--project`
      `TASUKI_URL`        the server to talk to, as `--server`
      `TASUKI_TOKEN`      the credential for the server
      `TASUKI_SESSION`    the session that claims belong to, instead of the terminal session
      `TASUKI_CONFIG`     a file of settings to read in place of the nearest `tasuki.toml`
      `TASUKI_LOG`        what `tasuki serve` logs, `info` unless set
      `TASUKI_LISTEN`     where `tasuki serve` listens, as `--listen`
      `TASUKI_HOSTS`      names under which the server may be asked for, with commas between
      `TASUKI_OPERATORS`  people who may change the project when they sign in
      `TASUKI_METRICS`    who sees the metrics: `local` or `all`
      `SSL_CERT_FILE`     a file of PEM with the roots to trust, in place of this machine's
      `USER`, `LOGNAME`   the person whom the link of `tasuki serve` signs in, the first that can be a
                          party's name; else the account's
      `VISUAL`, `EDITOR`  the editor that `tasuki edit` opens, the first before the second
      `XDG_CONFIG_HOME`   the folder of your own `tasuki/config.toml`, instead of `~/.config`
      `XDG_STATE_HOME`    the folder where claims on servers are remembered, instead of `~/.local/state`

    Flags win over variables (`--color always|never|auto` over the first three), and variables over
    files. An empty `TASUKI_` variable counts as not set. One that nobody reads is refused by `tasuki
    serve` and `tasuki config show`, and by every command if it is nearly one of these; what tests and
    scripts of this repository read, and what a cluster sets for a service named `tasuki`
    (`TASUKI_PORT…`, `TASUKI_SERVICE_…`), is left alone. `tasuki config show --origin` says what came
    from where.
    "#);
    assert_snapshot!(folder.run(&["help", "formats"]), @r#"
    exit 0
    --- stdout
    Forms and dialects

    A packet is one JSON value. It can be written in four forms, and every command reads all of them.
    The form is told by content, never by a file's name.

      form      `convert --to`  what it looks like
      JSON      `json`          begins with `{`
      YAML      `yaml`          `handoff_version:` or other keys at the start of a line
      Markdown  `markdown`      front matter, or a fenced block tagged `tasuki`, `ahp-yaml`, `yaml` or
                                `json` in any text
      wire      `wire`          one line of JSON that begins with `{"tasuki":"wire/1",`

    In YAML a scalar without quotes is null only as `null`, `~` or nothing, and a boolean only as `true`
    or `false`. In a field of known type it is read as that type: `task_id: 42` is text. Anywhere else
    it is a number only if its canonical form is the same text: `22` and `0.74` are numbers, `1.10`,
    `012`, `no` and `1e3` are text.

    A document without `handoff_version` is read in the dialect that it matches: `handoff-protocol`,
    `works-with-agents`, `ahp`, `incident`, `fastio`, `card`. The report says which.
    "#);
    assert_snapshot!(folder.run(&["help", "format"]), @"
    exit 2
    --- stderr
    error: there is no command or topic `format`
     hint: topics are exit-codes, environment, formats; `tasuki --help` lists the commands
    ");
}

#[test]
fn a_typo_gets_a_suggestion() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["aprove"]), @"");
    assert_snapshot!(folder.run(&["party", "lst"]), @"");
    assert_snapshot!(folder.run(&["frobnicate"]), @"");
    assert_snapshot!(folder.run(&["validates", "a.yaml"]), @"
    exit 2
    --- stderr
    error: unrecognized subcommand 'validates'

      tip: a similar subcommand exists: 'validate'

    Usage: tasuki [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(folder.run(&["validate", "--jsn", "a.yaml"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--jsn' found

      tip: a similar argument exists: '--json'

    Usage: tasuki validate --json <FILE>...

    For more information, try '--help'.
    ");
    assert_snapshot!(folder.run(&["convert", "a.yaml", "--to", "yml"]), @"
    exit 2
    --- stderr
    error: invalid value 'yml' for '--to <FORM>'
      [possible values: yaml, json, markdown, wire]

      tip: a similar value exists: 'yaml'

    For more information, try '--help'.
    ");
    assert_snapshot!(folder.run(&["validate"]), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      <FILE>...

    Usage: tasuki validate <FILE>...

    For more information, try '--help'.
    ");
    assert_eq!(folder.exit(&[]), 2);
    assert_eq!(folder.exit(&["aprove"]), 2);
}

#[test]
fn completions_know_the_commands() {
    let folder = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = folder.stdout(&["completions", shell]);
        assert!(script.contains("validate") && script.contains("in-place"), "{shell}");
        assert!(script.ends_with('\n'), "{shell}");
    }
    assert_snapshot!(folder.run(&["completions", "tcsh"]), @"
    exit 2
    --- stderr
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
}

#[test]
fn manual_pages_go_to_stdout_or_into_a_folder() {
    let folder = Folder::new();
    let page = folder.stdout(&["man"]);
    assert!(page.contains(".TH") && page.contains("tasuki"), "{page}");
    assert_snapshot!(folder.run(&["man", "--to", "man/man1"]), @"
    exit 0
    --- stderr
    Wrote the manual pages to man/man1
    ");
    assert_eq!(folder.read("man/man1/tasuki.1"), page);
    let folder = folder.with("file", "");
    assert_snapshot!(folder.run(&["man", "--to", "file/man1"]), @"
    exit 2
    --- stderr
    error: cannot write the pages: not a directory
    ");
}
