"""Options of the command line about webhooks and MQTT, and their values."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from tilesight.outward.addresses import Network, checked_network, checked_url
from tilesight.outward.broker_address import BrokerAddress, broker_address
from tilesight.outward.signing import secret_key
from tilesight.settings import SettingsError

WEBHOOK, NETWORK = "TILESIGHT_WEBHOOK", "TILESIGHT_WEBHOOK_NETWORK"
"""Variables of the environment that stand for ``--webhook`` and ``--webhook-network``: values with spaces
between them."""
MQTT = "TILESIGHT_MQTT"
"""Variable of the environment that stands for ``--mqtt``."""
MQTT_PASSWORD = "TILESIGHT_MQTT_PASSWORD"
"""Variable of the environment with the broker's password."""
FILE_LIMIT_BYTES = 256 * 1024
"""Number of bytes that are read of a file of options."""

WebhookOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ADDRESS",
        envvar=WEBHOOK,
        help="send every event, signed, to this http(s) address, or to those in @FILE; may be repeated",
    ),
]
NetworkOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NETWORK",
        envvar=NETWORK,
        help="a private network that webhooks may reach, e.g. 192.168.1.0/24; may be repeated",
    ),
]
MqttOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        envvar=MQTT,
        help="show the score at an MQTT broker, as for Home Assistant: mqtt://user@host/prefix or @FILE",
    ),
]


@dataclass(frozen=True, slots=True)
class WantedWebhook:
    """A webhook of the command line; without a ``secret`` it gets a new one."""

    url: str
    secret: str | None = None


@dataclass(frozen=True, slots=True)
class OutwardOptions:
    """Webhooks, private networks that webhooks may reach, and the MQTT broker, None for none."""

    webhooks: tuple[WantedWebhook, ...] = ()
    networks: tuple[Network, ...] = ()
    broker: BrokerAddress | None = None


def outward_options(
    webhooks: Sequence[str] | None, networks: Sequence[str] | None, mqtt: str | None
) -> OutwardOptions:
    """Read the three options. Raises SettingsError; its line has no path and no query of an address."""
    return OutwardOptions(
        tuple(_webhooks(webhooks or ())),
        tuple(map(_network, networks or ())),
        None if mqtt is None else _broker(mqtt),
    )


def environment_of(
    webhooks: Sequence[str] | None, networks: Sequence[str] | None, mqtt: str | None
) -> dict[str, str]:
    """Return the variables by which a command that is started gets the same three options.

    Other users of the computer can read arguments, but not the environment. Raises SettingsError for a
    file's name with a space, which separates values there.
    """
    if split := next((one for one in webhooks or () if len(one.split()) > 1), None):
        shown = split if split.startswith("@") else _host(split)
        raise SettingsError(f"--webhook {shown}: a value with a space cannot be handed on to tables")
    values = {WEBHOOK: " ".join(webhooks or ()), NETWORK: " ".join(networks or ()), MQTT: mqtt or ""}
    return {name: value for name, value in values.items() if value}


def _webhooks(texts: Sequence[str]) -> Iterator[WantedWebhook]:
    """Yield the webhooks of ``--webhook``; of ``@FILE`` one for each line: address, and perhaps secret."""
    for text in texts:
        lines = _lines(text[1:], "--webhook") if text.startswith("@") else [text]
        for line in lines:
            url, _, secret = line.partition(" ")
            try:
                if secret := secret.strip():
                    secret_key(secret)
                yield WantedWebhook(checked_url(url), secret or None)
            except ValueError as error:
                raise SettingsError(f"--webhook {_host(url)}: {error}") from None


def _host(url: str) -> str:
    """Return the host of an address that may be malformed; "ADDRESS" if it has none."""
    try:
        return urlsplit(url).hostname or "ADDRESS"
    except ValueError:
        return "ADDRESS"


def _network(text: str) -> Network:
    """Return the network of ``--webhook-network``."""
    try:
        return checked_network(text)
    except ValueError as error:
        raise SettingsError(f"--webhook-network {text}: {error}") from None


def _broker(text: str) -> BrokerAddress:
    """Return the broker of ``--mqtt``, with its password of a file or of the environment."""
    from_file = text.startswith("@")
    line = next(iter(_lines(text[1:], "--mqtt")), "") if from_file else text
    try:
        address = broker_address(line, os.environ.get(MQTT_PASSWORD))
        told = urlsplit(line).password
    except ValueError as error:
        raise SettingsError(f"--mqtt: {error}") from None
    if told is not None and not from_file and text != os.environ.get(MQTT):
        raise SettingsError(
            f"--mqtt: others can read a password on the command line; set {MQTT_PASSWORD}, or name a @FILE"
        )
    return address


def _lines(path: str, option: str) -> list[str]:
    """Return the lines of a file of options, without empty ones and comments (``#``)."""
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file.read(FILE_LIMIT_BYTES).splitlines()]
    except OSError as error:
        raise SettingsError(f"{option} @{path}: cannot be read ({error.strerror})") from None
    if not (found := [line for line in lines if line and not line.startswith("#")]):
        raise SettingsError(f"{option} @{path}: the file is empty")
    return found
