"""An exchange on a store, its parties and its servers."""

import http.client
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

PROJECT = "faults"
SENDERS = 2
MEMBERS = 3
# Handoffs to the team are worked on; those to the rivals are contested.
TEAM, RIVALS = "role:team", "role:rivals"
# The load is meant to exceed what a token may do.
SETTINGS = (
    "[server]\nrequests_per_token = 0\nrequests_per_project = 0\n"
    "rows_per_token = 0\nrows_per_project = 0\n"
)
READY_SECONDS = 30


class CannotRun(Exception):
    """The rig does not work here, which says nothing about the store."""


class Exchange:
    """A project with senders and receivers on PostgreSQL, or on SQLite in `folder`."""

    def __init__(self, tool, folder, store=None):
        self.tool, self.folder, self.store = tool, Path(folder), store
        self.folder.mkdir(parents=True)
        # Its own repository; otherwise the tool would use a store further up.
        (self.folder / ".git").mkdir()
        (self.folder / ".git" / "HEAD").touch()
        self.settings = self.folder / "tasuki.toml"
        self.settings.write_text(SETTINGS)
        self.servers = []
        self.command("init")
        self.senders = [self.add(f"sender-{number}") for number in range(SENDERS)]
        self.team, self.rivals = self.add_role(TEAM), self.add_role(RIVALS)

    def add_role(self, role):
        """Adds a role. Returns the names and tokens of its members."""
        members = [self.add(f"{role.split(':')[1]}-{number}") for number in range(MEMBERS)]
        words = [word for name, _ in members for word in ("--member", name)]
        self.command("party", "add", role, *words)
        return members

    def add(self, name):
        """Adds a party. Returns its name and a token."""
        self.command("party", "add", name)
        return name, self.command("token", "create", "--as", name, "-q").strip()

    def environment(self, **more):
        variables = {
            "PATH": os.environ.get("PATH", ""), "HOME": str(self.folder), "USER": "operator",
            "TASUKI_PROJECT": PROJECT, "TASUKI_CONFIG": str(self.settings), "TASUKI_LOG": "warn",
        }
        if self.store:
            variables["TASUKI_STORE"] = self.store
        return {**variables, **more}

    def command(self, *words):
        """Returns the output of a command on the store, which must succeed."""
        try:
            done = subprocess.run(
                [self.tool, *words], cwd=self.folder, env=self.environment(),
                capture_output=True, text=True,
            )
        except OSError as fault:
            raise CannotRun(f"`{self.tool}` does not start: {fault}") from fault
        if done.returncode != 0:
            raise CommandFailed(f"`tasuki {' '.join(words)}`: {(done.stderr + done.stdout).strip()}")
        return done.stdout

    def serve(self, **variables):
        """Starts a server, with further variables of its environment."""
        server = Server(self, len(self.servers), variables)
        self.servers.append(server)
        server.start()
        return server

    def close(self):
        for server in self.servers:
            server.close()


class CommandFailed(Exception):
    """A command on a store at rest failed."""


class Server:
    """A server process, which keeps its address over restarts."""

    def __init__(self, exchange, number, variables):
        self.exchange, self.number, self.variables = exchange, number, variables
        self.address = f"127.0.0.1:{free_port()}"
        self.log = exchange.folder / f"server-{number}.log"
        self.process = None

    def start(self):
        environment = self.exchange.environment(**self.variables)
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [self.exchange.tool, "serve", "--listen", self.address],
                cwd=self.exchange.folder, env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        end = time.monotonic() + READY_SECONDS
        while self.get("/readyz") != 200:
            if time.monotonic() > end or self.process.poll() is not None:
                said = self.log.read_text()[-2000:]
                raise CommandFailed(f"server {self.number} is not ready, its log ends:\n{said}")
            time.sleep(0.02)

    def get(self, path):
        """Returns the status of a page, or 0 without a response."""
        connection = http.client.HTTPConnection(self.address, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        if self.process and self.is_running():
            self.resume()
            self.kill()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
