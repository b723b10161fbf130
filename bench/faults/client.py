"""Requests that are repeated until a server answers them, and the ledger of all answers.

Every request has an idempotency key. A request without a definite answer is repeated with the same key
at the next server, so that it happens once however often it is sent.
"""

import http.client
import itertools
import json
import threading
import time
from collections import Counter

# Shorter than the pause of a stopped server, so that the request moves on to another one.
TIMEOUT_SECONDS = 4
ANSWER_SECONDS = 120
READ_SECONDS = 30
PAUSE_SECONDS = 0.03
# Answers that leave nothing changed, or leave it open: the same key asks again.
RETRIED = {
    "TK-STORE-UNAVAILABLE", "TK-STORE-BUSY", "TK-OUTCOME-UNKNOWN", "TK-QUEUE-FULL",
}


class Violation(Exception):
    """The exchange broke a promise."""


class Ledger:
    """All operations with a definite answer, from all clients."""

    def __init__(self):
        self.lock = threading.Lock()
        self.operations = []
        self.acknowledged = 0
        self.retried = Counter()
        self.replayed = 0
        self.violations = []
        self.last_answer = time.monotonic()
        self.longest_pause = 0.0
        self.keys = itertools.count(1)

    def key(self):
        return f"key-{next(self.keys)}"

    def add(self, operation):
        with self.lock:
            self.operations.append(operation)
            self.acknowledged += operation.is_acknowledged
            self.longest_pause = max(self.longest_pause, operation.answered - self.last_answer)
            self.last_answer = operation.answered

    def retry(self, reason):
        with self.lock:
            self.retried[reason] += 1

    def reset_pause(self):
        """Returns the longest time without an answer since the last call."""
        with self.lock:
            pause = max(self.longest_pause, time.monotonic() - self.last_answer)
            self.longest_pause, self.last_answer = 0.0, time.monotonic()
            return pause


class Operation:
    """One request and its definite answer. Times are monotonic, except for `answered_at`."""

    def __init__(self, kind, party, handoff, fence, called, answered, status, body):
        self.kind, self.party, self.fence = kind, party, fence
        self.called, self.answered, self.answered_at = called, answered, time.time()
        self.is_acknowledged = status in (200, 201)
        # A request without an answer may still be on its way when its repetition is refused.
        self.may_happen_later = False
        self.code = body.get("code")
        state = body.get("handoff") or {}
        self.handoff = state.get("id", handoff)
        self.sender, self.attempt = state.get("from"), state.get("attempt")
        self.document = body.get("document")
        claim = body.get("claim") or {}
        self.claim, self.until = claim.get("id"), claim.get("until")
        if kind == "claim":
            self.fence = claim.get("fence")


class Caller:
    """A party that calls servers, one request at a time."""

    def __init__(self, ledger, servers, party, dice):
        self.ledger, self.servers, self.dice = ledger, servers, dice
        self.name, self.token = party
        self.connections = {}
        # The last claim of each contested handoff: its id and fence.
        self.claims = {}
        self.turn = dice.randrange(len(servers))

    def run(self, kind, path, body="", handoff=None, fence=None, key=None):
        """Sends a request until it has a definite answer. Returns the operation and the body."""
        key = key or self.ledger.key()
        called, is_in_flight = time.monotonic(), False
        while True:
            status, code, answer, is_replayed = self.send(self.server(), path, body, key)
            if status in (200, 201) or 400 <= status < 500 and status != 429:
                break
            if status and code not in RETRIED and status != 429:
                raise Violation(f"{kind} {path}: {status} {answer}")
            self.ledger.retry(code or f"HTTP {status}" if status else "no answer")
            is_in_flight = is_in_flight or not status
            if time.monotonic() - called > ANSWER_SECONDS:
                raise Violation(f"{kind} {path}: no definite answer for {ANSWER_SECONDS} s ({code})")
            self.turn += 1
            time.sleep(self.dice.uniform(0, 2 * PAUSE_SECONDS))
        operation = Operation(
            kind, self.name, handoff, fence, called, time.monotonic(), status, answer
        )
        operation.may_happen_later = is_in_flight and not operation.is_acknowledged
        self.ledger.replayed += is_replayed
        self.ledger.add(operation)
        return operation, answer

    def server(self):
        # Mostly the same server, as behind a load balancer with kept connections.
        if self.dice.random() < 0.1:
            self.turn += 1
        return self.servers[self.turn % len(self.servers)]

    def send(self, server, path, body, key):
        """Returns status, code, body and whether it is a replay; status 0 without a response."""
        headers = {"authorization": f"Bearer {self.token}", "idempotency-key": key}
        headers["content-type"] = (
            "application/yaml" if body.startswith("handoff_version") else "application/json"
        )
        return self.exchange(server, "POST", path, body, headers)

    def get(self, server, path):
        """Returns the body of a read, which must succeed in time; JSON lines as a list."""
        headers = {"authorization": f"Bearer {self.token}"}
        end = time.monotonic() + READ_SECONDS
        while True:
            status, _, answer, _ = self.exchange(server, "GET", path, None, headers)
            if status == 200:
                return answer
            if status not in (0, 503) or time.monotonic() > end:
                raise Violation(f"GET {path}: {status} {answer}")
            time.sleep(PAUSE_SECONDS)

    def exchange(self, server, method, path, body, headers):
        """Returns status, code, body and whether it is a replay; status 0 without a response."""
        try:
            response, text = self.respond(server, method, path, body, headers)
        except (OSError, http.client.HTTPException):
            self.connections.pop(server.address).close()
            return 0, None, {}, False
        is_replayed = response.headers.get("idempotency-replayed") == "true"
        answer = read(text, response.headers.get("content-type", ""))
        code = answer.get("code") if isinstance(answer, dict) else None
        return response.status, code, answer, is_replayed

    def respond(self, server, *request):
        """Sends a request on the kept connection, or on a new one if the server has closed it.

        A server that refuses a request before it has read the body closes the connection.
        """
        kept = self.connections.get(server.address)
        if kept:
            try:
                return response_on(kept, request)
            except (ConnectionError, http.client.RemoteDisconnected):
                kept.close()
        fresh = http.client.HTTPConnection(server.address, timeout=TIMEOUT_SECONDS)
        self.connections[server.address] = fresh
        return response_on(fresh, request)


def response_on(connection, request):
    connection.request(*request)
    response = connection.getresponse()
    return response, response.read()


def read(text, media):
    if media.startswith("application/jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text) if "json" in media else {}
