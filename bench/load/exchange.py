"""A server on an exchange of its own, and requests to it."""

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import time

PARTIES = ("ana", "ben", "cem", "dia")
# The load is meant to exceed what a token may do, so requests are not counted; rows are.
SETTINGS = "[server]\nrequests_per_token = 0\nrequests_per_project = 0\n"


def packet(task, sender="ana", receiver="ben"):
    return (
        f'handoff_version: "1.0"\ntask_id: {task}\nfrom_agent: {sender}\nto_agent: {receiver}\n'
        f"status: in_progress\ngoal: Ship {task}\ncompleted: [scaffold]\nremaining: [tests]\n"
    )


class Exchange:
    """A running server with the projects `a` and `b`, in a temporary folder."""

    def __init__(self, tool, settings=SETTINGS):
        self.tool = tool
        self.folder = tempfile.TemporaryDirectory()
        self.tokens = {}
        with open(os.path.join(self.folder.name, "tasuki.toml"), "w") as file:
            file.write(settings)
        for project in ("a", "b"):
            self.command(project, "init")
            for party in PARTIES:
                self.command(project, "party", "add", party)
                created = self.command(project, "token", "create", "--as", party)
                self.tokens[project, party] = created.strip().splitlines()[-1]
        log = open(os.path.join(self.folder.name, "server.log"), "w")
        arguments = [tool, "serve", "--listen", "127.0.0.1:0"]
        self.server = subprocess.Popen(
            arguments,
            cwd=self.folder.name,
            env=dict(os.environ, TASUKI_LOG="warn"),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        for line in self.server.stdout:
            found = re.search(r"API +http://([^/]+)/v1", line)
            if found:
                self.address = found.group(1)
                break

    def command(self, project, *arguments):
        environment = dict(os.environ, TASUKI_PROJECT=project, TASUKI_AS="ana")
        command = [self.tool, *arguments]
        done = subprocess.run(
            command, cwd=self.folder.name, env=environment, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def client(self, project, party):
        return Client(self.address, self.tokens[project, party])

    def memory(self):
        """Returns the resident memory of the server in bytes."""
        with open(f"/proc/{self.server.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.server.pid}/fd"))

    def close(self):
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(60)
        self.folder.cleanup()


class Client:
    """A connection that is kept open."""

    def __init__(self, address, token=None):
        self.address, self.token = address, token
        self.connection = http.client.HTTPConnection(address, timeout=120)

    def request(self, method, path, body=None, media="application/yaml"):
        """Returns the status and the body of the response; 0 if there is none."""
        headers = {"content-type": media} if body else {}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return 0, b""

    def submit(self, task):
        return self.request("POST", "/v1/handoffs", packet(task))[0]

    def batch(self, requests):
        body = json.dumps({"requests": requests})
        return self.request("POST", "/v1/batch", body, "application/json")

    def leaves(self):
        """Returns the number of leaves in the log."""
        page = json.loads(self.request("GET", "/v1/events?limit=1")[1])
        return int(page["next"]) + 1


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, len(values) * percent // 100)] if values else 0.0


def timed(work):
    """Returns how long a call takes, in milliseconds, and its result."""
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result
