"""Web application of a club's hub, which shows all tables at once."""
