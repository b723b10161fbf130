"""Two servers whose clocks are 5 minutes apart: leases are judged by the clock of the database."""

import glob
import http.client
import os
from email.utils import parsedate_to_datetime

import check
from client import Violation
from exchange import CannotRun
from load import Load
from rig import figures

APART_SECONDS = 300
# (offset of the first server, offset of the second)
OFFSETS = ((0, 300), (-300, 0), (-150, 150))
RUN_SECONDS = {True: 6, False: 20}
LIBRARIES = "/usr/lib/*/faketime/libfaketimeMT.so.1"


def run(rig):
    rounds = rig.rounds(1, 3)
    reports = []
    for number in range(rounds):
        offsets = OFFSETS[(number + rig.options.seed) % len(OFFSETS)]
        reports.append(run_with(rig, rig.store(), offsets, f"exchange-{number}"))
    return f"{'; '.join(reports)}; control: {control(rig)}"


def start(rig, store, offsets, name):
    exchange = rig.exchange(store, 0, name)
    for offset in offsets:
        exchange.serve(
            LD_PRELOAD=library(), FAKETIME=f"{offset:+d}s", FAKETIME_DONT_FAKE_MONOTONIC="1",
        )
    apart = wall_clock(exchange.servers[1]) - wall_clock(exchange.servers[0])
    if abs(apart - APART_SECONDS) > 2:
        raise CannotRun(f"the clocks of the servers are {apart:.0f} s apart, not {APART_SECONDS}")
    return exchange


def run_with(rig, store, offsets, name):
    exchange = start(rig, store, offsets, name)
    load = Load(exchange, rig.dice.random(), has_short_leases=True).start()
    try:
        load.run_for(RUN_SECONDS[rig.is_short])
    finally:
        load.is_over.set()
    leaves = rig.finish(load)
    off = check.clock(load.ledger.operations, leaves)
    lapsed = sum(leaf["type"] == "handoff.lapsed" for leaf in leaves)
    if not lapsed:
        raise Violation("no short lease ended by the clock")
    return (
        f"servers at {offsets[0]:+d} s and {offsets[1]:+d} s; {figures(load, leaves)}; {lapsed} leases "
        f"ended by the clock, none early; the log is at most {off * 1000:.0f} ms off the clients"
    )


def control(rig):
    """The control: on SQLite, where each server has a clock of its own, the difference is found."""
    exchange = start(rig, None, OFFSETS[0], "control")
    load = Load(exchange, rig.dice.random(), has_short_leases=True).start()
    load.run_for(3)
    load.finish()
    leaves = check.read_log(load.caller(exchange.senders[0]), exchange.servers[0])
    try:
        check.clock(load.ledger.operations, leaves)
    except Violation as found:
        return f"by the clocks of the servers, {found}"
    raise Violation("the check does not find a clock that is off")


def wall_clock(server):
    """Returns the time of a server, from the header `Date`."""
    connection = http.client.HTTPConnection(server.address, timeout=10)
    connection.request("GET", "/healthz")
    header = connection.getresponse().headers["date"]
    connection.close()
    return parsedate_to_datetime(header).timestamp()


def library():
    found = glob.glob(os.environ.get("FAKETIME_LIBRARY", LIBRARIES))
    if not found:
        raise CannotRun("libfaketime is missing; install the package faketime")
    return found[0]
