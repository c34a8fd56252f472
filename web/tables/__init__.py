"""What the dashboard asks of a table, and how a table's values become JSON."""
