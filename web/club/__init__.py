"""Pages of a club's hub: all tables at once."""
