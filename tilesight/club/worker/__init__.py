"""Worker of a club: runs tables that have only a phone, each under a lease that another worker can take
over."""
