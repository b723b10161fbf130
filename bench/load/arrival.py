"""Measures the memory of a server while many large batches arrive and do not end."""

import argparse
import json
import socket
import time

from exchange import PARTIES, Exchange

BATCHES, BATCH_BYTES, MEMORY_MB = 200, 7_800_000, 150


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    arguments = parser.parse_args()
    exchange = Exchange(arguments.tool)
    try:
        before = exchange.memory()
        item = {"method": "POST", "path": "/v1/handoff/validate", "body": "x" * 30_000, "content_type": "text/markdown"}
        body = json.dumps({"requests": [item] * 256}).ljust(BATCH_BYTES).encode()
        host, port = exchange.address.split(":")
        sockets = []
        for number in range(BATCHES):
            token = exchange.tokens["a" if number % 2 else "b", PARTIES[number % len(PARTIES)]]
            head = (
                f"POST /v1/batch HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
                f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            )
            connection = socket.create_connection((host, int(port)))
            connection.sendall(head.encode())
            connection.setblocking(False)
            sockets.append([connection, memoryview(body)[:-1]])
        peak, until = before, time.monotonic() + 15
        while time.monotonic() < until:
            for entry in sockets:
                try:
                    entry[1] = entry[1][entry[0].send(entry[1][:262_144]) :]
                except BlockingIOError:
                    pass
                except OSError:
                    entry[1] = entry[1][:0]
            peak = max(peak, exchange.memory())
        status = exchange.client("a", "ana").submit("small")
    finally:
        exchange.close()
    is_small = peak <= MEMORY_MB * 1e6
    print(f"{BATCHES} batches of {BATCH_BYTES / 1e6} MB: {before / 1e6:.0f} MB before, {peak / 1e6:.0f} MB at most, a submit meanwhile: {status}")
    print(f"limit: {MEMORY_MB} MB: {'held' if is_small and status == 201 else 'EXCEEDED'}")
    raise SystemExit(0 if is_small and status == 201 else 1)


if __name__ == "__main__":
    main()
