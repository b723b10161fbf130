"""What every scenario starts with and ends with: a store, servers, a load, and the checks."""

import random
import shutil
import tempfile
from itertools import pairwise
from pathlib import Path

import check
import postgres
from client import Violation
from exchange import CommandFailed, Exchange


class Rig:
    """The processes and files of one scenario, removed at its end."""

    def __init__(self, options, name):
        self.options, self.is_short = options, options.short
        self.dice = random.Random(f"{options.seed}/{name}")
        self.folder = Path(tempfile.mkdtemp(prefix=f"tasuki-faults-{name}."))
        self.exchanges, self.proxies = [], []
        self.clusters = None if options.store == "sqlite" else postgres.Clusters()

    def rounds(self, short, long):
        return self.options.rounds or (short if self.is_short else long)

    def cluster(self):
        return self.clusters.create()

    def exchange(self, store, count, name="exchange"):
        """Returns an exchange with so many servers."""
        exchange = Exchange(self.options.tool, self.folder / name, store)
        self.exchanges.append(exchange)
        for _ in range(count):
            exchange.serve()
        return exchange

    def store(self):
        """Returns the URL of a new database, or `None` for SQLite."""
        return postgres.url(self.cluster().port()) if self.clusters else None

    def finish(self, load):
        """Ends a load, checks everything, and shows that the checks can fail."""
        load.finish()
        leaves = self.check(load)
        check.control(load.ledger.operations, leaves)
        return leaves

    def check(self, load):
        """Checks what the clients saw, the log and the store. Returns the leaves."""
        exchange = load.exchange
        # Every server must tell the same.
        logs = [
            check.read_log(load.caller(exchange.senders[0]), server) for server in exchange.servers
        ]
        # Leases may end between two reads, so a later log may go on.
        for earlier, later in pairwise(logs):
            if later[: len(earlier)] != earlier:
                raise Violation("two servers show different logs")
        leaves = logs[-1]
        check.check(load.ledger.operations, leaves)
        try:
            exchange.command("log", "check")
            exchange.command("doctor")
        except CommandFailed as fault:
            raise Violation(str(fault)) from fault
        return leaves

    def close(self, keeps):
        for exchange in self.exchanges:
            exchange.close()
        for proxy in self.proxies:
            proxy.close()
        if self.clusters:
            self.clusters.remove()
        if not keeps:
            shutil.rmtree(self.folder)


def figures(load, leaves):
    """Returns what a load did, in words."""
    ledger = load.ledger
    acknowledged = [one for one in ledger.operations if one.is_acknowledged]
    contested = sum(one.kind == "claim" and one.handoff in load.contested for one in acknowledged)
    late = len(check.match(ledger.operations, leaves)) - len(acknowledged)
    retried = ", ".join(f"{count} {reason}" for reason, count in sorted(ledger.retried.items()))
    return (
        f"{len(acknowledged):,} acknowledged steps in {len(leaves):,} leaves, none lost, none twice; "
        f"{contested:,} claims of contested handoffs; "
        f"{len(ledger.operations) - len(acknowledged):,} refused with reason; "
        f"{late} happened after their repetition was refused; {ledger.replayed} replayed; "
        f"repeated after: {retried or 'nothing'}"
    )
