"""JSON and pictures of a table, as the dashboard draws it."""
