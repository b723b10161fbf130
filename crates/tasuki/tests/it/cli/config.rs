//! `tasuki config show`: settings and their origin.

use insta::assert_snapshot;

use crate::support::folder::Folder;

fn shown(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = folder.command(&[&["config", "show"], arguments].concat());
    folder.shown(&command.envs(variables.iter().copied()).output().unwrap())
}

#[test]
fn a_bad_setting_of_a_server_stops_only_what_goes_by_it() {
    let folder = Folder::outside_repository();
    folder.stdout(&["init"]);
    std::fs::write(folder.path("tasuki.toml"), "[server]\nlisten = 5\n").unwrap();
    folder.stdout(&["list"]);
    for command in [&["config", "show"][..], &["serve"]] {
        let said = folder.run(command);
        assert!(said.contains("tasuki.toml:2: `5` is not a valid listen address"), "{said}");
    }
}

#[test]
fn without_anything_set_there_are_defaults() {
    // The empty file keeps a file further up out of this.
    let folder = Folder::new().with("tasuki.toml", "");
    assert_snapshot!(shown(&folder, &[], &[]), @"
    exit 0
    --- stdout
    as                              -
    project                         default
    url                             -
    store                           -
    time_format                     human
    token                           -
    session                         -
    log                             -
    snapshots.enabled               true
    snapshots.file_bytes_max        10485760
    snapshots.keep                  20
    server.listen                   127.0.0.1:7420
    server.hosts                    -
    server.operators                -
    server.proxies                  -
    server.user_header              -
    server.user_proxies             -
    server.metrics                  local
    server.requests_per_token       1000
    server.requests_per_project     10000
    server.requests_per_address     100
    server.rows_per_token           200000
    server.rows_per_project         400000
    server.sign_ins_per_minute      10
    server.requests_at_once         2048
    server.anonymous_at_once        256
    server.connections              8192
    server.connections_per_address  2048
    server.body_bytes               33554432
    server.body_timeout             30s
    server.shutdown_grace           30s
    server.public_url               -
    server.authorization_servers    -
    server.webhook_origins          -
    server.mail.host                -
    server.mail.port                587
    server.mail.from                -
    server.mail.tls                 start
    server.mail.user                -
    server.mail.password_file       -
    ");
}

#[test]
fn defaults_say_that_they_are_defaults() {
    let folder = Folder::new().with("tasuki.toml", "");
    assert_snapshot!(shown(&folder, &["--origin"], &[]), @"
    exit 0
    --- stdout
    as                              -               not set
    project                         default         default
    url                             -               not set
    store                           -               not set
    time_format                     human           default
    token                           -               not set
    session                         -               not set
    log                             -               not set
    snapshots.enabled               true            default
    snapshots.file_bytes_max        10485760        default
    snapshots.keep                  20              default
    server.listen                   127.0.0.1:7420  default
    server.hosts                    -               not set
    server.operators                -               not set
    server.proxies                  -               not set
    server.user_header              -               not set
    server.user_proxies             -               not set
    server.metrics                  local           default
    server.requests_per_token       1000            default
    server.requests_per_project     10000           default
    server.requests_per_address     100             default
    server.rows_per_token           200000          default
    server.rows_per_project         400000          default
    server.sign_ins_per_minute      10              default
    server.requests_at_once         2048            default
    server.anonymous_at_once        256             default
    server.connections              8192            default
    server.connections_per_address  2048            default
    server.body_bytes               33554432        default
    server.body_timeout             30s             default
    server.shutdown_grace           30s             default
    server.public_url               -               not set
    server.authorization_servers    -               not set
    server.webhook_origins          -               not set
    server.mail.host                -               not set
    server.mail.port                587             default
    server.mail.from                -               not set
    server.mail.tls                 start           default
    server.mail.user                -               not set
    server.mail.password_file       -               not set
    ");
}

fn environment_of(home: &str) -> [(&str, &str); 4] {
    [
        ("XDG_CONFIG_HOME", home),
        ("TASUKI_AS", "ben"),
        ("TASUKI_TOKEN", "hunter2"),
        ("TASUKI_SESSION", "s-1"),
    ]
}

#[test]
#[expect(clippy::too_many_lines, reason = "one snapshot of every setting")]
fn every_value_says_where_it_came_from() {
    let folder = Folder::new()
        .with("tasuki.toml", "# ours\nproject = \"web\"\nas = \"ana\"\n")
        .with("home/tasuki/config.toml", "time_format = \"iso8601\"\nproject = \"own\"\n");
    let home = folder.path("home").display().to_string();
    let variables = environment_of(&home);
    let flags = ["--server", "http://127.0.0.1:7420/"];
    assert_snapshot!(shown(&folder, &[&["--origin"], &flags[..]].concat(), &variables), @"
    exit 0
    --- stdout
    as                              ben                    TASUKI_AS
    project                         web                    [DIR]/tasuki.toml:2
    url                             http://127.0.0.1:7420  --server
    store                           -                      not set
    time_format                     iso8601                [DIR]/home/tasuki/config.toml:1
    token                           (hidden)               TASUKI_TOKEN
    session                         s-1                    TASUKI_SESSION
    log                             -                      not set
    snapshots.enabled               true                   default
    snapshots.file_bytes_max        10485760               default
    snapshots.keep                  20                     default
    server.listen                   127.0.0.1:7420         default
    server.hosts                    -                      not set
    server.operators                -                      not set
    server.proxies                  -                      not set
    server.user_header              -                      not set
    server.user_proxies             -                      not set
    server.metrics                  local                  default
    server.requests_per_token       1000                   default
    server.requests_per_project     10000                  default
    server.requests_per_address     100                    default
    server.rows_per_token           200000                 default
    server.rows_per_project         400000                 default
    server.sign_ins_per_minute      10                     default
    server.requests_at_once         2048                   default
    server.anonymous_at_once        256                    default
    server.connections              8192                   default
    server.connections_per_address  2048                   default
    server.body_bytes               33554432               default
    server.body_timeout             30s                    default
    server.shutdown_grace           30s                    default
    server.public_url               -                      not set
    server.authorization_servers    -                      not set
    server.webhook_origins          -                      not set
    server.mail.host                -                      not set
    server.mail.port                587                    default
    server.mail.from                -                      not set
    server.mail.tls                 start                  default
    server.mail.user                -                      not set
    server.mail.password_file       -                      not set
    ");
    assert_snapshot!(shown(&folder, &[&["--json"], &flags[..]].concat(), &variables), @r#"
    exit 0
    --- stdout
    {"key":"as","value":"ben","origin":"environment","variable":"TASUKI_AS"}
    {"key":"project","value":"web","origin":"file","file":"[DIR]/tasuki.toml","line":2}
    {"key":"url","value":"http://127.0.0.1:7420","origin":"flag","flag":"--server"}
    {"key":"store","value":null,"origin":null}
    {"key":"time_format","value":"iso8601","origin":"file","file":"[DIR]/home/tasuki/config.toml","line":1}
    {"key":"token","value":"(hidden)","origin":"environment","variable":"TASUKI_TOKEN"}
    {"key":"session","value":"s-1","origin":"environment","variable":"TASUKI_SESSION"}
    {"key":"log","value":null,"origin":null}
    {"key":"snapshots.enabled","value":"true","origin":"default"}
    {"key":"snapshots.file_bytes_max","value":"10485760","origin":"default"}
    {"key":"snapshots.keep","value":"20","origin":"default"}
    {"key":"server.listen","value":"127.0.0.1:7420","origin":"default"}
    {"key":"server.hosts","value":null,"origin":null}
    {"key":"server.operators","value":null,"origin":null}
    {"key":"server.proxies","value":null,"origin":null}
    {"key":"server.user_header","value":null,"origin":null}
    {"key":"server.user_proxies","value":null,"origin":null}
    {"key":"server.metrics","value":"local","origin":"default"}
    {"key":"server.requests_per_token","value":"1000","origin":"default"}
    {"key":"server.requests_per_project","value":"10000","origin":"default"}
    {"key":"server.requests_per_address","value":"100","origin":"default"}
    {"key":"server.rows_per_token","value":"200000","origin":"default"}
    {"key":"server.rows_per_project","value":"400000","origin":"default"}
    {"key":"server.sign_ins_per_minute","value":"10","origin":"default"}
    {"key":"server.requests_at_once","value":"2048","origin":"default"}
    {"key":"server.anonymous_at_once","value":"256","origin":"default"}
    {"key":"server.connections","value":"8192","origin":"default"}
    {"key":"server.connections_per_address","value":"2048","origin":"default"}
    {"key":"server.body_bytes","value":"33554432","origin":"default"}
    {"key":"server.body_timeout","value":"30s","origin":"default"}
    {"key":"server.shutdown_grace","value":"30s","origin":"default"}
    {"key":"server.public_url","value":null,"origin":null}
    {"key":"server.authorization_servers","value":null,"origin":null}
    {"key":"server.webhook_origins","value":null,"origin":null}
    {"key":"server.mail.host","value":null,"origin":null}
    {"key":"server.mail.port","value":"587","origin":"default"}
    {"key":"server.mail.from","value":null,"origin":null}
    {"key":"server.mail.tls","value":"start","origin":"default"}
    {"key":"server.mail.user","value":null,"origin":null}
    {"key":"server.mail.password_file","value":null,"origin":null}
    "#);
}

#[test]
fn a_slip_in_a_file_or_a_value_is_refused() {
    let folder = Folder::new().with("tasuki.toml", "as = \"ana\"\ntime-format = \"human\"\n");
    assert_snapshot!(shown(&folder, &[], &[]), @"
    exit 2
    --- stderr
    error: [DIR]/tasuki.toml:2: unknown setting `time-format`
      hint: did you mean `time_format`?
    ");
    let folder = Folder::new().with("tasuki.toml", "");
    assert_snapshot!(shown(&folder, &["--project", "Web Shop"], &[]), @"
    exit 2
    --- stderr
    error: --project: `Web Shop` is not a valid project name
      hint: did you mean `web-shop`?
    ");
    assert_snapshot!(shown(&folder, &[], &[("TASUKI_URL", "localhost:7420")]), @"
    exit 2
    --- stderr
    error: TASUKI_URL: `localhost:7420` is not a valid server address
      hint: use the form `http://127.0.0.1:7420`
    ");
}

#[test]
fn it_explains_itself() {
    let page = Folder::new().stdout(&["config", "show", "-h"]);
    let page = page.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_snapshot!(page, @"
    Print the effective value of every setting

    Usage: tasuki config show [OPTIONS]

    Options:
          --origin  Print the origin of each value: a flag, a variable, or a line of a file
      -h, --help    Print help

    Examples:
      tasuki config show --origin
      TASUKI_AS=ana tasuki config show --json

    Flags override TASUKI_ variables, which override the nearest tasuki.toml upward, then
    $XDG_CONFIG_HOME/tasuki/config.toml and /etc/tasuki/tasuki.toml. Credentials are not printed.

    Common options (`--as`, `--json`, …): `tasuki help options`
    ");
}

#[test]
fn an_unknown_variable_is_refused() {
    let folder = Folder::new().with("tasuki.toml", "");
    assert_snapshot!(shown(&folder, &[], &[("TASUKI_LISTN", "1")]), @"
    exit 2
    --- stderr
    error: unknown environment variable `TASUKI_LISTN`
      hint: did you mean `TASUKI_LISTEN`?
    ");
    let mut command = folder.command(&["serve"]);
    assert_snapshot!(folder.shown(&command.env("TASUKI_COLOUR", "1").output().unwrap()), @"
    exit 2
    --- stderr
    error: unknown environment variable `TASUKI_COLOUR`
      hint: unset it; `tasuki help environment` lists the variables
    ");
}

#[test]
fn only_the_fields_that_are_named_are_printed() {
    let folder = Folder::new().with("tasuki.toml", "as = \"ana\"\n");
    let said = shown(&folder, &["--fields", "value,key"], &[]);
    assert!(said.starts_with("exit 0\n--- stdout\n{\"value\":\"ana\",\"key\":\"as\"}\n"), "{said}");
    assert_snapshot!(shown(&folder, &["--fields", "values"], &[]), @"
    exit 2
    --- stderr
    error: unknown field `values`
      hint: did you mean `value`?
    ");
}
