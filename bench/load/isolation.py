"""Measures what adversarial readers of one project cost another project."""

import argparse
import multiprocessing
import threading
import time

from exchange import PARTIES, Exchange, packet, percentile, timed

READERS = 24
READS = (
    "/v1/events?reason=zz",
    "/v1/events?since=0&reason=zz",
    "/v1/stats",
    "/v1/handoffs/abcdef",
    "/v1/handoffs?state=done&to=cem",
    "/v1/handoffs?all=true&from=dia",
    "/v1/search?q=ship",
    "/v1/inbox?limit=500",
    "/v1/decisions",
)
SUBMIT_MS, SUBMIT_FACTOR, HEALTH_MS = 25, 3, 50


def build(exchange, leaves):
    """Fills project a. Each handoff has a few leaves."""
    made = 0
    while exchange.client("a", "ana").leaves() < leaves:
        def fill(first):
            client = exchange.client("a", "ana")
            for batch in range(first, first + 20):
                bodies = [packet(f"t-{batch}-{one}") for one in range(256)]
                client.batch(
                    [
                        {"method": "POST", "path": "/v1/handoffs", "body": body, "content_type": "application/yaml"}
                        for body in bodies
                    ]
                )

        threads = [threading.Thread(target=fill, args=(made + at * 20,)) for at in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        made += 80


def read(address, tokens, number, stop, counts):
    """Reads as fast as the server lets it, in several threads."""
    from exchange import Client

    def loop(reader):
        client = Client(address, tokens[reader % len(tokens)])
        at = reader
        while not stop.is_set():
            status, _ = client.request("GET", READS[at % len(READS)])
            at += 1
            with counts.get_lock():
                counts[0 if status == 200 else 1 if status == 429 else 2] += 1

    threads = [threading.Thread(target=loop, args=(reader,)) for reader in number]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def measure(exchange, name, seconds):
    """Submits in project b and asks for the health of the server, one after the other."""
    client, health = exchange.client("b", "ana"), exchange.client("b", "ben")
    health.token = None
    submits, healths, memory, failed, task = [], [], 0, 0, name.replace(" ", "-")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        took, status = timed(lambda: client.submit(f"{task}-{len(submits)}"))
        submits.append(took)
        if status != 201:
            failed += 1
            print(f"a submit was answered with {status}", flush=True) if failed == 1 else None
        took, (status, _) = timed(lambda: health.request("GET", "/healthz"))
        healths.append(took)
        failed += status != 200
        memory = max(memory, exchange.memory())
    figures = {
        "submits": len(submits),
        "failed": failed,
        "submit p50": percentile(submits, 50),
        "submit p99": percentile(submits, 99),
        "health p99": percentile(healths, 99),
        "health max": max(healths),
        "memory MB": memory / 1e6,
    }
    print(f"{name}: " + ", ".join(f"{key} {value:.1f}" for key, value in figures.items()), flush=True)
    return figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--leaves", type=int, default=400_000)
    parser.add_argument("--seconds", type=int, default=20)
    arguments = parser.parse_args()
    exchange = Exchange(arguments.tool)
    try:
        took, _ = timed(lambda: build(exchange, arguments.leaves))
        leaves = exchange.client("a", "ana").leaves()
        print(f"project a has {leaves} leaves, built in {took / 1000:.0f} s", flush=True)
        alone = measure(exchange, "alone", arguments.seconds)
        stop, counts = multiprocessing.Event(), multiprocessing.Array("l", 3)
        tokens = [exchange.tokens["a", party] for party in PARTIES]
        readers = [
            multiprocessing.Process(
                target=read,
                args=(exchange.address, tokens, range(half, READERS, 2), stop, counts),
            )
            for half in range(2)
        ]
        [reader.start() for reader in readers]
        time.sleep(2)
        loaded = measure(exchange, f"{READERS} readers", arguments.seconds)
        stop.set()
        [reader.join() for reader in readers]
        print(f"reads: {counts[0]} answered, {counts[1]} refused with 429, {counts[2]} other")
    finally:
        exchange.close()
    limit = max(SUBMIT_MS, SUBMIT_FACTOR * alone["submit p99"])
    is_isolated = loaded["submit p99"] <= limit and loaded["health p99"] <= HEALTH_MS
    is_answered = alone["failed"] + loaded["failed"] == 0
    print(f"limits: submit p99 {limit:.1f} ms, health p99 {HEALTH_MS} ms: {'held' if is_isolated and is_answered else 'EXCEEDED'}")
    raise SystemExit(0 if is_isolated and is_answered else 1)


if __name__ == "__main__":
    main()
