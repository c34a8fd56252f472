"""Delivery of one event to one webhook: a signed request with bounds on its size and its time."""

from __future__ import annotations

import asyncio
import logging
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpcore

from tilesight.outward.addresses import Network
from tilesight.outward.reach import CheckedNetwork, RefusedAddressError
from tilesight.outward.signing import signed_headers
from web.table.access import Webhook
from web.table.table import Problem

log = logging.getLogger("tilesight.outward")

WITHIN_S = 15.0
"""Seconds for one delivery, from the look-up of the name to the answer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a delivery: what went wrong ("" for nothing), and the HTTP status (None: no answer)."""

    problem: Problem = ""
    status: int | None = None


class Delivery:
    """Sends to all webhooks, over a new connection each time, so that each one is checked.

    Redirects are answers like others: none is followed. Proxies of the environment are not used.
    """

    def __init__(self, networks: Sequence[Network] = ()) -> None:
        self._trusted = trusted()
        self._network = CheckedNetwork(networks)

    async def send(self, webhook: Webhook, message_id: str, body: bytes) -> Outcome:
        """Send ``body`` to a webhook, signed with its secret and the current time."""
        headers: dict[bytes | str, bytes | str] = {
            "content-type": "application/json",
            "user-agent": "tilesight",
            **signed_headers(webhook.secret, message_id, time.time(), body),
        }
        try:
            async with asyncio.timeout(WITHIN_S):
                status = await self._status(webhook.url, headers, body)
        except TimeoutError:
            return Outcome("late")
        except RefusedAddressError:
            return Outcome("address")
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
            return Outcome("unreachable")
        except (OSError, UnicodeError):  # the name has no address, or cannot have one
            return Outcome("name")
        except Exception as error:  # the other webhooks must go on
            log.error("a webhook cannot be delivered: %s", type(error).__name__)
            return Outcome("unreachable")
        return Outcome("" if 200 <= status < 300 else "status", status)

    async def _status(self, url: str, headers: Mapping[bytes | str, bytes | str], body: bytes) -> int:
        """Post ``body`` and return the answer's status; what follows it is not read."""
        connection = httpcore.AsyncHTTPConnection(
            httpcore.URL(url).origin, self._trusted, network_backend=self._network
        )
        async with connection, connection.stream("POST", url, headers=headers, content=body) as answer:
            return answer.status


def trusted() -> ssl.SSLContext:
    """Return a context that trusts the known authorities, and those that SSL_CERT_FILE names."""
    return httpcore.default_ssl_context()
