"""The dashboard: its applications, and the pages, scripts and styles that they serve."""

__all__ = ["access", "api", "app", "naming_app", "page", "report", "tables"]
