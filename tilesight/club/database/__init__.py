"""Database of the hub: published logs and their games; SQLite, or PostgreSQL by its URL."""
