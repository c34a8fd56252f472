"""Club of many tables: a hub collects their logs, shows all tables, and runs tournaments.

Installed by the extra ``tilesight[club]``; nothing that one table needs imports it. Tables, hub and workers
communicate through NATS (https://nats.io), with the subjects and messages of `subjects` and `messages`.
"""
