"""Loads a server with everything at once, for a long time.

Gates: the memory of the server, its file descriptors and the p99 of a submit must not grow, no
command may fail, and the log must check.
"""

import argparse
import json
import multiprocessing
import random
import socket
import subprocess
import threading
import time

from exchange import Client, Exchange, packet, percentile, timed

MEMORY_GROWTH, MEMORY_SLACK = 1.10, 16e6
DESCRIPTORS_SLACK = 32
P99_DRIFT, P99_MS = 1.20, 25
SAMPLE_SECONDS = 5
READS = (
    "/v1/inbox",
    "/v1/handoffs",
    "/v1/handoffs?all=true&limit=100",
    "/v1/events",
    "/v1/events?reason=zz",
    "/v1/stats",
    "/v1/search?q=ship",
    "/v1/whoami",
)


def work(address, sender, receiver, stop, latencies, failures):
    """Takes handoffs through their whole life."""
    ana, ben = Client(address, sender), Client(address, receiver)
    number = 0
    while not stop.is_set():
        number += 1
        task = f"s-{random.getrandbits(48):x}-{number}"
        took, (status, body) = timed(lambda: ana.request("POST", "/v1/handoffs", packet(task)))
        latencies.put((time.monotonic(), took))
        if status != 201:
            failures.put(f"submit: {status} {body[:200]}")
            continue
        handoff = json.loads(body)["handoff"]["id"]
        status, body = ben.request("POST", f"/v1/handoffs/{handoff}/claims", "{}", "application/json")
        if status != 201:
            failures.put(f"claim: {status} {body[:200]}")
            continue
        fence = json.loads(body)["claim"]["fence"]
        checkpoint = 'handoff_version: "1.0"\npacket_type: checkpoint\ncompleted: [parser]\n'
        status, body = ben.request(
            "POST", f"/v1/handoffs/{handoff}/checkpoints?fence={fence}", checkpoint
        )
        if status != 201:
            failures.put(f"checkpoint: {status} {body[:200]}")
        returned = (
            'handoff_version: "1.0"\npacket_type: return\nstatus: completed\n'
            "completed: [tests]\nremaining: []\n"
        )
        status, body = ben.request("POST", f"/v1/handoffs/{handoff}/returns?fence={fence}", returned)
        if status != 201:
            failures.put(f"return: {status} {body[:200]}")
        time.sleep(0.01)


def read(address, token, stop):
    client, at = Client(address, token), 0
    while not stop.is_set():
        client.request("GET", READS[at % len(READS)])
        at += 1
        time.sleep(0.02)


def disturb(address, token, stop):
    """Opens streams, slow bodies, idle connections and requests of strangers, and drops them."""
    host, port = address.split(":")
    head = f"host: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
    openings = (
        f"GET /v1/events HTTP/1.1\r\n{head}accept: text/event-stream\r\n\r\n",
        f"POST /v1/handoffs HTTP/1.1\r\n{head}content-type: application/yaml\r\ncontent-length: 99\r\n\r\nx",
        f"POST /v1/batch HTTP/1.1\r\n{head}content-type: application/json\r\ncontent-length: 7000000\r\n\r\n[",
        "POST /v1/sessions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\nx",
        "",
        "\x00\xff nonsense\r\n\r\n",
    )
    kept = []
    while not stop.is_set():
        try:
            connection = socket.create_connection((host, int(port)), timeout=5)
            connection.sendall(random.choice(openings).encode("latin-1"))
            kept.append(connection)
        except OSError:
            pass
        while len(kept) > 64:
            kept.pop(random.randrange(len(kept))).close()
        time.sleep(0.02)
    [connection.close() for connection in kept]


def threads_of(target, arguments):
    threads = [threading.Thread(target=target, args=one, daemon=True) for one in arguments]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def sampled(exchange, seconds):
    samples, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(min(SAMPLE_SECONDS, max(0.0, until - time.monotonic())))
        samples.append((exchange.memory(), exchange.descriptors()))
        if exchange.server.poll() is not None:
            raise SystemExit("soak: the server ended")
    return samples


def drained(queue):
    found = []
    while not queue.empty():
        found.append(queue.get())
    return found


def judge(samples, latencies, failures):
    """Compares the last third of the run with its second third; the first is for warming up."""
    third = max(1, len(samples) // 3)
    middle, last = samples[third : 2 * third] or samples, samples[-third:]
    memory = [max(one[0] for one in part) for part in (middle, last)]
    descriptors = [max(one[1] for one in part) for part in (middle, last)]
    start, end = latencies[0][0], latencies[-1][0]
    part = (end - start) / 3
    middle_ms = [took for at, took in latencies if start + part <= at < end - part]
    last_ms = [took for at, took in latencies if at >= end - part]
    p99 = [percentile(middle_ms, 99), percentile(last_ms, 99)]
    gates = {
        f"memory {memory[0] / 1e6:.0f} MB, then {memory[1] / 1e6:.0f} MB": memory[1] <= memory[0] * MEMORY_GROWTH + MEMORY_SLACK,
        f"descriptors {descriptors[0]}, then {descriptors[1]}": descriptors[1] <= descriptors[0] + DESCRIPTORS_SLACK,
        f"submit p99 {p99[0]:.1f} ms, then {p99[1]:.1f} ms": p99[1] <= max(P99_MS, p99[0] * P99_DRIFT),
        f"failed commands {len(failures)} {failures[:3]}": not failures,
    }
    print(f"{len(latencies)} handoffs")
    return gates


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--minutes", type=float, default=120)
    arguments = parser.parse_args()
    exchange = Exchange(arguments.tool)
    stop, latencies, failures = multiprocessing.Event(), multiprocessing.Queue(), multiprocessing.Queue()
    tokens, address = exchange.tokens, exchange.address
    workers = [(address, tokens[project, "ana"], tokens[project, "ben"], stop, latencies, failures) for project in "aabb"]
    readers = [(address, tokens[project, party], stop) for project in "ab" for party in ("cem", "dia")]
    processes = [
        multiprocessing.Process(target=threads_of, args=one)
        for one in ((work, workers), (read, readers), (disturb, [readers[0], readers[2]]))
    ]
    [process.start() for process in processes]
    try:
        # The queue is emptied while it fills, so that no worker waits for it.
        gathered, gathering = [], threading.Event()

        def gather():
            while not gathering.is_set():
                gathered.extend(drained(latencies))
                time.sleep(0.5)

        collector = threading.Thread(target=gather)
        collector.start()
        samples = sampled(exchange, arguments.minutes * 60)
        stop.set()
        time.sleep(2)
        gathering.set()
        collector.join()
        gates = judge(samples, sorted(gathered), drained(failures))
        for project in "ab":
            checked = exchange.command(project, "log", "check")
            gates[f"log of project {project}: {checked.strip().splitlines()[0]}"] = True
    except subprocess.SubprocessError as error:
        raise SystemExit(f"soak: {error}")
    finally:
        stop.set()
        [process.terminate() for process in processes]
        exchange.close()
    for gate, is_held in gates.items():
        print(f"{'held    ' if is_held else 'EXCEEDED'} {gate}")
    raise SystemExit(0 if all(gates.values()) else 1)


if __name__ == "__main__":
    main()
