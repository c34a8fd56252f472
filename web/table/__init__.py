"""Values, commands and protocols of a table, shared by `tilesight` and the pages."""
