"""The database goes away under load. Requests fail clearly, and go on when it is back."""

import time

from client import Violation
from load import Load
from rig import figures
import postgres

SERVERS = 3
AWAY_SECONDS = {True: 5, False: 30}
RECOVERY_MOST = 30
CLEAR = {"TK-STORE-UNAVAILABLE", "TK-STORE-BUSY", "TK-OUTCOME-UNKNOWN"}


def run(rig):
    rounds = rig.rounds(1, 3)
    cluster = rig.cluster()
    exchange = rig.exchange(postgres.url(cluster.port()), SERVERS)
    processes = [server.process.pid for server in exchange.servers]
    load = Load(exchange, rig.dice.random()).start()
    longest = 0.0
    try:
        for _ in range(rounds):
            load.run_for(rig.dice.uniform(0.5, 1.5))
            longest = max(longest, go_away(rig, load, cluster))
    finally:
        load.is_over.set()
    leaves = rig.finish(load)
    unclear = set(load.ledger.retried) - CLEAR
    if unclear:
        raise Violation(f"requests failed unclearly while the database was away: {unclear}")
    if not load.ledger.retried["TK-STORE-UNAVAILABLE"]:
        raise Violation("no request was refused with TK-STORE-UNAVAILABLE")
    if processes != [server.process.pid for server in exchange.servers if server.is_running()]:
        raise Violation("a server ended while the database was away")
    return (
        f"{rounds} times without a database for {AWAY_SECONDS[rig.is_short]} s; "
        f"{figures(load, leaves)}; at most {longest:.1f} s from its return to the next answers"
    )


def go_away(rig, load, cluster):
    cluster.stop()
    # Half of the time, the server must know it; then it must still answer.
    load.run_for(AWAY_SECONDS[rig.is_short] / 2)
    for server in load.exchange.servers:
        health, readiness = server.get("/healthz"), server.get("/readyz")
        if (health, readiness) != (200, 503):
            raise Violation(
                f"server {server.number} without a database: /healthz {health}, /readyz {readiness}"
            )
    load.run_for(AWAY_SECONDS[rig.is_short] / 2)
    cluster.start()
    begin = time.monotonic()
    load.await_answers(20, RECOVERY_MOST)
    return time.monotonic() - begin
