"""The connection to the database is lost during COMMIT, before or after the commit has happened.

The client is told that the outcome is unknown. The same idempotency key then has the one true answer:
if the commit happened, the first one as a replay; if not, the command is carried out now.
"""

import time
from collections import Counter

import check
import postgres
from client import Operation, Violation
from load import CHECKPOINT, RETURN, Load, packet
from proxy import Proxy
from rig import figures

TRIES = 20


def run(rig):
    rounds = rig.rounds(2, 20)
    cluster = rig.cluster()
    proxy = Proxy(cluster.port())
    rig.proxies.append(proxy)
    exchange = rig.exchange(postgres.url(cluster.port()), 1)
    # The first server is direct and tells what happened; the second one goes through the proxy.
    through = f"{postgres.url(proxy.port)}?sslmode=disable"
    exchange.serve(TASUKI_STORE=through)
    load = Load(exchange, rig.dice.random())
    outcomes = Counter()
    for number in range(rounds):
        hand_over(rig, load, proxy, f"cut-{number}", outcomes)
    if not outcomes["before"] or not outcomes["after"]:
        raise Violation(f"not both outcomes occurred: {dict(outcomes)}")
    leaves = rig.finish(load)
    return (
        f"{outcomes['before']} commits cut before and {outcomes['after']} after they happened, each "
        f"answered with TK-OUTCOME-UNKNOWN and then once by its key; {outcomes['elsewhere']} cuts hit "
        f"another commit; {figures(load, leaves)}"
    )


def hand_over(rig, load, proxy, task, outcomes):
    """Hands a task over in five steps, each of which loses its connection during COMMIT."""
    sender, worker = load.caller(load.exchange.senders[0]), load.caller(load.exchange.team[0])

    def step(kind, caller, path, body="", handoff=None, fence=None):
        return Cut(rig, load, proxy, outcomes, caller).run(kind, path, body, handoff, fence)

    submitted = step("submit", sender, "/v1/handoffs", packet(task, sender.name))
    handoff = submitted.handoff
    place = f"/v1/handoffs/{handoff}"
    fence = step("claim", worker, f"{place}/claims", "", handoff).fence
    step("checkpoint", worker, f"{place}/checkpoints?fence={fence}", CHECKPOINT, handoff, fence)
    done = step("return", worker, f"{place}/returns?fence={fence}", RETURN, handoff, fence)
    verdict = f'{{"result": "pass", "return": "{done.document}"}}'
    step("verify", sender, f"{place}/verdicts", verdict, handoff)


class Cut:
    """One request whose commit is cut, and its repetitions."""

    def __init__(self, rig, load, proxy, outcomes, caller):
        self.rig, self.load, self.proxy, self.outcomes, self.caller = rig, load, proxy, outcomes, caller
        self.direct, self.proxied = load.exchange.servers

    def run(self, kind, path, body, handoff, fence):
        """Returns the operation as it was acknowledged."""
        key, called, before = self.load.ledger.key(), time.monotonic(), self.leaves()
        mode, answer = self.provoke(path, body, key)
        if mode:
            answer = self.resolve(kind, path, body, key, mode, before)
        operation = Operation(
            kind, self.caller.name, handoff, fence, called, time.monotonic(), 201, answer
        )
        self.load.ledger.add(operation)
        return operation

    def provoke(self, path, body, key):
        """Sends the request until it is answered or its commit is cut, and returns where.

        The server commits for itself too. If the proxy cut such a commit, the request is answered.
        """
        for _ in range(TRIES):
            mode, cuts = self.rig.dice.choice(("before", "after")), self.proxy.cuts
            self.proxy.arm(mode)
            status, code, answer, _ = self.caller.send(self.proxied, path, body, key)
            self.proxy.arm(None)
            if (status, code) == (503, "TK-OUTCOME-UNKNOWN"):
                self.outcomes[mode] += 1
                return mode, None
            if self.proxy.cuts == cuts:
                raise Violation(f"{path}: no COMMIT was seen, and the answer is {status} {answer}")
            self.outcomes["elsewhere"] += 1
            if status in (200, 201):
                return None, answer
            if (status, code) != (503, "TK-STORE-UNAVAILABLE"):
                raise Violation(f"{path}: cut {mode} the commit, and the answer is {status} {answer}")
        raise Violation(f"{path}: no commit was cut in {TRIES} tries")

    def resolve(self, kind, path, body, key, mode, before):
        """Repeats a request with an unknown outcome. Returns its one true answer."""
        has_happened = self.has(kind, before)
        if has_happened != (mode == "after"):
            raise Violation(f"{kind}: cut {mode} the commit, but happened is {has_happened}")
        servers = [self.direct, self.proxied]
        self.rig.dice.shuffle(servers)
        answers = [self.repeat(server, path, body, key) for server in (*servers, servers[0])]
        if [is_replayed for _, is_replayed in answers] != [has_happened, True, True]:
            raise Violation(f"{kind}: cut {mode}, replays are {[one for _, one in answers]}")
        if any(answer != answers[0][0] for answer, _ in answers):
            raise Violation(f"{kind}: one key has different answers: {answers}")
        return answers[0][0]

    def leaves(self):
        return len(check.read_log(self.caller, self.direct))

    def has(self, kind, before):
        leaves = check.read_log(self.caller, self.direct)[before:]
        return any(leaf["type"] == check.LEAVES[kind][0] for leaf in leaves)

    def repeat(self, server, path, body, key):
        for _ in range(TRIES):
            status, code, answer, is_replayed = self.caller.send(server, path, body, key)
            if status in (200, 201):
                # A replay says so; everything else must be the same.
                if answer.pop("repeated", False) != is_replayed:
                    raise Violation(f"{path}: body and headers disagree on a replay: {answer}")
                return answer, is_replayed
            if status != 503:
                break
            self.load.ledger.retry(code)
        raise Violation(f"{path}: the same key is answered with {status} {answer}")
