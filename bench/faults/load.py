"""A mixed load: senders submit and verify; the team claims, checkpoints, releases and returns.

A few handoffs are contested: the rivals claim and release them without end, and write with fences of
claims that they may have lost. They are what a second holder would show on.
"""

import queue
import random
import threading
import time

from client import Caller, Ledger, Violation
from exchange import RIVALS, TEAM

CONTESTED = 3
OPEN_MOST = 40
PAUSE_SECONDS = (0.0, 0.03)
SHORT_LEASE = "2s"
CHECKPOINT = "handoff_version: '1.0'\npacket_type: checkpoint\ncompleted: [x]\n"
RETURN = "handoff_version: '1.0'\npacket_type: return\nstatus: completed\nsummary: Done\n"


def packet(task, sender, receiver=TEAM):
    return (
        f'handoff_version: "1.0"\ntask_id: {task}\nfrom_agent: {sender}\nto_agent: {receiver}\n'
        f"status: in_progress\ngoal: Ship {task}\nremaining: [x]\nreturn_required: [summary]\n"
    )


class Load:
    """Clients of some servers of an exchange, each in a thread of its own."""

    def __init__(self, exchange, seed, has_short_leases=False):
        self.exchange, self.has_short_leases = exchange, has_short_leases
        self.ledger = Ledger()
        self.is_over = threading.Event()
        # Return packets that wait for the sender of their handoff.
        self.returned = {name: queue.SimpleQueue() for name, _ in exchange.senders}
        self.contested = []
        self.open = 0
        self.threads = []
        self.seeds = random.Random(seed)
        self.prepare(self.caller(exchange.senders[0]))

    def caller(self, party):
        dice = random.Random(self.seeds.randrange(1 << 30))
        return Caller(self.ledger, self.exchange.servers, party, dice)

    def prepare(self, sender):
        for number in range(CONTESTED):
            task = f"contested-{number}"
            body = packet(task, sender.name, RIVALS)
            operation, _ = sender.run("submit", "/v1/handoffs", body)
            self.contested.append(operation.handoff)

    def start(self):
        exchange = self.exchange
        for work, parties in ((send, exchange.senders), (receive, exchange.team), (contest, exchange.rivals)):
            for party in parties:
                arguments = (work, self, self.caller(party))
                self.threads.append(threading.Thread(target=guarded, args=arguments, daemon=True))
        for thread in self.threads:
            thread.start()
        return self

    def is_sound(self):
        return not self.ledger.violations

    def run_for(self, seconds):
        """Lets the clients work; ends early if one of them found a violation."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.is_sound():
            time.sleep(min(0.05, max(0, end - time.monotonic())))

    def await_answers(self, count, seconds):
        """Waits until so many more operations are acknowledged. Returns how long that took."""
        begin, aim = time.monotonic(), self.ledger.acknowledged + count
        while self.ledger.acknowledged < aim and self.is_sound():
            if time.monotonic() - begin > seconds:
                raise Violation(f"not {count} steps acknowledged within {seconds} s")
            time.sleep(0.02)
        return time.monotonic() - begin

    def finish(self):
        """Ends the load: every client completes its last request. Raises what they found."""
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        self.threads = []
        if self.ledger.violations:
            raise self.ledger.violations[0]


def guarded(work, load, caller):
    try:
        while not load.is_over.is_set() and load.is_sound():
            work(load, caller)
            time.sleep(caller.dice.uniform(*PAUSE_SECONDS))
    except Exception as fault:  # A client that stops must fail the run, whatever stopped it.
        fault = fault if isinstance(fault, Violation) else Violation(f"client: {fault!r}")
        load.ledger.violations.append(fault)


def send(load, sender):
    """Verifies a return packet that waits, or submits a handoff."""
    try:
        handoff, document = load.returned[sender.name].get_nowait()
    except queue.Empty:
        if load.open < OPEN_MOST:
            load.open += 1
            task = f"task-{load.ledger.key()}"
            expect(sender.run("submit", "/v1/handoffs", packet(task, sender.name)))
        return
    body = f'{{"result": "pass", "return": "{document}"}}'
    expect(sender.run("verify", f"/v1/handoffs/{handoff}/verdicts", body, handoff))
    load.open -= 1


def contest(load, rival):
    """Takes one step on a contested handoff, with the last fence that the rival was given."""
    handoff = rival.dice.choice(load.contested)
    claim, fence = rival.claims.get(handoff, (None, None))
    choice = rival.dice.randrange(10)
    if claim and choice < 4:
        checkpoint(rival, handoff, fence)
    elif claim and choice < 8:
        release(rival, handoff, claim, fence)
    else:
        operation = take(rival, f"/v1/handoffs/{handoff}/claims", handoff)
        if operation.is_acknowledged:
            rival.claims[handoff] = operation.claim, operation.fence


def receive(load, member):
    """Works on the next handoff, from claim to return."""
    is_short = load.has_short_leases and member.dice.random() < 0.1
    operation = take(member, "/v1/claims", None, f'{{"lease": "{SHORT_LEASE}"}}' if is_short else "")
    if not operation.is_acknowledged or is_short and operation.attempt == 1:
        # A short lease is left to the clock, which must end it, not earlier and not never.
        return
    handoff, fence = operation.handoff, operation.fence
    for _ in range(member.dice.randrange(3)):
        checkpoint(member, handoff, fence)
    if member.dice.random() < 0.2:
        release(member, handoff, operation.claim, fence)
        return
    path = f"/v1/handoffs/{handoff}/returns?fence={fence}"
    done, _ = member.run("return", path, RETURN, handoff, fence)
    if done.is_acknowledged:
        load.returned[done.sender].put((handoff, done.document))


def take(caller, path, handoff, body=""):
    return caller.run("claim", path, body, handoff)[0]


def checkpoint(caller, handoff, fence):
    path = f"/v1/handoffs/{handoff}/checkpoints?fence={fence}"
    caller.run("checkpoint", path, CHECKPOINT, handoff, fence)


def release(caller, handoff, claim, fence):
    caller.run("release", f"/v1/claims/{claim}/release", "", handoff, fence)


def expect(result):
    operation, answer = result
    if not operation.is_acknowledged:
        raise Violation(f"{operation.kind} was refused: {answer}")
