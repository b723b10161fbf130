"""Alternates the readers on one core, and prints the results.

Each side is one process that stays warm and measures a round on request, so that other load on the
machine affects all of them alike. Ratios of adjacent rounds are the results that count; absolute
numbers are valid only for this machine and this hour.
"""

import json
import os
import pty
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
ROUNDS = 9
ROUND_SECONDS = 0.7
# A JavaScript engine compiles hot code, so the warm-up is the longer part.
WARM_UP_SECONDS = 1.5

RUST = ["tasuki json", "tasuki yaml", "serde_json", "serde_json + jsonschema"]
JAVASCRIPT = ["JSON.parse + ajv", "yaml + ajv", "JSON.parse", "yaml"]

FILES = 10_000
FILES_RSS_MAX_MB = 200


def main(bench, tasuki):
    prefix = ["taskset", "-c", str(max(os.sched_getaffinity(0)))] if shutil.which("taskset") else []
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, {ROUNDS} rounds of {ROUND_SECONDS} s")
    if not prefix:
        print("taskset is missing: not pinned to one core")

    figures = []
    figures += speed(prefix, bench)
    figures += hostile(prefix, bench)
    figures += files(tasuki)

    print("\nfigures")
    for name, is_met, detail in figures:
        print(f"  {'met   ' if is_met else 'MISSED' if is_met is False else '-     '}  {name}: {detail}")


class Side:
    """A program that measures on request."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, name, seconds):
        self.process.stdin.write(f"{seconds} {name}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"the side that measures `{name}` ended")
        return float(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def speed(prefix, bench):
    rust = Side([*prefix, bench, "--rounds"])
    sides = {name: rust for name in RUST}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as schema:
        if shutil.which("node") is None:
            print("node is missing: the JavaScript side is not measured")
        elif not (HERE / "node_modules").exists():
            print("node_modules is missing (is npm there?): the JavaScript side is not measured")
        else:
            schema.write(subprocess.check_output([bench, "--schema"], text=True))
            schema.flush()
            javascript = Side([*prefix, "node", str(HERE / "ajv.mjs"), schema.name])
            sides |= {name: javascript for name in JAVASCRIPT}
        rates = take_turns(sides)
        for side in set(sides.values()):
            side.end()

    print("\none core                     packets/s   of tasuki json   of tasuki yaml")
    for name, own in rates.items():
        shares = [f"{1 / ratio(rates, ours, name):>14.2f} x" for ours in ("tasuki json", "tasuki yaml")]
        print(f"{name:<26} {statistics.median(own):>11,.0f} {' '.join(shares)}")
    return [
        figure(rates, "JSON, at least 2 times JSON.parse + ajv, aim 3", "tasuki json", "JSON.parse + ajv", 2),
        figure(rates, "YAML, faster than yaml + ajv, aim 2 times", "tasuki yaml", "yaml + ajv", 1),
    ]


def take_turns(sides):
    rates = {name: [] for name in sides}
    for name, side in sides.items():
        side.measure(name, WARM_UP_SECONDS)
    for _ in range(ROUNDS):
        for name, side in sides.items():
            rates[name].append(side.measure(name, ROUND_SECONDS))
    return rates


def ratio(rates, ours, theirs):
    """Returns the ratio of ours to theirs: the median over adjacent rounds."""
    return statistics.median(own / other for own, other in zip(rates[ours], rates[theirs]))


def figure(rates, name, ours, theirs, least):
    if theirs not in rates:
        return (name, None, "not measured")
    times = ratio(rates, ours, theirs)
    return (name, times >= least, f"{times:.1f} times")


def hostile(prefix, bench):
    lines = subprocess.check_output([*prefix, bench, "--hostile", "--json"], text=True).splitlines()
    refusals = [json.loads(line) for line in lines]
    faulty = [refusal for refusal in refusals if refusal["faults"]]
    slowest = max(refusals, key=lambda refusal: refusal["ms"])
    largest = max(refusals, key=lambda refusal: refusal["peak_bytes"])
    print(f"\n{len(refusals)} hostile inputs")
    print(f"  slowest  {slowest['ms']:.2f} ms  {slowest['hostile']}")
    print(f"  largest  {largest['peak_bytes'] / 1e6:.2f} MB  {largest['hostile']}")
    for refusal in faulty:
        print(f"  {' and '.join(refusal['faults'])}: {refusal['hostile']} ({refusal['ms']:.2f} ms, {refusal['peak_bytes'] / 1e6:.2f} MB)")
    unread = next(refusal for refusal in refusals if refusal["hostile"].startswith("10 MB"))
    is_unread = unread["peak_bytes"] < 10_000 and unread["ms"] < 0.1
    return [
        ("hostile input, each refused under 5 ms and 5 MB", not faulty, f"{len(refusals) - len(faulty)} of {len(refusals)}"),
        ("input over the limit refused unread", is_unread, f"{unread['ms'] * 1000:.0f} us, {unread['peak_bytes']} bytes for 10 MB"),
    ]


def files(tasuki):
    """`tasuki validate` on many files: both cores, progress, memory."""
    name = f"`tasuki validate` on {FILES:,} files, both cores, progress, under {FILES_RSS_MAX_MB} MB"
    if not has_validate(tasuki):
        print(f"\n{tasuki} has no `validate` yet (cargo build --release -p tasuki): not measured")
        return [(name, None, "not measured")]
    with tempfile.TemporaryDirectory() as directory:
        write_packets(Path(directory))
        run = watch([tasuki, "validate", directory])
        cores = run["processor_seconds"] / run["seconds"]
        print(f"\n{FILES:,} files in {run['seconds']:.2f} s, {cores:.2f} cores, {run['rss_mb']:.0f} MB, {run['screen_updates']} updates on the screen, exit {run['status']}")
        # Starting, listing the directory and printing use one core.
        wanted = 1.5 if len(os.sched_getaffinity(0)) > 1 else 0
        is_met = run["status"] == 0 and cores >= wanted and run["screen_updates"] > 1 and run["rss_mb"] < FILES_RSS_MAX_MB
        return [
            (name, is_met, f"{cores:.2f} cores, {run['rss_mb']:.0f} MB, {run['screen_updates']} updates"),
            huge_file(tasuki, Path(directory)),
        ]


def huge_file(tasuki, directory):
    path = directory / "huge.json"
    with path.open("wb") as file:
        file.truncate(4 << 30)
    run = watch([tasuki, "validate", str(path)])
    is_met = run["status"] not in (0, None) and run["seconds"] < 1 and run["rss_mb"] < 50
    return ("`tasuki validate` refuses a file of 4 GB unread", is_met, f"{run['seconds']:.2f} s, {run['rss_mb']:.0f} MB, exit {run['status']}")


def has_validate(tasuki):
    if not Path(tasuki).exists():
        return False
    return "validate" in subprocess.run([tasuki, "--help"], capture_output=True, text=True, check=False).stdout


def write_packets(directory):
    packet = json.loads((HERE / "packet.json").read_text())
    yaml = (HERE / "packet.yaml").read_text()
    for number in range(FILES):
        task = f"task-{number}"
        # One in ten as people write it, the others as programs do.
        if number % 10 == 0:
            (directory / f"{task}.yaml").write_text(yaml.replace(packet["task_id"], task))
        else:
            (directory / f"{task}.json").write_text(json.dumps(packet | {"task_id": task}))


def watch(command):
    """Runs a command with its errors and progress on a terminal."""
    ours, theirs = pty.openpty()
    seen = bytearray()
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    reader = threading.Thread(target=read_all, args=(ours, seen))
    reader.start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    return {
        "status": process.returncode,
        "seconds": seconds,
        "processor_seconds": usage.ru_utime + usage.ru_stime,
        "rss_mb": usage.ru_maxrss * 1024 / 1e6,
        # A progress line is redrawn in place.
        "screen_updates": seen.count(b"\r") - seen.count(b"\r\n") + seen.count(b"\x1b[2K"),
    }


def read_all(terminal, seen):
    try:
        while part := os.read(terminal, 4096):
            seen.extend(part)
    except OSError:
        # Linux reports the end of a terminal as an error.
        pass
    finally:
        os.close(terminal)


if __name__ == "__main__":
    main(*sys.argv[1:])
