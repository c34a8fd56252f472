"""The dashboard: its applications, and the pages, scripts and styles that they serve."""
