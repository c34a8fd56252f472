"""The dashboard's server beside the watching thread: port, addresses, certificate, start, stop."""

from tilesight.server.dashboard import Dashboard, DashboardError

__all__ = ["Dashboard", "DashboardError"]
