"""Worker of a club: sees for tables that have only a phone, each by a lease that others take over."""
