"""Verifies the signature of a webhook: python3 docs/examples/verify_webhook.py HEADER < BODY

WEBHOOK_SECRET holds the secrets, separated by spaces. In a web framework pass the body as received, not parsed and
serialized again: request.get_data() in Flask, request.body in Django.
"""

import hashlib
import hmac
import json
import os
import re
import sys
import time

TOLERANCE_SECONDS = 300


class InvalidWebhook(Exception):
    """The delivery must not be trusted. Respond with 400."""


def verify_webhook(body: bytes, header: str, secrets: list) -> dict:
    """Returns the event of a delivery. Skip an event whose id was handled before: a delivery can arrive twice."""
    if not secrets or not all(re.fullmatch(r"whsec_[A-Za-z0-9+/]+={0,2}", secret) for secret in secrets):
        raise ValueError("a webhook secret is empty or malformed")
    fields = [field.strip().partition("=")[::2] for field in header.split(",")]
    timestamp = next((value for name, value in fields if name == "t"), "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidWebhook("the signature has no valid timestamp, or its timestamp is more than five minutes off")
    # Compare bytes: compare_digest raises TypeError for text that is not ASCII.
    signatures = [value.encode() for name, value in fields if name == "v1"]
    signed = timestamp.encode() + b"." + body
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode() for secret in secrets]
    if not any([hmac.compare_digest(right, given) for right in expected for given in signatures]):
        raise InvalidWebhook("no signature matches this body and secret")
    return json.loads(body)


if __name__ == "__main__":
    try:
        event = verify_webhook(sys.stdin.buffer.read(), sys.argv[1], os.environ.get("WEBHOOK_SECRET", "").split())
    except (InvalidWebhook, ValueError) as error:
        sys.exit(f"rejected: {error}")
    print(event["event"], event["id"])
