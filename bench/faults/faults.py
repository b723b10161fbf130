"""Breaks servers, databases, connections and clocks under load, and checks that nothing is lost.

Started by `run`. See README.md.
"""

import argparse
import importlib
import random
import signal
import sys
import time

from client import Violation
from exchange import CannotRun, CommandFailed
from rig import Rig

SCENARIOS = ("servers", "failover", "outage", "commit", "clocks")
# What a shared folder cannot have: a database of its own.
ON_SQLITE = ("servers",)


def main():
    options = arguments()
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    begin = time.monotonic()
    print(f"seed {options.seed}, store {options.store}", flush=True)
    for name in options.only:
        code = play(name, options)
        if code:
            return code
    print(f"kept: {len(options.only)} scenarios in {time.monotonic() - begin:.0f} s", flush=True)
    return 0


def play(name, options):
    begin, rig, is_kept = time.monotonic(), None, False
    try:
        rig = Rig(options, name)
        did = importlib.import_module(name).run(rig)
        is_kept = True
    except (Violation, CommandFailed) as violation:
        print(f"VIOLATION in {name}: {violation}\nSEED={options.seed} repeats it; the logs of the "
              f"servers are in {rig.folder if rig else '-'}", flush=True)
        return 1
    except CannotRun as reason:
        print(f"faults: cannot run here: {reason}", file=sys.stderr)
        return 2
    finally:
        if rig:
            rig.close(keeps=not is_kept)
    print(f"{name}: {did} ({time.monotonic() - begin:.0f} s)", flush=True)
    return 0


def arguments():
    parser = argparse.ArgumentParser(description="see README.md")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--store", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--only", nargs="*", choices=SCENARIOS)
    options = parser.parse_args()
    possible = SCENARIOS if options.store == "postgres" else ON_SQLITE
    options.only = [name for name in options.only or possible if name in possible]
    return options


if __name__ == "__main__":
    sys.exit(main())
