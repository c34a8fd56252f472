"""Tables as the dashboard sees them: the protocols, and their values as JSON."""
