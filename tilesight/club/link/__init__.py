"""Link of one table to the club's hub: a process beside `tilesight live`, which never waits for it."""

BROKEN = 1
"""Exit code of a link that lost its connection for good: the next one may fare better, and says why not."""
WRONG = 2
"""Exit code of a link with a wrong invitation, or with a log that is not the hub's: to try again would not
help."""
VOID = 3
"""Exit code of a worker's link, and then of its table, whose log is not the hub's: another went on."""
