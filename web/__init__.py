"""Web interface: FastAPI applications for tables, lobby and hub, with their pages, scripts and styles."""
