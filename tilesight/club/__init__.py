"""Club of many tables: their logs go to a hub, which shows them all and runs tournaments.

Installed by the extra ``tilesight[club]``; nothing that one table needs imports it. Tables, hub and workers
talk through NATS (https://nats.io); what they say is in `subjects` and `messages`.
"""
