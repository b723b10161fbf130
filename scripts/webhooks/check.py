"""Verifies signed requests with the Python library, which supports only `v1`."""

import json
import sys

from standardwebhooks import Webhook

signed = json.load(open(sys.argv[1], encoding="utf-8"))


def accepts(request, secret, body=None):
    try:
        Webhook(secret).verify(body or request["body"], request["headers"])
    except Exception:
        return False
    return True


one, two, old, _pair = signed["requests"]
checks = [
    ("a signed request", accepts(one, signed["secret"]), True),
    ("another secret", accepts(one, signed["old_secret"]), False),
    ("the new secret of two", accepts(two, signed["secret"]), True),
    ("the old secret of two", accepts(two, signed["old_secret"]), True),
    ("an old timestamp", accepts(old, signed["secret"]), False),
    ("a changed body", accepts(one, signed["secret"], one["body"] + " "), False),
]
for what, is_accepted, should in checks:
    if is_accepted != should:
        sys.exit(f"PyPI standardwebhooks: {what} is {'accepted' if is_accepted else 'refused'}")
print("PyPI standardwebhooks: v1 checked")
