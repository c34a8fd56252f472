"""Outward: a table's events sent to webhooks, and its state to an MQTT broker for Home Assistant.

One thread of its own sends everything, fed from the feed that phones use, so that the table never waits.
"""
