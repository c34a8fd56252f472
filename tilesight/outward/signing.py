"""Signatures of webhooks, as Standard Webhooks defines them: secrets, and the headers of a delivery."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

PREFIX = "whsec_"
"""Prefix of a secret."""
SECRET_BYTES = (24, 64)
"""Least and greatest number of bytes of a secret."""


def new_secret() -> str:
    """Return a new random secret: `PREFIX` and 32 bytes as base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def secret_key(secret: str) -> bytes:
    """Return the bytes of a secret. Raises ValueError if it is malformed or too short."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("the secret is not base64") from None
    least, most = SECRET_BYTES
    if not secret.startswith(PREFIX) or not least <= len(key) <= most:
        raise ValueError(f"a secret is {PREFIX} and {least} to {most} bytes as base64")
    return key


def signed_headers(secret: str, message_id: str, at_s: float, body: bytes) -> dict[bytes | str, bytes | str]:
    """Return the headers that sign ``body``: id of the message, time (seconds since 1970) and signature.

    The signature is the HMAC-SHA256 over id, time and body, joined by dots.
    """
    timestamp = str(int(at_s))
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    digest = hmac.new(secret_key(secret), signed, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
