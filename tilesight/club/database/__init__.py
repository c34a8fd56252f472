"""Database of the hub: the tables' logs and their games; SQLite, or PostgreSQL by its URL."""
