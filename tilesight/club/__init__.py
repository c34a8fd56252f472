"""Club of many tables: a hub collects their logs, shows all tables, and runs tournaments.

Installed by the extra ``tilesight[club]``; nothing that one table needs imports it. Tables and workers
connect to the hub by a WebSocket at its page's port, and exchange the frames of `frames`.
"""
