"""Cuts the power under a store and looks for lost acknowledged steps.

The store is on an ext4 file system inside an image. The image is on XFS, which can clone a file in
an instant (FICLONE): the clone holds what the block device had received at that moment and nothing
that was still in memory, as after a power cut. The load writes every acknowledged step to a ledger
outside. Every step in the ledger before the clone was made must be in the clone.

The control runs with `--synchronous normal`, where an acknowledgement does not wait for the disk. It
must lose something; otherwise the cuts prove nothing. Started by `run`.
"""

import argparse
import contextlib
import fcntl
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

FICLONE = 0x40049409
MEBIBYTE = 1024 * 1024
OUTER_BYTES = 8192 * MEBIBYTE
INNER_BYTES = 2048 * MEBIBYTE
FREE_BYTES_NEEDED = 4096 * MEBIBYTE
# The load restarts on a new file system after this many cuts, so that clones stay small.
CUTS_PER_LOAD = 10
SECONDS_BETWEEN_CUTS = (0.01, 0.15)
# Longer than any load runs before the rig ends it.
LOAD_SECONDS = 120
FIRST_ANSWER_SECONDS = 60


class CannotRun(Exception):
    """The rig does not work here, which says nothing about the store."""


class NotWhole(Exception):
    """A store that does not open or fails its own check."""


@dataclass
class Tally:
    """The results of the cuts of one kind of load."""

    name: str
    cuts: int = 0
    acknowledged: int = 0
    lossy: int = 0
    worst: int = 0
    broken: Counter = field(default_factory=Counter)

    def line(self):
        worst = f", at worst {self.worst:,} steps" if self.worst else ""
        return (
            f"synchronous={self.name:<6}  {self.cuts} cuts, {self.acknowledged:,} acknowledged steps; "
            f"{self.lossy} cuts lost some{worst}; {sum(self.broken.values())} stores not whole"
        )


class Rig:
    """The two file systems, and everything to clean up."""

    def __init__(self, options, undo):
        self.options = options
        self.undo = undo
        self.random = random.Random(options.seed)
        parent = Path(options.directory).resolve()
        remove_leftovers(parent)
        self.home = parent / f"run-{os.getpid()}"
        self.home.mkdir()
        undo.callback(shutil.rmtree, self.home)
        self.outer, self.inner, self.clone_mount = (
            self.directory(name) for name in ("outer", "inner", "clone")
        )
        self.image = self.outer / "inner.img"
        self.ledger = self.home / "ledger"
        self.make_outer()

    def directory(self, name):
        path = self.home / name
        path.mkdir()
        return path

    def make_outer(self):
        if shutil.disk_usage(self.home).free < FREE_BYTES_NEEDED:
            raise CannotRun(f"less than {FREE_BYTES_NEEDED // MEBIBYTE} MiB free in {self.home}")
        image = self.home / "outer.img"
        sparse(image, OUTER_BYTES)
        run("mkfs.xfs", "-q", "-m", "reflink=1", image)
        mount(image, self.outer)
        self.undo.callback(unmount, self.outer)

    def cut(self, tally, more, count):
        """Runs the load once, makes `count` clones meanwhile, and checks every clone."""
        clones = self.clones_under_load(more, count)
        for clone, ledger_bytes in clones:
            self.look(tally, clone, ledger_bytes)
            clone.unlink()

    def clones_under_load(self, more, count):
        self.image.unlink(missing_ok=True)
        sparse(self.image, INNER_BYTES)
        # Nothing is deferred; otherwise the kernel would still be writing tables during the cut.
        run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image)
        self.ledger.write_bytes(b"")
        with contextlib.ExitStack() as undo:
            mount(self.image, self.inner)
            undo.callback(unmount, self.inner)
            data = self.inner / "data"
            data.mkdir()
            run("sync", "--file-system", self.inner)
            load = self.start_load(data, more)
            undo.callback(end, load)
            self.wait_for_first_answer(load)
            return [self.clone(load, number) for number in range(count)]

    def start_load(self, data, more):
        # If the rig is killed, the load must not stay behind on an invisible mount.
        command = ["setpriv", "--pdeathsig", "KILL", "--"] + self.command(self.options.load, data)
        return subprocess.Popen(command + more, cwd=data, stdin=subprocess.DEVNULL)

    def wait_for_first_answer(self, load):
        deadline = time.monotonic() + FIRST_ANSWER_SECONDS
        while self.ledger.stat().st_size == 0:
            if load.poll() is not None or time.monotonic() > deadline:
                raise CannotRun("the load acknowledged nothing")
            time.sleep(0.01)

    def clone(self, load, number):
        time.sleep(self.random.uniform(*SECONDS_BETWEEN_CUTS))
        if load.poll() is not None:
            raise CannotRun(f"the load ended by itself with status {load.returncode}")
        clone = self.outer / f"clone-{number}.img"
        # First the ledger, then the clone: a step acknowledged in between does not count.
        ledger_bytes = self.ledger.stat().st_size
        with open(self.image, "rb") as source, open(clone, "wb") as target:
            fcntl.ioctl(target, FICLONE, source.fileno())
        return clone, ledger_bytes

    def look(self, tally, clone, ledger_bytes):
        """Opens the clone as after a power cut, and compares it with the ledger."""
        with open(self.ledger, "rb") as ledger:
            # The last piece is empty, or part of a line that was not completely written.
            acknowledged = set(ledger.read(ledger_bytes).decode().split("\n")[:-1])
        tally.cuts += 1
        tally.acknowledged += len(acknowledged)
        mount(clone, self.clone_mount)
        present = ""
        try:
            present = self.ask(self.options.list)
            self.ask(self.options.check)
        except NotWhole as reason:
            tally.broken[str(reason)] += 1
        finally:
            unmount(self.clone_mount)
        lost = acknowledged - set(present.split("\n"))
        tally.lossy += bool(lost)
        tally.worst = max(tally.worst, len(lost))

    def ask(self, text):
        """Returns the output of a command on the clone. If it fails, the store is damaged."""
        data = self.clone_mount / "data"
        command = self.command(text, data)
        try:
            answer = subprocess.run(command, cwd=data, capture_output=True, text=True)
        except OSError as fault:
            raise CannotRun(f"`{command[0]}` does not start: {fault}") from fault
        if answer.returncode != 0:
            said = (answer.stderr or answer.stdout).strip().split("\n")[0]
            raise NotWhole(f"`{Path(command[0]).name}` failed: {said}")
        return answer.stdout

    def command(self, text, data):
        values = {"DIR": data, "FILE": self.ledger, "SECONDS": LOAD_SECONDS}
        return [str(values.get(word, word)) for word in shlex.split(text)]


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    options = arguments()
    print(f"{options.cuts} cuts each, seed {options.seed}", flush=True)
    try:
        with contextlib.ExitStack() as undo:
            rig = Rig(options, undo)
            full = tally(rig, "full", [])
            normal = tally(rig, "normal", ["--synchronous", "normal"])
    except CannotRun as reason:
        print(f"powercut: cannot run here: {reason}", file=sys.stderr)
        return 2
    except Exception:
        # A fault of the rig must not look like a loss, which has status 1.
        traceback.print_exc()
        return 2
    return verdict(full, normal)


def tally(rig, name, more):
    result = Tally(name)
    while result.cuts < rig.options.cuts:
        rig.cut(result, more, min(CUTS_PER_LOAD, rig.options.cuts - result.cuts))
    print(result.line(), flush=True)
    for reason, count in result.broken.most_common(5):
        print(f"  {count} times: {reason}")
    return result


def verdict(full, normal):
    if full.lossy or full.broken:
        print("LOST: the store lost acknowledged steps")
        return 1
    if not normal.lossy:
        print("NOT PROVEN: the control lost nothing either, so these cuts prove nothing")
        return 2
    print("kept: every acknowledged step survived every cut, and the control lost some")
    return 0


def arguments():
    parser = argparse.ArgumentParser(description="see README.md")
    parser.add_argument("--directory", required=True)
    parser.add_argument("--cuts", type=int, required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    for command in ("--load", "--list", "--check"):
        parser.add_argument(command, required=True)
    return parser.parse_args()


def interrupted(number, _frame):
    """Exits through every `with` and `finally`; a second signal must not interrupt that."""
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)
    sys.exit(128 + number)


def remove_leftovers(parent):
    """Removes the files of a killed rig. Its mounts are already gone."""
    for path in parent.glob("run-*"):
        if not Path("/proc", path.name.removeprefix("run-")).exists():
            shutil.rmtree(path)


def run(*command):
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotRun(f"`{shlex.join(command)}`: {done.stderr.strip()}")


def sparse(path, length):
    with open(path, "wb") as file:
        file.truncate(length)


def mount(image, where):
    run("mount", "-o", "loop", image, where)


def unmount(where):
    # A process may still be closing its files.
    for _ in range(50):
        if subprocess.run(["umount", where], stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    run("umount", "--lazy", where)


def end(load):
    load.kill()
    load.wait()


if __name__ == "__main__":
    sys.exit(main())
