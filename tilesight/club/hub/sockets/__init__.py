"""WebSockets at the hub's page (``/link``): tables send their logs, workers get the tables they run."""
