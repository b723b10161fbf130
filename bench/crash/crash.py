"""Kills all writers of one store repeatedly, and looks for lost or partial steps.

In every round a load (one process, several callers) and several command lines hand over work in the
same store. At a random moment some of them are killed with SIGKILL, the others a little later. Then
every acknowledged step must be in the store once, no step may be partial, and the store's own checks
must pass. Started by `run`.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

TOOLS = 3
LOAD_CALLERS = 4
MILLISECONDS = (50, 1500)
MILLISECONDS_OF_SURVIVORS = (0, 300)
# The cost of a check grows with the store, so a new one is created from time to time.
ROUNDS_PER_STORE = 15
# The tool's own check and its doctor check the same; they run less often.
ROUNDS_PER_DOCTOR = 5
PROJECT = "bench"
# Longer than any load runs before it is killed.
LOAD_SECONDS = 600
STEPS = {
    "submit": "submit --as ana --to ben --goal Ship --task TASK",
    "claim": "claim TASK --as ben --no-drift",
    "checkpoint": "checkpoint TASK --as ben --completed Wrote",
    "return": "return TASK --as ben --summary Done",
}


class CannotRun(Exception):
    """The rig does not work here, which says nothing about the store."""


class Violation(Exception):
    """The store broke its durability guarantee."""


class Victim:
    """A process that may be killed at any moment, even before it starts."""

    def __init__(self):
        self.lock = threading.Lock()
        self.process = None
        self.is_killed = False

    def start(self, command, **more):
        """Starts a process; `None` if it was already killed."""
        with self.lock:
            if self.is_killed:
                return None
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **more)
            return self.process

    def kill(self):
        with self.lock:
            self.is_killed = True
            if self.process and self.process.poll() is None:
                self.process.kill()


class Tool(Victim):
    """Hands over with the command line, one process per step, until killed."""

    def __init__(self, store, name):
        super().__init__()
        self.thread = threading.Thread(target=self.hand_over_without_end)
        self.store = store
        self.name = name
        self.answered = []
        self.refused = None
        self.busy = 0

    def hand_over_without_end(self):
        number = 0
        while not self.is_killed and not self.refused:
            number += 1
            try:
                self.hand_over(f"{self.name}-{number}")
            except (OSError, ValueError, KeyError) as fault:
                self.refused = f"no answer that can be read: {fault!r}"

    def hand_over(self, task):
        handoff = None
        for step, line in STEPS.items():
            answer = self.answer(line.replace("TASK", task))
            if answer is None:
                return
            handoff = handoff or answer["handoff"]["id"]
            self.answered.append(f"{handoff} {step}")

    def answer(self, line):
        """Returns the response to one step, if there was one."""
        process = self.start(
            self.store.tool(line), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=self.store.home, env=self.store.environment(self.name),
        )
        if process is None:
            return None
        stdout, stderr = process.communicate()
        if stdout.endswith(b"\n"):
            # Acknowledged, even if it was killed afterwards.
            return json.loads(stdout)
        if process.returncode != -signal.SIGKILL:
            # A store that is busy for ten seconds reports it, and nothing was changed.
            is_busy = b"TK-STORE-BUSY" in stderr
            self.busy += is_busy
            if not is_busy:
                self.refused = self.refused or f"`{line}`: {stderr.decode().strip()}"
        return None


class Store:
    """One store, and all its acknowledged steps."""

    def __init__(self, options, number):
        self.options = options
        self.home = Path(options.directory).resolve() / f"run-{os.getpid()}-{number}"
        # Its own repository; otherwise the tool would use a store at the root of ours.
        (self.home / ".git").mkdir(parents=True)
        (self.home / ".git" / "HEAD").touch()
        self.data = self.home / ".tasuki"
        self.ledger = self.home / "ledger"
        self.answered = []
        run([options.load, "--data", self.data, "--ledger", self.ledger, "--seconds", "0"], self)
        for party in ("ana", "ben"):
            run(self.tool(f"party add {party}"), self)

    def tool(self, line):
        return [self.options.tool, *line.split(), "--project", PROJECT, "--json"]

    def environment(self, session):
        return {"TASUKI_SESSION": session, "PATH": os.environ.get("PATH", "")}

    def round(self, number, dice):
        """Runs all writers, kills them, and returns the number of acknowledged steps."""
        load = Victim()
        tools = [Tool(self, f"tool-{number}-{index}") for index in range(TOOLS)]
        victims = [load, *tools]
        try:
            load.start(
                [self.options.load, "--data", self.data, "--ledger", self.ledger,
                 "--seconds", str(LOAD_SECONDS), "--callers", str(LOAD_CALLERS)],
                stderr=subprocess.PIPE,
            )
            for tool in tools:
                tool.thread.start()
            time.sleep(dice.uniform(*MILLISECONDS) / 1000)
            dice.shuffle(victims)
            first = dice.randint(1, len(victims))
            for victim in victims[:first]:
                victim.kill()
            time.sleep(dice.uniform(*MILLISECONDS_OF_SURVIVORS) / 1000)
        finally:
            for victim in victims:
                victim.kill()
            for tool in tools:
                if tool.thread.ident:
                    tool.thread.join()
        return self.collect(load.process, tools)

    def collect(self, load, tools):
        _, complaint = load.communicate()
        if load.returncode != -signal.SIGKILL:
            raise Violation(f"the load ended by itself: {complaint.decode().strip()}")
        for tool in tools:
            if tool.refused:
                raise Violation(f"refused: {tool.refused}")
        # The last piece is empty, or part of a line that was not completely written.
        answered = self.ledger.read_text().split("\n")[:-1]
        for tool in tools:
            answered.extend(tool.answered)
        self.ledger.write_text("")
        self.answered.extend(answered)
        return len(answered), sum(tool.busy for tool in tools)

    def look(self, is_thorough):
        """Opens the store as it was left and checks all of it. Returns how long opening took."""
        start = time.monotonic()
        run(self.tool("ls --limit 1"), self)
        opened = time.monotonic() - start
        load = [self.options.load, "--data", self.data]
        present = Counter(run([*load, "--list"], self).splitlines())
        lost = [line for line in self.answered if present[line] == 0]
        if lost:
            raise Violation(f"{len(lost)} acknowledged steps are lost, the first is `{lost[0]}`")
        twice = [line for line, count in present.items() if count > 1]
        if twice:
            raise Violation(f"{len(twice)} steps are there twice, the first is `{twice[0]}`")
        run([*load, "--check"], self)
        if is_thorough:
            run(self.tool("log check"), self)
            run(self.tool("doctor"), self)
        return opened

    def remove(self):
        shutil.rmtree(self.home)


def run(command, store):
    """Returns the output of a command that must succeed on a store at rest."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=store.home, env=store.environment("rig"),
        )
    except OSError as fault:
        raise CannotRun(f"`{command[0]}` does not start: {fault}") from fault
    if done.returncode != 0:
        said = (done.stderr + done.stdout).strip()
        raise Violation(f"`{' '.join(command[1:])}` failed with {done.returncode}: {said}")
    return done.stdout


def main():
    options = arguments()
    print(f"{options.rounds} rounds, seed {options.seed}", flush=True)
    dice = random.Random(options.seed)
    answered, busy, slowest, store, number = 0, 0, 0.0, None, 0
    try:
        for number in range(1, options.rounds + 1):
            if store is None:
                store = Store(options, number)
            steps, waited = store.round(number, dice)
            answered, busy = answered + steps, busy + waited
            is_last = number == options.rounds or number % ROUNDS_PER_STORE == 0
            slowest = max(slowest, store.look(is_last or number % ROUNDS_PER_DOCTOR == 0))
            if number % 10 == 0 or number == options.rounds:
                print(f"round {number}: {answered:,} acknowledged steps, none lost", flush=True)
            if is_last:
                store.remove()
                store = None
    except Violation as violation:
        print(f"VIOLATION in round {number}: {violation}\nthe store is in {store and store.home}")
        return 1
    except CannotRun as reason:
        print(f"crash: cannot run here: {reason}", file=sys.stderr)
        return 2
    print(
        f"kept: {options.rounds} rounds, {answered:,} answered steps, none lost, none twice, none half "
        f"done; {busy} times busy; opened after a kill in at most {slowest * 1000:.0f} ms"
    )
    return 0


def arguments():
    parser = argparse.ArgumentParser(description="see README.md")
    parser.add_argument("--directory", required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--load", required=True)
    parser.add_argument("--tool", required=True)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
