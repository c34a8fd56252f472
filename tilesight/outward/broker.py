"""MQTT broker: the client that keeps a table's state there.

The client (paho) connects in a thread of its own, and again with growing waits when the broker is gone.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.reasoncodes import ReasonCode

from tilesight.outward.broker_address import BrokerAddress
from tilesight.outward.delivery import trusted
from tilesight.outward.home_assistant import discovery_message, discovery_topic, state_message
from web.table.feed import FeedEvent
from web.table.question import Question
from web.table.squares import SquareView
from web.table.view import TableView

RECONNECT_S = (1, 60)
"""Seconds until the first and, doubled each time, at most until a further try to connect."""
KEEPALIVE_S = 30
"""Seconds after which a silent connection is checked."""
QUEUE_LIMIT = 200
"""Maximum number of messages that wait for a broker that is connected, but slow."""
GOODBYE_S = 2.0
"""Seconds for the last message, at the end of the table."""
ONLINE, OFFLINE = "online", "offline"
"""Availability of a table."""


class Broker:
    """Client of one broker. ``on_connected`` is called in the client's thread after each connection."""

    def __init__(self, address: BrokerAddress, on_connected: Callable[[], None]) -> None:
        self._prefix = address.prefix
        self._told: dict[str, str] = {}
        client = Client(CallbackAPIVersion.VERSION2, client_id=f"tilesight-{secrets.token_hex(6)}")
        if address.user is not None:
            client.username_pw_set(address.user, address.password)
        if address.encrypted:
            client.tls_set_context(trusted())
        client.will_set(self._topic("availability"), OFFLINE, qos=1, retain=True)
        client.reconnect_delay_set(*RECONNECT_S)
        client.max_queued_messages_set(QUEUE_LIMIT)

        def connected(_: Any, __: Any, ___: Any, reason: ReasonCode, ____: Any) -> None:
            self.connected = not reason.is_failure
            if self.connected:
                on_connected()

        def lost(*_: object) -> None:
            self.connected = False

        client.on_connect, client.on_disconnect = connected, lost
        self.connected = False
        """Whether the broker is connected now."""
        self._client = client
        # Resolves and connects in the client's own thread, once that is started.
        client.connect_async(address.host, address.port, keepalive=KEEPALIVE_S)

    def start(self) -> None:
        """Start to connect, in a thread of its own."""
        self._client.loop_start()

    def _topic(self, name: str) -> str:
        """Return the topic of this name below the table's prefix."""
        return f"{self._prefix}/{name}"

    def introduce(self, view: TableView | SquareView, questions: Sequence[Question]) -> None:
        """Publish everything that is retained: after a connection, since the broker may have lost it."""
        self._told.clear()
        self.show(view, questions)
        self._client.publish(self._topic("availability"), ONLINE, qos=1, retain=True)

    def show(self, view: TableView | SquareView, questions: Sequence[Question]) -> None:
        """Publish the discovery and the state of the table, each if it changed."""
        self._retain(discovery_topic(self._prefix), discovery_message(self._prefix, view))
        self._retain(self._topic("state"), state_message(view, questions))

    def tell(self, event: FeedEvent, at_s: float) -> None:
        """Publish an event, which is not retained; nothing while the broker is not connected."""
        if self.connected:
            self._client.publish(self._topic(f"event/{event.type}"), event.json_sent(at_s))

    def _retain(self, topic: str, message: dict[str, Any]) -> None:
        """Publish a retained message if it changed; nothing while the broker is not connected."""
        text = json.dumps(message, ensure_ascii=False)
        if self.connected and self._told.get(topic) != text:
            self._told[topic] = text
            self._client.publish(topic, text, qos=1, retain=True)

    def close(self) -> None:
        """Publish that the table is offline, and disconnect; waits `GOODBYE_S` at most."""
        connected = self.connected
        if connected:
            last = self._client.publish(self._topic("availability"), OFFLINE, qos=1, retain=True)
            with contextlib.suppress(ValueError, RuntimeError):  # the connection was lost meanwhile
                last.wait_for_publish(GOODBYE_S)
        if self._client.disconnect() == MQTTErrorCode.MQTT_ERR_SUCCESS and connected:
            self._client.loop_stop()
