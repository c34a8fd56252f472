"""Worker of a club: runs tables that have only a phone, under leases that other workers can take over."""
