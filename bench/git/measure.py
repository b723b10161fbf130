"""Measures a snapshot and a restore of a large work tree. See README.md."""

import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

FILES = int(os.environ.get("FILES", 50_000))
CHANGES = int(os.environ.get("CHANGES", 150))
ROUNDS = int(os.environ.get("ROUNDS", 5))
GOAL_SECONDS = 0.5
TASUKI = os.environ["TASUKI_BIN"]


def run(arguments, folder):
    """Runs a program and returns its output and the seconds it took."""
    started = time.perf_counter()
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stdout}{done.stderr}")
    return done.stderr, seconds


def git(folder, *arguments):
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    return run(["git", *identity, *arguments], folder)[0]


def tasuki(folder, *arguments):
    return run([TASUKI, *arguments], folder)


def build(root):
    """Creates a repository with an exchange, and a second work tree."""
    source = random.Random(1)
    line = "".join(chr(97 + source.randrange(26)) for _ in range(60)) + "\n"
    for number in range(FILES):
        folder = root / f"dir{number // 500:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file{number:05}.txt").write_text(f"{number}\n" + line * 85)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "begin")
    git(root, "worktree", "add", "--quiet", "../side", "-b", "side")
    tasuki(root, "init")
    tasuki(root, "begin", "--as", "coder", "--task", "build", "--goal", "Measure")


def change(root, round_number):
    """Changes, adds and removes files."""
    files = sorted(root.glob("dir*/file*.txt"))
    chosen = random.Random(round_number).sample(files, CHANGES)
    for at, path in enumerate(chosen):
        if at % 5 == 0:
            (path.parent / f"new-{round_number}-{at}.txt").write_text("new\n")
        elif at % 5 == 1:
            path.unlink()
        else:
            path.write_text(path.read_text() + f"changed {round_number}\n")


def measure(root):
    side = root.parent / "side"
    snapshots, restores = [], []
    task = ["--task", "build", "--owner", "coder", "--cause", "checkpoint", "--as", "coder"]
    for round_number in range(ROUNDS):
        git(root, "checkout", "--quiet", ".")
        git(root, "clean", "--quiet", "--force", "-d")
        change(root, round_number)
        git(root, "status", "--short")
        git(side, "status", "--short")
        snapshots.append(tasuki(root, "snapshot", *task)[1])
        restore = ["resume", "build", "--as", "coder", "--restore"]
        said, seconds = tasuki(side, *restore)
        restores.append(seconds)
        undo = next(line for line in said.splitlines() if line.startswith("Undo: ")).split()[-1]
        tasuki(side, *restore, "--from", undo)
    return snapshots, restores


def main():
    with tempfile.TemporaryDirectory(prefix="tasuki-bench-git-") as folder:
        root = pathlib.Path(folder).resolve() / "main"
        root.mkdir()
        build(root)
        print(f"{FILES} files, {CHANGES} changes, {ROUNDS} rounds, goal {GOAL_SECONDS} s")
        for name, seconds in zip(("snapshot", "restore"), measure(root), strict=True):
            median, worst = statistics.median(seconds), max(seconds)
            print(f"{name:<9} median {median:.2f} s, worst {worst:.2f} s")


if __name__ == "__main__":
    main()
