"""A primary with a synchronous standby. The primary is killed under load, the standby promoted."""

import time

import check
import postgres
from client import Violation
from load import Load
from rig import figures

SERVERS = 3
# From the kill to the next acknowledged steps, with the promotion.
RECOVERY_MOST = 60


def run(rig):
    rounds = rig.rounds(1, 10)
    primary = rig.cluster()
    standby = rig.clusters.standby(primary)
    exchange = rig.exchange(postgres.url(primary.port(), standby.port()), SERVERS)
    load = Load(exchange, rig.dice.random(), has_short_leases=True).start()
    longest = 0.0
    try:
        for number in range(rounds):
            if number:
                # The lost primary comes back as the standby, under its old address.
                primary, standby = standby, rig.clusters.standby(standby, primary.port())
            load.run_for(rig.dice.uniform(1, 3))
            longest = max(longest, fail_over(rig, load, primary, standby))
            load.run_for(1)
    finally:
        load.is_over.set()
    leaves = rig.finish(load)
    report = (
        f"{rounds} primaries killed, their synchronous standbys promoted; {figures(load, leaves)}; at "
        f"most {longest:.1f} s from the kill to the next answers"
    )
    return f"{report}; control: {lose(rig)}"


def fail_over(rig, load, primary, standby):
    begin = time.monotonic()
    primary.kill()
    load.run_for(rig.dice.uniform(0, 2))
    standby.promote()
    load.await_answers(20, RECOVERY_MOST)
    return time.monotonic() - begin


def lose(rig):
    """The control: a standby that no commit waits for loses what was acknowledged."""
    primary = rig.cluster()
    standby = rig.clusters.standby(primary)
    url = postgres.url(primary.port(), standby.port())
    exchange = rig.exchange(url, 1, "control")
    load = Load(exchange, rig.dice.random()).start()
    primary.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
    standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
    for cluster in (primary, standby):
        cluster.sql("SELECT pg_reload_conf()")
    load.await_answers(100, RECOVERY_MOST)
    # The load ends first: afterwards, a worker could only stumble over the loss.
    load.finish()
    primary.kill()
    standby.promote()
    leaves = check.read_log(load.caller(exchange.senders[0]), exchange.servers[0])
    try:
        check.check(load.ledger.operations, leaves)
    except Violation as found:
        return f"without a synchronous standby, {found}"
    raise Violation("the check does not find what an asynchronous standby loses")
