"""Signatures as Standard Webhooks defines them."""

from __future__ import annotations

import pytest

from tilesight.outward.signing import new_secret, secret_key, signed_headers


def test_the_signature_is_that_of_the_specification() -> None:
    # The example of the specification (Standard Webhooks).
    headers = signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330.7,
        b'{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_each_secret_is_new_and_long() -> None:
    one, other = new_secret(), new_secret()
    assert one != other
    assert len(secret_key(one)) == 32


@pytest.mark.parametrize(
    "secret", ["", "whsec_", "whsec_!!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2hvcnQ="]
)
def test_a_secret_that_is_none_is_refused(secret: str) -> None:
    with pytest.raises(ValueError, match="secret"):
        secret_key(secret)
