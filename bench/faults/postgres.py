"""PostgreSQL servers of the tests, by the functions of `scripts/lib/postgres`."""

import subprocess
from pathlib import Path

from exchange import CannotRun

LIBRARY = Path(__file__).resolve().parents[2] / "scripts" / "lib"


def call(function, *arguments):
    """Returns the output of a function of the library."""
    program = f'set -euo pipefail; . {LIBRARY}/packages; . {LIBRARY}/postgres; postgres_on_path; "$@"'
    done = subprocess.run(
        ["bash", "-c", program, "bash", function, *map(str, arguments)],
        capture_output=True, stdin=subprocess.DEVNULL, text=True,
    )
    if done.returncode != 0:
        raise CannotRun(f"{function}: {done.stderr.strip()}")
    return done.stdout.strip()


class Clusters:
    """A directory of clusters, which are removed with it."""

    def __init__(self):
        self.directory = Path(call("postgres_directory"))
        self.count = 0

    def create(self):
        cluster = Cluster(self.next())
        call("postgres_create", cluster.path)
        return cluster

    def standby(self, primary, port=None):
        """Creates a synchronous standby of a primary, which takes over the port of a lost cluster."""
        cluster = Cluster(self.next())
        call("postgres_standby", primary.path, cluster.path, *([port] if port else []))
        return cluster

    def next(self):
        self.count += 1
        return self.directory / f"cluster-{self.count}"

    def remove(self):
        call("postgres_remove", self.directory)


class Cluster:
    def __init__(self, path):
        self.path = path

    def port(self):
        return int(call("postgres_port", self.path))

    def start(self):
        call("postgres_start", self.path)

    def stop(self):
        call("postgres_stop", self.path)

    def kill(self):
        call("postgres_kill", self.path)

    def promote(self):
        call("postgres_promote", self.path)

    def sql(self, statement):
        return call("postgres_sql", self.path, statement)


def url(*ports):
    """Returns the URL of a database on one of these ports of this machine."""
    hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
    return f"postgres://tasuki@{hosts}/tasuki"
