"""Three servers on one store; in each round one of them is killed, or stopped and continued."""

from load import Load
from rig import figures

SERVERS = 3
# Longer than the database leaves a transaction open whose client is silent, and longer than a client
# of ours waits.
STOP_SECONDS = {True: 7, False: 12}
# Without an answer for longer than this, the other servers do not work on.
PAUSE_MOST = 20


def run(rig):
    rounds = rig.rounds(6, 50)
    faults = ["kill" if number % 2 else "stop" for number in range(rounds)]
    rig.dice.shuffle(faults)
    exchange = rig.exchange(rig.store(), SERVERS)
    load = Load(exchange, rig.dice.random(), has_short_leases=True).start()
    longest = 0.0
    try:
        for fault in faults:
            load.run_for(rig.dice.uniform(0.2, 1.0))
            server = rig.dice.choice(exchange.servers)
            load.ledger.reset_pause()
            break_one(rig, load, server, fault)
            load.await_answers(20, PAUSE_MOST)
            longest = max(longest, load.ledger.reset_pause())
    finally:
        load.is_over.set()
    leaves = rig.finish(load)
    lapsed = sum(leaf["type"] == "handoff.lapsed" for leaf in leaves)
    return (
        f"{faults.count('kill')} kills and {faults.count('stop')} stops of one of {SERVERS} servers; "
        f"{figures(load, leaves)}; {lapsed} leases ended by the clock; at most {longest:.1f} s without "
        "any answer"
    )


def break_one(rig, load, server, fault):
    if fault == "kill":
        server.kill()
        load.run_for(rig.dice.uniform(0, 1))
        server.start()
    else:
        server.stop()
        load.run_for(STOP_SECONDS[rig.is_short])
        server.resume()
