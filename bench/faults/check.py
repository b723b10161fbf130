"""Checks what clients were told against the log of the exchange.

The log is one order of all steps. The history of the clients is linearizable if that order explains
it: every acknowledged step is in the log, none is there twice, a step that was answered before
another was called comes first, at most one claim is live, and every refusal had its reason.
"""

import copy
import math
from collections import Counter, defaultdict
from datetime import datetime

from client import Violation

# The leaf of each kind of operation, and the attribute that names what it made.
LEAVES = {
    "submit": ("handoff.submitted", None),
    "claim": ("handoff.claimed", "claim"),
    "checkpoint": ("handoff.checkpointed", "checkpoint"),
    "release": ("handoff.released", None),
    "return": ("handoff.returned", "return_packet"),
    "verify": ("handoff.verified", "verdict"),
}
KINDS = {leaf: kind for kind, (leaf, _) in LEAVES.items()}
ENDS = ("handoff.released", "handoff.returned", "handoff.lapsed")
# The client and the database share a machine, but not the instant.
CLOCK_SECONDS = 2.0


def read_log(caller, server):
    """Returns all leaves of the project."""
    leaves = []
    while True:
        page = caller.get(server, f"/v1/log/leaves?from={len(leaves)}&limit=500")
        leaves.extend(page)
        if len(page) < 500:
            return leaves


def check(operations, leaves):
    """Raises the first violation. Returns how many operations of each kind were acknowledged."""
    if [leaf["n"] for leaf in leaves] != list(range(len(leaves))):
        raise Violation("the numbers of the leaves have a gap")
    places = match(operations, leaves)
    in_order(places)
    claims = hold(leaves)
    leases(leaves, places)
    refusals(operations, claims, leaves, places)
    return Counter(one.kind for one in operations if one.is_acknowledged)


def identity_of_leaf(leaf):
    attribute = LEAVES[KINDS[leaf["type"]]][1]
    attributes = leaf["attr"]
    made = attributes[attribute] if attribute else None
    return leaf["type"], leaf["subj"]["h"], attributes.get("fence"), made


def identity_of_operation(one):
    kind, attribute = LEAVES[one.kind]
    made = {None: None, "claim": one.claim}.get(attribute, one.document)
    return kind, one.handoff, one.fence, made


def match(operations, leaves):
    """Finds the leaf of every acknowledged operation: one each, and none left over."""
    present = defaultdict(list)
    for leaf in leaves:
        if leaf["type"] in KINDS:
            present[identity_of_leaf(leaf)].append(leaf["n"])
    twice = [(identity, at) for identity, at in present.items() if len(at) > 1]
    if twice:
        raise Violation(f"{len(twice)} steps are in the log twice, the first is {twice[0]}")
    places, lost = {}, []
    for one in operations:
        if one.is_acknowledged:
            found = present.pop(identity_of_operation(one), None)
            if found:
                places[one] = found[0]
            else:
                lost.append(one)
    if lost:
        first = identity_of_operation(lost[0])
        raise Violation(f"{len(lost)} acknowledged steps are lost, the first is {first}")
    actors = {one.party: leaves[place]["actor"]["id"] for one, place in places.items()}
    left = {place: identity for identity, (place,) in present.items()}
    places.update(happened_later(operations, leaves, left, actors))
    return places


def happened_later(operations, leaves, left, actors):
    """Explains steps that no client was told of by requests that were still on their way.

    The first request got no answer, its repetition was refused, and then the first one arrived.
    """
    candidates = [one for one in operations if one.may_happen_later]
    places = {}
    for place, identity in left.items():
        kind, handoff, actor = KINDS[identity[0]], identity[1], leaves[place]["actor"]["id"]

        def is_cause(one):
            is_same = one.kind == kind and one.handoff in (None, handoff)
            return is_same and actors.get(one.party) == actor

        cause = next(filter(is_cause, candidates), None)
        if cause is None:
            raise Violation(f"{len(left)} steps happened that no client was told of: {identity}")
        candidates.remove(cause)
        late = copy.copy(cause)
        late.handoff, late.answered, late.until = handoff, math.inf, None
        places[late] = place
    return places


def in_order(places):
    """A step that was answered before another one was called has a lower number."""
    earliest_answer, answered_by = float("inf"), None
    for one in sorted(places, key=places.get, reverse=True):
        if earliest_answer < one.called:
            raise Violation(
                f"leaf {places[one]} ({one.kind}) was called after leaf {places[answered_by]} "
                f"({answered_by.kind}) was answered, but comes before it"
            )
        if one.answered < earliest_answer:
            earliest_answer, answered_by = one.answered, one


def hold(leaves):
    """Checks that one claim at a time is live. Returns the first and last leaf of each claim."""
    holder, highest, claims = {}, defaultdict(int), {}
    for leaf in leaves:
        handoff = leaf.get("subj", {}).get("h")
        fence, kind = leaf["attr"].get("fence"), leaf["type"]
        if kind == "handoff.claimed":
            if handoff in holder:
                raise Violation(
                    f"{handoff} has two holders: fences {holder[handoff]} and {fence}, leaf {leaf['n']}"
                )
            if fence <= highest[handoff]:
                raise Violation(f"{handoff}: fence {fence} follows {highest[handoff]}")
            holder[handoff] = highest[handoff] = fence
            claims[handoff, fence] = [leaf["n"], len(leaves)]
        elif kind in ENDS or kind == "handoff.checkpointed":
            if holder.get(handoff) != fence:
                raise Violation(f"{kind} with fence {fence} in leaf {leaf['n']}, but "
                                f"{holder.get(handoff)} holds {handoff}")
            if kind in ENDS:
                claims[handoff, fence][1] = leaf["n"]
                del holder[handoff]
    return claims


def leases(leaves, places):
    """No lease ended before the time that its holder was told, nor long after it."""
    until = defaultdict(list)
    for one, place in places.items():
        if one.until:
            until[one.handoff, one.fence].append((place, seconds(one.until)))
    for leaf in leaves:
        if leaf["type"] != "handoff.lapsed":
            continue
        told = [end for place, end in until[leaf["subj"]["h"], leaf["attr"]["fence"]]
                if place < leaf["n"]]
        early = max(told, default=0) - seconds(leaf["t"])
        if early > 0:
            raise Violation(f"the lease in leaf {leaf['n']} ended {early:.3f} s early")


def refusals(operations, claims, leaves, places):
    """Every refused claim met a live claim, and every refused write an ended one."""
    owners = {place: one for one, place in places.items()}
    by_handoff = defaultdict(list)
    for (handoff, fence), (first, last) in claims.items():
        by_handoff[handoff].append((first, last))
    for one in operations:
        if one.is_acknowledged or not one.handoff:
            continue
        if one.code == "TK-CLAIM-ALREADY":
            is_explained = any(
                could_precede(owners.get(first), one) and not had_ended(owners.get(last), one)
                for first, last in by_handoff[one.handoff]
            )
        elif one.code in ("TK-CLAIM-STALE", "TK-CLAIM-NONE"):
            last = claims[one.handoff, one.fence][1]
            is_explained = has_lapsed(leaves, last, one) or could_precede(owners.get(last), one)
        else:
            continue
        if not is_explained:
            raise Violation(f"{one.kind} of {one.handoff} was refused without reason: {one.code}")


def has_lapsed(leaves, place, one):
    """Returns `True` if the lease of a claim ended before its refused operation was answered."""
    if place == len(leaves) or leaves[place]["type"] != "handoff.lapsed":
        return False
    return seconds(leaves[place]["t"]) < one.answered_at + CLOCK_SECONDS


def could_precede(step, one):
    return step is not None and step.called < one.answered


def had_ended(end, one):
    return end is not None and end.answered < one.called


def clock(operations, leaves):
    """Checks the times in the log by the clock of the clients. Returns the largest difference."""
    off = 0.0
    for one, place in match(operations, leaves).items():
        if one.may_happen_later:
            continue
        at = seconds(leaves[place]["t"])
        called_at = one.answered_at - (one.answered - one.called)
        off = max(off, called_at - at, at - one.answered_at)
    if off > CLOCK_SECONDS:
        raise Violation(f"a leaf is {off:.1f} s off the clock of the database")
    return off


def control(operations, leaves):
    """Shows that the checks fail on a history that is wrong."""
    claimed = [leaf for leaf in leaves if leaf["type"] == "handoff.claimed"]
    if not claimed:
        raise Violation("there is no claim to show anything with")
    victim = claimed[len(claimed) // 2]
    place = victim["n"]
    must_fail("lost", operations, [*leaves[:place], *leaves[place + 1:]])
    untold = dict(victim, type="handoff.submitted", attr={}, subj={"h": "hof_untold"})
    must_fail("no client was told of", operations, [*leaves, untold])
    second = copy.deepcopy(victim)
    second["attr"].update(claim="clm_second", fence=victim["attr"]["fence"] + 1)
    doubled = [*leaves[:place + 1], second, *leaves[place + 1:]]
    told = next(one for one in operations if one.claim == victim["attr"]["claim"])
    told = copy.copy(told)
    told.claim, told.fence, told.called, told.answered = "clm_second", second["attr"]["fence"], 0, 1e12
    must_fail("two holders", [*operations, told], doubled)


def must_fail(what, operations, leaves):
    leaves = [dict(leaf, n=number) for number, leaf in enumerate(leaves)]
    try:
        check(operations, leaves)
    except Violation as found:
        if what in str(found):
            return
    raise Violation(f"the check does not find a history that is wrong: {what}")


def seconds(time):
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
