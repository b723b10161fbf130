"""Makes valid Schemathesis requests refer to existing resources.

Without it nearly every id is unknown and nearly every packet invalid, so that the rules behind them
are never reached. Invalid requests are sent unchanged.
"""

import contextlib
import json
import os
import urllib.error
import urllib.request
import zlib

import schemathesis

with open(os.environ["TASUKI_SEEDED"], encoding="utf-8") as file:
    SEEDED = json.load(file)

HANDOFFS = SEEDED["handoffs"]
CLAIMS = SEEDED["claims"]
OWN_TOKEN = SEEDED["token"]
OWN_PARTY = "ana"
UNKNOWN_TOKEN = "tok_00000000000070008000000000000000"
# Ids and tasks that responses of this run named.
NAMED = set()
# A bundle is sent as the bytes that were generated.
schemathesis.serializer.alias("application/x-git-bundle", "application/octet-stream")

NAMES = {"contracts": "agent-handoff", "gates": "release", "parties": "hermes-main"}


def number(case, what, below):
    """Returns the same number for the same case."""
    text = json.dumps([what, case.path, str(case.path_parameters), str(case.body)], default=str)
    return zlib.crc32(text.encode("utf-8", "replace")) % below


def packet(case):
    kind = {"/checkpoints": "checkpoint", "/returns": "return"}
    kind = next((word for end, word in kind.items() if case.path.endswith(end)), None)
    made = {
        "handoff_version": "1.0",
        "task_id": f"task-{number(case, 'task', 40)}",
        "from_agent": "ana",
        "to_agent": ["hermes-main", "ana", "role:reviewer"][number(case, "to", 3)],
        "status": "in_progress",
        "goal": "Ship it",
        "completed": ["scaffold"],
        "remaining": ["tests"],
    }
    if kind:
        made["packet_type"] = kind
    if kind == "return":
        made["status"] = "completed"
    return made


def keep_the_run_alive(case):
    """Redirects requests that would revoke the token of the run.

    Sequences find the token and its party in lists, so a filter of generated values is not enough.
    """
    names = case.path_parameters or {}
    if (case.method, case.path) == ("DELETE", "/v1/tokens/{id}"):
        named = str(names.get("id", "")).lower().removeprefix("tok_")
        if named.endswith(OWN_TOKEN) or OWN_TOKEN.endswith(named):
            names["id"] = UNKNOWN_TOKEN
    # A party that changes its kind loses its tokens.
    if (case.method, case.path) == ("POST", "/v1/parties") and isinstance(case.body, dict):
        if str(case.body.get("name", "")).strip().lower() == OWN_PARTY:
            case.body = {**case.body, "name": "hermes-main"}


def bind_key_to_request(case):
    """Makes requests with the same idempotency key equal, so that a key is replayed, not reused."""
    key = (case.headers or {}).get("Idempotency-Key")
    if key:
        request = number(case, f"{case.method} {case.query}", 2**32)
        # LIMIT: a key has up to 200 characters.
        case.headers["Idempotency-Key"] = f"{key[:180]}-{request}"


@schemathesis.hook
def before_call(context, case, kwargs):
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if is_positive and number(case, "as it is", 4) != 0:
        refer_to_existing(case)
    keep_the_run_alive(case)
    if is_positive:
        bind_key_to_request(case)


def refer_to_existing(case):
    resource = case.path.split("/")[2]
    names = case.path_parameters or {}
    claim = CLAIMS[number(case, "claim", len(CLAIMS))]
    # A sequence continues with what an earlier response named.
    if {str(names.get("id")), str(names.get("task"))} & NAMED:
        claim = next((known for known in CLAIMS if known["handoff"] == names.get("id")), claim)
    elif resource in ("handoffs", "dead") and "id" in names:
        names["id"] = HANDOFFS[number(case, "handoff", len(HANDOFFS))]
    elif resource == "tasks" and "task" in names:
        names["task"] = HANDOFFS[number(case, "handoff", len(HANDOFFS))]
    elif resource == "claims" and "id" in names:
        names["id"] = claim["id"]
    if resource in NAMES and "name" in names:
        names["name"] = NAMES[resource]
    if case.method == "POST" and case.path.endswith(("/checkpoints", "/returns")):
        names["id"] = claim["handoff"]
        case.query = {**(case.query or {}), "fence": claim["fence"]}
    carries_packet = case.path in ("/v1/handoffs", "/v1/tasks", "/v1/handoff/validate") or (
        case.path.endswith(("/revisions", "/checkpoints", "/returns"))
    )
    if case.method == "POST" and carries_packet and isinstance(case.body, dict):
        case.body = packet(case)


@schemathesis.hook
def after_call(context, case, response):
    """Remembers new handoffs and claims, and lifts a halt, during which nothing happens."""
    if response.status_code not in (200, 201):
        return
    if (case.method, case.path) == ("POST", "/v1/halt"):
        lifted = urllib.request.Request(response.request.url + "?reason=on", method="DELETE")
        lifted.add_header("Authorization", response.request.headers["Authorization"])
        # A replayed response does not halt the project, so there may be nothing to lift.
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(lifted, timeout=60).close()
    try:
        answer = json.loads(response.content)
    except ValueError:
        return
    if not isinstance(answer, dict):
        return
    handoff, claim = answer.get("handoff"), answer.get("claim")
    for member in ("handoff", "claim", "token", "subscription"):
        if isinstance(answer.get(member), dict) and len(NAMED) < 10_000:
            NAMED.update(str(answer[member][name]) for name in ("id", "task") if name in answer[member])
    if isinstance(handoff, dict) and handoff.get("id") not in HANDOFFS and len(HANDOFFS) < 200:
        HANDOFFS.append(handoff["id"])
    if isinstance(claim, dict) and len(CLAIMS) < 2_000:
        # The newest claim of a handoff comes first.
        CLAIMS.insert(0, {member: claim[member] for member in ("id", "handoff", "fence")})
