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


@schemathesis.hook
def filter_case(context, case):
    """Keeps every case except revoking the token of the run, which would end it."""
    is_revoke = case.method == "DELETE" and case.path == "/v1/tokens/{id}"
    if not is_revoke:
        return True
    named = str((case.path_parameters or {}).get("id", "")).removeprefix("tok_")
    return not (named.endswith(OWN_TOKEN) or OWN_TOKEN.endswith(named))


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if number(case, "as it is", 4) == 0:
        return
    resource = case.path.split("/")[2]
    names = case.path_parameters or {}
    claim = CLAIMS[number(case, "claim", len(CLAIMS))]
    if resource in ("handoffs", "dead") and "id" in names:
        names["id"] = HANDOFFS[number(case, "handoff", len(HANDOFFS))]
    if resource == "tasks" and "task" in names:
        names["task"] = HANDOFFS[number(case, "handoff", len(HANDOFFS))]
    if resource == "claims" and "id" in names:
        names["id"] = claim["id"]
    if resource in NAMES and "name" in names:
        names["name"] = NAMES[resource]
    if case.path.endswith(("/checkpoints", "/returns")):
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
    if isinstance(handoff, dict) and handoff.get("id") not in HANDOFFS and len(HANDOFFS) < 200:
        HANDOFFS.append(handoff["id"])
    if isinstance(claim, dict) and len(CLAIMS) < 200:
        CLAIMS.append({member: claim[member] for member in ("id", "handoff", "fence")})
