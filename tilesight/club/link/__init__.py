"""Link of one table with the club's hub: a process beside `tilesight live`, which never waits for it."""
