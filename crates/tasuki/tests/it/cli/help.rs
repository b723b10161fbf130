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
    assert_snapshot!(folder.run(&["--help"]), @r#"
    exit 0
    --- stdout
    Hand work from one agent or person to the next without losing anything.

    Quick start
      tasuki init
      tasuki submit --as planner --to coder --goal "Port the CSV exporter"
      tasuki claim --as coder
      tasuki checkpoint --as coder --completed "Wrote the writer" --remaining "Add tests"
      tasuki return --as coder --summary "All tests pass"
      tasuki status

    Hand over   begin submit claim resume checkpoint return verify pass-on release park renew ask …
    Approve     request-approval inbox show approve edit reject reroute intercept sign-off
    Watch       status list wait watch events timeline search stats
    Agents      connect hook run
    Packets     validate lint render convert patch diff drift draft tokens schema eval
    Operate     init serve mcp party token contract gate rules subscription dead log doctor backup …

    Run `tasuki help COMMAND`, `tasuki help --all`, or `tasuki demo` to see it at work.
    "#);
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
#[expect(clippy::too_many_lines, reason = "the snapshot has a line for each command")]
fn every_command_has_a_summary_in_its_group() {
    assert_snapshot!(Folder::new().run(&["help", "--all"]), @"
    exit 0
    --- stdout
    Hand over
      begin             Start a task of your own
      submit            Hand work to an agent, a person or a role
      claim             Claim work under a lease
      resume            Print the brief of a task
      checkpoint        Record progress
      return            Return the result of a task
      verify            Pass or fail a return
      pass-on           Pass claimed work on to another receiver
      release           Give claimed work back
      park              Give claimed work back until a given time
      renew             Extend the lease of a claim
      ask               Ask the sender a question
      answer            Answer a question about a handoff
      decline           Decline offered work
      revise            Send a new revision of a packet
      cancel            Cancel a handoff

    Approve
      request-approval  Ask a person to approve an action, and wait for the decision
      inbox             List what waits for you, and what failed
      show              Show a handoff
      approve           Approve a held handoff [alias: accept]
      edit              Edit a held packet or action
      reject            Reject a held handoff
      reroute           Send a handoff to another receiver
      intercept         Take over a task as a person
      sign-off          Sign off a handoff at a gate

    Watch
      status            Show what is held, in progress, waiting or dead
      list              List handoffs [alias: ls]
      wait              Wait for a handoff or for new work
      watch             Watch events live, or run a command for each
      events            List or follow events
      timeline          Show the history of a task
      search            Search packets and events
      stats             Show waiting times and rework per edge

    Agents
      connect           Connect a coding agent to the exchange
      hook              Answer a hook of a coding agent
      run               Run a command that holds a task

    Packets
      validate          Validate packets
      lint              Check the quality of packets
      render            Render a packet for a person or a model
      convert           Convert a packet to another format
      patch             Apply a patch to a packet
      diff              Compare two packets
      drift             Compare a packet with this directory
      draft             Draft a packet from an issue or free text
      tokens            Count the tokens of a packet
      schema            Print the JSON Schema of a variant
      eval              Measure packets against prose

    Operate
      init              Create an exchange in this directory
      serve             Serve the exchange over HTTP
      mcp               Serve the tools of agents over stdio (MCP)
      party             Manage parties
      token             Manage API tokens
      contract          Check, publish and show contracts
      gate              Publish, list and show gates
      rules             Set or show the project rules
      subscription      Manage subscriptions by webhook, email, Slack and ntfy
      dead              List, redrive or discard dead letters
      log               Check or print the log
      doctor            Check the exchange and repair it
      backup            Back up the exchange
      restore           Restore a backup
      export            Export the exchange to a file
      import            Import an exported exchange
      project           Show or change project settings
      halt              Halt the project, or lift the halt
      decisions         Export decisions
      config            Show the configuration
      trust             Trust a server, or list the servers that are trusted
      demo              Show the exchange at work, with scripted agents and decisions for you
      completions       Print shell completions
      man               Print or install the manual pages
      help              Show help for a command or a topic
    ");
}

#[test]
fn common_options_are_a_topic() {
    assert_snapshot!(trimmed(&Folder::new().run(&["help", "options"])), @"
    exit 0
    --- stdout
    Options for the exchange:
          --as <PARTY>
              Act as this party [variable: `TASUKI_AS`]

          --project <NAME>
              Work in this project [variable: `TASUKI_PROJECT`]

          --server <URL>
              Talk to this server instead of the nearest `.tasuki/` [variable: `TASUKI_URL`]

          --time-format <FORMAT>
              Time format: `human` or `iso8601`

    Output options:
          --json
              Print JSON on stdout, one object per line

          --fields <NAMES>
              Print JSON with these fields only, separated by commas

          --color <WHEN>
              When to use colours

              Possible values:
              - auto:   On a terminal, unless `NO_COLOR` is set
              - always: Even in a pipe or a file
              - never:  No colours

              [default: auto]

          --no-input
              Never prompt; a command that needs an answer fails

      -q, --quiet
              Print results only, without remarks
    ");
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
    Manage subscriptions by webhook, email, Slack and ntfy

    Usage: tasuki subscription <COMMAND>

    Commands:
      add         Add a subscription
      list        List subscriptions [alias: ls]
      show        Show a subscription
      deliveries  List delivery attempts, newest first
      test        Send a test message
      replay      Deliver a range of events again
      rotate      Give a webhook a new secret
      disable     Pause a subscription
      enable      Resume a subscription where it stopped
      remove      Remove a subscription with its secrets and deliveries [alias: rm]

    Options:
      -h, --help  Print help
    ");
}

#[test]
fn adding_a_subscription_explains_itself() {
    let folder = Folder::new();
    assert_snapshot!(trimmed(&folder.run(&["subscription", "add", "-h"])), @"
    exit 0
    --- stdout
    Add a subscription

    Usage: tasuki subscription add [OPTIONS] <--url|--email|--slack-file|--ntfy-file>

    Options:
          --url <URL>               Deliver to this webhook, with signed requests
          --signing <SIGNING>       How to sign requests [default: shared] [possible values: shared,
                                    key-pair]
          --email <ADDRESS>         Deliver to this email address
          --slack-file <FILE>       Deliver to the Slack incoming webhook whose URL is in this file; `-`
                                    reads stdin
          --ntfy-file <FILE>        Deliver to the ntfy topic whose URL is in this file; `-` reads stdin
          --ntfy-token-file <FILE>  The file with the access token of the ntfy server
          --for <PARTY>             The recipient; you by default
          --type <TYPE>             Only events of this type, such as handoff.claimed or claimed; may be
                                    repeated
          --task <ID>               Only events of this task
          --handoff <ID>            Only events of this handoff
          --party <PARTY>           Only events whose actor, sender or receiver is this party
          --sender <PARTY>          Only handoffs from this party
          --receiver <PARTY>        Only handoffs to this party
          --actor <PARTY>           Only events by this party, `clock` or `system`
          --contract <CONTRACT>     Only handoffs under this contract, or this version of it
          --state <STATE>           Only events that leave the handoff in this state
          --before <STATE>          Only events that found the handoff in this state
          --trigger <TRIGGER>       Only handoffs with this trigger
          --risk <RISK>             Only handoffs with this risk [possible values: low, medium, high]
          --reason <TEXT>           Only events whose reason contains this text, in any case
          --earliest <TIME>         Only events since this time, such as 2026-11-16T09:00:00Z
          --latest <TIME>           Only events until this time
      -h, --help                    Print help (see more with '--help')

    Examples:
      SECRET=$(tasuki subscription add --url https://example.org/hooks --type held --type died)
      tasuki subscription add --url https://example.org/hooks --signing key-pair --receiver coder
      tasuki subscription add --email ana@example.org --for ana --task build-42
      tasuki subscription add --slack-file slack-url --for role:release
      tasuki subscription add --ntfy-file topic-url --for ana --risk high

    An event must match every filter; without filters all new events are delivered, and to Slack and
    ntfy those that leave work to people. Email, Slack and ntfy contain links, so they need the server
    setting `public_url`. Only the secret of a webhook goes to stdout. It is shown once; `rotate` makes
    a new one. Delivery needs a server: `tasuki serve`.

    Common options (`--as`, `--json`, …): `tasuki help options`
    ");
}

#[test]
fn validate_explains_itself() {
    assert_snapshot!(trimmed(&Folder::new().run(&["validate", "--help"])), @"
    exit 0
    --- stdout
    Validate packets

    Usage: tasuki validate [OPTIONS] <FILE>...

    Arguments:
      <FILE>...
              Files, folders, or `-` for stdin; the content decides between YAML, JSON, Markdown and
              wire

    Options:
          --variant <NAME|FILE>
              The variant: auto, a built-in name, or your own variant file

              [default: auto]

          --contract <FILE>
              A contract to validate against; its profile is the default variant

          --rules <FILE>
              Rules that may choose a variant; by default those of the exchange, if there is one

          --against <HANDOFF>
              The handoff of these return packets; reports whether the work is done

          --parent <PACKET>
              The packet that these pass on: they may only narrow its authority, and must carry what is
              owed and pinned. By default, that of the task if you hold it

          --allow <TEXT>
              Text that is not a secret, with `*` as wildcard; may be repeated

          --format <FORMAT>
              The output format

              Possible values:
              - text:   For people, with the line of each violation
              - json:   One object per file and line
              - sarif:  A SARIF 2.1.0 log, for code scanning
              - github: Annotations of GitHub Actions

              [default: text]

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      tasuki validate handoff.yaml
      tasuki validate packets/ --variant strict
      tasuki validate handoff.yaml --rules rules/default.yaml
      tasuki validate --against handoff.yaml return.yaml
      tasuki validate packets/ --format sarif > packets.sarif
      cat comment.md | tasuki validate -

    Reports every violation with its line, the value found and the values allowed.

    Exit codes: 0 all valid (with --against: done), 1 violations (not done), 2 an input cannot be read.

    Common options (`--json`, `--quiet`, …): `tasuki help options`
    ");
}

#[test]
fn render_explains_itself() {
    assert_snapshot!(trimmed(&Folder::new().run(&["render", "--help"])), @"
    exit 0
    --- stdout
    Render a packet for a person or a model

    Usage: tasuki render [OPTIONS] <FILE>

    Arguments:
      <FILE>
              The packet, or `-` for stdin

    Options:
          --as <KIND>
              The kind of output

              Possible values:
              - brief:   Text for a person, with every value exactly as it was sent
              - agent:   Bounded text for a model, marked as data
              - card:    A card for a terminal
              - comment: An issue comment that contains the packet
              - html:    A standalone web page

              [default: card]

          --variant <NAME|FILE>
              The variant: auto, a built-in name, or your own variant file

              [default: auto]

          --redact
              Replace secrets in the packet instead of refusing it

          --allow <TEXT>
              Allow a text that looks like a secret, with `*` as wildcard; may be repeated

          --budget <TOKENS>
              The maximum number of tokens of an agent brief [default: 1500]

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      tasuki render handoff.yaml --as brief
      tasuki render handoff.yaml --as agent --budget 400
      tasuki render return.yaml --as comment

    An invalid packet is refused. The brief for a model is marked as data, with its origin.

    Common options (`--json`, `--quiet`, …): `tasuki help options`
    ");
}

const COMMANDS: &[&[&str]] = &[
    &["connect"],
    &["hook"],
    &["run"],
    &["validate"],
    &["lint"],
    &["render"],
    &["convert"],
    &["patch"],
    &["diff"],
    &["drift"],
    &["draft"],
    &["tokens"],
    &["eval"],
    &["eval", "pairs"],
    &["contract"],
    &["contract", "check"],
    &["contract", "graph"],
    &["contract", "docs"],
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
    &["mcp"],
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
    &["watch"],
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
    &["export"],
    &["import"],
    &["stats"],
    &["decisions"],
    &["decisions", "export"],
    &["config"],
    &["config", "show"],
    &["config", "default"],
    &["trust"],
    &["demo"],
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
    Check the quality of packets

    Usage: tasuki lint [OPTIONS] <FILE>...

    Arguments:
      <FILE>...  Files, folders, or `-` for stdin

    Options:
          --variant <NAME|FILE>  The variant: auto, a built-in name, or your own variant file [default:
                                 auto]
          --strict               Count advice as findings
      -h, --help                 Print help

    Examples:
      tasuki lint handoff.yaml
      tasuki lint packets/ --strict

    Checks length, evidence, vague acceptance criteria, secrets and completeness.

    Exit codes: 0 no findings (advice does not count), 1 findings or an invalid packet, 2 a file cannot
    be read.

    Common options (`--json`, `--quiet`, …): `tasuki help options`
    ");
}

#[test]
fn exit_codes_are_a_page_of_the_reference() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["help", "exit-codes"]), @"
    exit 0
    --- stdout
    Exit codes

    This page lists every exit code. They are stable, so scripts may rely on them.

      code  meaning
      0     success; `request-approval`: a person approved exactly this action; `validate`, `lint`: no
            violation; `diff`: no difference; `drift`: nothing has changed; `log check`, `doctor`: no
            error; `subscription test`, `replay`: delivered; `wait`: the handoff was accepted or reached
            the requested state
      1     `validate`, `lint`, `contract check`: violations, including a file that does not parse;
            `diff`: the packets differ; `drift`: something has changed; `log check`, `doctor`: an error
            was found; `subscription test`, `replay`: not delivered; `approve`, `verify`: the person at
            the terminal did not confirm
      2     wrong usage, a decision that does not name what was seen, an input that cannot be read, a
            folder without a packet, or an output that cannot be written
      3     a packet, a contract or the file of an `import` was refused: it is invalid, or the command
            cannot be applied to it
      4     not authenticated, or not permitted
      5     not found
      6     conflict: the revision changed, the claim is stale, the lock is held, the target of a
            `restore` or an `import` is not empty
      7     the exchange cannot be reached, is not ready, or is limiting requests; the same command may
            succeed later
      10    a person rejected the handoff; for `request-approval` and `wait --until decided` also: a
            person rejected the action of the approval request
      11    a person intercepted the handoff, or a person or its sender rerouted it
      12    the handoff was cancelled, or its holder withdrew the approval request
      13    the handoff went to the next rung: declined, lease expired, or a deadline passed
      14    the handoff was superseded by a newer revision or handoff
      15    the handoff is a dead letter, or was discarded
      16    a person changed the action of an approval request and approved it as changed;
            `request-approval` prints that action on stdout
      20    the wait timed out; the handoff is still open; `request-approval`: no one decided in time,
            and the request is withdrawn unless `--leave` is set
      70    an unexpected failure, which is a bug
      130   interrupted; `request-approval` withdraws the request first, unless `--leave` is set
    ");
}

#[test]
#[expect(clippy::too_many_lines, reason = "two pages, word for word")]
fn topics_are_pages_of_the_reference() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["help", "environment"]), @"
    exit 0
    --- stdout
    Environment

    This page lists every environment variable that the tool reads.

      variable                                       effect
      `NO_COLOR`                                     any value: no colours
      `CLICOLOR`                                     `0`: no colours
      `CLICOLOR_FORCE`                               any value but `0`: colours even if stdout is not a
                                                     terminal
      `TASUKI_AS`                                    the party you act as, like `--as`
      `TASUKI_PROJECT`                               the project, like `--project`
      `TASUKI_URL`                                   the server to use, like `--server`
      `TASUKI_TOKEN`                                 the credential for the server
      `TASUKI_STORE`                                 the PostgreSQL database of the exchange, in place
                                                     of `.tasuki/`, like `--store` of `tasuki serve`
      `TASUKI_SESSION`                               the session that claims belong to
      `CLAUDE_CODE_SESSION_ID`, `GEMINI_SESSION_ID`  the session that the host of an agent states, if
                                                     `TASUKI_SESSION` is not set; without any of them it
                                                     is the terminal session
      `CODEX_THREAD_ID`                              the session that Codex states
      `TASUKI_CONFIG`                                a settings file to read in place of the nearest
                                                     `tasuki.toml`
      `TASUKI_LOG`                                   what `tasuki serve` logs; default `info`
      `TASUKI_LISTEN`                                the address `tasuki serve` listens on, like
                                                     `--listen`
      `TASUKI_HOSTS`                                 further host names of the server, separated by
                                                     commas
      `TASUKI_OPERATORS`                             people who may change the project when they sign in
      `TASUKI_SNAPSHOTS`                             `false` takes no snapshots of the work tree
      `TASUKI_METRICS`                               access to the metrics: `local` or `all`
      `TASUKI_MODEL`, `TASUKI_MODEL_URL`             the model that helps `tasuki draft`, and the base
                                                     of its OpenAI-compatible address
      `TASUKI_MODEL_KEY`                             the key for that address
      `SSL_CERT_FILE`                                a PEM file with the roots to trust, in place of the
                                                     machine's
      `USER`, `LOGNAME`                              the person whom the link of `tasuki serve` signs
                                                     in: the first that is a valid party name, else the
                                                     account's
      `VISUAL`, `EDITOR`                             the editor that `tasuki edit` opens; `VISUAL` first
      `XDG_CONFIG_HOME`                              the folder of your own `tasuki/config.toml` and
                                                     `tasuki/trusted-origins`, instead of `~/.config`
      `XDG_STATE_HOME`                               the folder where claims on servers are stored,
                                                     instead of `~/.local/state`

    Flags win over variables (`--color always|never|auto` over the first three), and variables over
    files. An empty `TASUKI_` variable counts as not set.

    An unknown `TASUKI_` variable is refused by `tasuki serve` and `tasuki config show`, and by every
    command if it is a near miss of a known one. Variables of this repository's tests and scripts, and
    those that a cluster sets for a service named `tasuki` (`TASUKI_PORT…`, `TASUKI_SERVICE_…`), are
    ignored. `tasuki config show --origin` prints where each value came from.
    ");
    assert_snapshot!(folder.run(&["help", "formats"]), @r#"
    exit 0
    --- stdout
    Forms and dialects

    This page lists the forms a packet can be written in, and the dialects of other systems that are
    read.

    A packet is one JSON value. Every command reads all four forms. The form is detected from the
    content, never from the file name.

      form      `convert --to`  recognised by
      JSON      `json`          begins with `{`
      YAML      `yaml`          `handoff_version:` or other keys at the start of a line
      Markdown  `markdown`      front matter, or a fenced block tagged `tasuki`, `ahp-yaml`, `yaml` or
                                `json` in any text
      wire      `wire`          one line of JSON that begins with `{"tasuki":"wire/1",`

    In YAML, an unquoted scalar is null only as `null`, `~` or nothing, and a boolean only as `true` or
    `false`. In a field of known type it is read as that type: `task_id: 42` is text. Anywhere else it
    is a number only if its canonical form is the same text: `22` and `0.74` are numbers, `1.10`, `012`,
    `no` and `1e3` are text.

    A document without `handoff_version` is read in the dialect it matches: `handoff-protocol`,
    `works-with-agents`, `ahp`, `incident`, `fastio`, `card`. The report names the dialect.
    "#);
    assert_snapshot!(folder.run(&["help", "format"]), @"
    exit 2
    --- stderr
    error: unknown command or topic `format`
      hint: did you mean `formats`?
    ");
}

#[test]
fn a_typo_gets_a_suggestion() {
    let folder = Folder::new();
    assert_snapshot!(folder.run(&["aprove"]), @"
    exit 2
    --- stderr
    error: unknown command `aprove`
      hint: did you mean `approve`?
    ");
    assert_snapshot!(folder.run(&["party", "lst"]), @"
    exit 2
    --- stderr
    error: unknown command `lst`
      hint: did you mean `list`?
    ");
    assert_snapshot!(folder.run(&["frobnicate"]), @"
    exit 2
    --- stderr
    error: unknown command `frobnicate`
      hint: `tasuki help --all` lists every command
    ");
    assert_snapshot!(folder.run(&["validates", "a.yaml"]), @"
    exit 2
    --- stderr
    error: unknown command `validates`
      hint: did you mean `validate`?
    ");
    assert_snapshot!(folder.run(&["validate", "--jsn", "a.yaml"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--jsn' found

      tip: a similar argument exists: '--json'

    Usage: tasuki validate [OPTIONS] <FILE>...

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
