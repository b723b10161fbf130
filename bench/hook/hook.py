"""Fills an exchange through a server, then measures the start hook of Claude Code in it."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# One request of the server takes at most this many.
BATCH = 100


def post(address, token, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/v1/batch", json.dumps(body).encode(), headers)
    while True:
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise SystemExit(f"the server refused a batch: {error.read().decode()}")
            time.sleep(float(error.headers.get("Retry-After", 1)))


def packet(number):
    """Every tenth handoff is for the agent, the others are for other agents."""
    receiver = "claude-code" if number % 10 == 0 else f"agent-{number % 50}"
    return {
        "handoff_version": "1.0", "task_id": f"task-{number}", "from_agent": "planner",
        "to_agent": receiver, "status": "in_progress", "goal": f"Port part {number}",
        "completed": [], "remaining": ["Port it"],
    }


def fill(address, token, handoffs):
    for start in range(0, handoffs, BATCH):
        numbers = range(start, min(start + BATCH, handoffs))
        requests = [
            {"method": "POST", "path": "/v1/handoffs", "key": f"k{n}", "body": packet(n)}
            for n in numbers
        ]
        while requests:
            answers = post(address, token, {"requests": requests})["answers"]
            late = [n for n, answer in enumerate(answers) if answer["status"] == 429]
            bad = [a for a in answers if a["status"] >= 300 and a["status"] != 429]
            if bad:
                raise SystemExit(f"a handoff was refused: {bad[0]}")
            requests = [requests[n] for n in late]
            if requests:
                time.sleep(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--handoffs", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "USER": "op"}

        def tool(*words, **more):
            return subprocess.run(
                [options.tool, *words], cwd=folder, env=environment, check=True,
                stdout=subprocess.PIPE, **more)

        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        tool("init", "-q")
        for name in ["planner", "claude-code", *(f"agent-{n}" for n in range(50))]:
            tool("party", "add", name, "-q")
        token = tool("token", "create", "--as", "planner", "-q").stdout.decode().strip()
        server = subprocess.Popen(
            [options.tool, "serve", "--json", "--listen", "127.0.0.1:0"], cwd=folder,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            address = json.loads(server.stdout.readline())["address"]
            fill(address, token, options.handoffs)
        finally:
            server.terminate()
            server.wait()
        times = []
        for number in range(options.runs):
            event = {"session_id": f"s{number}", "cwd": folder, "source": "startup",
                     "transcript_path": f"{folder}/.claude/t.jsonl"}
            start = time.perf_counter()
            tool("hook", "claude-code", "start", input=json.dumps(event).encode())
            times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    print(f"start hook, {options.handoffs} handoffs: median {statistics.median(times):.1f} ms, "
          f"95 % {times[int(len(times) * 0.95) - 1]:.1f} ms, {options.runs} runs (goal: 50 ms)")


main()
