"""Worker of a club: runs tables that have only a phone, as the hub assigns them."""
