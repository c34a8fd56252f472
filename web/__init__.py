"""Web interface: FastAPI applications for tables, lobby and hub, with their pages, scripts and styles."""

__all__ = ["access", "api", "app", "naming_app", "page", "report", "tables"]
